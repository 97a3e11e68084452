/// The bounds of shares: what one user of a host, or one host at busroot, may hold of a daemon that
/// it shares with others (accounts.hpp). Constants; any thread.
#pragma once

#include "base/limits.hpp"

namespace starbus::bus {

// X(constant, value, unit, reason, when reached, hit by)
#define STARBUS_SHARE_LIMITS(X)                                                                    \
  X(kShare, 8, "times",                                                                            \
    "an account holds at most so many times what is left: alone, 8/9 of all; a newcomer has room", \
    "the account is refused, and no other one", "Shares.ANewcomerAlwaysHasRoom")                   \
  X(kMaxNamesPerHost, 250'000, "names",                                                            \
    "default of what one host may hold: busroot keeps some 75 MB of them",                         \
    "too_many_names; rows of a table beyond it are left out", "RootShares.AHostHasALimitOfNames")

STARBUS_LIMITS_OF(kShareLimits, STARBUS_SHARE_LIMITS)

}  // namespace starbus::bus
