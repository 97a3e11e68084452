/// Every bound of RPC, with its reason and with what happens when it is reached.
#pragma once

#include <cstddef>

#include "base/limits.hpp"

namespace starbus::entity::rpc {

// X(constant, value, unit, reason, when reached)
#define STARBUS_RPC_LIMITS(X)                                                                    \
  X(kMaxPart, 48, "bytes", "the name of a class, or of a method: both stand in every report",    \
    "does not compile")                                                                          \
  X(kMaxMethods, 65'536, "methods", "linked into one process: ids of 32 bits collide by chance", \
    "std::logic_error when the first endpoint is made")                                          \
  X(kMaxComponents, 64, "components", "per object: they are searched in line",                   \
    "too_many_components")                                                                       \
  X(kMaxDetail, 255, "bytes", "the text of an error: for people", "it is cut")                   \
  X(kLocalMessages, 65'536, "messages",                                                          \
    "queued for objects of this process: as many as a remote window holds", "would_block")       \
  X(kLocalPass, 1'024, "messages", "of these per turn of the loop: other work waits",            \
    "the rest waits for the next turn")                                                          \
  X(kLocalPassTime, 5ms, "of these, after which no new message begins: as kLocalPass",           \
    "the rest waits for the next turn")                                                          \
  X(kMaxCalls, 65'536, "calls", "that wait for their answer in one process, as on the bus",      \
    "would_block")                                                                               \
  X(kExpiredPass, 256, "calls", "whose deadline has passed, ended in one turn of the loop",      \
    "the rest in later turns: other work goes on between them")                                  \
  X(kMaxRunning, 65'536, "coroutines", "suspended methods of one process: each holds a frame",   \
    "would_block to the caller; the method is not entered")                                      \
  X(kMaxRunningPerHost, 256, "coroutines", "per object: one caller must not use up all",         \
    "would_block to the caller; the method is not entered; see limit_coroutines",                \
    "RpcEnds.SuspendedMethodsOfOneObjectAreBounded")                                             \
  X(kMaxUnsentReplies, 4'096, "answers",                                                         \
    "to questions, which go to channels, whose windows are full",                                \
    "the answer is dropped and counted; its question ends at its deadline")                      \
  X(kUnsentReplyBytes, 16_MiB, "bytes", "all of these together", "as kMaxUnsentReplies")         \
  X(kReplyRetry, 10ms, "until these are tried again", "again, for kReplyTries times")            \
  X(kReplyTries, 500, "tries", "five seconds: callers hardly wait longer",                       \
    "the answer is dropped and counted; its question ends at its deadline")                      \
  X(kClientBytes, 64_KiB, "bytes", "arguments of a call of a client: players are hostile",       \
    "bad_arguments")                                                                             \
  X(kClientElements, 4'096, "elements", "in all containers of these together", "bad_arguments")  \
  X(kClientMemory, 1_MiB, "bytes", "that these may occupy once read", "bad_arguments")           \
  X(kClientDepth, 8, "levels", "of nested classes in these", "bad_arguments")                    \
  X(kMaxGates, 4'096, "processes",                                                               \
    "that were gates, do not own a gate's name any more, and are still taken for gates",         \
    "the one that has been gone for longest is forgotten")                                       \
  X(kFormerServers, 4'096, "processes",                                                          \
    "that were servers and have ended: what they sent may still be on its way",                  \
    "the one that has been gone for longest is no server any more")                              \
  X(kFormerServerTime, 30s, "that these stay servers: no message is under way for longer",       \
    "it is no server any more")                                                                  \
  X(kInspectRows, 1'000, "rows", "hosts in one report: a process has 100,000 of them",           \
    "the report says how many it left out")

STARBUS_LIMITS_OF(kLimits, STARBUS_RPC_LIMITS)

}  // namespace starbus::entity::rpc
