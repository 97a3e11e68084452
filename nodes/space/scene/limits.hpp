/// Every bound of scenes, with its reason and with what happens when it is reached.
#pragma once

#include "base/limits.hpp"

namespace starbus::nodes::space {

// X(constant, value, unit, reason, when reached, hit by)
#define STARBUS_SCENE_LIMITS(X)                                                                   \
  X(kMaxSceneRows, 4'096, "rows", "of each kind in a scene: traps and portals are sensors",       \
    "the file is refused", "SceneFile.RowsAreBounded")                                            \
  X(kMaxSpawned, 1'000, "entities", "of one row that live at once", "the file is refused",        \
    "SceneFile.EachBoundIsNamedWithItsKey")                                                       \
  X(kMaxSceneSpawned, 10'000, "entities", "of all rows that live at once: each costs its tick",   \
    "the file is refused", "SceneFile.EntitiesOfAllRowsAreBounded")                               \
  X(kMaxWanted, 256, "things", "that one quest waits for", "the file is refused",                 \
    "SceneFile.EachBoundIsNamedWithItsKey")                                                       \
  X(kMaxSceneText, 64, "bytes", "of a kind, an event, or a key of a place: it is a name",         \
    "the file is refused", "SceneFile.EachBoundIsNamedWithItsKey")                                \
  X(kWidestSpot, 1'000, "m", "of a trap, a portal, or what is spawned around a point",            \
    "the file is refused", "SceneFile.EachBoundIsNamedWithItsKey")                                \
  X(kLongestScene, 24h, "that a quest or a respawn waits", "the file is refused",                 \
    "SceneFile.EachBoundIsNamedWithItsKey")                                                       \
  X(kShortestWait, 100ms, "of a quest that waits: rows that follow each other in a circle pause", \
    "the file is refused", "SceneFile.EachBoundIsNamedWithItsKey")                                \
  X(kBirthsPerTick, 32, "entities", "that are made in one tick of a scene: each runs its hooks",  \
    "the others in the next tick", "SpawnTable.AThousandAreMadeInSlices")                         \
  X(kBirthAgain, 1s, "until one that could not be made is tried again",                           \
    "doubles, to kLongestBirthAgain", "SpawnTable.WhatCannotBeMadeIsTriedAgainMoreAndMoreSeldom") \
  X(kLongestBirthAgain, 60s, "of these pauses: a place that was full has room again",             \
    "stays there", "SpawnTable.WhatCannotBeMadeIsTriedAgainMoreAndMoreSeldom")                    \
  X(kQuestSteps, 64, "changes", "of the quest in one call: rows that are done as they begin",     \
    "the flow stops, logged", "QuestFlow.RowsThatAreDoneAtOnceAreBounded")

STARBUS_LIMITS_OF(kSceneLimits, STARBUS_SCENE_LIMITS)

}  // namespace starbus::nodes::space
