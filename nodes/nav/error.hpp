/// All errors of crowds in nodes. Numbers travel: never reuse one.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/result.hpp"

namespace starbus::nodes::crowds {

// X(code, number, retry, meaning, cure)
#define STARBUS_CROWDS_ERRORS(X)                                                                  \
  X(unknown_crowd, 1, rebind,                                                                     \
    "no crowd of that id here, or it is another process' own; nothing was done",                  \
    "make the crowd again, with its walkers and what they were asked")                            \
  X(no_map, 2, never, "the file of the map is not there, or cannot be read",                      \
    "put the file there; the text names it")                                                      \
  X(bad_map, 3, never, "the file of the map is malformed, or of a kind that is unknown",          \
    "bake it again with starbus-nav; the text says what is wrong")                                \
  X(bad_request, 4, never, "a value is out of its range; nothing was done",                       \
    "correct it; the text says which")                                                            \
  X(too_many, 5, later, "a limit is reached; nothing was done", "ask again when there are fewer") \
  X(busy, 6, later, "a batch of that crowd is under way, or the workers have no room",            \
    "send the next batch when the one before is answered")                                        \
  X(unknown_walker, 7, never, "no such walker in that crowd: never added, refused, or removed",   \
    "forget the name")                                                                            \
  X(no_place, 8, never, "no ground within reach, that its kind can stand on",                     \
    "choose a place on the map, or a greater `reach`")                                            \
  X(no_crowd, 9, never, "the entity is in no space, or its space has no crowd; nothing was done", \
    "give the type of the space a [space.nav]")                                                   \
  X(passive, 10, never, "a client, or the game, moves this one: it is asked nothing",             \
    "ask one that the crowd moves")                                                               \
  X(same_walker, 11, never, "nobody goes to itself; nothing was done", "choose another target")

STARBUS_ERRORS(Errc, std::uint8_t, kErrors, 41, "crowds", STARBUS_CROWDS_ERRORS)

using starbus::Error;
using starbus::Result;

}  // namespace starbus::nodes::crowds
