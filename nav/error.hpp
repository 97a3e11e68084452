/// All errors of ways. None of them allocates where a search can meet it.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/result.hpp"

namespace starbus::nav {

// X(code, number, retry, meaning, cure)
#define STARBUS_NAV_ERRORS(X)                                                                     \
  X(bad_position, 1, never, "a coordinate is not a number or infinite",                           \
    "check the code that computes positions")                                                     \
  X(bad_option, 2, never, "an option is out of its range or contradicts another", "correct it")   \
  X(unknown_agent, 3, never, "no such kind of agent on this ground", "add the agent first")       \
  X(unknown_obstacle, 4, never, "no such obstacle: never added, or removed", "forget the id")     \
  X(bad_start, 5, never, "the start is on no ground that the agent may stand on",                 \
    "ask for the nearest place first")                                                            \
  X(bad_goal, 6, never, "the goal is on no ground that the agent may stand on",                   \
    "ask for the nearest place first")                                                            \
  X(unreachable, 7, never, "no way leads from the start to the goal",                             \
    "ask for a partial path, or choose another goal")                                             \
  X(changed, 8, later, "the ground has changed since the search began", "begin it again")         \
  X(not_ready, 9, never, "the search was not begun or has not ended", "begin it, and advance it") \
  X(not_uniform, 10, never,                                                                       \
    "jump points need equal costs, diagonals, no heights in the way, and no links",               \
    "search with a_star, or with automatic")                                                      \
  X(too_far, 11, never, "the cheapest path costs more than kMaxPathCost", "search in parts")      \
  X(too_many, 12, never, "a limit of the ground is reached; the detail names it",                 \
    "remove what is not needed")                                                                  \
  X(too_large, 13, never, "an option exceeds its limit; the detail names it",                     \
    "see the limits of nav")                                                                      \
  X(corrupt, 14, never, "a text is not what its format says; the detail names the line",          \
    "get a whole file")                                                                           \
  X(unknown_link, 15, never, "no such link: never added, or removed", "forget the id")            \
  X(unknown_walker, 16, never, "no such walker in this crowd: never added, or removed",           \
    "forget the id")

STARBUS_ERRORS(Errc, std::uint8_t, kErrors, 40, "nav", STARBUS_NAV_ERRORS)

using starbus::Error;
using starbus::name_of;
using starbus::Result;

}  // namespace starbus::nav
