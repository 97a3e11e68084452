#include "entity/flows/limits.hpp"

#include <array>

namespace starbus::entity {

std::span<const LimitInfo> flow_limits() {
  static constexpr std::array kCatalogue = {
#define X(constant, value, unit, reason, reached) \
  LimitInfo{#constant, constant, unit, reason, reached},
      STARBUS_FLOW_LIMITS(X)
#undef X
  };
  return kCatalogue;
}

std::span<const ErrorInfo<FlowErrc>> flow_errors() {
  static constexpr std::array kCatalogue = {
#define X(code, meaning) ErrorInfo<FlowErrc>{FlowErrc::code, #code, meaning},
      STARBUS_FLOW_ERRORS(X)
#undef X
  };
  return kCatalogue;
}

std::string_view name_of(FlowErrc code) {
  return name_in(flow_errors(), code);
}

}  // namespace starbus::entity
