#include "nodes/runtime/limits.hpp"

#include "entity/catalogue_rows.hpp"

namespace starbus::nodes {

std::span<const entity::LimitInfo> task_limits() {
  static constexpr std::array kRows = {STARBUS_TASK_LIMITS(STARBUS_LIMIT_ROW)};
  return kRows;
}

}  // namespace starbus::nodes
