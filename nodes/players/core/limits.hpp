/// Every bound of accounts, with its reason and with what happens when it is reached.
#pragma once

#include "base/limits.hpp"

namespace starbus::nodes::players {

// X(constant, value, unit, reason, when reached, test)
#define STARBUS_ACCOUNT_LIMITS(X)                                                           \
  X(kAccountAsks, 64, "words", "of gates and logins that wait while the account is stored", \
    "the word is answered `later`", "AccountCoreTest.WordsWaitForTheDiskUpToABound")        \
  X(kAccountHeard, 16, "words", "of entities, likewise",                                    \
    "the word is dropped: an entity whose link is lost says so again",                      \
    "AccountCoreTest.WordsOfEntitiesWaitUpToABound")                                        \
  X(kSubjectAnswer, 5s, "until an entity that is linked or unlinked has answered",          \
    "it counts as silent: the next step is taken without it",                               \
    "AccountCoreTest.ASilentEntityIsLinkedAgain")                                           \
  X(kLinkAgain, 1s, "between two attempts to link an entity that cannot be reached",        \
    "it is tried again", "AccountCoreTest.ALoadThatDoesNotHelpIsPaced")                     \
  X(kSubjectLook, 60s, "until an account looks again whether its entity has the session",   \
    "it asks; one that was lost is linked again, and ends a session that nobody uses",      \
    "AccountCoreTest.ASubjectIsLookedAtNowAndThen")                                         \
  X(kStoreAgain, 1s, "between two attempts to store an account", "it is tried again",       \
    "AccountCoreTest.WhatIsNotStoredIsNotTold")

STARBUS_LIMITS_OF(kAccountLimits, STARBUS_ACCOUNT_LIMITS)

}  // namespace starbus::nodes::players
