#include "entity/events/limits.hpp"

#include "entity/catalogue_rows.hpp"

namespace starbus::entity {

std::span<const LimitInfo> event_limits() {
  static constexpr std::array kRows = {STARBUS_EVENT_LIMITS(STARBUS_LIMIT_ROW)};
  return kRows;
}

std::span<const ErrorInfo<EventErrc>> event_errors() {
  using enum EventErrc;
  static constexpr std::array kRows = {STARBUS_EVENT_ERRORS(STARBUS_ERROR_ROW)};
  return kRows;
}

std::string_view name_of(EventErrc code) {
  return name_in(event_errors(), code);
}

}  // namespace starbus::entity
