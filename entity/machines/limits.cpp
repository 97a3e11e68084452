#include "entity/machines/limits.hpp"

#include <array>

namespace starbus::entity {

std::span<const MachineLimit> machine_limits() {
  static constexpr std::array kCatalogue = {
#define X(constant, value, unit, reason, reached) \
  MachineLimit{#constant, constant, unit, reason, reached},
      STARBUS_MACHINE_LIMITS(X)
#undef X
  };
  return kCatalogue;
}

std::span<const MachineErrorInfo> machine_errors() {
  static constexpr std::array kCatalogue = {
#define X(code, meaning) MachineErrorInfo{MachineErrc::code, #code, meaning},
      STARBUS_MACHINE_ERRORS(X)
#undef X
  };
  return kCatalogue;
}

std::string_view name_of(MachineErrc code) {
  if (code == MachineErrc::ok) return "ok";
  return machine_errors()[static_cast<std::size_t>(code) - 1].name;
}

}  // namespace starbus::entity
