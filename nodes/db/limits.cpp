#include "nodes/db/limits.hpp"

#include <array>

namespace starbus::nodes::db {

std::span<const entity::LimitInfo> limit_catalogue() {
  static constexpr std::array kCatalogue = {
#define X(constant, value, unit, reason, reached) \
  entity::LimitInfo{#constant, constant, unit, reason, reached},
      STARBUS_DB_LIMITS(X)
#undef X
  };
  return kCatalogue;
}

}  // namespace starbus::nodes::db
