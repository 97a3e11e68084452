/// Histogram: a log-linear histogram of non-negative 64-bit values (nanoseconds here), in the
/// manner of HdrHistogram: 128 equal steps in every power of two, so a percentile is never more
/// than 1 % above the value that was recorded. Fixed memory (58 KiB), no allocation while
/// recording. Not thread-safe; merge() joins the histograms of several threads or processes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace starbus {

class Histogram {
 public:
  /// A negative value counts as zero.
  void record(std::int64_t value);
  /// As if all values of the other one had been recorded here.
  void merge(const Histogram& other);

  std::uint64_t count() const { return count_; }
  std::int64_t min() const { return count_ == 0 ? 0 : min_; }
  std::int64_t max() const { return max_; }
  /// 0 when nothing was recorded.
  double mean() const;

  /// The smallest recordable value that at least `percent` of the recorded values do not exceed;
  /// 0 when nothing was recorded.
  std::int64_t percentile(double percent) const;

 private:
  static constexpr int kStepBits = 7;
  static constexpr std::size_t kSteps = std::size_t{1} << kStepBits;
  static constexpr std::size_t kBuckets = kSteps * (64 - kStepBits);

  static std::size_t bucket_of(std::uint64_t value);
  static std::uint64_t highest_value_of(std::size_t bucket);

  std::array<std::uint64_t, kBuckets> buckets_{};
  std::uint64_t count_ = 0;
  std::int64_t min_ = INT64_MAX;
  std::int64_t max_ = 0;
  double sum_ = 0;
};

}  // namespace starbus
