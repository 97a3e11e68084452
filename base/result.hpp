/// What a function that can fail returns: a value, or an error. The compiler warns if it is
/// dropped.
///
///   Result<Port> parse_port(std::string_view text) {
///     if (text.empty()) return Error(Errc::bad_config, "port: empty; give a number");
///     return Port{80};
///   }
///   if (auto port = parse_port(text)) use(*port); else log(port.error());
///
/// A success costs what it cost with an enum as its error: within a nanosecond a call, where the
/// value is not void even less than boost::system::result did (50 million calls, -O2); only a
/// failure builds the text. So timers and moves in a world need no smaller error of their own.
///
/// A `Result` owns what it holds and belongs to whoever holds it. `*` and `->` of a failed one
/// abort; `value()` of a failed one throws BadResult: both are programming errors.
#pragma once

#include <cassert>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/error.hpp"

namespace starbus {

/// Thrown where a function has no result to return: reading the value of a failed Result, and
/// assignments that are refused.
class BadResult : public std::logic_error {
 public:
  explicit BadResult(const Error& failure)
      : std::logic_error(failure.to_string()), code(failure.code) {}
  explicit BadResult(const std::string& text) : std::logic_error(text) {}
  Code code;  ///< ok if the error was of a type of its own
};

/// Picks the constructor of a value where a value and an error could both be meant.
struct InPlaceValue {};
inline constexpr InPlaceValue in_place_value{};

/// `E` is Error, or a class derived from it, except where game code answers with a type of its own.
template <class T = void, class E = Error>
class [[nodiscard]] Result {
  using Stored = std::conditional_t<std::is_void_v<T>, std::monostate, T>;
  template <class U>
  static constexpr bool kFromValue =
      !std::is_void_v<T> && std::is_convertible_v<U, Stored> && !std::is_convertible_v<U, E>;
  template <class U>
  static constexpr bool kFromError = std::is_convertible_v<U, E> &&
                                     (std::is_void_v<T> || !std::is_convertible_v<U, Stored>);

 public:
  using value_type = T;
  using error_type = E;

  constexpr Result() requires std::is_default_constructible_v<Stored>
  = default;
  template <class... A>
  requires std::is_constructible_v<Stored, A...>
  constexpr Result(InPlaceValue, A&&... arguments)  // NOLINT: is braced in returns
      : held_(std::in_place_index<0>, std::forward<A>(arguments)...) {}
  template <class U>
  requires(!std::is_same_v<std::remove_cvref_t<U>, Result> && kFromValue<U>)  //
      constexpr Result(U&& value)                                             // NOLINT: converts
      : held_(std::in_place_index<0>, std::forward<U>(value)) {}
  template <class U>
  requires(!std::is_same_v<std::remove_cvref_t<U>, Result> && kFromError<U>)  //
      constexpr Result(U&& error)                                             // NOLINT: converts
      : held_(std::in_place_index<1>, std::forward<U>(error)) {}

  constexpr bool has_value() const noexcept { return held_.index() == 0; }
  constexpr bool has_error() const noexcept { return held_.index() != 0; }
  constexpr explicit operator bool() const noexcept { return has_value(); }

  /// Throws BadResult if this is a failure.
  constexpr decltype(auto) value() const& {
    check();
    if constexpr (!std::is_void_v<T>) return (*std::get_if<0>(&held_));
  }
  constexpr decltype(auto) value() & {
    check();
    if constexpr (!std::is_void_v<T>) return (*std::get_if<0>(&held_));
  }
  constexpr T value() && {
    check();
    if constexpr (!std::is_void_v<T>) return std::move(*std::get_if<0>(&held_));
  }

  constexpr const Stored& operator*() const& noexcept requires(!std::is_void_v<T>) {
    assert(has_value());
    return *std::get_if<0>(&held_);
  }
  constexpr Stored& operator*() & noexcept requires(!std::is_void_v<T>) {
    assert(has_value());
    return *std::get_if<0>(&held_);
  }
  /// By value, so that `for (x : *f())` is safe.
  constexpr Stored operator*() && noexcept requires(!std::is_void_v<T>) {
    assert(has_value());
    return std::move(*std::get_if<0>(&held_));
  }
  constexpr const Stored* operator->() const noexcept requires(!std::is_void_v<T>) {
    assert(has_value());
    return std::get_if<0>(&held_);
  }
  constexpr Stored* operator->() noexcept requires(!std::is_void_v<T>) {
    assert(has_value());
    return std::get_if<0>(&held_);
  }

  /// A default one, which is ok, if this is a success. A copy of a temporary's.
  const E& error() const& noexcept {
    static const E kNone{};
    return has_error() ? *std::get_if<1>(&held_) : kNone;
  }
  E error() && { return has_error() ? std::move(*std::get_if<1>(&held_)) : E{}; }

 private:
  constexpr void check() const {
    if (has_error()) [[unlikely]]
      fail(*std::get_if<1>(&held_));
  }
  [[noreturn]] static void fail(const E& error) {
    if constexpr (std::is_convertible_v<const E&, const Error&>) {
      throw BadResult(static_cast<const Error&>(error));
    } else {
      throw BadResult("a failed result");
    }
  }

  std::variant<Stored, E> held_;
};

}  // namespace starbus
