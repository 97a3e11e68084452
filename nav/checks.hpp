/// What all kinds of ground refuse alike. Pure functions; any thread.
#pragma once

#include "nav/agent.hpp"
#include "nav/error.hpp"
#include "nav/path.hpp"
#include "nav/types.hpp"

namespace starbus::nav {

/// Its radius, its climb and its costs: bad_option with which; too_large.
Result<void> check(const Agent& agent);
/// What is to be painted, or stands there: bad_position, too_large.
Result<void> check(const Box& box, Area area);
/// Its smoothing and its points: bad_option, bad_position.
Result<void> check(const PathRequest& request);

}  // namespace starbus::nav
