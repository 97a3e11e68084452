#include "entity/machines/limits.hpp"

#include <array>

namespace starbus::entity {

std::span<const LimitInfo> machine_limits() {
  static constexpr std::array kCatalogue = {
#define X(constant, value, unit, reason, reached) \
  LimitInfo{#constant, constant, unit, reason, reached},
      STARBUS_MACHINE_LIMITS(X)
#undef X
  };
  return kCatalogue;
}

std::span<const ErrorInfo<MachineErrc>> machine_errors() {
  static constexpr std::array kCatalogue = {
#define X(code, meaning) ErrorInfo<MachineErrc>{MachineErrc::code, #code, meaning},
      STARBUS_MACHINE_ERRORS(X)
#undef X
  };
  return kCatalogue;
}

std::string_view name_of(MachineErrc code) {
  return name_in(machine_errors(), code);
}

}  // namespace starbus::entity
