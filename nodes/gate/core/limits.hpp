/// Every bound of the gate's half of sessions, with its reason and with what happens when it is
/// reached. What a home keeps is bounded in entity/client/limits.hpp.
#pragma once

#include "base/limits.hpp"
#include "entity/client/limits.hpp"

namespace starbus::nodes::gate {

// X(constant, value, unit, reason, when reached, test)
#define STARBUS_GATE_CORE_LIMITS(X)                                                                \
  X(kSessions, 20'000, "sessions", "of one gate, stubs included: memory",                          \
    "a login is refused as full, a hand-over goes to another gate", "GateDoors.AFullGateRefuses")  \
  X(kTokensErased, 4, "tokens", "of a session whose return is told from a guess",                  \
    "an older one is refused as any wrong token", "TokenPair.AnErasedTokenIsKnownForAWhile")       \
  X(kWindowBytes, 6_MiB, "bytes",                                                                  \
    "of packets that a client has not acknowledged: more than kLinkBytes of its subject",          \
    "the session ends as too_slow", "PacketWindow.IsFullAtItsBounds")                              \
  X(kWindowPackets, 16'384, "packets", "likewise", "the session ends as too_slow",                 \
    "PacketWindow.IsFullAtItsBounds")                                                              \
  X(kClientRate, 1_MiB, "bytes",                                                                   \
    "a second to one client in the long run: ten times what a busy game says; client_rate",        \
    "packets wait in the window", "EgressTest.AClientBeyondItsRateWaitsAndOthersDoNot")            \
  X(kClientBurst, 4_MiB, "bytes",                                                                  \
    "at once to one client: a full state and what follows it; client_burst", "as kClientRate",     \
    "EgressTest.AClientBeyondItsRateWaitsAndOthersDoNot")                                          \
  X(kGateRate, 100_MiB, "bytes", "a second to all clients: a line of 1 Gbit/s; gate_rate",         \
    "who is beyond an equal share waits for what others leave",                                    \
    "EgressTest.WhatOthersLeaveIsSharedEqually")                                                   \
  X(kTurnBytes, 16_KiB, "bytes", "of one turn of a session that waits, at least",                  \
    "the next one has its turn", "EgressTest.WhatOthersLeaveIsSharedEqually")                      \
  X(kRoundPause, 50ms, "from one round of these turns to the next: half a tick of the gate",       \
    "the next round waits", "EgressTest.WhatOthersLeaveIsSharedEqually")                           \
  X(kPacketHead, 16, "bytes", "that a packet counts beside its body in budgets",                   \
    "none: an estimate", "EgressTest.WhatOthersLeaveIsSharedEqually")                              \
  X(kLeastCredit, 16_KiB, "bytes",                                                                 \
    "that a client may have without its acknowledgement: after so many it acknowledges",           \
    "properties and droppable updates wait at home", "CreditTest.FollowsWhatIsAcknowledged")       \
  X(kCreditTime, 1s, "in which a client acknowledges what it may be told ahead",                   \
    "as kLeastCredit", "CreditTest.FollowsWhatIsAcknowledged")                                     \
  X(kHeldBytes, 2_MiB, "bytes", "of parts that wait for one before them",                          \
    "the part is dropped, and the subject asked for full state", "PartOrder.IsBounded")            \
  X(kHeldParts, 4'096, "parts", "likewise", "as kHeldBytes", "PartOrder.IsBounded")                \
  X(kEarlyParts, 1'024, "parts", "of a bind that the account has not told yet", "as kHeldBytes",   \
    "PartOrder.IsBounded")                                                                         \
  X(kHomesOfSession, 8, "homes", "of one session that may speak with a handle",                    \
    "the handle of the oldest is forgotten: its parts are asked for again",                        \
    "HomeTable.KeepsAHandlePerHome")                                                               \
  X(kSubjectsOfHome, 4, "subjects", "of one session in one home that may speak with a handle",     \
    "as kHomesOfSession", "HomeTable.KeepsAHandlePerHome")                                         \
  X(kDeathsKept, 4'096, "processes", "whose death is remembered for parts that name them",         \
    "the oldest is forgotten: a hole waits for kHoleTime then", "HomeTable.RemembersDeaths")       \
  X(kSpokenWaiting, 1'024, "announcements", "that wait for their turn",                            \
    "announce() returns false: the sender is told", "GateGroups.TooManyAnnouncementsAreRefused")   \
  X(kOriginsKept, 32, "processes", "that have announced, for each session: against doubles",       \
    "the one that was heard longest ago is forgotten", "SpokenSeen.KnowsDoubles")                  \
  X(kSpokenKept, 256, "announcements", "whose reach is known when they have been said",            \
    "the oldest is forgotten: its sender is told that nothing is known of it",                     \
    "GateGroups.TheReachOfAnAnnouncementIsCounted")                                                \
  X(kPartingsKept, 1'024, "ends", "of connections and sessions that operators may ask for",        \
    "the oldest is forgotten", "GatePartings.TheNewestAreKept")                                    \
  X(kTickSlice, 256, "sessions", "that one call of tick() works on: the loop has other work",      \
    "the rest waits for the next call", "GateGroups.AnnouncementsGoOutInSlices")                   \
  X(kGivesAtOnce, 64, "sessions", "that a drain hands over at the same time",                      \
    "the next waits until one of these is answered", "GateDrain.GivesFewSessionsAtOnce")           \
  X(kGivesWaiting, 4'096, "connections", "that wait for another gate to give their session",       \
    "the client is told `later`", "GateDoors.FewConnectionsWaitForOtherGates")                     \
  X(kGiveTime, 5s, "for another gate to give a session", "the client re-enters by its login",      \
    "GateDoors.ASilentGateIsNotWaitedForLong")                                                     \
  X(kSuspect, 5s,                                                                                  \
    "without its link to the bus: busd is back from a restart sooner, and the lease ends later",   \
    "its clients are sent to other gates, and nobody is let in until the link is there",           \
    "GateClock.WithoutTheBusClientsGoElsewhere")                                                   \
  X(kStubTime, 60s, "that a gate forwards for a session it has given: above bus::kQueueAge",       \
    "it forgets the session", "GateHandOver.AStubEndsAfterItsTime")                                \
  X(kEndedTime, 60s, "that a gate can say why a session has ended", "it forgets the session",      \
    "GateDoors.AnEndedSessionSaysWhy")                                                             \
  X(kForwardHops, 16, "gates", "that one word may pass as it follows a session",                   \
    "the word is dropped: the pulse finds what is missing", "GateWords.AreBounded")                \
  X(kGivers, 16, "gates", "that may still forward for one session", "the oldest ends by its time", \
    "GateWords.AreBounded")                                                                        \
  X(kTakeBytes, 14_MiB, "bytes", "of a session that is handed over: a record of the bus",          \
    "the session stays", "GateWords.AreBounded")                                                   \
  X(kReentryBytes, 512, "bytes", "the signed part of a token", "the word is malformed",            \
    "GateWords.AreBounded")                                                                        \
  X(kAddressBytes, 255, "bytes", "the address of a gate, as clients use it",                       \
    "the word is malformed", "GateWords.AreBounded")                                               \
  X(kPulse, 5s, "without a word of its subject, after which a session asks", "it asks",            \
    "GateClock.ASilentSubjectIsAskedAndThenItsAccount")                                            \
  X(kHoleTime, 12s, "that a hole may be there: the bus keeps its queues for less",                 \
    "the subject is asked for full state", "GateClock.AHoleIsMendedWithFullState")                 \
  X(kResyncMost, 40s, "between two such questions: the time doubles from kPulse on",               \
    "it is asked again", "GateClock.AHoleIsMendedWithFullState")                                   \
  X(kAskPause, 1s, "until an account that did not answer is asked again", "it is asked again",     \
    "GateClock.ASilentSubjectIsAskedAndThenItsAccount")                                            \
  X(kWaitingSaid, 5s, "between two words to a client that waits", "it is told again",              \
    "GateClock.AClientThatWaitsIsTold")

STARBUS_LIMITS_OF(kGateCoreLimits, STARBUS_GATE_CORE_LIMITS)

}  // namespace starbus::nodes::gate
