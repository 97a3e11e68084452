/// The only source of chance in a simulation: xoshiro256** (Blackman and Vigna, 2018), seeded by
/// SplitMix64. No std distributions, whose results differ between libraries, so that a seed means
/// the same run everywhere. A plain value; one thread.
#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <vector>

namespace starbus::sim {

class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {
      seed += 0x9e37'79b9'7f4a'7c15ULL;
      std::uint64_t mixed = seed;
      mixed = (mixed ^ (mixed >> 30)) * 0xbf58'476d'1ce4'e5b9ULL;
      mixed = (mixed ^ (mixed >> 27)) * 0x94d0'49bb'1331'11ebULL;
      word = mixed ^ (mixed >> 31);
    }
  }

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }
  /// 0 .. bound - 1; `bound` below 2^32 and not 0.
  std::uint64_t below(std::uint64_t bound) { return ((next() >> 32) * bound) >> 32; }
  std::uint64_t between(std::uint64_t least, std::uint64_t most) {
    return least + below(most - least + 1);
  }
  bool chance(double probability) {
    return static_cast<double>(next() >> 11) * 0x1.0p-53 < probability;
  }
  std::chrono::nanoseconds micros(std::uint64_t least, std::uint64_t most) {
    return std::chrono::microseconds(static_cast<std::int64_t>(between(least, most)));
  }
  std::chrono::nanoseconds millis(std::uint64_t least, std::uint64_t most) {
    return micros(least * 1000, most * 1000);
  }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace starbus::sim
