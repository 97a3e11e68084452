#include "entity/rpc/limits.hpp"

namespace starbus::entity::rpc {
namespace {

constexpr RpcLimit kRpcLimitRows[] = {
#define X(constant, value, unit, reason, reached) {#constant, constant, unit, reason, reached},
    STARBUS_RPC_LIMITS(X)
#undef X
};

}  // namespace

std::span<const RpcLimit> rpc_limits() {
  return kRpcLimitRows;
}

}  // namespace starbus::entity::rpc
