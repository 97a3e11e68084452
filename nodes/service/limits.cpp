#include "nodes/service/limits.hpp"

#include "entity/catalogue_rows.hpp"

namespace starbus::nodes::service {

std::span<const entity::LimitInfo> service_limits() {
  static constexpr std::array kRows = {STARBUS_SERVICE_LIMITS(STARBUS_LIMIT_ROW)};
  return kRows;
}

}  // namespace starbus::nodes::service
