/// Shares: who holds how much of what a daemon has for all.
///
/// An account is a user of the host at busd, and a host at busroot: the party that a daemon can
/// tell apart from others, however many sessions it opens. What is bounded in total (names, bytes
/// in queues, sessions) is given by one rule: an account may hold kShare times what is left. An
/// account alone gets nearly all of it; the more one holds, the sooner it is the one that is
/// refused; and what it leaves is there for the next.
#pragma once

#include <cstddef>

#include "bus/core/routers/limits.hpp"

namespace starbus::bus {

/// Whether an account that holds `held` of `used` may have `more`, where all may have `limit`.
constexpr bool within_share(std::size_t held, std::size_t more, std::size_t used,
                            std::size_t limit) {
  return used <= limit && more <= limit - used && held + more <= kShare * (limit - used);
}

}  // namespace starbus::bus
