#pragma once

#include <boost/asio/async_result.hpp>
#include <functional>
#include <memory>
#include <utility>

#include "base/unit_guard.hpp"
#include "bus/core/error.hpp"

namespace starbus::bus {

template <class Token, class T>
concept CompletionFor = boost::asio::completion_token_for<Token, void(Result<T>)>;

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
