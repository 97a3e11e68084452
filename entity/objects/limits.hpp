/// Every bound of entities, with its reason and with what happens when it is reached; and what can
/// go wrong with them, as values. docs/entities.md is checked against both tables by a test.
#pragma once

#include <string>

#include "entity/catalogue.hpp"

namespace starbus::entity {

// X(constant, value, unit, reason, when reached)
#define STARBUS_ENTITY_LIMITS(X)                                                                  \
  X(kMaxEntities, 1'000'000, "entities",                                                          \
    "of one process, unless its EntityOptions say otherwise: ten times what a full node needs",   \
    "too_many_entities")                                                                          \
  X(kMaxEntityComponents, 64, "components", "of one entity: as many as RPC reaches",              \
    "too_many_components")                                                                        \
  X(kMaxPersistentId, 200, "bytes", "a persistent id is part of the name of a channel", "bad_id") \
  X(kMaxAtEnd, 1024, "closures", "of one entity or component, for its end; or subscriptions",     \
    "too_many_closures")                                                                          \
  X(kSettlePass, 1024, "entities", "ended in one pass: messages and timers wait meanwhile",       \
    "the rest ends in the next pass")                                                             \
  X(kSettleTime, 5, "ms", "of such a pass of an EntityHost: hooks are the program's",             \
    "as kSettlePass")                                                                             \
  X(kMaxCloseRounds, 16, "rounds",                                                                \
    "of a close: each ends what the hooks of the one before have made",                           \
    "nothing can be made any more, and the close ends as endless_close")                          \
  X(kShownSteps, 100, "steps", "that wait, in the description of one entity: people read them",   \
    "the description says how many it left out")                                                  \
  X(kShownMachines, 32, "machines", "of states, in the description of one entity, likewise",      \
    "the description says how many it left out")                                                  \
  X(kShownProperties, 256 * 1024, "bytes", "of properties in the description of one entity",      \
    "they are left out, and it says how large they are")                                          \
  X(kMaxEntityDetail, 255, "bytes", "the text of an error: for people", "it is cut")

#define X(constant, value, unit, reason, reached) inline constexpr std::uint64_t constant = value;
STARBUS_ENTITY_LIMITS(X)
#undef X

std::span<const LimitInfo> entity_limits();

// X(code, meaning)
#define STARBUS_ENTITY_ERRORS(X)                                                                \
  X(unknown_type, "no type of this name, or not this class, is declared here")                  \
  X(abstract_type, "there are no entities of exactly this type")                                \
  X(needs_arguments, "entities of this type are made by their class, with arguments")           \
  X(duplicate_type, "two types have one name: nothing can be made")                             \
  X(no_ids, "no online id is at hand yet; nothing was made")                                    \
  X(too_many_entities, "there are as many entities as there may be; nothing was made")          \
  X(bad_id, "the persistent id is too long, or has control characters; nothing was made")       \
  X(duplicate_id, "an entity that is here, or ends here, has the id; nothing was made")         \
  X(bad_state, "the saved or moved state cannot be read; nothing was made")                     \
  X(other_schema, "the properties are declared otherwise here: they can come by name")          \
  X(init_failed, "a hook or a constructor failed; what had been begun was undone")              \
  X(hook_failed, "the hook refused: a code for game code to return")                            \
  X(hook_threw, "the hook threw an exception, whose text is in the detail")                     \
  X(ended, "the entity was destroyed meanwhile, or the entry left; what was begun was undone")  \
  X(not_alive, "it is not possible while the entity is being made, is frozen, or ends")         \
  X(duplicate_component, "the entity has one of this class, or one with the same RPC methods")  \
  X(too_many_components, "the entity has as many components as it may")                         \
  X(wrong_owner, "the component is for entities of another class")                              \
  X(in_space, "the entity is in a space already")                                               \
  X(unknown_step, "what came along names a step that is not declared here, or has other types") \
  X(no_timers, "the manager has no wheel, or that is full")                                     \
  X(no_channel, "it is bound nowhere here: an answer could not find it")                        \
  X(step_refused, "the timer or the flow was refused, for the reason in the detail")            \
  X(too_many_closures, "the part has as many closures, or subscriptions, as it may")            \
  X(too_large, "what is to travel does not fit the archive; nothing was changed")               \
  X(closed, "entities have ended here for good; nothing was made")                              \
  X(endless_close, "hooks of the end made further entities for too long; those were refused")

enum class EntityErrc : std::uint8_t {
  ok = 0,
#define X(code, meaning) code,
  STARBUS_ENTITY_ERRORS(X)
#undef X
};

std::span<const ErrorInfo<EntityErrc>> entity_errors();

/// "no_ids"; "ok" for ok.
std::string_view name_of(EntityErrc code);

/// "init_failed: player 7f3a, component 'bag', init: hook_failed: no gold"; the text is cut at
/// kMaxEntityDetail.
struct EntityError : CodedError<EntityErrc> {
  EntityError() = default;
  EntityError(EntityErrc c) : CodedError(c) {}  // NOLINT: a code is an error without detail
  EntityError(EntityErrc c, std::string text) : CodedError(c, std::move(text)) {
    if (detail.size() > kMaxEntityDetail) detail.resize(kMaxEntityDetail);
  }
};

template <class T = void>
using EntityResult = boost::system::result<T, EntityError>;

}  // namespace starbus::entity
