/// All errors of spaces. Numbers travel: never reuse one.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/result.hpp"

namespace starbus::nodes::space {

// X(code, number, retry, meaning, cure)
#define STARBUS_SPACE_ERRORS(X)                                                                    \
  X(bad_name, 1, never, "a type, a key or a name of a space has another form; nothing was done",   \
    "correct the name")                                                                            \
  X(unknown_type, 2, never, "no data file has that type of spaces; nothing was done",              \
    "correct the type, or add it to the file and reload it")                                       \
  X(bad_request, 3, never, "the request asks for what its type never allows; nothing was done",    \
    "correct the request; the text says what is wrong")                                            \
  X(full, 4, later, "every line of the place is full, and no further one may begin; no seat held", \
    "ask again later, or let players wait")                                                        \
  X(line_full, 5, later, "the chosen line is full; no seat is held", "choose another line")        \
  X(no_such_line, 6, never, "the chosen line does not run; no seat is held",                       \
    "ask for the lines again, and choose one of them")                                             \
  X(no_node, 7, later, "no node has room for the space; no seat is held",                          \
    "start a node that has its class and labels, or see which are full")                           \
  X(create_failed, 8, later, "the space could not be created, several times; no seat is held",     \
    "read the text and the logs of the nodes it names")                                            \
  X(too_late, 9, later, "no seat was at hand by the deadline; none is held", "ask again")          \
  X(would_block, 10, later, "too many requests wait, or too many spaces run; nothing was done",    \
    "ask later")                                                                                   \
  X(unknown_space, 11, never, "no such space runs; nothing was done", "ask for the lines again")   \
  X(occupied, 12, later, "players are in the space, or have seats there; it goes on",              \
    "wait until they have left, or order a countdown")                                             \
  X(ends, 13, later, "the space ends, or is about to; no seat is held", "ask again: for another")  \
  X(unknown_ticket, 14, never, "no seat is held for that ticket: it has expired or was used",      \
    "ask to enter again")                                                                          \
  X(stale_service, 15, never, "a later service has given orders already; nothing was done",        \
    "end the older service")                                                                       \
  X(already_there, 16, never, "the node has a space of that name; nothing was done",               \
    "wait until it has ended")                                                                     \
  X(start_failed, 17, later, "the space could not start; the text has its reason",                 \
    "read the reason")                                                                             \
  X(travelling, 18, later,                                                                         \
    "the entity travels already; that travel goes on, this one did nothing",                       \
    "wait for its end, or cancel it")                                                              \
  X(no_traveller, 19, never, "the class of the entity declares no Traveller; nothing was done",    \
    "add Traveller to the Components of its class")                                                \
  X(not_let_in, 20, later,                                                                         \
    "the node of the seat refused the player, who goes on where it was; the seat is free",         \
    "ask again; the text says why")                                                                \
  X(traveller_ended, 21, never, "the entity ended on its way to its seat, which is free",          \
    "treat the entity as absent")                                                                  \
  X(rebuilding, 30, later,                                                                         \
    "the service has begun a moment ago, and does not know yet which spaces run; nothing was "     \
    "done",                                                                                        \
    "ask again in some seconds")

STARBUS_ERRORS(Errc, std::uint8_t, kErrors, 26, "space", STARBUS_SPACE_ERRORS)

using starbus::Error;
using starbus::Result;

}  // namespace starbus::nodes::space
