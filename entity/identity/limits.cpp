#include "entity/identity/limits.hpp"

#include "entity/catalogue_rows.hpp"

namespace starbus::entity {

std::span<const LimitInfo> identity_limits() {
  static constexpr std::array kRows = {STARBUS_IDENTITY_LIMITS(STARBUS_LIMIT_ROW)};
  return kRows;
}

}  // namespace starbus::entity
