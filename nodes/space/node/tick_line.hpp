/// Decides which space ticks next, when, and what its tick stands for: the ticks of several spaces
/// in one loop, without a clock and a timer.
///
///   line.add(1, 100ms, now);
///   while (auto tick = line.begin(now)) { run(*tick); line.end(now); }    // one a turn of the
///   loop sleep_until(line.next());
///
/// **Rhythm.** The due times of a line are the multiples of its period, plus a phase of its own:
/// they never drift, and lines of one period are spread evenly over it.
/// **Choice.** Among those that are due, the one that has waited longest comes first.
/// **Late ticks are merged.** One tick stands for all due times that have passed, and tells how
/// many it has missed. Due times that pass within a tick longer than the period are missed, too: so
/// a line never runs twice while another one waits, however slow it is.
///
/// Sans-IO; belongs to one thread. Never fails.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace starbus::nodes::space {

/// One tick of a space, as its hooks get it.
struct SpaceTick {
  std::uint64_t number = 0;           // of its space: from 1
  std::chrono::nanoseconds time{};    // that it stands for: the latest due time that has come
  std::chrono::nanoseconds passed{};  // since that of the tick before: the step of a simulation
  std::uint64_t missed = 0;           // due times since then that had no tick of their own
};

class TickLine {
 public:
  using Time = std::chrono::nanoseconds;
  /// Of a line; the caller's.
  using Id = std::uint64_t;
  struct Due {
    Id id = 0;
    Time late{};  // since the earliest due time that it stands for
    SpaceTick tick = {};
  };

  /// Its first due time is the next one of its rhythm after `now`. The period is above 0 and at
  /// most a day, and the id is new.
  void add(Id id, Time period, Time now);
  /// Also within its tick. Ignored if it is unknown.
  void remove(Id id);

  /// When the next one is due; nullopt: there is none, but for one that runs.
  std::optional<Time> next() const;
  /// The tick to run now; nullopt: none is due. Until end() it runs, and there is no other one.
  std::optional<Due> begin(Time now);
  /// It has run.
  void end(Time now);

  std::size_t size() const { return lines_.size(); }

 private:
  struct Line {
    Time period{};
    std::size_t place = 0;  // among those of its period
    Time due{};             // the earliest that had no tick
    Time latest{};          // that a tick has stood for
    std::uint64_t ticks = 0;
  };
  std::size_t take_place(Time period);

  std::map<Id, Line> lines_;
  std::set<std::pair<Time, Id>> queue_;       // all but the one that runs
  std::map<Time, std::vector<bool>> places_;  // by period: which are taken
  std::optional<Id> runs_;
  Time began_{};
};

}  // namespace starbus::nodes::space
