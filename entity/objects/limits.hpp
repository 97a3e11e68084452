/// Every bound of entities, with its reason and with what happens when it is reached.
#pragma once

#include "base/limits.hpp"
#include "entity/objects/error.hpp"

namespace starbus::entity {

// X(constant, value, unit, reason, when reached)
#define STARBUS_ENTITY_LIMITS(X)                                                                  \
  X(kMaxEntities, 1'000'000, "entities",                                                          \
    "per process, unless its EntityOptions say otherwise: ten times what a full node needs",      \
    "too_many_entities")                                                                          \
  X(kMaxEntityComponents, 64, "components", "per entity: as many as RPC reaches",                 \
    "too_many_components")                                                                        \
  X(kMaxPersistentId, 200, "bytes", "a persistent id is part of the name of a channel", "bad_id") \
  X(kMaxAtEnd, 1024, "closures", "per entity or component, for its end; or subscriptions",        \
    "too_many_closures")                                                                          \
  X(kSettlePass, 1024, "entities", "ended in one pass: messages and timers wait meanwhile",       \
    "the rest ends in the next pass")                                                             \
  X(kSettleTime, 5ms, "of such a pass of an EntityHost: hooks are the program's",                 \
    "as kSettlePass")                                                                             \
  X(kMaxCloseRounds, 16, "rounds",                                                                \
    "of a close: each ends what the hooks of the one before have made",                           \
    "nothing can be made any more, and the close ends as endless_close")                          \
  X(kShownSteps, 100, "steps", "that wait, in the description of one entity: people read them",   \
    "the description says how many it left out")                                                  \
  X(kShownMachines, 32, "machines", "of states, in the description of one entity, likewise",      \
    "the description says how many it left out")                                                  \
  X(kShownProperties, 256_KiB, "bytes", "of properties in the description of one entity",         \
    "they are left out, and it says how large they are")                                          \
  X(kClientTable, 512_KiB, "bytes",                                                               \
    "of names that a client of another schema is told: some 5,000 methods and fields",            \
    "it is told none (too_large), and each call is checked at its callee",                        \
    "ClientNamesTest.ATableIsBounded")                                                            \
  X(kClientHashes, 16, "schemas", "that one client was built from", "bad_arguments",              \
    "ClientNamesTest.AQuestionIsBounded")                                                         \
  X(kClientShape, 1'024, "bytes", "the shape of a property's type",                               \
    "the shape is `?`: a client that does not know the property cannot pass over it",             \
    "ClientNamesTest.TheShapesOfTypes")                                                           \
  X(kMaxEntityDetail, kMaxEntityDetailBytes, "bytes", "the text of an error: for people",         \
    "it is cut")

STARBUS_LIMITS_OF(kEntityLimits, STARBUS_ENTITY_LIMITS)

}  // namespace starbus::entity
