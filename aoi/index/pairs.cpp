#include "aoi/index/pairs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace starbus::aoi {

// After many teleports or removals there are more pairs than sensors, so they are sorted by the
// digits of their sensors. One digit is enough if all indices are small.
void group_by_sensor(std::vector<Pair>& pairs, std::vector<Pair>& scratch) {
  constexpr std::size_t kFew = 128;
  constexpr int kLargestDigit = 12;  // bits
  static_assert(SensorId::kIndexBits <= 2 * kLargestDigit);
  if (pairs.size() < kFew) {
    std::sort(pairs.begin(), pairs.end(),
              [](const Pair& a, const Pair& b) { return a.sensor < b.sensor; });
    return;
  }
  scratch.resize(pairs.size());
  std::uint32_t all = 0;
  for (const Pair& pair : pairs) all |= pair.sensor;
  const int width = static_cast<int>(std::bit_width(all));
  const int digit_width = width <= kLargestDigit ? width : (width + 1) / 2;
  const std::uint32_t mask = (1u << digit_width) - 1;
  std::array<std::uint32_t, (1u << kLargestDigit) + 1> starts;
  for (int shift = 0; shift < width; shift += digit_width) {
    const auto digit = [&](const Pair& pair) { return pair.sensor >> shift & mask; };
    const auto end = starts.begin() + mask + 2;
    std::fill(starts.begin(), end, 0);
    for (const Pair& pair : pairs) ++starts[digit(pair) + 1];
    std::partial_sum(starts.begin(), end, starts.begin());
    for (const Pair& pair : pairs) scratch[starts[digit(pair)]++] = pair;
    pairs.swap(scratch);
  }
}

}  // namespace starbus::aoi
