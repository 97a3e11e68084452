#include "nodes/manager/placement/limits.hpp"

#include <array>

namespace starbus::nodes::manager {

std::span<const entity::LimitInfo> placement_limits() {
  static constexpr std::array kCatalogue = {
#define X(constant, value, unit, reason, reached) \
  entity::LimitInfo{#constant, constant, unit, reason, reached},
      STARBUS_PLACEMENT_LIMITS(X)
#undef X
  };
  return kCatalogue;
}

}  // namespace starbus::nodes::manager
