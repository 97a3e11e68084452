/// Every bound of the sockets of a gate, with its reason and with what happens when it is reached.
/// Those that an operator may change are the defaults of `[gate.limits]`. Constants; any thread.
#pragma once

#include "base/limits.hpp"

namespace starbus::nodes::gate::net {

// X(constant, value, unit, reason, when reached, hit by)
#define STARBUS_GATE_NET_LIMITS(X)                                                                 \
  X(kListeners, 16, "listeners", "of one gate: an operator writes them", "bad_config",             \
    "FrontSettingsTest.ListenersAndOriginsAreBounded")                                             \
  X(kOrigins, 64, "origins", "of one listener: compared one by one at each upgrade", "bad_config", \
    "FrontSettingsTest.ListenersAndOriginsAreBounded")                                             \
  X(kConnections, 20'000, "connections", "at a gate: twice what it is measured for",               \
    "refused as `full`", "FrontDefence.ConnectionsInAllAreBounded")                                \
  X(kConnectionsPerAddress, 512, "connections",                                                    \
    "from one address (IPv6: one /64): a network cafe, or a carrier's router",                     \
    "refused as `too_many`", "FrontDefence.ConnectionsOfOneAddressAreBounded")                     \
  X(kHandshakesAtOnce, 4'096, "connections",                                                       \
    "that have not said their first frame: each costs memory without a proof of identity",         \
    "refused as `later`", "FrontDefence.HandshakesAtOnceAreBounded")                               \
  X(kRefusedAtOnce, 256, "connections", "that are refused and still hear why",                     \
    "further ones are cut without a word", "FrontDefence.ConnectionsInAllAreBounded")              \
  X(kTlsPerSecond, 1'000, "handshakes",                                                            \
    "of TLS a second: each takes half a millisecond of the loop",                                  \
    "the next one waits for its turn, within kHandshakeTime",                                      \
    "FrontTls.HandshakesASecondWaitForTheirTurn")                                                  \
  X(kTlsTurn, 4ms, "of one turn of the loop for TLS handshakes: what players wait for it",         \
    "the next handshake goes into the next turn", "FrontTls.HandshakesASecondWaitForTheirTurn")    \
  X(kHandshakeTime, 10'000ms, "from accept to the first frame: TLS and upgrade over a bad line",   \
    "ended as `idle`", "FrontDefence.ASilentConnectionEndsAfterHandshakeTime")                     \
  X(kFrameTime, 10'000ms, "from the first byte of a frame to its last one", "ended as `idle`",     \
    "FrontDefence.AFrameByteByByteEndsAfterFrameTime")                                             \
  X(kHeartbeat, 10'000ms, "after which a client that has nothing to say says Ping",                \
    "ended as `idle` after kSilentBeats of it", "FrontDefence.SilenceEndsAfterThreeHeartbeats")    \
  X(kSilentBeats, 3, "heartbeats", "without a byte: a phone that changes its network",             \
    "ended as `idle`", "FrontDefence.SilenceEndsAfterThreeHeartbeats")                             \
  X(kFirstFrameBytes, 1_KiB, "bytes", "of the first frame, which is Hello", "too_large",           \
    "FrontDefence.OversizedFramesAreRefusedByTheirLength")                                         \
  X(kEntryFrameBytes, 9_KiB, "bytes", "of a frame before there is a session: Login and Resume",    \
    "too_large", "FrontDefence.OversizedFramesAreRefusedByTheirLength")                            \
  X(kFrameBytes, 65_KiB, "bytes", "of a frame of a session: a request and its head", "too_large",  \
    "FrontDefence.OversizedFramesAreRefusedByTheirLength")                                         \
  X(kFragments, 64, "fragments", "of one WebSocket message: programs that send many send none",    \
    "malformed", "FrameReaderTest.FragmentsAreBounded")                                            \
  X(kFramesPerSecond, 100, "frames", "of one client a second, in the long run",                    \
    "ended as `too_many`", "FrontDefence.FramesASecondAreBounded")                                 \
  X(kFrameBurst, 200, "frames", "of one client at once, beyond kFramesPerSecond",                  \
    "ended as `too_many`", "FrontDefence.FramesASecondAreBounded")                                 \
  X(kQueueBytes, 4_MiB, "bytes", "that wait for one client: a full state and what follows",        \
    "ended as `too_slow`", "FrontDefence.AClientThatDoesNotReadEndsAsTooSlow")                     \
  X(kFrontBytes, 1'024_MiB, "bytes", "that all clients together have waiting, in and out",         \
    "a client that holds more than its equal share ends as `too_slow`",                            \
    "FrontDefence.AboveTheBudgetWhoHoldsMostEnds")                                                 \
  X(kLeastShare, 16_KiB, "bytes", "of a client above kFrontBytes: a frame may always wait",        \
    "as kFrontBytes", "FrontDefence.AboveTheBudgetWhoHoldsMostEnds")                               \
  X(kCloseTime, 2'000ms, "for the last frame of a connection to leave, and the peer to hang up",   \
    "the connection is cut", "FrontDefence.AClosedConnectionIsCutAfterCloseTime")                  \
  X(kLingerBytes, 256_KiB, "bytes", "that are read and dropped after the last frame",              \
    "the connection is cut", "FrontDefence.AClosedConnectionThatGoesOnSendingIsCut")               \
  X(kReadTurn, 64_KiB, "bytes", "of one connection in a turn of the loop",                         \
    "the rest comes after others", "FrontTest.AFloodOfOneDoesNotDelayAnother")                     \
  X(kWriteTurn, 256_KiB, "bytes", "likewise, written", "the rest goes after others",               \
    "FrontTest.ASlowReaderDoesNotDelayOthers")                                                     \
  X(kFlushTurn, 256, "connections",                                                                \
    "that are written to in one turn: one announcement has "                                       \
    "thousands of them",                                                                           \
    "the others are written to in the next turn", "FrontTest.OneBodyGoesToAll")                    \
  X(kAcceptTurn, 32, "connections", "that are accepted in one turn of a listener",                 \
    "the others are accepted in the next turn", "FrontTest.ManyConnectionsLeaveNothingBehind")     \
  X(kAcceptPause, 100ms,                                                                           \
    "without accepting, when the system has no descriptor left; doubled up "                       \
    "to 16 times",                                                                                 \
    "one waiting connection is cut, then it is tried again",                                       \
    "FrontDefence.WithoutDescriptorsItPausesAndGoesOn")                                            \
  X(kUpgradeBytes, 8_KiB, "bytes", "of the HTTP request of a WebSocket: cookies are in it", "431", \
    "FrontWebSocket.AnUpgradeThatIsTooLongIsRefused")                                              \
  X(kProxyBytes, 1_KiB, "bytes", "of a PROXY header: addresses and a few extensions", "malformed", \
    "ProxyHeaderTest.AHeaderIsBounded")                                                            \
  X(kTicketKeyLife, 12h, "that one key encrypts session tickets; it decrypts for as long again",   \
    "a client makes a full handshake", "TicketKeysTest.KeysAreRotatedAndThenForgotten")

STARBUS_LIMITS_OF(kGateNetLimits, STARBUS_GATE_NET_LIMITS)

}  // namespace starbus::nodes::gate::net
