#include "nodes/replica/limits.hpp"

#include "entity/catalogue_rows.hpp"

namespace starbus::nodes::replica {

std::span<const entity::LimitInfo> replica_limits() {
  static constexpr std::array kRows = {STARBUS_REPLICA_LIMITS(STARBUS_LIMIT_ROW)};
  return kRows;
}

}  // namespace starbus::nodes::replica
