#include "entity/events/limits.hpp"

#include "entity/catalogue_rows.hpp"

namespace starbus::entity {

std::span<const LimitInfo> event_limits() {
  static constexpr std::array kRows = {STARBUS_EVENT_LIMITS(STARBUS_LIMIT_ROW)};
  return kRows;
}

}  // namespace starbus::entity
