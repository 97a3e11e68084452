#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

namespace starbus::daemon {

/// Stop signals so soon after the first are the same one: shells and supervisors that signal a
/// process and its group send two within milliseconds. Nobody decides to give up a drain so soon.
inline constexpr std::chrono::milliseconds kSameStop{1000};

/// Decides what a stop signal means. A plain value; time is passed in, and never goes back.
///
/// The first begins the stop. A SIGTERM, or the first SIGINT, within kSameStop of that is the same
/// one. What comes later, or is a second SIGINT (a person at a terminal), ends the process at once.
class StopSignals {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class Meaning { stop, same, at_once };

  /// `interrupt`: it is a SIGINT, and not a SIGTERM.
  Meaning take(bool interrupt, Time now) {
    if (interrupt) ++interrupts_;
    if (!began_) {
      began_ = now;
      return Meaning::stop;
    }
    const bool repeated = interrupt && interrupts_ > 1;
    return repeated || now - *began_ > kSameStop ? Meaning::at_once : Meaning::same;
  }
  bool stopping() const { return began_.has_value(); }

 private:
  std::optional<Time> began_;
  std::size_t interrupts_ = 0;
};

}  // namespace starbus::daemon
