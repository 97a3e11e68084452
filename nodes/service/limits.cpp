#include "nodes/service/limits.hpp"

#include <array>

namespace starbus::nodes::service {

std::span<const entity::LimitInfo> service_limits() {
  static constexpr std::array kCatalogue = {
#define X(constant, value, unit, reason, reached) \
  entity::LimitInfo{#constant, constant, unit, reason, reached},
      STARBUS_SERVICE_LIMITS(X)
#undef X
  };
  return kCatalogue;
}

}  // namespace starbus::nodes::service
