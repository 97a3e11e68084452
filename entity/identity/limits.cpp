#include "entity/identity/limits.hpp"

#include <array>

namespace starbus::entity {

std::span<const LimitInfo> identity_limits() {
  static constexpr std::array kCatalogue = {
#define X(constant, value, unit, reason, reached) \
  LimitInfo{#constant, constant, unit, reason, reached},
      STARBUS_IDENTITY_LIMITS(X)
#undef X
  };
  return kCatalogue;
}

std::span<const ErrorInfo<IdentityErrc>> identity_errors() {
  static constexpr std::array kCatalogue = {
#define X(code, meaning) ErrorInfo<IdentityErrc>{IdentityErrc::code, #code, meaning},
      STARBUS_IDENTITY_ERRORS(X)
#undef X
  };
  return kCatalogue;
}

std::string_view name_of(IdentityErrc code) {
  return name_in(identity_errors(), code);
}

}  // namespace starbus::entity
