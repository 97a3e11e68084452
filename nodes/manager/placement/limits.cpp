#include "nodes/manager/placement/limits.hpp"

#include "entity/catalogue_rows.hpp"

namespace starbus::nodes::manager {

std::span<const entity::LimitInfo> placement_limits() {
  static constexpr std::array kRows = {STARBUS_PLACEMENT_LIMITS(STARBUS_LIMIT_ROW)};
  return kRows;
}

}  // namespace starbus::nodes::manager
