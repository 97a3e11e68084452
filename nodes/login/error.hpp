/// All errors of logins. Numbers travel: never reuse one.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/result.hpp"

namespace starbus::nodes::login {

// X(code, number, retry, meaning, cure)
#define STARBUS_LOGIN_ERRORS(X)                                                                   \
  X(malformed, 1, never, "the bytes are no ticket", "log in again")                               \
  X(unknown_key, 2, never, "none of the public keys is that of the ticket",                       \
    "give accounts the public key of each login")                                                 \
  X(signature, 3, never, "the ticket was changed, or its signer does not have the key",           \
    "log in again, and look for the one who made it")                                             \
  X(expired, 4, never, "the ticket is too old", "log in again")                                   \
  X(wrong_kind, 5, never, "a ticket for a login where one for a re-entry is due, or the reverse", \
    "log in again")                                                                               \
  X(used, 6, never, "the ticket was used before", "log in again")                                 \
  X(too_many, 7, later, "as many as there may be; nothing was changed", "ask again later")        \
  X(too_large, 8, never, "a name does not fit into a ticket", "shorten the name")                 \
  X(bad_key, 9, never,                                                                            \
    "a key file that cannot be read, written or understood, or that others "                      \
    "may read",                                                                                   \
    "see the detail; starbus-keygen login makes a pair")                                          \
  X(bad_address, 10, never, "no address or network of IPv4 or IPv6", "correct it")

STARBUS_ERRORS(Errc, std::uint8_t, kErrors, 22, "login", STARBUS_LOGIN_ERRORS)

using starbus::Error;
using starbus::name_of;
using starbus::Result;

}  // namespace starbus::nodes::login
