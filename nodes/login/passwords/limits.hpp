/// Every bound of passwords, with its reason and with what happens when it is reached.
#pragma once

#include "base/limits.hpp"

namespace starbus::nodes::login {

// X(constant, value, unit, reason, when reached, the test that reaches it)
#define STARBUS_PASSWORD_LIMITS(X)                                                               \
  X(kNameLeast, 3, "bytes", "the name of an account", "bad_name", "AccountNames.AreChecked")     \
  X(kNameMost, 32, "bytes", "the name of an account: a frame takes 64", "bad_name",              \
    "AccountNames.AreChecked")                                                                   \
  X(kPasswordLeast, 8, "bytes", "a password: NIST's figure", "bad_password",                     \
    "AccountsTest.NamesAndPasswordsAreChecked")                                                  \
  X(kPasswordMost, 1'024, "bytes", "a password", "bad_password; at a login the proof is wrong",  \
    "AccountsTest.NamesAndPasswordsAreChecked")                                                  \
  X(kHashMemory, 1'048'576, "KiB", "of one hash: a stored one must not take the whole host",     \
    "bad_hash", "PasswordHash.StoredCostsAreBounded")                                            \
  X(kHashPasses, 64, "passes", "of one hash: it must end", "bad_hash",                           \
    "PasswordHash.StoredCostsAreBounded")                                                        \
  X(kHashLanes, 16, "lanes", "of one hash", "bad_hash", "PasswordHash.StoredCostsAreBounded")    \
  X(kHashText, 256, "bytes", "a stored hash: ours have 97", "bad_hash",                          \
    "PasswordHash.StoredCostsAreBounded")                                                        \
  X(kHashingMemory, 262'144, "KiB", "that hashes use at a time, unless configured otherwise",    \
    "the next one waits", "HashingTest.MemoryIsBounded")                                         \
  X(kHashesWaiting, 1'024, "hashes", "that wait: admission lets in fewer, operators change few", \
    "too_many", "HashingTest.ThoseWhoWaitAreBounded")

STARBUS_LIMITS_OF(kPasswordLimits, STARBUS_PASSWORD_LIMITS)

}  // namespace starbus::nodes::login
