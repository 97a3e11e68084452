#include "nodes/db/limits.hpp"

#include <array>

namespace starbus::nodes::db {

std::span<const DbLimit> limit_catalogue() {
  static constexpr std::array kCatalogue = {
#define X(constant, value, unit, reason, reached) \
  DbLimit{#constant, constant, unit, reason, reached},
      STARBUS_DB_LIMITS(X)
#undef X
  };
  return kCatalogue;
}

}  // namespace starbus::nodes::db
