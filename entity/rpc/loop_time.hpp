/// Time accounting of one loop: nested frames that are charged with their own time alone, passes
/// that end before other work has waited for too long, and the seconds over which rates of objects
/// are computed.
///
/// All of it belongs to the thread of one loop, which has one LoopTime. Nothing here fails.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

#include "entity/rpc/ticks.hpp"

namespace starbus::entity::rpc {

struct LoopTime {
  std::uint64_t charged = 0;        // ticks, in all frames that have ended
  std::uint32_t second = 1;         // a number for each, from sample() to sample()
  std::uint64_t second_began = 0;   // ticks; 0: sample() was never called
  std::uint64_t second_length = 0;  // of the previous second, in ticks; 0: none yet

  /// Called about once a second by the driver of the loop; a second call within kShortest does
  /// nothing.
  void sample() {
    const std::uint64_t now = ticks();
    const std::uint64_t now_ns = nanoseconds_now();
    if (second_began != 0 && now_ns - second_began_ns < kShortest) return;
    second_length = second_began == 0 ? 0 : now - second_began;
    second_began = now;
    second_began_ns = now_ns;
    ++second;
  }

  static constexpr std::uint64_t kShortest = 100'000'000;  // ns: several nodes share one thread
  std::uint64_t second_began_ns = 0;
};
inline constinit thread_local LoopTime loop_time{};

/// One frame. The time of nested frames is not its own.
class OwnTime {
 public:
  explicit OwnTime(bool on = true) : charged_before_(loop_time.charged), begun_(on ? ticks() : 0) {}

  std::uint64_t begun() const { return begun_; }  // 0: it is off
  /// Its own time until now.
  std::uint64_t own(std::uint64_t now = ticks()) const {
    const std::uint64_t passed = now - begun_;
    return passed - std::min(loop_time.charged - charged_before_, passed);
  }
  /// The same, at its end: no frame around it has this.
  std::uint64_t charge(std::uint64_t now = ticks()) const {
    const std::uint64_t passed = own(now);
    loop_time.charged += passed;
    return passed;
  }

 private:
  std::uint64_t charged_before_;
  std::uint64_t begun_;
};

/// How busy one object keeps the loop, in the latest second that was sampled. No pass over all
/// objects is needed: each notes the second itself when it is charged.
class BusyTime {
 public:
  /// Charges time to the present second.
  void add(std::uint64_t ticks_passed) {
    if (second_ != loop_time.second) {
      before_ = of_latest();
      now_ = 0;
      second_ = loop_time.second;
    }
    const std::uint64_t sum = now_ + (ticks_passed + kUnit / 2) / kUnit;
    now_ = static_cast<std::uint32_t>(std::min(sum, kMost));
  }
  /// 0 before the first sample.
  double ms_per_s() const {
    if (loop_time.second_length == 0) return 0;
    return 1000.0 * static_cast<double>(of_latest() * std::uint64_t{kUnit}) /
           static_cast<double>(loop_time.second_length);
  }

 private:
  static constexpr std::uint64_t kUnit = 16;  // ticks: 32 bits hold twenty seconds
  static constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t of_latest() const {
    if (second_ == loop_time.second) return before_;
    return second_ + 1 == loop_time.second ? now_ : 0;
  }
  std::uint32_t second_ = 0;  // of now_
  std::uint32_t now_ = 0;     // units
  std::uint32_t before_ = 0;  // in the second before that one
};

/// Whether so many ticks exceed a limit of at least a millisecond. Reads the system's clock only if
/// they may.
bool longer_than(std::uint64_t passed, std::chrono::milliseconds limit);

/// Limits a pass of a loop over many items: asked after each item, over() says whether to stop.
/// Reads only the processor's counter, unless the pass is long. Not inline, so that all passes of a
/// program have one clock: that of this library, or of what stands for it.
class PassTime {
 public:
  /// `limit`: at least a millisecond.
  explicit PassTime(std::chrono::milliseconds limit);
  /// The pass has taken its limit, or longer.
  bool over() const;

 private:
  std::chrono::milliseconds limit_;
  std::uint64_t begun_;
};

}  // namespace starbus::entity::rpc
