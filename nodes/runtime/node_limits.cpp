#include "nodes/runtime/node_limits.hpp"

#include <array>

namespace starbus::nodes {

std::span<const entity::LimitInfo> node_limits() {
  static constexpr std::array kCatalogue = {
#define X(constant, value, unit, reason, reached) \
  entity::LimitInfo{#constant, constant, unit, reason, reached},
      STARBUS_NODE_LIMITS(X)
#undef X
  };
  return kCatalogue;
}

}  // namespace starbus::nodes
