/// What the ticks of one space were like: how many, how late, how long. Plain values without a
/// clock. Never fails.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace starbus::nodes::space {

/// A histogram of times in eight steps for each power of two, from 1 us to kLongestTick: a
/// percentile is at most an eighth above the time that was recorded, and 1 us for those below.
/// 800 bytes, where base/histogram.hpp has 58 KiB: a node has four for each of a thousand spaces.
class TickHistogram {
 public:
  using Time = std::chrono::nanoseconds;

  /// A negative time counts as 0.
  void record(Time time);
  /// As if all of the other one had been recorded here.
  void merge(const TickHistogram& other);
  std::uint64_t count() const { return count_; }
  /// Exact.
  Time max() const { return max_; }
  /// A time that at least this share of the recorded ones does not exceed, 0..1; 0 if there are
  /// none.
  Time percentile(double share) const;

 private:
  static constexpr std::uint32_t kStepBits = 3;
  static constexpr std::uint32_t kSteps = 1U << kStepBits;
  static constexpr std::size_t kBuckets = 192;

  static std::size_t bucket_of(std::uint64_t microseconds);

  std::array<std::uint32_t, kBuckets> buckets_{};
  std::uint64_t count_ = 0;
  Time max_{};
};

/// The figures of some ticks.
struct TickSpan {
  std::uint64_t ticks = 0;
  std::uint64_t missed = 0;
  TickHistogram late;  // how long after its due time each has begun
  TickHistogram took;

  /// As if all ticks of the other one were of this, too.
  void merge(const TickSpan& other);
};

class TickFigures {
 public:
  using Time = std::chrono::nanoseconds;

  /// One tick that has ended.
  void record(Time now, Time late, Time took, std::uint64_t missed);
  /// The latest whole kTickWindow; before there is one, what there is.
  const TickSpan& window(Time now);
  /// Since the space started.
  std::uint64_t ticks() const { return ticks_; }
  std::uint64_t missed() const { return missed_; }

 private:
  void roll(Time now);

  std::uint64_t ticks_ = 0;
  std::uint64_t missed_ = 0;
  bool begun_ = false;
  bool whole_ = false;  // last_ is a window
  Time since_{};
  TickSpan present_;
  TickSpan last_;
};

}  // namespace starbus::nodes::space
