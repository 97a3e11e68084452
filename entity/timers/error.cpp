#include "entity/timers/error.hpp"

#include <array>

namespace starbus::entity {

std::span<const TimerErrorInfo> timer_errors() {
  static constexpr std::array kCatalogue = {
#define X(code, meaning) TimerErrorInfo{TimerErrc::code, #code, meaning},
      STARBUS_TIMER_ERRORS(X)
#undef X
  };
  return kCatalogue;
}

std::string_view name_of(TimerErrc code) {
  if (code == TimerErrc::ok) return "ok";
  return timer_errors()[static_cast<std::size_t>(code) - 1].name;
}

}  // namespace starbus::entity
