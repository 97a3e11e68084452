#include "entity/timers/error.hpp"

#include <array>

namespace starbus::entity {

std::span<const ErrorInfo<TimerErrc>> timer_errors() {
  static constexpr std::array kCatalogue = {
#define X(code, meaning) ErrorInfo<TimerErrc>{TimerErrc::code, #code, meaning},
      STARBUS_TIMER_ERRORS(X)
#undef X
  };
  return kCatalogue;
}

std::string_view name_of(TimerErrc code) {
  return name_in(timer_errors(), code);
}

}  // namespace starbus::entity
