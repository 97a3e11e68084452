#include "entity/identity/limits.hpp"

#include <array>

namespace starbus::entity {

std::span<const IdentityLimit> identity_limits() {
  static constexpr std::array kCatalogue = {
#define X(constant, value, unit, reason, reached) \
  IdentityLimit{#constant, constant, unit, reason, reached},
      STARBUS_IDENTITY_LIMITS(X)
#undef X
  };
  return kCatalogue;
}

std::span<const IdentityErrorInfo> identity_errors() {
  static constexpr std::array kCatalogue = {
#define X(code, meaning) IdentityErrorInfo{IdentityErrc::code, #code, meaning},
      STARBUS_IDENTITY_ERRORS(X)
#undef X
  };
  return kCatalogue;
}

std::string_view name_of(IdentityErrc code) {
  if (code == IdentityErrc::ok) return "ok";
  return identity_errors()[static_cast<std::size_t>(code) - 1].name;
}

}  // namespace starbus::entity
