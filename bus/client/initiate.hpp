#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>
#include <functional>
#include <future>
#include <memory>
#include <type_traits>
#include <utility>

#include "base/unit_guard.hpp"
#include "bus/core/error.hpp"

namespace starbus::bus {

template <class Token, class T>
concept CompletionFor = boost::asio::completion_token_for<Token, void(Result<T>)>;

/// The default token: `co_await operation(...)` in an rpc::Task or an Asio coroutine.
using Awaited = boost::asio::deferred_t;

namespace detail {
struct NoInitiation {
  template <class Handler>
  void operator()(Handler&&) const {}
};
template <class T>
inline constexpr bool kIsFuture = false;
template <class T>
inline constexpr bool kIsFuture<std::future<T>> = true;
}  // namespace detail

/// Whether an operation with this token and signature returns what a coroutine awaits: with a
/// callback, or a future, it does not.
template <class Token, class Signature>
inline constexpr bool kAwaits = [] {
  using Returned = decltype(boost::asio::async_initiate<Token, Signature>(
      std::declval<detail::NoInitiation>(), std::declval<Token&>()));
  return !std::is_void_v<Returned> && !detail::kIsFuture<Returned>;
}();

/// Starts an operation that completes by a Done, for an Asio completion token.
template <class T, class Token, class Start>
auto initiate(Token& token, Start start) {
  return boost::asio::async_initiate<Token, void(Result<T>)>(
      [](auto handler, Start begin) {
        using Handler = decltype(handler);
        auto shared = std::make_shared<Handler>(std::move(handler));
        begin([shared](Result<T> result) {
          guarded(UnitKind::completion, typeid(Handler),
                  [&] { std::move (*shared)(std::move(result)); });
        });
      },
      token, std::move(start));
}

}  // namespace starbus::bus
