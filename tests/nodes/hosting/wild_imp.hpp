/// Game code that throws at random, wherever a game may throw, and keeps a ledger of all that it
/// was given and of all that it threw.
#pragma once

#include <algorithm>
#include <array>
#include <boost/asio/deferred.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <map>
#include <random>
#include <stdexcept>
#include <string>

#include "base/unit_guard.hpp"
#include "entity/machines/machine.hpp"
#include "entity/properties/properties.hpp"
#include "nodes/hosting/entity_host.hpp"
#include "tests/stream.hpp"

namespace starbus::nodes::entities::wild {

namespace rpc = entity::rpc;

/// What the code of one test throws, by kind, and of methods by name.
class Ledger {
 public:
  explicit Ledger(std::uint32_t seed) : draw_(seed) {}

  /// One time in five it throws. `place`: the full name of a method.
  void maybe(UnitKind kind, const std::string& place = {}) {
    if (calm) return;
    ++at(chances_, kind);
    if (draw_() % 5 != 0) return;
    ++at(thrown_, kind);
    if (!place.empty()) ++thrown_in_[place];
    if (draw_() % 8 == 0) throw kind;  // not a std::exception
    throw std::runtime_error("wild");
  }

  std::uint64_t chances(UnitKind kind) const { return chances_.at(static_cast<std::size_t>(kind)); }
  std::uint64_t thrown(UnitKind kind) const { return thrown_.at(static_cast<std::size_t>(kind)); }
  const std::map<std::string, std::uint64_t>& thrown_in() const { return thrown_in_; }

  bool calm = false;  // nothing is thrown

 private:
  using Counts = std::array<std::uint64_t, kUnitKinds>;
  static std::uint64_t& at(Counts& counts, UnitKind kind) {
    return counts[static_cast<std::size_t>(kind)];
  }
  std::mt19937 draw_;
  Counts chances_{}, thrown_{};
  std::map<std::string, std::uint64_t> thrown_in_;
};
inline Ledger* ledger = nullptr;  // of the test or of the process that runs

struct ImpState : entity::Properties<ImpState> {
  entity::Field<int, entity::own_client> mood{this, "mood"};
};

/// A machine whose deadline comes again and again.
struct Restless;
class Imp;
using Moods = entity::Machine<Imp, Restless>;
struct Restless {
  static constexpr std::string_view kName = "restless";
  static constexpr entity::Time kDeadline = std::chrono::milliseconds(2);
  void on(const entity::DeadlinePassed&, Moods& moods) {
    moods.set_deadline(kDeadline);
    ledger->maybe(UnitKind::deadline);
  }
};

class Imp final : public entity::EntityOf<Imp> {
 public:
  static constexpr std::string_view kTypeName = "imp";
  explicit Imp(const entity::ConstructKey& key) : EntityOf(key) {}

  /// One-way. The number is noted before anything is thrown: the message has been handled.
  void hit(rpc::Caller&, std::uint64_t number) {
    hits.got(number);
    state.mood = static_cast<int>(number);
    ledger->maybe(UnitKind::method, "wild_imp.hit");
  }
  std::uint64_t ask(rpc::Caller&, std::uint64_t number) {
    asks.got(number);
    ledger->maybe(UnitKind::method, "wild_imp.ask");
    return number;
  }
  /// Answers later.
  rpc::Task<std::uint64_t> ponder(rpc::Caller& from, std::uint64_t number) {
    ponders.got(number);
    boost::asio::steady_timer timer(from.endpoint->loop(), std::chrono::microseconds(200));
    co_await timer.async_wait(boost::asio::deferred);
    ledger->maybe(UnitKind::method, "wild_imp.ponder");
    co_return number;
  }
  /// For rpc::spawn.
  rpc::Task<> dream(rpc::Endpoint& endpoint) {
    boost::asio::steady_timer timer(endpoint.loop(), std::chrono::microseconds(200));
    co_await timer.async_wait(boost::asio::deferred);
    ++dreams;
    ledger->maybe(UnitKind::coroutine);
  }

  entity::Root* properties() override { return &state; }
  ImpState state;
  Stream hits, asks, ponders;
  std::uint64_t dreams = 0;
  static constexpr auto kRpc =
      rpc::methods("wild_imp", rpc::method<&Imp::hit>("hit"), rpc::method<&Imp::ask>("ask"),
                   rpc::method<&Imp::ponder>("ponder"));

 private:
  ~Imp() override = default;
};

/// Lives for a moment; its hooks throw.
class Mayfly final : public entity::EntityOf<Mayfly> {
 public:
  static constexpr std::string_view kTypeName = "mayfly";
  explicit Mayfly(const entity::ConstructKey& key) : EntityOf(key) {}

 private:
  ~Mayfly() override = default;
  entity::EntityResult<> on_init() override { return hook(); }
  entity::EntityResult<> on_activate() override { return hook(); }
  void on_deactivate(entity::EndReason) override { static_cast<void>(hook()); }
  void on_final(entity::EndReason) override { static_cast<void>(hook()); }
  static entity::EntityResult<> hook() {
    ledger->maybe(UnitKind::hook);
    return {};
  }
};

}  // namespace starbus::nodes::entities::wild
