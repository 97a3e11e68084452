/// Every bound of movement, with its reason and with what happens when it is reached. Coordinates
/// have that of the area of interest: aoi::kMaxCoordinate.
#pragma once

#include "base/limits.hpp"

namespace starbus::nodes::movement {

// X(constant, value, unit, reason, when reached, hit by)
#define STARBUS_MOVEMENT_LIMITS(X)                                                                 \
  X(kJitterAllowance, 500ms, "what a network delays and then delivers in one bunch",               \
    "what a player moves beyond it is corrected; it is the default",                               \
    "MoveCheck.ABunchAfterTheAllowanceIsCorrected")                                                \
  X(kMostJitter, 2s, "as an allowance: a player may jump as far as it walks in that time",         \
    "bad_option", "MoveRules.RefusesWhatContradictsItself")                                        \
  X(kTolerance, 10, "per mille", "of speeds and client clocks: rounding, and crystals that drift", \
    "what is beyond it uses up the allowance",                                                     \
    "MoveCheck.AFivePercentSpeedHackIsFoundInThirteenSeconds")                                     \
  X(kMaxSpeed, 10'000, "m/s", "of a mode, or of what is reported: further than any game needs",    \
    "bad_option, or too_far", "MoveRules.RefusesWhatContradictsItself")                            \
  X(kMaxModes, 64, "modes", "of movement, of one game: walking, swimming, each kind of mount",     \
    "bad_option", "MoveRules.RefusesWhatContradictsItself")                                        \
  X(kMaxFactor, 100, "times", "a speed that an effect gives", "bad_option",                        \
    "MoveCheck.RefusesFactorsThatAreNone")                                                         \
  X(kSpeedGrace, 1s, "a client hears of a slower speed later than the server",                     \
    "the slower speed counts", "MoveCheck.ASlowerSpeedCountsAfterTheGrace")                        \
  X(kAnswerWait, 2s, "a client needs to hear of a correction, and goes on meanwhile",              \
    "what it moved for longer is corrected, too",                                                  \
    "MoveCheck.TheAllowanceGrowsWhileACorrectionIsUnderWay")                                       \
  X(kCorrectionAgain, 1s, "a client that has not heard of a correction is told again",             \
    "the correction is repeated", "MoveCheck.ACorrectionIsRepeatedInBounds")                       \
  X(kMaxTellings, 8, "times", "one correction is told: a client that hears none of them is a bot", \
    "its reports are ignored in silence", "MoveCheck.ACorrectionIsRepeatedInBounds")               \
  X(kReportsPerSecond, 120, "reports", "of one client, at once or a second: two per frame",        \
    "what is beyond it is ignored and counted", "MoveCheck.AFloodIsIgnoredAndCounted")             \
  X(kMaxSuspicion, 100, "points", "of one kind: more would take a quarter of an hour to go",       \
    "further ones do not count", "Suspicion.IsBoundedAndLeaks")                                    \
  X(kSuspicionLeak, 10s, "one point of suspicion lasts: accidents are forgotten",                  \
    "the point goes", "Suspicion.IsBoundedAndLeaks")                                               \
  X(kMaxPending, 96, "moves", "that the server has not answered: more than a second of frames",    \
    "all are forgotten: they say more of the network than of the player",                          \
    "MoveReplay.ForgetsAllBeyondItsBound")                                                         \
  X(kCompactReach, 1'048'575, "cm", "from the origin of the grid in x and y: 21 bits each",        \
    "the full form, in floats", "MoveCodec.BeyondTheGridTheFullFormIsTaken")                       \
  X(kCompactHeight, 8'388'607, "cm", "above or below the origin of the grid: 24 bits",             \
    "the full form, in floats", "MoveCodec.BeyondTheGridTheFullFormIsTaken")                       \
  X(kMaxMoveBatch, 65'536, "bytes", "for one client: a tick is to be a few packets",               \
    "add() refuses, a reader says too_large", "MoveCodec.BatchesAreBounded")                       \
  X(kMaxSnapshots, 32, "snapshots", "of a mover: 3 seconds at 10 ticks per second",                \
    "the oldest is forgotten", "Snapshots.KeepsTheNewest")                                         \
  X(kMaxExtrapolation, 250ms, "a mover goes on without news: further it would run through walls",  \
    "it stands still", "Snapshots.GoesOnForABoundedTimeWithoutNews")                               \
  X(kMaxSightDistance, 65'536, "m", "of a schedule: as the largest radius of a sensor",            \
    "counts as that", "SightSchedule.DistancesAreClampedAndChecked")                               \
  X(kMostVirtualTime, 1'000'000, "turns", "of a schedule: doubles keep their fractions",           \
    "all priorities become smaller by it", "SightSchedule.GoesOnWhenVirtualTimeIsSetBack")

STARBUS_LIMITS_OF(kMovementLimits, STARBUS_MOVEMENT_LIMITS)

}  // namespace starbus::nodes::movement
