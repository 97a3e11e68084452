#include "nodes/runtime/limits.hpp"

#include <array>

namespace starbus::nodes {

std::span<const entity::LimitInfo> task_limits() {
  static constexpr std::array kCatalogue = {
#define X(constant, value, unit, reason, reached) \
  entity::LimitInfo{#constant, constant, unit, reason, reached},
      STARBUS_TASK_LIMITS(X)
#undef X
  };
  return kCatalogue;
}

}  // namespace starbus::nodes
