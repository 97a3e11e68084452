#include "nodes/entities/limits.hpp"

#include <array>

namespace starbus::nodes::entities {

std::span<const entity::LimitInfo> entity_host_limits() {
  static constexpr std::array kCatalogue = {
#define X(constant, value, unit, reason, reached) \
  entity::LimitInfo{#constant, constant, unit, reason, reached},
      STARBUS_ENTITY_HOST_LIMITS(X)
#undef X
  };
  return kCatalogue;
}

}  // namespace starbus::nodes::entities
