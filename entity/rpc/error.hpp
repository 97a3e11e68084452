/// The errors that a call can end with. An error of the bus keeps its code, such as
/// bus::Errc::no_owner, except where RPC has the same one (deadline, would_block, too_large,
/// closed). Three errors come from the dispatch of a known object (rpc_not_found, not_permitted,
/// bad_arguments); `refused` carries an error of the method's own type.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/result.hpp"
#include "bus/core/error.hpp"

namespace starbus::entity::rpc {

// X(code, number, retry, meaning, cure). Numbers travel: never reuse one.
#define STARBUS_RPC_ERRORS(X)                                                                      \
  X(rpc_not_found, 1, never, "the object exists, but has no such method; nothing was run",         \
    "look for the method with inspect; is the callee an older build?")                             \
  X(bad_arguments, 2, never, "the arguments do not decode, or exceed a limit; nothing was run",    \
    "see the detail; a client that sends this is broken or hostile")                               \
  X(not_permitted, 3, never, "the caller may not call this method; nothing was run",               \
    "extend the method's permissions, if clients are meant to call it")                            \
  X(no_such_entity, 4, never, "the channel's owner has no such object any more; nothing was run",  \
    "treat the object as absent, as for no_owner of the bus")                                      \
  X(no_such_component, 5, never, "the object exists, but has no such component; nothing was run",  \
    "attach the component, or call another object")                                                \
  X(signature_mismatch, 6, never,                                                                  \
    "the callee declares the method with other types; nothing was run",                            \
    "run one build on both sides, or give the new form a new name")                                \
  X(refused, 7, never, "the method ran and answered with an error of its own type",                \
    "read Failure::error")                                                                         \
  X(failed, 8, unknown, "the method threw; the detail is the exception's text",                    \
    "correct the method: exceptions are for programming errors")                                   \
  X(destroyed, 9, unknown, "the object ended before its coroutine had answered; it ran in part",   \
    "as for owner_lost of the bus: ask for the state, or repeat what is idempotent")               \
  X(canceled, 10, unknown,                                                                         \
    "the caller gave up: it was canceled, or its owner ended; it may have run", "none")            \
  X(deadline, 11, unknown, "no answer in time; it may have run, or run later",                     \
    "raise the deadline, or look at the callee's load")                                            \
  X(would_block, 12, later, "a queue or a window is full, or too many calls run; nothing was run", \
    "wait, or send less")                                                                          \
  X(bus, 13, unknown,                                                                              \
    "the bus could not deliver: only a row of counters, as the error has the code of the bus",     \
    "see the domain bus")                                                                          \
  X(bad_bytes, 14, never,                                                                          \
    "the message is not a call, or the answer not an answer, of this version",                     \
    "look for a program that sends other things to this channel")                                  \
  X(too_large, 15, never, "the arguments or the answer exceed the limits of an archive",           \
    "split them, or hand over a reference")                                                        \
  X(closed, 16, never, "the endpoint has ended", "do not call after the end")                      \
  X(duplicate, 17, never, "the object has a component of that class already; nothing was changed", \
    "attach each class once")                                                                      \
  X(too_many_components, 18, never,                                                                \
    "the object has as many components as it may; nothing was changed", "join some")

STARBUS_ERRORS(Errc, std::uint8_t, kErrors, 4, "rpc", STARBUS_RPC_ERRORS)

using starbus::BadResult;
using starbus::Error;
using starbus::name_of;
using starbus::Result;

/// An error of the bus as a call ends with it.
Error from_bus(const bus::Error& error);

/// True if there is nothing to call: the channel has no owner, or the owner has no such object.
inline bool is_absent(const Error& error) {
  return error == bus::Errc::no_owner || error == Errc::no_such_entity;
}

/// The row that counts the error: Errc::bus for all of other domains.
inline Errc counted_as(Code code) {
  return code.in(Errc::bus);
}

/// The error type of a method that does not refuse.
struct NoError {
  template <class Archive>
  void serialize(Archive&) {}
  friend bool operator==(NoError, NoError) { return true; }
};

/// The error that a call ended with; `error` is the method's own if the code is `refused`.
template <class E = NoError>
struct Failure : Error {
  using Error::Error;
  Failure() = default;
  Failure(Error base) : Error(std::move(base)) {}  // NOLINT: every Error is a Failure
  static Failure of_method(E own) {
    Failure failure(Errc::refused);
    if constexpr (requires { std::string(own.to_string()); }) failure.detail = own.to_string();
    failure.error = std::move(own);
    return failure;
  }
  E error{};
};

/// The outcome of a call.
template <class T = void, class E = NoError>
using Reply = starbus::Result<T, Failure<E>>;

}  // namespace starbus::entity::rpc
