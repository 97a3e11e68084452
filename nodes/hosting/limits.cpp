#include "nodes/hosting/limits.hpp"

#include "entity/catalogue_rows.hpp"

namespace starbus::nodes::entities {

std::span<const entity::LimitInfo> entity_host_limits() {
  static constexpr std::array kRows = {STARBUS_ENTITY_HOST_LIMITS(STARBUS_LIMIT_ROW)};
  return kRows;
}

}  // namespace starbus::nodes::entities
