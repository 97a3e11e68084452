#include "entity/objects/limits.hpp"

#include "entity/catalogue_rows.hpp"

namespace starbus::entity {

std::span<const LimitInfo> entity_limits() {
  static constexpr std::array kRows = {STARBUS_ENTITY_LIMITS(STARBUS_LIMIT_ROW)};
  return kRows;
}

}  // namespace starbus::entity
