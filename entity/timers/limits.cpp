#include "entity/timers/limits.hpp"

#include <array>

namespace starbus::entity {

std::span<const LimitInfo> timer_limits() {
  static constexpr std::array kCatalogue = {
#define X(constant, value, unit, reason, reached) \
  LimitInfo{#constant, constant, unit, reason, reached},
      STARBUS_TIMER_LIMITS(X)
#undef X
  };
  return kCatalogue;
}

}  // namespace starbus::entity
