/// Every bound of the bytes between a client and its gate, with its reason and with what happens
/// when it is reached. Those of names, requests and tickets are in entity/client/limits.hpp.
#pragma once

#include "base/limits.hpp"
#include "entity/client/limits.hpp"

namespace starbus::nodes::gate {

// X(constant, value, unit, reason, when reached, test)
#define STARBUS_CLIENT_FRAME_LIMITS(X)                                                       \
  X(kProgramBytes, 64, "bytes", "name and version of a client's program: they go to logs",   \
    "the frame is too_large", "ClientFrames.TextsAndBytesAreBounded")                        \
  X(kMethodBytes, 32, "bytes", "the name of a proof of identity", "likewise",                \
    "ClientFrames.TextsAndBytesAreBounded")                                                  \
  X(kAccountBytes, 64, "bytes", "the name of an account", "likewise",                        \
    "ClientFrames.TextsAndBytesAreBounded")                                                  \
  X(kProofBytes, 8_KiB, "bytes", "a proof of identity: the ticket of a shop is the longest", \
    "likewise", "ClientFrames.TextsAndBytesAreBounded")                                      \
  X(kClientAddressBytes, 64, "bytes", "an address of a client as text, to a login",          \
    "the word is malformed", "LoginWords.AreBounded")                                        \
  X(kCloseTextBytes, 255, "bytes", "what a person reads when a connection ends", "likewise", \
    "ClientFrames.TextsAndBytesAreBounded")                                                  \
  X(kPacketBytes, 1_MiB + 1_KiB, "bytes",                                                    \
    "the body of a packet: a full state, and what the gate"                                  \
    " adds to it",                                                                           \
    "likewise", "ClientFrames.TextsAndBytesAreBounded")                                      \
  X(kClientTakes, 1_MiB + 64_KiB, "bytes", "one frame to a client: more than any packet",    \
    "the client closes, and resumes", "ClientFrames.NoFrameIsLongerThanAClientTakes")

STARBUS_LIMITS_OF(kClientFrameLimits, STARBUS_CLIENT_FRAME_LIMITS)

}  // namespace starbus::nodes::gate
