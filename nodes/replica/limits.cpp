#include "nodes/replica/limits.hpp"

#include "entity/catalogue_rows.hpp"

namespace starbus::nodes::replica {

std::span<const entity::LimitInfo> replica_limits() {
  static constexpr std::array kRows = {STARBUS_REPLICA_LIMITS(STARBUS_LIMIT_ROW)};
  return kRows;
}

std::span<const ErrorInfo> replica_errors() {
  using enum Errc;
  static constexpr std::array kRows = {STARBUS_REPLICA_ERRORS(STARBUS_ERROR_ROW)};
  return kRows;
}

std::string_view name_of(Errc code) {
  if (static_cast<std::size_t>(code) > replica_errors().size()) return "unknown";
  return entity::name_in(replica_errors(), code);
}

}  // namespace starbus::nodes::replica
