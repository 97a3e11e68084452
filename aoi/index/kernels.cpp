#include "aoi/index/kernels.hpp"

#include <cmath>

#include "aoi/index/kernel_body.hpp"

namespace starbus::aoi {
namespace {

struct PortableLanes {
  struct Values {
    float of[kBlockPlaces];
  };

  template <bool kSquare>
  static Values measure(const Block& block, float x, float y) {
    Values values;
    for (std::size_t i = 0; i < kBlockPlaces; ++i) {
      const float dx = block.x[i] - x;
      const float dy = block.y[i] - y;
      if constexpr (kSquare) {
        const float across = std::fabs(dx);
        const float along = std::fabs(dy);
        values.of[i] = across < along ? along : across;  // NaN in dx stays
      } else {
        values.of[i] = dx * dx + dy * dy;
      }
    }
    return values;
  }

  static std::uint32_t at_most(const Values& values, float limit) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < kBlockPlaces; ++i) {
      bits |= static_cast<std::uint32_t>(values.of[i] <= limit) << i;
    }
    return bits;
  }

  static std::uint32_t between(const HeightBlock& heights, float z, float min, float max) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < kBlockPlaces; ++i) {
      const float dz = heights.z[i] - z;
      bits |= static_cast<std::uint32_t>(dz >= min && dz <= max) << i;
    }
    return bits;
  }
};

constexpr KernelTable kPortable = kernels_of<PortableLanes>();

}  // namespace

const KernelTable& portable_kernels() {
  return kPortable;
}

const KernelTable& best_kernels() {
  const KernelTable* wide = avx2_kernels();
  return wide != nullptr ? *wide : kPortable;
}

}  // namespace starbus::aoi
