/// All errors of ids and types.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/result.hpp"

namespace starbus::entity {

// X(code, number, retry, meaning, cure)
#define STARBUS_IDENTITY_ERRORS(X)                                                               \
  X(no_ids, 1, later, "the range is used up and the next has not come yet",                      \
    "wait for the next range: see the counter's store")                                          \
  X(too_many_objects, 2, later, "the table of slots is full",                                    \
    "destroy objects, or spread over more processes")                                            \
  X(duplicate_type, 3, never, "the name is taken by another type, or the type was added before", \
    "rename one type")                                                                           \
  X(unknown_type, 4, never, "no type has this name", "register the type, or correct the name")   \
  X(abstract_type, 5, never, "there are no objects of exactly this type",                        \
    "name one of its descendants")                                                               \
  X(needs_arguments, 6, never, "objects of this type are made with arguments, and not by name",  \
    "make it by its class")

STARBUS_ERRORS(IdentityErrc, std::uint8_t, kIdentityErrors, 15, "identity", STARBUS_IDENTITY_ERRORS)

using starbus::name_of;
using BadIdentityResult = BadResult;
template <class T = void>
using IdentityResult = Result<T>;

}  // namespace starbus::entity
