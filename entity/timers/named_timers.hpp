/// Timers that travel with their entity: a name and arguments instead of a closure.
///
/// A member of one entity, used by the loop's thread. Owns names and arguments; the wheel must live
/// as long as timers are pending. The set calls one handler, its entity's, which may do anything to
/// the set but destroy it: an entity is destroyed after the pass. Failures are values. Imported
/// bytes are treated as hostile. docs/guide/timers.md has the promises.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/core/bytes.hpp"
#include "entity/timers/timer_wheel.hpp"

namespace starbus::entity {

/// Which clock a timer follows while its entity is between two processes.
enum class Travel : std::uint8_t {
  paused = 0,   // its own, which stands still: the remaining time stays
  running = 1,  // the cluster's: timers that became due on the way fire on arrival
};

/// A named timer that fires.
struct NamedFiring {
  std::uint64_t id;       // of this entity
  std::string_view name;  // both live until the handler returns
  bus::ByteView args;
  std::uint64_t missed;  // as TimerFiring::missed
};

class NamedTimers {
 public:
  using Handler = std::function<void(const NamedFiring&)>;
  struct Options {
    Travel travel = Travel::running;
    CatchUp catch_up = CatchUp::all;
  };

  NamedTimers(TimerWheel& wheel, Handler handler) : wheel_(wheel), handler_(std::move(handler)) {}

  /// Calls the handler once, `delay` from now. The result is its id: 1, 2, 3... Errors:
  /// too_many_timers, too_far, bad_name, too_large.
  TimerResult<std::uint64_t> after(std::string_view name, bus::ByteView args, Time delay,
                                   Options options);
  TimerResult<std::uint64_t> after(std::string_view name, bus::ByteView args, Time delay) {
    return after(name, args, delay, Options{});
  }
  /// Also: bad_interval.
  TimerResult<std::uint64_t> every(std::string_view name, bus::ByteView args, Time first,
                                   Time interval, Options options);

  /// Was it pending?
  bool cancel(std::uint64_t id);
  /// Cancels all of that name; returns how many.
  std::size_t cancel_named(std::string_view name);
  std::size_t size() const { return entries_.size(); }
  std::size_t size_named(std::string_view name) const;
  /// visit(name, args) for each; it may not change the set.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Entry& entry : entries_)
      visit(std::string_view(entry.name), bus::ByteView(entry.args));
  }
  /// visit(name, due, interval) for each, by the clock of the wheel; it may not change the set.
  template <class Visit>
  void for_each_due(Visit&& visit) const {
    for (const Entry& entry : entries_) {
      const auto due = wheel_.due(entry.timer);
      visit(std::string_view(entry.name), due.value_or(wheel_.now()), entry.interval);
    }
  }
  Time now() const { return wheel_.now(); }
  /// Cancels all and forgets the counter: as new. Also within the handler.
  void reset();
  /// By the clock of the wheel.
  std::optional<Time> due(std::uint64_t id) const;

  /// Appends all timers and the counter of ids to `out`. `cluster_now` is the clock that all
  /// processes share; of its zero nothing is assumed. Not within the handler.
  void export_all(Time cluster_now, bus::Bytes& out) const;
  /// Imports bytes of export_all; only into a set that never had a timer. All or nothing. Errors:
  /// bad_bytes, not_empty, too_many_timers (of the wheel).
  TimerResult<> import_all(bus::ByteView bytes, Time cluster_now);

 private:
  struct Entry {
    std::uint64_t id = 0;
    std::string name;
    bus::Bytes args;
    Time interval{};  // 0: once
    Options options;
    TimerId timer;
  };
  using Entries = std::vector<Entry>;

  TimerResult<std::uint64_t> add(Entry entry, Time first);
  TimerResult<> start(Entry& entry, Time first);
  void fire(std::uint64_t id, const TimerFiring& firing);
  Entries::iterator find(std::uint64_t id);
  Entries::const_iterator find(std::uint64_t id) const;

  TimerWheel& wheel_;
  Handler handler_;
  std::uint64_t next_id_ = 1;
  Entries entries_;  // in the order of their ids
  TimerOwner owner_;
};

}  // namespace starbus::entity
