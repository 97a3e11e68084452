#include "entity/machines/limits.hpp"

#include "entity/catalogue_rows.hpp"

namespace starbus::entity {

std::span<const LimitInfo> machine_limits() {
  static constexpr std::array kRows = {STARBUS_MACHINE_LIMITS(STARBUS_LIMIT_ROW)};
  return kRows;
}

}  // namespace starbus::entity
