#include "nodes/db/limits.hpp"

#include "entity/catalogue_rows.hpp"

namespace starbus::nodes::db {

std::span<const entity::LimitInfo> limit_catalogue() {
  static constexpr std::array kRows = {STARBUS_DB_LIMITS(STARBUS_LIMIT_ROW)};
  return kRows;
}

}  // namespace starbus::nodes::db
