/// Every bound of a login as a service, with its reason and with what happens when it is reached.
#pragma once

#include "base/limits.hpp"

namespace starbus::nodes::login {

// X(constant, value, unit, reason, when reached, the test that reaches it)
#define STARBUS_LOGIN_SERVICE_LIMITS(X)                                                    \
  X(kAskHeld, 5s, "that a question of a gate waits for news before it is answered",        \
    "it is answered with what is known: the gate asks again",                              \
    "LoginServiceTest.AQuestionIsHeldAndThenAnsweredWithThePosition")                      \
  X(kQuestionsHeld, 32'768, "questions",                                                   \
    "of gates at once, one for each player in the queue: half of kMaxRunning",             \
    "would_block to the gate, which asks again",                                           \
    "LoginServiceTest.AsManyQuestionsAreHeldAsPlayersWait")                                \
  X(kAskAbandoned, 12s, "without a question for a login: its gate is gone, or its client", \
    "the login is given up; its place in the queue is kept for a while",                   \
    "LoginServiceTest.WhoIsNotAskedForAnyMoreIsGone")                                      \
  X(kSweepAtOnce, 256, "logins", "that are looked at in one turn for those two times",     \
    "the others in the next turn", "LoginServiceTest.WhoIsNotAskedForAnyMoreIsGone")

STARBUS_LIMITS_OF(kLoginServiceLimits, STARBUS_LOGIN_SERVICE_LIMITS)

}  // namespace starbus::nodes::login
