#include "nodes/space/node/tick_figures.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "nodes/space/node/limits.hpp"

namespace starbus::nodes::space {

using std::chrono::microseconds;

std::size_t TickHistogram::bucket_of(std::uint64_t value) {
  if (value < kSteps) return static_cast<std::size_t>(value);
  const auto shift = static_cast<std::uint32_t>(std::bit_width(value)) - (kStepBits + 1);
  return shift * std::size_t{kSteps} + static_cast<std::size_t>(value >> shift);
}

void TickHistogram::record(Time time) {
  time = std::max(time, Time{0});
  const Time known = std::min<Time>(time, kLongestTick);
  const auto whole = static_cast<std::uint64_t>(std::chrono::floor<microseconds>(known).count());
  ++buckets_[std::min(bucket_of(whole), kBuckets - 1)];
  ++count_;
  max_ = std::max(max_, time);
}

void TickHistogram::merge(const TickHistogram& other) {
  for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  max_ = std::max(max_, other.max_);
}

TickHistogram::Time TickHistogram::percentile(double share) const {
  if (count_ == 0) return {};
  const double wanted = std::ceil(std::clamp(share, 0.0, 1.0) * static_cast<double>(count_));
  const auto rank = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    seen += buckets_[i];
    if (seen < rank) continue;
    // The first microsecond that is of a later bucket.
    const std::size_t shift = i < 2 * kSteps ? 0 : i / kSteps - 1;
    const std::size_t above = i < 2 * kSteps ? i + 1 : (i - shift * kSteps + 1) << shift;
    return std::min(Time(microseconds(above)), max_);
  }
  return max_;
}

void TickSpan::merge(const TickSpan& other) {
  ticks += other.ticks;
  missed += other.missed;
  late.merge(other.late);
  took.merge(other.took);
}

void TickFigures::roll(Time now) {
  if (!std::exchange(begun_, true)) since_ = now;
  if (now - since_ < kTickWindow) return;
  const auto windows = (now - since_) / Time(kTickWindow);
  last_ = windows == 1 ? present_ : TickSpan{};  // else the latest whole one had no tick
  present_ = {};
  whole_ = true;
  since_ += Time(kTickWindow) * windows;
}

void TickFigures::record(Time now, Time late, Time took, std::uint64_t missed) {
  roll(now);
  ++ticks_;
  missed_ += missed;
  ++present_.ticks;
  present_.missed += missed;
  present_.late.record(late);
  present_.took.record(took);
}

const TickSpan& TickFigures::window(Time now) {
  roll(now);
  return whole_ ? last_ : present_;
}

}  // namespace starbus::nodes::space
