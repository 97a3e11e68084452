/// All errors of the bus that a caller, an operator or the wire can see. Errors are values: no
/// function of the bus throws for bad input. base/error.hpp says what errors are made of.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/result.hpp"

namespace starbus::bus {

// X(code, number, retry, meaning, cure). Numbers travel on the wire and stand in logs: never reuse
// one.
#define STARBUS_BUS_ERRORS(X)                                                                      \
  X(no_owner, 1, later, "the channel has no owner; the message was never handled",                 \
    "bind the channel, or treat the object as absent")                                             \
  X(owner_lost, 2, unknown,                                                                        \
    "the owner ended before it acknowledged; handled at most once, outcome unknown",               \
    "ask the new owner for the state, or repeat with an idempotency key")                          \
  X(denied, 3, never, "the access list of this host forbids it for the role of this process",      \
    "extend the role's bind or send list in busd's configuration")                                 \
  X(deadline, 4, unknown, "the deadline passed first; a call may still run at its target",         \
    "raise the deadline, or look at the target's load with bustop")                                \
  X(expired, 5, unknown, "the time-to-live passed before the message was acknowledged",            \
    "raise the time-to-live, or accept that stale messages are dropped")                           \
  X(would_block, 6, later, "a window is full: the receiver or the bus is slower than this sender", \
    "wait for Bus::room, or send less")                                                            \
  X(too_large, 7, never, "the message exceeds the largest record",                                 \
    "split it, or hand over a reference")                                                          \
  X(bad_name, 8, never,                                                                            \
    "not a channel name: kind/name, 1..255 bytes of UTF-8, no control characters",                 \
    "correct the name")                                                                            \
  X(already_bound, 9, later, "the channel has an owner; the message names it",                     \
    "use another name, or end the present owner")                                                  \
  X(not_bound, 10, rebind, "this process does not own the channel", "bind it first")               \
  X(too_many_names, 11, never, "the quota of names for this process is used up",                   \
    "raise max_names of the role, or bind fewer names")                                            \
  X(closed, 12, never, "the bus object is closing or closed", "do not use it after close()")       \
  X(no_handler, 13, never, "the owner has no handler for calls on this channel",                   \
    "bind the channel with a call handler")                                                        \
  X(handler_failed, 14, unknown, "the handler refused or failed; the message holds its reason",    \
    "read the reason; the bus delivered the call")                                                 \
  X(group_too_large, 15, never, "the group has more members than one announcement may reach",      \
    "use a log, or split the group")                                                               \
  X(watch_too_large, 16, never, "the prefix matches more names than one watch may hold",           \
    "watch a longer prefix")                                                                       \
  X(too_many_watches, 17, never, "this process watches too many prefixes", "share watches")        \
  X(lease_lost, 18, rebind,                                                                        \
    "this process was cut off from busroot for as long as its lease; its names may have new "      \
    "owners",                                                                                      \
    "bind again; look for a long pause of the process, its busd or busroot")                       \
  X(name_taken, 19, never, "a living process or host already uses this name",                      \
    "give each node of a host, and each host, its own name")                                       \
  X(version_mismatch, 20, never, "the peer speaks a protocol version that this side does not",     \
    "upgrade host by host, at most one minor version apart")                                       \
  X(bad_bytes, 21, later, "the peer sent bytes that are not the protocol; its session was ended",  \
    "look for a foreign or broken program at that address")                                        \
  X(unauthorized, 22, never, "the peer's key, user or role is not on the list",                    \
    "add the public key to busroot's allow list, or the user to the role")                         \
  X(too_many_processes, 23, later, "this host's busd serves as many processes as it may",          \
    "raise max_processes, or spread the nodes")                                                    \
  X(unreachable, 24, later, "no daemon answers at the endpoint",                                   \
    "start it, or correct the endpoint")                                                           \
  X(bad_config, 25, never, "the configuration is not valid",                                       \
    "correct the line that the message names")                                                     \
  X(io_error, 26, later, "the operating system refused", "read the reason in the message")         \
  X(shutting_down, 27, later, "the peer is shutting down",                                         \
    "wait for its restart; links reconnect")                                                       \
  X(superseded, 28, never, "a newer session of the same peer replaced this one",                   \
    "none: the newer serves")                                                                      \
  X(overloaded, 29, later, "control traffic outgrew its queue; the session starts again",          \
    "bind or watch fewer names at once")                                                           \
  X(silent, 30, later, "the peer sent nothing for longer than the link timeout",                   \
    "look for a stopped process or a cut link")                                                    \
  X(busy, 31, later, "the channel is moving, or its own messages are not acknowledged yet",        \
    "try again later")                                                                             \
  X(move_refused, 32, never, "the target process did not take the channel's state",                \
    "register an arrival handler there, or choose another target")                                 \
  X(rolled_back, 33, unknown,                                                                      \
    "the target ended before the move was confirmed and may have run: the channel goes on here "   \
    "from its frozen state, as a new lineage",                                                     \
    "treat what the channel did since the freeze as lost")                                         \
  X(store_full, 34, later,                                                                         \
    "the mail store is full: its disk, or its quota; the message was not stored",                  \
    "free space on that host, or raise [mail] total_bytes: the detail says which; a disk with "    \
    "space takes messages again by itself")                                                        \
  X(mailbox_full, 35, later, "the mailbox has as many messages or bytes as its quota allows",      \
    "let its reader acknowledge, raise the quota, or purge it")                                    \
  X(corrupt, 36, never,                                                                            \
    "the store's data on disk is damaged at this place; all else is served, and busd repairs the " \
    "store when it meets damage at its start or in a compaction",                                  \
    "see busd's log for what was lost; restore a backup, or stop busd and run starbus-mail "       \
    "check, then repair")                                                                          \
  X(cursor_ahead, 37, never, "the reader has numbers that its mailbox or log does not have yet",   \
    "the store was restored from an older backup, or lost: open from its last number, knowing "    \
    "that mail is missing")

STARBUS_ERRORS(Errc, std::uint16_t, kErrors, 1, "bus", STARBUS_BUS_ERRORS)

using starbus::BadResult;
using starbus::Error;
using starbus::name_of;
using starbus::Result;

/// The number that a record carries of `error`: records have the bus' own alone.
inline Errc errc_of(const Error& error) {
  return error.code.in(Errc::handler_failed);
}

/// True for a number of the table (ok excluded): for decoders.
inline bool known_error(std::uint16_t number) {
  return kErrors.find(number) != nullptr;
}

}  // namespace starbus::bus
