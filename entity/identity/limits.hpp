/// Every bound of identity, with its reason and with what happens when it is reached; and what can
/// go wrong. docs/identity.md is checked against both tables by a test.
#pragma once

#include "entity/catalogue.hpp"

namespace starbus::entity {

// X(constant, value, unit, reason, when reached)
#define STARBUS_IDENTITY_LIMITS(X)                                                 \
  X(kMaxSlots, 4 * 1024 * 1024, "slots",                                           \
    "objects of a process: four times what a full node needs", "too_many_objects") \
  X(kMaxTypeDepth, 8, "types",                                                     \
    "from a root to its furthest descendant: a chain has a fixed place for each",  \
    "does not compile")

#define X(constant, value, unit, reason, reached) inline constexpr std::uint64_t constant = value;
STARBUS_IDENTITY_LIMITS(X)
#undef X

std::span<const LimitInfo> identity_limits();

// X(code, meaning)
#define STARBUS_IDENTITY_ERRORS(X)                                                     \
  X(no_ids, "the range is used up and the next has not come yet")                      \
  X(too_many_objects, "the table of slots is full")                                    \
  X(duplicate_type, "the name is taken by another type, or the type was added before") \
  X(unknown_type, "no type has this name")                                             \
  X(abstract_type, "there are no objects of exactly this type")                        \
  X(needs_arguments, "objects of this type are made with arguments, and not by name")

enum class IdentityErrc : std::uint8_t {
  ok = 0,
#define X(code, meaning) code,
  STARBUS_IDENTITY_ERRORS(X)
#undef X
};

std::span<const ErrorInfo<IdentityErrc>> identity_errors();

/// "no_ids"; "ok" for ok.
std::string_view name_of(IdentityErrc code);

/// What reading the value of a failed result throws.
using BadIdentityResult = BadCode<IdentityErrc>;

template <class T = void>
using IdentityResult = boost::system::result<T, IdentityErrc>;

}  // namespace starbus::entity
