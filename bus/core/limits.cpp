#include "bus/core/limits.hpp"

#include <array>

namespace starbus::bus {

std::span<const LimitInfo> limit_catalogue() {
  static constexpr std::array kCatalogue = {
#define X(constant, value, unit, reason, reached) \
  LimitInfo{#constant, constant, unit, reason, reached},
      STARBUS_LIMITS(X)
#undef X
  };
  return kCatalogue;
}

}  // namespace starbus::bus
