/// Which arguments g++ 12, the compiler of Debian 12, destroys twice if they stand as temporaries
/// in a co_await expression (docs/design/gcc12.md): aggregates that own memory (`Item{"sword", 3}`,
/// and braces for such a parameter), and lambdas with captures that do. Functions whose result may
/// be awaited ask here, and then do not compile, so that nobody meets the fault.
///
/// Both hold for every compiler, so that what one takes the others take, too. Not found here, since
/// no type shows it: a conditional operator within the expression.
#pragma once

#include <type_traits>

namespace starbus {

/// A, as deduced for a forwarding reference `A&&`: a temporary, or a moved variable, of an
/// aggregate that owns something.
template <class A>
inline constexpr bool kTrapsCoAwait = [] {
  if constexpr (std::is_reference_v<A> || !std::is_class_v<A>) {
    return false;
  } else {
    return std::is_aggregate_v<A> && !std::is_trivially_destructible_v<A>;
  }
}();

/// Likewise a function object: also a lambda with captures that own something.
template <class F>
inline constexpr bool kFunctionTrapsCoAwait = [] {
  if constexpr (std::is_reference_v<F> || !std::is_class_v<F>) {
    return false;
  } else {
    constexpr bool kLambda = !std::is_default_constructible_v<F> && !std::is_move_assignable_v<F>;
    return (std::is_aggregate_v<F> || kLambda) && !std::is_trivially_destructible_v<F>;
  }
}();

/// The base of a result that may be given a callback and not be awaited: an argument was a trap.
struct NotAwaitable {};

}  // namespace starbus
