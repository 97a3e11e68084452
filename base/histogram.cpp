#include "base/histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace starbus {

std::size_t Histogram::bucket_of(std::uint64_t value) {
  if (value < kSteps) return static_cast<std::size_t>(value);
  // The top kStepBits + 1 bits of the value are kSteps..2*kSteps-1: one step of its power of two.
  const int shift = static_cast<int>(std::bit_width(value)) - (kStepBits + 1);
  return static_cast<std::size_t>(shift) * kSteps + static_cast<std::size_t>(value >> shift);
}

std::uint64_t Histogram::highest_value_of(std::size_t bucket) {
  if (bucket < 2 * kSteps) return bucket;
  const std::size_t shift = bucket / kSteps - 1;
  const std::uint64_t step = bucket - shift * kSteps;
  return ((step + 1) << shift) - 1;
}

void Histogram::record(std::int64_t value) {
  value = std::max<std::int64_t>(value, 0);
  ++buckets_[bucket_of(static_cast<std::uint64_t>(value))];
  ++count_;
  sum_ += static_cast<double>(value);
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
}

void Histogram::merge(const Histogram& other) {
  for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

double Histogram::mean() const {
  return count_ == 0 ? 0 : sum_ / static_cast<double>(count_);
}

std::int64_t Histogram::percentile(double percent) const {
  if (count_ == 0) return 0;
  const double wanted =
      std::ceil(std::clamp(percent, 0.0, 100.0) / 100 * static_cast<double>(count_));
  const auto rank = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    seen += buckets_[i];
    if (seen < rank) continue;
    // A bucket's upper end may lie above everything that was recorded.
    return std::min(static_cast<std::int64_t>(highest_value_of(i)), max_);
  }
  return max_;
}

}  // namespace starbus
