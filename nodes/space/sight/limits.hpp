/// Every bound of sight, with its reason and with what happens when it is reached.
#pragma once

#include "base/limits.hpp"

namespace starbus::nodes::sight {

// X(constant, value, unit, reason, when reached, hit by)
#define STARBUS_SIGHT_LIMITS(X)                                                                   \
  X(kSightSpace, 255, "bytes", "the name of a space, as a channel has",                           \
    "a reader says too_large; no space has a longer one", "SightCodec.RefusesWhatIsTooLarge")     \
  X(kSightClass, 64, "bytes", "the name of a class of entities: a client has a table of them",    \
    "a reader says too_large; such an entity is not shown, and counted",                          \
    "Subjects.ALongClassNameIsNotShown")                                                          \
  X(kSceneSetup, 1'024, "bytes", "that a game tells with a scene: a map, a weather",              \
    "the scene has none, and an error is logged", "SightSpaces.ALargeSetupIsLeftOut")             \
  X(kSightBody, 512_KiB, "bytes", "one body: within the part of a stream to a client",            \
    "a reader says too_large", "SightCodec.RefusesWhatIsTooLarge")                                \
  X(kSightState, 128_KiB, "bytes", "properties of one entity, for others: a line needs a second", \
    "the entity is not shown, or leaves; counted, and logged once",                               \
    "SightViews.AnEntityThatIsTooLargeIsNotShown")                                                \
  X(kSightBudget, 4'096, "bytes",                                                                 \
    "told to one client in a tick, unless the game says otherwise: 300 movers",                   \
    "the rest is told in the next ticks, and one that is larger alone goes alone",                \
    "SightViews.ABudgetIsKeptAndTheRestFollows")                                                  \
  X(kMostSeen, 4'096, "entities", "that one client is told of: 300 KiB of the server's memory",   \
    "further ones are not shown until one has left; counted", "SightViews.SeesABoundedNumber")    \
  X(kDefaultView, 100, "entities", "that a player sees, unless the game says otherwise: a crowd", \
    "the nearest are shown", "SightSpaces.ACrowdShowsTheNearest")                                 \
  X(kTickBytes, 16_MiB, "bytes", "of properties that a space encodes in one tick, for all",       \
    "what is beyond is told in the next tick", "Subjects.TheBytesOfATickAreBounded")              \
  X(kKeptDeltas, 4, "deltas", "of one entity and tick, by the version that observers have",       \
    "further ones are encoded for each observer", "Subjects.FurtherDeltasAreEncodedAgain")        \
  X(kIdleLook, 250ms, "between two looks at a client whose player is in no space",                \
    "it is told so much later", "SightSpaces.AClientInNoSpaceIsToldSo")

STARBUS_LIMITS_OF(kSightLimits, STARBUS_SIGHT_LIMITS)

}  // namespace starbus::nodes::sight
