/// All errors of accounts and players.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/result.hpp"

namespace starbus::nodes::players {

// X(code, number, retry, meaning, cure)
#define STARBUS_PLAYER_ERRORS(X)                                                          \
  X(no_session, 1, never, "no client has this account now, or a later one has it",        \
    "wait for the next login")                                                            \
  X(busy, 2, later, "the account goes from one entity to another, or is being stored",    \
    "ask again when it has come there")                                                   \
  X(same_subject, 3, never, "the session plays this entity already", "go on")             \
  X(too_many_characters, 4, never, "the account has as many characters as it may have",   \
    "remove one first")                                                                   \
  X(bad_name, 5, never, "no name of a character: empty, too long, not UTF-8, or refused", \
    "choose another one")                                                                 \
  X(no_character, 6, never, "the account has no such character", "look at its list")      \
  X(character_plays, 7, later, "the character is being played", "leave it first")

STARBUS_ERRORS(PlayerErrc, std::uint8_t, kPlayerErrors, 25, "player", STARBUS_PLAYER_ERRORS)

using starbus::name_of;

}  // namespace starbus::nodes::players
