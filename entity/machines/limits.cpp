#include "entity/machines/limits.hpp"

#include "entity/catalogue_rows.hpp"

namespace starbus::entity {

std::span<const LimitInfo> machine_limits() {
  static constexpr std::array kRows = {STARBUS_MACHINE_LIMITS(STARBUS_LIMIT_ROW)};
  return kRows;
}

std::span<const ErrorInfo<MachineErrc>> machine_errors() {
  using enum MachineErrc;
  static constexpr std::array kRows = {STARBUS_MACHINE_ERRORS(STARBUS_ERROR_ROW)};
  return kRows;
}

std::string_view name_of(MachineErrc code) {
  return name_in(machine_errors(), code);
}

}  // namespace starbus::entity
