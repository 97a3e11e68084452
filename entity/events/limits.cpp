#include "entity/events/limits.hpp"

#include <array>

namespace starbus::entity {

std::span<const LimitInfo> event_limits() {
  static constexpr std::array kCatalogue = {
#define X(constant, value, unit, reason, reached) \
  LimitInfo{#constant, constant, unit, reason, reached},
      STARBUS_EVENT_LIMITS(X)
#undef X
  };
  return kCatalogue;
}

std::span<const ErrorInfo<EventErrc>> event_errors() {
  static constexpr std::array kCatalogue = {
#define X(code, meaning) ErrorInfo<EventErrc>{EventErrc::code, #code, meaning},
      STARBUS_EVENT_ERRORS(X)
#undef X
  };
  return kCatalogue;
}

std::string_view name_of(EventErrc code) {
  return name_in(event_errors(), code);
}

}  // namespace starbus::entity
