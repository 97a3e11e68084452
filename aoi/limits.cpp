#include "aoi/limits.hpp"

#include <array>

namespace starbus::aoi {

std::span<const LimitInfo> limit_catalogue() {
  static constexpr std::array kCatalogue = {
#define X(constant, value, unit, reason, reached) \
  LimitInfo{#constant, constant, unit, reason, reached},
      STARBUS_AOI_LIMITS(X)
#undef X
  };
  return kCatalogue;
}

}  // namespace starbus::aoi
