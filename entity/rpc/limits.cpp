#include "entity/rpc/limits.hpp"

#include <array>

namespace starbus::entity::rpc {

std::span<const LimitInfo> rpc_limits() {
  static constexpr std::array kCatalogue = {
#define X(constant, value, unit, reason, reached) \
  LimitInfo{#constant, constant, unit, reason, reached},
      STARBUS_RPC_LIMITS(X)
#undef X
  };
  return kCatalogue;
}

}  // namespace starbus::entity::rpc
