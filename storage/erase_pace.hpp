#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

namespace starbus::storage {

/// Paces the erasing of hidden ranges: when the next chunk is erased, and how large it is. At first
/// chunks are small and rests long, so that commits hardly notice. The longer a range waits, the
/// larger and denser the chunks become, so that erasing keeps up. Without commits there are no
/// rests. The clock comes from outside; one thread.
class ErasePace {
 public:
  using Clock = std::chrono::steady_clock;

  /// Something is hidden; again and again while it is so.
  void wanted(Clock::time_point now) {
    if (!since_) since_ = now;
  }
  void nothing_left() { since_.reset(); }
  /// Somebody commits, so the next chunk is followed by a rest.
  void committed() { busy_ = true; }

  /// Until the next chunk; 0: now.
  Clock::duration wait(Clock::time_point now) const;
  bool is_due(Clock::time_point now) const { return now >= next_; }
  /// Number of keys of the next chunk: kRangeChunk to kRangeHurry.
  std::size_t keys(Clock::time_point now) const;
  void erased(Clock::time_point begin, Clock::time_point end);

 private:
  /// 0 at first, one more with each kRangePatience.
  unsigned pressure(Clock::time_point now) const;

  std::optional<Clock::time_point> since_;
  Clock::time_point next_{};
  bool busy_ = false;  // since the last chunk
};

}  // namespace starbus::storage
