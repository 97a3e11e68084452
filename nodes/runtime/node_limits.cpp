#include "nodes/runtime/node_limits.hpp"

#include "entity/catalogue_rows.hpp"

namespace starbus::nodes {

std::span<const entity::LimitInfo> node_limits() {
  static constexpr std::array kRows = {STARBUS_NODE_LIMITS(STARBUS_LIMIT_ROW)};
  return kRows;
}

}  // namespace starbus::nodes
