#pragma once

#include "base/error.hpp"
#include "nodes/gate/core/effects.hpp"

namespace starbus::nodes::gate {

/// How a call or a message that failed with this error ended, for the core. `refused` and
/// `no_owner` only where the error says that nothing was run; an error that leaves it open, or that
/// this build does not know, is owner_lost.
Outcome outcome_of(const Error& error);

}  // namespace starbus::nodes::gate
