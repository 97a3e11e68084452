/// What can become of a call, as values. Three come from the dispatch of a known object
/// (rpc_not_found, not_permitted, bad_arguments), `refused` carries an error of the method's own
/// type, and `bus` one of the bus' catalogue.
#pragma once

#include <boost/system/result.hpp>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bus/core/error.hpp"

namespace starbus::entity::rpc {

/// Stable numbers: they travel. Never reuse one.
// X(code, number, meaning, what to do)
#define STARBUS_RPC_ERRORS(X)                                                                    \
  X(rpc_not_found, 1, "the object is there, but it has no such method; nothing was run",         \
    "look for the method with inspect; is the callee an older build?")                           \
  X(bad_arguments, 2, "the arguments do not decode, or exceed a limit; nothing was run",         \
    "see the detail; a client that sends this is broken or hostile")                             \
  X(not_permitted, 3, "the caller may not call this method; nothing was run",                    \
    "extend the method's permissions, if clients are meant to call it")                          \
  X(no_such_entity, 4, "nobody owns the channel, or its object has ended; nothing was run",      \
    "treat the object as absent")                                                                \
  X(no_such_component, 5, "the object is there, but has no such component; nothing was run",     \
    "attach the component, or call another object")                                              \
  X(signature_mismatch, 6, "the callee declares the method with other types; nothing was run",   \
    "run one build on both sides, or give the new form a new name")                              \
  X(refused, 7, "the method ran and answered with an error of its own type",                     \
    "read Failure::error")                                                                       \
  X(failed, 8, "the method threw; the detail is the exception's text",                           \
    "correct the method: exceptions are for programming errors")                                 \
  X(destroyed, 9, "the object ended before its coroutine had answered; it ran in part",          \
    "as for owner_lost of the bus: ask for the state, or repeat what is idempotent")             \
  X(canceled, 10, "the caller gave up: it was canceled, or its owner ended; it may have run",    \
    "none")                                                                                      \
  X(deadline, 11, "no answer in time; it may have run, or run later",                            \
    "raise the deadline, or look at the callee's load")                                          \
  X(would_block, 12, "a queue or a window is full, or too many calls run; nothing was run",      \
    "wait, or send less")                                                                        \
  X(bus, 13, "the bus could not deliver; Failure::bus says why", "see docs/errors.md")           \
  X(bad_bytes, 14, "the message is no call, or the answer none, of this version",                \
    "look for a program that sends other things to this channel")                                \
  X(too_large, 15, "the arguments or the answer exceed the limits of an archive",                \
    "split them, or hand over a reference")                                                      \
  X(closed, 16, "the endpoint has ended", "do not call after the end")                           \
  X(duplicate, 17, "the object has a component of that class already; nothing was changed",      \
    "attach each class once")                                                                    \
  X(too_many_components, 18, "the object has as many components as it may; nothing was changed", \
    "join some")

enum class Errc : std::uint8_t {
  ok = 0,
#define X(code, number, meaning, cure) code = number,
  STARBUS_RPC_ERRORS(X)
#undef X
};

struct ErrorRow {
  Errc code;
  std::string_view name;
  std::string_view meaning;
  std::string_view cure;
};
/// The whole table, in order of number.
std::span<const ErrorRow> error_rows();
/// "rpc_not_found"; "ok" for ok; "unknown" for a number that this version does not know.
std::string_view name_of(Errc code);
bool known_error(std::uint8_t number);

/// The code for programs, the text for people.
struct Error {
  Errc code = Errc::ok;
  bus::Errc bus = bus::Errc::ok;  // of Errc::bus; otherwise what led to the code, if the bus did
  std::string detail{};

  Error() = default;
  Error(Errc c) : code(c) {}  // NOLINT: a code is an error without detail
  Error(Errc c, std::string text) : code(c), detail(std::move(text)) {}
  /// What the bus said, with the codes that RPC has names of its own for.
  static Error of(const bus::Error& error);

  /// "not_permitted: chat.kick", "bus denied: service/chat"
  std::string to_string() const;
  friend bool operator==(const Error& a, Errc b) { return a.code == b; }
};

/// The error type of a method that does not refuse.
struct NoError {
  template <class Archive>
  void serialize(Archive&) {}
  friend bool operator==(NoError, NoError) { return true; }
};

/// What a call ended with instead of a value; `error` is the method's own if the code is `refused`.
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

/// Reading the value of a failed result is a programming error and throws this.
class BadCall : public std::logic_error {
 public:
  explicit BadCall(const Error& error) : std::logic_error(error.to_string()), code(error.code) {}
  Errc code;
};
[[noreturn]] inline void throw_exception_from_error(const Error& error,
                                                    const boost::source_location&) {
  throw BadCall(error);
}
template <class E>
[[noreturn]] void throw_exception_from_error(const Failure<E>& error,
                                             const boost::source_location&) {
  throw BadCall(error);
}

template <class T = void>
using Result = boost::system::result<T, Error>;
/// What a call ends with.
template <class T = void, class E = NoError>
using Reply = boost::system::result<T, Failure<E>>;

}  // namespace starbus::entity::rpc

namespace starbus::bus {

/// So that methods may answer with the bus' own errors (bus::Result).
template <class Archive>
void serialize(Archive& archive, Error& error) {
  archive(error.code, error.detail);
}

}  // namespace starbus::bus
