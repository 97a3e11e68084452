/// Every bound of the HTTP verifier, with its reason and with what happens when it is reached.
#pragma once

#include "base/limits.hpp"

namespace starbus::nodes::login {

// X(constant, value, unit, reason, when reached, the test that reaches it)
#define STARBUS_VERIFY_LIMITS(X)                                                                   \
  X(kHttpDeadline, 8s, "for one question, with the connection: below kLookTime", "later",          \
    "HttpVerifierTest.AServerThatDoesNotAnswerIsGivenUp")                                          \
  X(kHttpAnswer, 64_KiB, "bytes", "of an answer: one has some hundred", "later",                   \
    "HttpVerifierTest.AnswersThatAreNoneAreFailures")                                              \
  X(kHttpAtOnce, 64, "questions", "under way: each has a connection", "later",                     \
    "HttpVerifierTest.QuestionsAtOnceAreBounded")                                                  \
  X(kHttpKept, 8, "connections", "that are kept open for the next questions",                      \
    "one more is closed", "HttpVerifierTest.ConnectionsAreUsedAgain")                              \
  X(kHttpIdle, 30s,                                                                                \
    "that a connection is kept without a question: servers close them after a "                    \
    "minute",                                                                                      \
    "it is closed", "HttpVerifierTest.ConnectionsAreUsedAgain")                                    \
  X(kBreakerFailures, 5, "failures", "one after the other, after which nobody is asked",           \
    "later, at once", "BreakerTest.OpensAfterFailuresAndTriesOne")                                 \
  X(kBreakerRest, 10s, "until one question tries whether the server is back", "that one is asked", \
    "BreakerTest.OpensAfterFailuresAndTriesOne")                                                   \
  X(kExternalName, 64, "bytes", "the name of an account from a ticket, with its prefix",           \
    "later: correct the mapping", "HttpMappingTest.NamesOfAccountsAreSafeAndDistinct")

STARBUS_LIMITS_OF(kVerifyLimits, STARBUS_VERIFY_LIMITS)

}  // namespace starbus::nodes::login
