#include "entity/rpc/limits.hpp"

#include "entity/catalogue_rows.hpp"

namespace starbus::entity::rpc {

std::span<const LimitInfo> rpc_limits() {
  static constexpr std::array kRows = {STARBUS_RPC_LIMITS(STARBUS_LIMIT_ROW)};
  return kRows;
}

}  // namespace starbus::entity::rpc
