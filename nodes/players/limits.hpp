/// Every bound of account and player entities, with its reason and with what happens when it is
/// reached. Times are defaults: AccountWorld::times.
#pragma once

#include "base/limits.hpp"

namespace starbus::nodes::players {

// X(constant, value, unit, reason, when reached, test)
#define STARBUS_PLAYER_LIMITS(X)                                                                 \
  X(kCharacters, 16, "characters", "of one account, which shows all of them to its client",      \
    "too_many_characters", "AccountTest.CharactersAreMadeAndRemovedWithinBounds")                \
  X(kCharacterName, 48, "bytes", "the name of a character", "bad_name",                          \
    "AccountTest.CharactersAreMadeAndRemovedWithinBounds")                                       \
  X(kSessionLoad, 30s, "until the entity that a login plays has the session",                    \
    "the session ends as a fault", "AccountTest.ASessionThatIsNotLinkedInTimeEnds")              \
  X(kLobbyTime, 15min, "that a client may look at its characters", "the session ends as away",   \
    "AccountTest.AClientThatChoosesNothingIsLetGo")                                              \
  X(kSessionEnd, 30s, "until a session that ends has ended", "the account goes on without it",   \
    "AccountTest.AnEndThatIsNotStoredIsNotWaitedFor")                                            \
  X(kAccountIdle, 5min, "that an account without a session stays: longer than its player stays", \
    "it is saved, and ends", "AccountTest.AnIdleAccountGoes")                                    \
  X(kFirstClient, 60s, "that a player waits for its first client", "it logs out",                \
    "PlayerTest.OneThatNobodyPlaysLogsOut")                                                      \
  X(kLinkDead, 60s, "that a player stays in the world after its client has gone", "it logs out", \
    "PlayerTest.OneWhoseClientIsGoneLogsOutLater")                                               \
  X(kLogoutTime, 30s, "for the save of a player that logs out",                                  \
    "it ends; its host keeps its state and name until that is stored",                           \
    "PlayerTest.ALogoutDoesNotWaitForTheDiskForEver")

STARBUS_LIMITS_OF(kPlayerLimits, STARBUS_PLAYER_LIMITS)

}  // namespace starbus::nodes::players
