/// Which store a database has: the identity of the store on this disk against the one that the
/// cluster knows.
///
/// A store draws an identity when it is first made. The first store of a database writes it to the
/// log `log/db.NAME` of the mail store, which outlives every node; from then on no other store is
/// that database. An operator replaces it on purpose: `replaces = "FORMER"` in the configuration of
/// the node with the new store, which then appends that it takes the place of the former one. All
/// readers of the log come to one result, whoever wrote when.
///
/// Belongs to the loop's thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "bus/client/bus.hpp"
#include "entity/timers/timer_wheel.hpp"
#include "nodes/runtime/steps.hpp"

namespace starbus::nodes::db {

/// 32 digits of base 16 that no other store has.
std::string draw_identity();

/// What the entries of the log say, in their order. A plain value.
class KnownIdentity {
 public:
  /// A log that has had entries and keeps none: no store is known, and none is the first.
  static constexpr std::string_view kErased = "erased";

  /// The entry of the first store of a database.
  static std::string first(std::string_view identity);
  /// The entry of a store that takes the place of `former`.
  static std::string replacement(std::string_view identity, std::string_view former);

  /// An entry that is malformed, or that replaces another store than the present one, changes
  /// nothing.
  void add(std::string_view entry);
  /// `last`: the number of the log's latest entry.
  void end(std::uint64_t last);
  /// Of the present store; empty: there has been none.
  const std::string& present() const { return present_; }

 private:
  std::string present_;
};

/// The log, as IdentityCheck uses it.
struct IdentityLog {
  template <class T>
  using Answer = std::function<void(bus::Result<T>)>;
  std::function<void(std::uint64_t from, Answer<bus::LogPage>)> read;
  std::function<void(std::string entry, Answer<std::uint64_t>)> append;
};
/// Over the bus, which outlives it.
IdentityLog identity_log(bus::Bus& bus, const std::string& database);

/// Asks the log whether the store on this disk is the database.
class IdentityCheck {
 public:
  /// `replaces`: the identity of the store that this one may take the place of; empty: none.
  IdentityCheck(std::string database, std::string replaces, IdentityLog log,
                entity::TimerWheel& timers);
  IdentityCheck(const IdentityCheck&) = delete;
  IdentityCheck& operator=(const IdentityCheck&) = delete;

  /// Completes when the store `own` is the database. Tries for as long as the log is away. Errors:
  /// bad_config (another store is: the text says which, and what to do), denied, corrupt. A second
  /// call abandons the first.
  void run(std::string own, Done done);
  /// For people: "waits for log/db.main: no_owner"; empty while it does not wait.
  const std::string& waits_for() const { return waits_for_; }

 private:
  void read(std::uint64_t from);
  void on_page(std::uint64_t from, const bus::LogPage& page);
  void decide();
  void append(std::string entry);
  void again(const bus::Error& why);
  void end(const bus::Result<>& result);

  const std::string database_;
  const std::string replaces_;
  const IdentityLog log_;
  entity::TimerWheel& timers_;
  std::string own_;
  Done done_;
  KnownIdentity known_;
  bool appended_ = false;  // in this run
  std::string waits_for_;
  std::shared_ptr<bool> running_;  // answers of an earlier run find it expired
  entity::TimerOwner alarms_;
};

}  // namespace starbus::nodes::db
