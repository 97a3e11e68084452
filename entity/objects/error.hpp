/// All errors of making, moving and ending entities.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/result.hpp"

namespace starbus::entity {

// X(code, number, retry, meaning, cure)
#define STARBUS_ENTITY_ERRORS(X)                                                                   \
  X(unknown_type, 1, never, "no type of this name, or not this class, is declared here",           \
    "declare the type in this program")                                                            \
  X(abstract_type, 2, never, "there are no entities of exactly this type",                         \
    "name one of its descendants")                                                                 \
  X(needs_arguments, 3, never, "entities of this type are made by their class, with arguments",    \
    "make it by its class")                                                                        \
  X(duplicate_type, 4, never, "two types have one name: nothing can be made", "rename one type")   \
  X(no_ids, 5, later, "no online id is available yet; nothing was made",                           \
    "wait for the next range: see the counter's store")                                            \
  X(too_many_entities, 6, later, "there are as many entities as there may be; nothing was made",   \
    "destroy entities, or spread over more processes")                                             \
  X(bad_id, 7, never,                                                                              \
    "the persistent id is too long, or has control characters; nothing was made",                  \
    "correct the id")                                                                              \
  X(duplicate_id, 8, later, "an entity that is here, or ends here, has the id; nothing was made",  \
    "use that entity, or wait for its end")                                                        \
  X(bad_state, 9, never, "the saved or moved state cannot be read; nothing was made",              \
    "read the detail; run one build on both sides")                                                \
  X(other_schema, 10, never, "the properties are declared otherwise here: they can come by name",  \
    "run one build on both sides, or move by name")                                                \
  X(init_failed, 11, never, "a hook or a constructor failed; what had been begun was undone",      \
    "read the detail")                                                                             \
  X(hook_failed, 12, never, "the hook refused: a code for game code to return", "read the detail") \
  X(hook_threw, 13, never, "the hook threw an exception, whose text is in the detail",             \
    "correct the hook: exceptions are for programming errors")                                     \
  X(ended, 14, never,                                                                              \
    "the entity was destroyed meanwhile, or the entry left; what was begun was undone",            \
    "treat the object as absent")                                                                  \
  X(not_alive, 15, later, "it is not possible while the entity is being made, is frozen, or ends", \
    "wait until it is alive")                                                                      \
  X(duplicate_component, 16, never,                                                                \
    "the entity has one of this class, or one with the same RPC methods",                          \
    "attach each class once")                                                                      \
  X(too_many_components, 17, never, "the entity has as many components as it may", "join some")    \
  X(wrong_owner, 18, never, "the component is for entities of another class",                      \
    "attach it to its class")                                                                      \
  X(in_space, 19, never, "the entity is in a space already", "leave that space first")             \
  X(unknown_step, 20, never,                                                                       \
    "the moved state names a step that is not declared here, or has other types",                  \
    "run one build on both sides")                                                                 \
  X(no_timers, 21, later, "the manager has no wheel, or that is full",                             \
    "give the manager a wheel, or cancel timers")                                                  \
  X(no_channel, 22, rebind, "it is bound nowhere here: an answer could not find it",               \
    "bind its channel first")                                                                      \
  X(step_refused, 23, never, "the timer or the flow was refused, for the reason in the detail",    \
    "read the detail")                                                                             \
  X(too_many_closures, 24, later, "the part has as many closures, or subscriptions, as it may",    \
    "end some")                                                                                    \
  X(too_large, 25, never,                                                                          \
    "the state that is to travel does not fit the archive; nothing was changed",                   \
    "keep large data elsewhere")                                                                   \
  X(closed, 26, never, "entities have ended here for good; nothing was made",                      \
    "do not make entities during shutdown")                                                        \
  X(endless_close, 27, never,                                                                      \
    "hooks of the end made further entities for too long; those were refused",                     \
    "make no entities in hooks of the end")                                                        \
  X(busy, 28, later,                                                                               \
    "coroutines, calls or closures that cannot travel have not ended; nothing was changed",        \
    "wait for them, or let the move drop them (MoveOptions)")                                      \
  X(not_movable, 29, never, "a part of the entity cannot be packed; nothing was changed",          \
    "read the detail")                                                                             \
  X(unknown_machine, 30, never,                                                                    \
    "the moved state names a machine, or a state of one, that is not declared here",               \
    "run one build on both sides")

STARBUS_ERRORS(EntityErrc, std::uint8_t, kEntityErrors, 10, "entity", STARBUS_ENTITY_ERRORS)

using starbus::name_of;

/// Longer texts are cut.
inline constexpr std::size_t kMaxEntityDetailBytes = 255;

/// "init_failed: player 7f3a, component 'bag', init: hook_failed: no gold"; the text is cut at
/// kMaxEntityDetail.
struct EntityError : Error {
  EntityError() = default;
  EntityError(EntityErrc c) : Error(c) {}  // NOLINT: a code is an error without detail
  EntityError(EntityErrc c, std::string text) : Error(c, std::move(text)) {
    if (detail.size() > kMaxEntityDetailBytes) detail.resize(kMaxEntityDetailBytes);
  }
};
template <class T = void>
using EntityResult = Result<T, EntityError>;

}  // namespace starbus::entity
