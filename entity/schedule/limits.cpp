#include "entity/schedule/limits.hpp"

#include <array>

namespace starbus::entity {

std::span<const LimitInfo> tick_limits() {
  static constexpr std::array kCatalogue = {
#define X(constant, value, unit, reason, reached) \
  LimitInfo{#constant, constant, unit, reason, reached},
      STARBUS_TICK_LIMITS(X)
#undef X
  };
  return kCatalogue;
}

std::span<const ErrorInfo<TickErrc>> tick_errors() {
  static constexpr std::array kCatalogue = {
#define X(code, meaning) ErrorInfo<TickErrc>{TickErrc::code, #code, meaning},
      STARBUS_TICK_ERRORS(X)
#undef X
  };
  return kCatalogue;
}

std::string_view name_of(TickErrc code) {
  return name_in(tick_errors(), code);
}

}  // namespace starbus::entity
