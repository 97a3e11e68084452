#include "aoi/index/extent.hpp"

#include <cstring>

namespace starbus::aoi {

// A free place has any y, and x = NaN, for which every comparison is false.
Extent Extent::of(std::span<const Block> blocks) {
  using Four = float __attribute__((vector_size(16)));
  constexpr float kFar = std::numeric_limits<float>::infinity();
  Four min_x = Four{} + kFar;
  Four max_x = Four{} - kFar;
  Four min_y = min_x;
  Four max_y = max_x;
  for (const Block& block : blocks) {
    for (std::size_t i = 0; i < kBlockPlaces; i += 4) {
      Four x;
      Four y;
      std::memcpy(&x, block.x + i, sizeof x);
      std::memcpy(&y, block.y + i, sizeof y);
      min_x = x < min_x ? x : min_x;
      max_x = x > max_x ? x : max_x;
      min_y = ((y < min_y) & (x == x)) ? y : min_y;
      max_y = ((y > max_y) & (x == x)) ? y : max_y;
    }
  }
  const auto least = [](Four of) {
    return std::min(std::min(of[0], of[1]), std::min(of[2], of[3]));
  };
  const auto most = [](Four of) {
    return std::max(std::max(of[0], of[1]), std::max(of[2], of[3]));
  };
  return {least(min_x), most(max_x), least(min_y), most(max_y)};
}

}  // namespace starbus::aoi
