/// All errors of state machines.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/result.hpp"

namespace starbus::entity {

// X(code, number, retry, meaning, cure)
#define STARBUS_MACHINE_ERRORS(X)                                                      \
  X(not_running, 1, rebind, "the machine has not been started, or has stopped",        \
    "call start() first")                                                              \
  X(already_running, 2, never, "the machine has been started", "start it once")        \
  X(already_changing, 3, never,                                                        \
    "a change is under way: one handler asks for one change, and on_exit for none",    \
    "send an event instead")                                                           \
  X(too_many_steps, 4, never,                                                          \
    "one call caused more changes and events than it may; the rest was dropped",       \
    "look for states that send each other back")                                       \
  X(too_many_events, 5, later, "too many events wait for a handler to return",         \
    "send fewer from within a handler")                                                \
  X(frozen, 6, later, "its entity moves to another process, or ends",                  \
    "send a message to the entity: that is handled where it lives next")               \
  X(busy, 7, later, "a handler of it runs", "pack it when that has returned")          \
  X(not_packable, 8, never, "the active state has data, and no pack() and unpack()",   \
    "give the state these two, or keep its data in properties")                        \
  X(unknown_state, 9, never, "no machine, or no state, of this name is declared here", \
    "run one build on both sides")                                                     \
  X(bad_state, 10, never, "the bytes are not packed machines", "run one build on both sides")

STARBUS_ERRORS(MachineErrc, std::uint8_t, kMachineErrors, 14, "machine", STARBUS_MACHINE_ERRORS)

using starbus::name_of;
using BadMachineResult = BadResult;
template <class T = void>
using MachineResult = Result<T>;

}  // namespace starbus::entity
