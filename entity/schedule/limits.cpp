#include "entity/schedule/limits.hpp"

#include "entity/catalogue_rows.hpp"

namespace starbus::entity {

std::span<const LimitInfo> tick_limits() {
  static constexpr std::array kRows = {STARBUS_TICK_LIMITS(STARBUS_LIMIT_ROW)};
  return kRows;
}

std::span<const ErrorInfo<TickErrc>> tick_errors() {
  using enum TickErrc;
  static constexpr std::array kRows = {STARBUS_TICK_ERRORS(STARBUS_ERROR_ROW)};
  return kRows;
}

std::string_view name_of(TickErrc code) {
  return name_in(tick_errors(), code);
}

}  // namespace starbus::entity
