#include "entity/identity/limits.hpp"

#include "entity/catalogue_rows.hpp"

namespace starbus::entity {

std::span<const LimitInfo> identity_limits() {
  static constexpr std::array kRows = {STARBUS_IDENTITY_LIMITS(STARBUS_LIMIT_ROW)};
  return kRows;
}

std::span<const ErrorInfo<IdentityErrc>> identity_errors() {
  using enum IdentityErrc;
  static constexpr std::array kRows = {STARBUS_IDENTITY_ERRORS(STARBUS_ERROR_ROW)};
  return kRows;
}

std::string_view name_of(IdentityErrc code) {
  return name_in(identity_errors(), code);
}

}  // namespace starbus::entity
