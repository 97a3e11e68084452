#include "entity/objects/limits.hpp"

#include "entity/catalogue_rows.hpp"

namespace starbus::entity {

std::span<const LimitInfo> entity_limits() {
  static constexpr std::array kRows = {STARBUS_ENTITY_LIMITS(STARBUS_LIMIT_ROW)};
  return kRows;
}

std::span<const ErrorInfo<EntityErrc>> entity_errors() {
  using enum EntityErrc;
  static constexpr std::array kRows = {STARBUS_ENTITY_ERRORS(STARBUS_ERROR_ROW)};
  return kRows;
}

std::string_view name_of(EntityErrc code) {
  return name_in(entity_errors(), code);
}

}  // namespace starbus::entity
