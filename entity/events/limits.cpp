#include "entity/events/limits.hpp"

#include <array>

namespace starbus::entity {

std::span<const EventLimit> event_limits() {
  static constexpr std::array kCatalogue = {
#define X(constant, value, unit, reason, reached) \
  EventLimit{#constant, constant, unit, reason, reached},
      STARBUS_EVENT_LIMITS(X)
#undef X
  };
  return kCatalogue;
}

std::span<const EventErrorInfo> event_errors() {
  static constexpr std::array kCatalogue = {
#define X(code, meaning) EventErrorInfo{EventErrc::code, #code, meaning},
      STARBUS_EVENT_ERRORS(X)
#undef X
  };
  return kCatalogue;
}

std::string_view name_of(EventErrc code) {
  if (code == EventErrc::ok) return "ok";
  return event_errors()[static_cast<std::size_t>(code) - 1].name;
}

}  // namespace starbus::entity
