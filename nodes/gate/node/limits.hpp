/// Every bound of a gate as a node, with its reason and with what happens when it is reached. Those
/// of sessions are in nodes/gate/core, those of sockets in nodes/gate/net. Constants; any thread.
#pragma once

#include "base/limits.hpp"

namespace starbus::nodes::gate {

// X(constant, value, unit, reason, when reached, test)
#define STARBUS_GATE_NODE_LIMITS(X)                                                                \
  X(kGateTick, 100ms, "between two looks at what is due: sessions, and clients to be pinged",      \
    "the next look", "GateNodeTest.AClientLogsInAsksAndIsTold")                                    \
  X(kLeastClientRate, 4_KiB, "bytes", "a second, or a burst, that an operator may allow a client", \
    "bad_config", "GateSettingsTest.BudgetsHaveBounds")                                            \
  X(kLeastGateRate, 1_MiB, "bytes", "a second that an operator may allow all clients",             \
    "bad_config", "GateSettingsTest.BudgetsHaveBounds")                                            \
  X(kMostRate, 1'024'000_MiB, "bytes", "a second: beyond any line", "bad_config",                  \
    "GateSettingsTest.BudgetsHaveBounds")                                                          \
  X(kDeflateLeast, 512, "bytes", "of a body that is deflated: below, it saves less than a packet", \
    "it is sent as it is; compress_above", "DeflatedFramesTest.SmallAndHugeBodiesStayAsTheyAre")   \
  X(kDeflateMost, 256_KiB, "bytes", "of a body that is deflated: some milliseconds of the loop",   \
    "it is sent as it is", "DeflatedFramesTest.SmallAndHugeBodiesStayAsTheyAre")                   \
  X(kDeflatedKept, 8, "bodies", "that were deflated last: announcements under way",                \
    "the oldest is deflated again", "DeflatedFramesTest.OneBodyIsDeflatedOnce")                    \
  X(kPingsTurn, 512, "clients", "that are sent Ping in one turn of the loop",                      \
    "the others are pinged in the next", "ClientSideTest.PingsGoOutInSlices")                      \
  X(kCallWindow, 512_KiB, "bytes",                                                                 \
    "of calls to one channel that are not answered: half of what the bus takes, so that it "       \
    "never refuses one and lets the next pass",                                                    \
    "the next call waits", "ChannelCallsTest.AChannelHasAWindow")                                  \
  X(kCallsWindow, 8_MiB, "bytes", "of calls to all channels together, likewise",                   \
    "the next call waits", "ChannelCallsTest.AllChannelsShareAWindow")                             \
  X(kCallsWaiting, 64_MiB, "bytes", "of calls that wait for these windows",                        \
    "clients that ask are not read until half of it has gone",                                     \
    "ClientSideTest.WhoAsksIsNotReadWhileTooMuchWaits")                                            \
  X(kCallHead, 256, "bytes", "that a call counts beside its body", "none: a share of windows",     \
    "ChannelCallsTest.AChannelHasAWindow")                                                         \
  X(kSubjectAnswer, 30s,                                                                           \
    "for the answer of a subject: it may be moving, or its host may have its lease left",          \
    "the outcome is unknown, and the account is asked", "none: a time of the bus")                 \
  X(kAccountAnswer, 10s, "for the answer of an account, which stores before it answers",           \
    "it is asked again", "none: a time of the bus")                                                \
  X(kLoginAnswer, 15s, "for one answer of a login: it says Waiting after less",                    \
    "another login is asked", "none: a time of the bus")                                           \
  X(kClientRows, 200, "rows", "of one answer of /clients or /partings",                            \
    "the answer says where the next one goes on", "GateClientsTest.AnswersAreBounded")             \
  X(kClientsSeen, 2'000, "sessions",                                                               \
    "that one question of an operator looks at: between two of them clients are served",           \
    "the answer says where the next one goes on", "GateClientsTest.ASearchLooksAtFewSessions")     \
  X(kGateAnswer, 10s, "for the answer of another gate", "the hand-over is taken back",             \
    "none: a time of the bus")

STARBUS_LIMITS_OF(kGateNodeLimits, STARBUS_GATE_NODE_LIMITS)

}  // namespace starbus::nodes::gate
