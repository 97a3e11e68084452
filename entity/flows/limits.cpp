#include "entity/flows/limits.hpp"

#include <array>

namespace starbus::entity {

std::span<const FlowLimit> flow_limits() {
  static constexpr std::array kCatalogue = {
#define X(constant, value, unit, reason, reached) \
  FlowLimit{#constant, constant, unit, reason, reached},
      STARBUS_FLOW_LIMITS(X)
#undef X
  };
  return kCatalogue;
}

std::span<const FlowErrorInfo> flow_errors() {
  static constexpr std::array kCatalogue = {
#define X(code, meaning) FlowErrorInfo{FlowErrc::code, #code, meaning},
      STARBUS_FLOW_ERRORS(X)
#undef X
  };
  return kCatalogue;
}

std::string_view name_of(FlowErrc code) {
  if (code == FlowErrc::ok) return "ok";
  return flow_errors()[static_cast<std::size_t>(code) - 1].name;
}

}  // namespace starbus::entity
