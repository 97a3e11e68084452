#include "entity/archive/limits.hpp"

#include <array>

namespace starbus::entity {

std::span<const LimitInfo> data_limits() {
  static constexpr std::array kCatalogue = {
#define X(constant, value, unit, reason, reached) \
  LimitInfo{#constant, constant, unit, reason, reached},
      STARBUS_DATA_LIMITS(X)
#undef X
  };
  return kCatalogue;
}

}  // namespace starbus::entity
