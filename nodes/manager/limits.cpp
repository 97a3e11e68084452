#include "nodes/manager/limits.hpp"

#include "entity/catalogue_rows.hpp"

namespace starbus::nodes::manager {

std::span<const entity::LimitInfo> manager_limits() {
  static constexpr std::array kRows = {STARBUS_MANAGER_LIMITS(STARBUS_LIMIT_ROW)};
  return kRows;
}

}  // namespace starbus::nodes::manager
