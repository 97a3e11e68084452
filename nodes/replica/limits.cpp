#include "nodes/replica/limits.hpp"

#include <array>

namespace starbus::nodes::replica {

std::span<const entity::LimitInfo> replica_limits() {
  static constexpr std::array kCatalogue = {
#define X(constant, value, unit, reason, reached) \
  entity::LimitInfo{#constant, constant, unit, reason, reached},
      STARBUS_REPLICA_LIMITS(X)
#undef X
  };
  return kCatalogue;
}

std::span<const ErrorInfo> replica_errors() {
  static constexpr std::array kCatalogue = {
#define X(code, meaning) ErrorInfo{Errc::code, #code, meaning},
      STARBUS_REPLICA_ERRORS(X)
#undef X
  };
  return kCatalogue;
}

std::string_view name_of(Errc code) {
  if (static_cast<std::size_t>(code) > replica_errors().size()) return "unknown";
  return entity::name_in(replica_errors(), code);
}

}  // namespace starbus::nodes::replica
