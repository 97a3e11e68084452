/// A stream of random numbers that is the same on every machine for the same seed: for what games
/// decide by chance, and replay in tests.
///
///   RandomStream loot(seed, "loot");        // another purpose of the same seed is another stream
///   if (loot.happens(0.25)) drop(items[loot.below(items.size())]);
///
/// xoshiro256** 1.0 of Blackman and Vigna (2021), seeded by SplitMix64 (Steele, Lea and Flood
/// 2014). Whoever sees some numbers can compute the rest: never for tickets, tokens or names. A
/// value of 32 bytes that is compared, saved and sent (archive.hpp). Integers alone decide what it
/// gives, but for unit() and happens(), whose one multiplication by a power of two is exact. No
/// failures.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

namespace starbus::entity {

class RandomStream {
 public:
  using result_type = std::uint64_t;  // as std::uniform_random_bit_generator wants it

  /// That of seed 0, for what is read into it.
  RandomStream() : RandomStream(0) {}
  /// `purpose`: any text; draws for one purpose do not shift those for another.
  explicit RandomStream(std::uint64_t seed, std::string_view purpose = {});

  /// Any of the 2^64 numbers.
  std::uint64_t operator()();
  /// 0..n-1, each with the same chance exactly; 0 if n is 0.
  std::uint64_t below(std::uint64_t n);
  /// low..high, both included, in either order.
  std::int64_t between(std::int64_t low, std::int64_t high);
  /// 0 <= x < 1, in steps of 2^-53.
  double unit() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }
  /// True with this probability: never for 0, less or no number, always for 1 or more. Always draws
  /// one number, so that a changed probability does not shift what follows.
  bool happens(double probability) { return unit() < probability; }

  /// Every order with the same chance. std::shuffle gives other orders in other libraries.
  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t left = items.size(); left > 1; --left) {
      using std::swap;
      swap(items[left - 1], items[static_cast<std::size_t>(below(left))]);
    }
  }

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  friend bool operator==(const RandomStream&, const RandomStream&) = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(state_[0], state_[1], state_[2], state_[3]);
  }

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace starbus::entity
