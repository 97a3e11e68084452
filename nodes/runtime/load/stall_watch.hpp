/// Decides from another thread whether the loop is blocked, and what to report.
///
/// Sans-IO, a plain value: a thread beside the loop's calls it four times within `limit`. The loop
/// beats while it advances; one without a beat for longer than the limit is blocked by what it
/// runs. A pause of the whole process (SIGSTOP, a host without processor time) shows as a gap
/// between two observations, and is not a stall of the loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace starbus::nodes {

class StallWatch {
 public:
  using Time = std::chrono::nanoseconds;

  /// The state that the loop shows.
  struct Sample {
    std::uint64_t beats = 0;
    std::string handler;  // that runs now; empty: it is in none that has a name
    Time handler_for{0};  // and for how long
  };
  struct Report {
    enum class Kind { blocked, still_blocked, goes_on, process_paused };
    Kind kind;
    Time how_long;        // since the latest beat; of the whole stall; of the pause
    std::string handler;  // the latest that was seen
    Time handler_for{0};
  };

  /// How often the loop is to beat, and the watcher to observe.
  static constexpr Time beat_period(Time limit) { return limit / 4; }

  explicit StallWatch(Time limit) : limit_(limit) {}

  /// A report, or nullopt. A stall is reported when it exceeds the limit, again each time its
  /// length has doubled, and when it is over.
  std::optional<Report> observe(Time now, const Sample& sample);
  /// Stalls that were longer than the limit, the present one among them.
  std::uint64_t stalls() const { return stalls_; }

 private:
  std::optional<Report> beat(Time now, const Sample& sample);

  Time limit_;
  std::optional<Time> observed_;  // latest
  std::uint64_t beats_ = 0;
  Time beat_at_{0};    // when the latest was seen first
  Time report_at_{0};  // length of the present stall at which to report again; 0: there is none
  std::string handler_;
  Time handler_for_{0};
  std::uint64_t stalls_ = 0;
};

/// One line for the log.
std::string to_string(const StallWatch::Report& report);

}  // namespace starbus::nodes
