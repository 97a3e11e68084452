#include "entity/schedule/limits.hpp"

#include "entity/catalogue_rows.hpp"

namespace starbus::entity {

std::span<const LimitInfo> tick_limits() {
  static constexpr std::array kRows = {STARBUS_TICK_LIMITS(STARBUS_LIMIT_ROW)};
  return kRows;
}

}  // namespace starbus::entity
