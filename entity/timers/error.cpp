#include "entity/timers/error.hpp"

#include "entity/catalogue_rows.hpp"

namespace starbus::entity {

std::span<const ErrorInfo<TimerErrc>> timer_errors() {
  using enum TimerErrc;
  static constexpr std::array kRows = {STARBUS_TIMER_ERRORS(STARBUS_ERROR_ROW)};
  return kRows;
}

std::string_view name_of(TimerErrc code) {
  return name_in(timer_errors(), code);
}

}  // namespace starbus::entity
