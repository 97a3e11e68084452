/// The bounds of listeners: what peers without a session may hold. Constants; any thread.
#pragma once

#include "base/limits.hpp"

namespace starbus::bus::io {

// X(constant, value, unit, reason, when reached, hit by)
#define STARBUS_LISTENER_LIMITS(X)                                                                \
  X(kStrangers, 16'384, "connections",                                                            \
    "at a tcp:// listener, of peers that have no session yet: each costs a descriptor; 10,000 "   \
    "hosts may begin at once",                                                                    \
    "the oldest of the address with most of them is ended",                                       \
    "StrangerTable.TheAddressWithMostGivesWay")                                                   \
  X(kStrangersOfAddress, 256, "connections",                                                      \
    "of these, from one address (IPv6: one /64): as many hosts behind one router may begin at "   \
    "once",                                                                                       \
    "the connection is ended, and the address is not heard for kShutOut",                         \
    "ListenerFlood.ConnectionsOfOneAddressAreBounded")                                            \
  X(kShutOut, 1'000ms,                                                                            \
    "a client's kernel asks again after so long, so an honest host behind the address loses one " \
    "second",                                                                                     \
    "connections of the address are accepted again",                                              \
    "StrangerTable.OneAddressHasItsShareAndThenIsShutOut")                                        \
  X(kShutOutAddresses, 64, "addresses",                                                           \
    "in the filter of a listening socket: the kernel compares each new connection with all",      \
    "the one that was shut out first is heard again", "StrangerTable.FewAreShutOutAtOnce")        \
  X(kHalfOpen, 3'000ms, "for a client to come to the socket of its session",                      \
    "the socket is closed; the client asks again")                                                \
  X(kMaxHalfOpen, 256, "sessions", "that wait for their client: each costs a socket",             \
    "overloaded; the client asks again")                                                          \
  X(kHalfOpenOfKey, 2, "sessions", "likewise of one key: it must not keep other hosts out",       \
    "overloaded; the client asks again")                                                          \
  X(kLoopTurn, 200, "microseconds",                                                               \
    "of a daemon's loop for one link, where several users have links: what a message of another " \
    "waits for it",                                                                               \
    "the rest of what it sent comes after others", "LinkTurnsTest.ATurnEnds")                     \
  X(kLoopFree, 1ms, "of the loop that a user may lately have used, and still be served at once",  \
    "its links wait for their turns", "LinkTurnsTest.WhoUsesLittleIsServedAtOnce")                \
  X(kLoopMemory, 10ms, "after which half of the time that a user has used is forgotten",          \
    "it counts half", "LinkTurnsTest.UseIsForgotten")

STARBUS_LIMITS_OF(kListenerLimits, STARBUS_LISTENER_LIMITS)

}  // namespace starbus::bus::io
