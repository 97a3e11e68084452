// Compiled with -mavx2, and therefore alone: its includes must not leave inline functions that
// other files link to.
#include "aoi/index/kernels.hpp"

#if defined(STARBUS_AOI_SIMD) && defined(__AVX2__)
#include <immintrin.h>

#include "aoi/index/kernel_body.hpp"

namespace starbus::aoi {
namespace {

struct Avx2Lanes {
  template <bool kSquare>
  static __m256 measure(const Block& block, float x, float y) {
    const __m256 dx = _mm256_sub_ps(_mm256_load_ps(block.x), _mm256_set1_ps(x));
    const __m256 dy = _mm256_sub_ps(_mm256_load_ps(block.y), _mm256_set1_ps(y));
    if constexpr (kSquare) {
      const __m256 sign = _mm256_set1_ps(-0.0F);
      // If one operand is NaN, the result is the second one. That must be dx, which marks free
      // places.
      return _mm256_max_ps(_mm256_andnot_ps(sign, dy), _mm256_andnot_ps(sign, dx));
    } else {
      return _mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy));
    }
  }

  static std::uint32_t at_most(__m256 values, float limit) {
    const __m256 within = _mm256_cmp_ps(values, _mm256_set1_ps(limit), _CMP_LE_OQ);
    return static_cast<std::uint32_t>(_mm256_movemask_ps(within));
  }

  static std::uint32_t between(const HeightBlock& heights, float z, float min, float max) {
    const __m256 dz = _mm256_sub_ps(_mm256_loadu_ps(heights.z), _mm256_set1_ps(z));
    const __m256 above = _mm256_cmp_ps(dz, _mm256_set1_ps(min), _CMP_GE_OQ);
    const __m256 below = _mm256_cmp_ps(dz, _mm256_set1_ps(max), _CMP_LE_OQ);
    return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_and_ps(above, below)));
  }
};

constexpr KernelTable kAvx2 = kernels_of<Avx2Lanes>();

}  // namespace

const KernelTable* avx2_kernels() {
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has ? &kAvx2 : nullptr;
}

}  // namespace starbus::aoi

#else

namespace starbus::aoi {

const KernelTable* avx2_kernels() {
  return nullptr;
}

}  // namespace starbus::aoi

#endif
