/// The functions that a node runs every tick: in fixed phases, and within a phase in declared
/// order.
///
///   TickSchedule schedule;
///   const auto walk = *schedule.add({.name = "walk", .phase = TickPhase::movement},
///                                   [&](const Tick& tick) { world.step(tick.passed); });
///   schedule.add({.name = "crowd", .phase = TickPhase::movement, .after = {walk}}, ...);
///   schedule.run(now);   // by its driver: nodes/runtime/ticker.hpp
///
/// No clock and no thread of its own: used by the loop's thread (checked). Owns the functions; one
/// may add, remove and change functions while a tick runs, also itself. Failures are values; an
/// exception of a function leaves run(), or in a node ends that run of the function
/// (base/unit_guard.hpp). docs/guide/schedule.md has the promises.
#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/loop_thread.hpp"
#include "entity/schedule/limits.hpp"
#include "entity/timers/timer_wheel.hpp"

namespace starbus::entity {

/// In the order in which a tick goes through them.
enum class TickPhase : std::uint8_t {
  input,     // takes up messages since the last tick
  logic,     // rules and decisions
  movement,  // positions change
  interest,  // visibility between entities
  sync,      // encodes changes
  flush,     // sends
};
inline constexpr std::size_t kTickPhases = 6;

/// "movement"
std::string_view name_of(TickPhase phase);

/// The argument of a function.
struct Tick {
  std::uint64_t number = 0;  // of this tick: from 1
  Time now{};                // of its beginning, the same for all functions
  Time passed{};             // since this function ran last; 0 the first time
  std::uint64_t missed = 0;  // due times of this function that had no run of their own
};

/// Names one function; never reused. The default names none.
struct TickId {
  std::uint64_t serial = 0;

  explicit operator bool() const { return serial != 0; }
  friend auto operator<=>(const TickId&, const TickId&) = default;
};

/// When a function runs.
struct TickOptions {
  std::string name;  // 1..kMaxTickName bytes; need not be unique
  TickPhase phase = TickPhase::logic;
  Time interval{0};                // 0: every tick
  Time first{0};                   // before its first run, from the tick that sees it first
  std::vector<TickId> after = {};  // which run before it, if they run in that tick
};

class TickSchedule {
 public:
  using Function = std::function<void(const Tick&)>;

  /// For people.
  struct Row {
    std::string name;
    TickPhase phase;  // in which it runs: no earlier than the functions it waits for
    Time interval{};
    bool enabled = true;
    std::uint64_t runs = 0;
    std::uint64_t missed = 0;
  };

  TickSchedule() = default;
  ~TickSchedule();
  TickSchedule(const TickSchedule&) = delete;
  TickSchedule& operator=(const TickSchedule&) = delete;

  /// Errors: no_callback, bad_name, bad_interval, too_many_functions, too_many_prerequisites,
  /// unknown (one of `after`).
  TickResult<TickId> add(TickOptions options, Function function);
  /// It is not called any more, also not in the tick that runs. Was it there?
  bool remove(TickId id);
  /// Has `id` wait for `prerequisite`, from the next phase on. Errors: unknown, cycle (which names
  /// the way), too_many_prerequisites.
  TickResult<> run_after(TickId id, TickId prerequisite);
  /// From its latest run on. Errors: unknown, bad_interval.
  TickResult<> set_interval(TickId id, Time interval);
  /// One that is not enabled does not run, and misses nothing. Error: unknown.
  TickResult<> set_enabled(TickId id, bool enabled);

  bool contains(TickId id) const { return functions_.contains(id.serial); }
  std::size_t size() const { return functions_.size(); }
  std::uint64_t ticks() const { return number_; }
  /// In the order in which they run.
  std::vector<Row> rows();

  /// One tick. A time before that of the tick before counts as the same. Error: nested.
  TickResult<> run(Time now);

 private:
  struct Entry {
    std::uint64_t serial = 0;
    TickOptions options;
    TickPhase phase{};  // in which it runs
    Function function;
    Time due{};
    Time latest{};
    bool seen = false;  // by a tick: `due` is set
    bool enabled = true;
    bool removed = false;      // while a tick runs
    std::uint64_t ran_in = 0;  // number of the tick
    std::uint64_t runs = 0;
    std::uint64_t missed = 0;
  };
  using Order = std::vector<std::shared_ptr<Entry>>;

  Entry* find(TickId id) const;
  std::string way(const Entry& from, const Entry& to) const;
  void put_in_order();
  TickPhase settle_phase(Entry& entry, std::unordered_map<std::uint64_t, TickPhase>& settled);
  void run_one(Entry& entry);

  std::unordered_map<std::uint64_t, std::shared_ptr<Entry>> functions_;  // by serial
  std::array<Order, kTickPhases> order_;
  bool in_order_ = true;
  std::uint64_t next_ = 1;
  std::uint64_t number_ = 0;
  Time now_{};
  bool running_ = false;
  LoopThread thread_;
};

}  // namespace starbus::entity
