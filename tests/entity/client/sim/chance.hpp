/// The only source of chance of a world of sessions: a seed means the same run everywhere, so no
/// std distributions. A plain value; one thread.
#pragma once

#include <cstdint>
#include <random>

namespace starbus::entity::sessions::sim {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}
  /// 0 <= roll < 1
  double roll() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }
  bool likely(double part) { return roll() < part; }
  /// 0 .. most - 1; `most` is not 0.
  std::size_t below(std::size_t most) { return engine_() % most; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace starbus::entity::sessions::sim
