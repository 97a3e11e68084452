/// Every bound of admission, with its reason and with what happens when it is reached. Those that a
/// game may want otherwise are the defaults of AdmissionOptions.
#pragma once

#include "base/limits.hpp"

namespace starbus::nodes::login {

// X(constant, value, unit, reason, when reached, the test that reaches it)
#define STARBUS_ADMISSION_LIMITS(X)                                                                \
  X(kAttempts, 8'192, "logins",                                                                    \
    "under way before the queue: a storm of 2,000 with room; each holds a proof of 8 KiB",         \
    "too_many", "AdmissionTest.AttemptsAreBoundedWithAReserveForKnownPlayers")                     \
  X(kKnownReserve, 2'048, "logins", "of kAttempts, for players at an address where they were",     \
    "others are told too_many", "AdmissionTest.AttemptsAreBoundedWithAReserveForKnownPlayers")     \
  X(kLookingAtOnce, 16, "proofs", "that each verifier looks at: more only wait there",             \
    "the others wait, in order", "AdmissionTest.ProofsAreLookedAtFewAtATimeAndInOrder")            \
  X(kLookWait, 5min, "that a login waits for its turn at the verifier", "later",                   \
    "AdmissionTest.EveryWaitEnds")                                                                 \
  X(kLookTime, 20s, "that a verifier has: more than its own deadline", "later",                    \
    "AdmissionTest.EveryWaitEnds")                                                                 \
  X(kNumberTime, 10s, "that an account has to draw a number, being loaded", "later",               \
    "AdmissionTest.EveryWaitEnds")                                                                 \
  X(kStepsAtOnce, 256, "logins", "that one step moves: the loop has other work",                   \
    "the others in the next step", "AdmissionTest.AStepIsBounded")                                 \
  X(kAddressBurst, 30, "logins", "of one address at once: a household, a small café", "too_many",  \
    "AddressRatesTest.ABurstAndThenTheRate")                                                       \
  X(kAddressPerMinute, 30, "logins", "of one address: likewise", "too_many",                       \
    "AddressRatesTest.ABurstAndThenTheRate")                                                       \
  X(kWideFactor, 16, "times",                                                                      \
    "as many for a /48 of IPv6, or a /24 of IPv4: who rents one has all of its addresses",         \
    "too_many", "AddressRatesTest.ANetworkHasARateOfItsOwn")                                       \
  X(kAddresses, 65'536, "addresses", "that are remembered: 8 MiB",                                 \
    "the one that was quiet longest is forgotten", "AddressRatesTest.AreBounded")                  \
  X(kWrongNames, 65'536, "accounts", "with wrong proofs that are remembered", "as kAddresses",     \
    "GuessesTest.TablesAreBounded")                                                                \
  X(kKnownPairs, 131'072, "pairs", "of account and address that have logged in: 32 MiB",           \
    "as kAddresses: that player is new there", "GuessesTest.TablesAreBounded")                     \
  X(kAddressWrong, 5, "wrong proofs", "of an address that cost nothing: people mistype",           \
    "each more doubles the delay", "GuessesTest.DelaysGrowAndAreForgotten")                        \
  X(kAddressDelay, 60s, "that an attempt from a guessing address waits at most",                   \
    "it does not grow further", "GuessesTest.DelaysGrowAndAreForgotten")                           \
  X(kAccountWrong, 10, "wrong proofs", "of an account from new addresses that cost nothing",       \
    "each more doubles the delay", "GuessesTest.ManyAddressesAtOneAccountAreSlowed")               \
  X(kAccountDelay, 15s,                                                                            \
    "that an attempt at an account waits at most: its owner pays it once at a new address",        \
    "it does not grow further", "GuessesTest.ManyAddressesAtOneAccountAreSlowed")                  \
  X(kKnownWrong, 5, "wrong proofs", "of a player at an address where he was that cost nothing",    \
    "each more doubles the delay", "GuessesTest.AKnownPlayerIsJudgedByHimselfAlone")               \
  X(kKnownDelay, 30s, "that such an attempt waits at most", "it does not grow further",            \
    "GuessesTest.AKnownPlayerIsJudgedByHimselfAlone")                                              \
  X(kFirstDelay, 1s, "that the first wrong proof too many costs", "doubled by the next one",       \
    "GuessesTest.DelaysGrowAndAreForgotten")                                                       \
  X(kWrongForgotten, 60s, "after which one wrong proof is forgotten", "the delay halves",          \
    "GuessesTest.DelaysGrowAndAreForgotten")                                                       \
  X(kAddressUnderWay, 16, "logins", "of one address before the queue, but for known players",      \
    "too_many", "AdmissionTest.OneAddressHasFewUnderWay")                                          \
  X(kAccountUnderWay, 32, "logins", "at one account from new addresses before the queue",          \
    "too_many", "AdmissionTest.OneAccountHasFewUnderWay")                                          \
  X(kPairUnderWay, 4, "logins", "of a known player at one address before the queue", "too_many",   \
    "AdmissionTest.OneKnownPlayerHasFewUnderWay")                                                  \
  X(kMethods, 16, "methods", "of proof: an operator names them", "too_many",                       \
    "DeskTest.MethodsAreBounded")                                                                  \
  X(kGates, 4'096, "gates", "that report how full they are", "too_many: one more does not count",  \
    "GateReportsTest.AreBounded")                                                                  \
  X(kGateSessions, 1'000'000, "sessions",                                                          \
    "of one gate that count: one that was taken over must "                                        \
    "not open the door for all",                                                                   \
    "more count as this", "GateReportsTest.AreBounded")                                            \
  X(kBans, 65'536, "bans", "of addresses, and as many of accounts", "too_many",                    \
    "BansTest.AreBounded")                                                                         \
  X(kBanText, 200, "bytes", "the reason of a ban, for the player: a frame takes 255", "too_large", \
    "BansTest.AreBounded")                                                                         \
  X(kQueuePlaces, 65'536, "players", "in the login queue: hours of waiting", "full",               \
    "LoginQueueTest.IsBounded")                                                                    \
  X(kQueueSpan, 131'072, "places",                                                                 \
    "from the first to the last who waits, also those that were left: a power of two", "full",     \
    "LoginQueueTest.IsBounded")                                                                    \
  X(kQueueTell, 5s, "between two words to one who waits", "the next one has the newest position",  \
    "LoginQueueTest.PositionsAreToldWhenTheyChangeAndNotOften")                                    \
  X(kTellsAtOnce, 256, "players", "that one step tells their position",                            \
    "the others in the next step", "LoginQueueTest.AStepTellsFew")                                 \
  X(kQueueKeep, 120s, "that the place of a client that was cut off is kept",                       \
    "it has left the queue", "LoginQueueTest.APlaceIsKeptForAWhile")                               \
  X(kQueueLongest, 6h, "in the queue", "later", "LoginQueueTest.NobodyWaitsForEver")               \
  X(kRetryFull, 30s, "after which to come again to a full queue, and as much more by chance",      \
    "the client waits", "AdmissionTest.AFullQueueRefusesBeforeAnyWork")                            \
  X(kRetryLater, 5s, "after which to come again for other reasons, and as much more by chance",    \
    "the client waits", "AdmissionTest.EveryWaitEnds")                                             \
  X(kAdmitPerSecond, 200, "players", "that enter: each is loaded from the database",               \
    "they wait in the queue", "PlacesTest.TheRateIsThatOfTheOptions")                              \
  X(kLoadFull, 700, "ms per second",                                                               \
    "of load up to which the whole rate enters, and below which a closed door opens",              \
    "the rate falls", "NodeLoadsTest.ARateThatTheLoadLowers")                                      \
  X(kLoadNone, 900, "ms per second", "of load from which on nobody enters",                        \
    "they wait in the queue until it is down to kLoadFull",                                        \
    "NodeLoadsTest.ARateThatTheLoadLowers")                                                        \
  X(kLoadWeight, 5, "ms per second",                                                               \
    "that a player counts on a node until reports show it: as an entity that is placed",           \
    "the report counts", "NodeLoadsTest.ABurstCountsBeforeReportsShowIt")                          \
  X(kLoadSmooth, 5s,                                                                               \
    "over which reports are smoothed: a turn that was long opens and closes nothing",              \
    "older reports count less", "NodeLoadsTest.ReportsAreSmoothed")                                \
  X(kLoadStale, 15s, "after which a report of a node says nothing any more",                       \
    "the node counts as full", "NodeLoadsTest.WhoIsSilentIsFullAndThenForgotten")                  \
  X(kLoadForget, 120s, "after which a node that is silent is not counted at all",                  \
    "if none is left, kLoadBlindShare enters", "NodeLoadsTest.WhoIsSilentIsFullAndThenForgotten")  \
  X(kLoadBlindShare, 20, "of the rate",                                                            \
    "one part of so many enters without a report: silence neither opens nor closes for ever",      \
    "they wait in the queue", "NodeLoadsTest.WhoIsSilentIsFullAndThenForgotten")                   \
  X(kLoadRoles, 8, "roles", "where players live: an operator names them", "bad_config",            \
    "LoginSettingsTest.LoadsHaveRanges")                                                           \
  X(kLoadNodes, 1'000, "nodes", "of a role that count: as one answer of the manager has",          \
    "the mean of these counts", "NodeLoadsTest.AreBounded")                                        \
  X(kMeasureAge, 15s, "after which a measurement says nothing any more",                           \
    "nobody enters until there is another", "PlacesTest.WithoutAMeasurementNobodyEnters")          \
  X(kMeasureLag, 10s, "until one who was let in shows in the measured sessions",                   \
    "he is no longer counted beside them", "PlacesTest.ThoseOnTheirWayCount")

STARBUS_LIMITS_OF(kAdmissionLimits, STARBUS_ADMISSION_LIMITS)

}  // namespace starbus::nodes::login
