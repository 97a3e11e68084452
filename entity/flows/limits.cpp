#include "entity/flows/limits.hpp"

#include "entity/catalogue_rows.hpp"

namespace starbus::entity {

std::span<const LimitInfo> flow_limits() {
  static constexpr std::array kRows = {STARBUS_FLOW_LIMITS(STARBUS_LIMIT_ROW)};
  return kRows;
}

std::span<const ErrorInfo<FlowErrc>> flow_errors() {
  using enum FlowErrc;
  static constexpr std::array kRows = {STARBUS_FLOW_ERRORS(STARBUS_ERROR_ROW)};
  return kRows;
}

std::string_view name_of(FlowErrc code) {
  return name_in(flow_errors(), code);
}

}  // namespace starbus::entity
