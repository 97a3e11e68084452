#include "entity/objects/limits.hpp"

#include <array>

namespace starbus::entity {

std::span<const LimitInfo> entity_limits() {
  static constexpr std::array kCatalogue = {
#define X(constant, value, unit, reason, reached) \
  LimitInfo{#constant, constant, unit, reason, reached},
      STARBUS_ENTITY_LIMITS(X)
#undef X
  };
  return kCatalogue;
}

std::span<const ErrorInfo<EntityErrc>> entity_errors() {
  static constexpr std::array kCatalogue = {
#define X(code, meaning) ErrorInfo<EntityErrc>{EntityErrc::code, #code, meaning},
      STARBUS_ENTITY_ERRORS(X)
#undef X
  };
  return kCatalogue;
}

std::string_view name_of(EntityErrc code) {
  return name_in(entity_errors(), code);
}

}  // namespace starbus::entity
