/// As initiate.hpp, for operations that may complete before their start has returned.
#pragma once

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/system_executor.hpp>
#include <memory>
#include <type_traits>
#include <utility>

#include "bus/client/initiate.hpp"

namespace starbus::bus {

/// Starts an operation that completes by a Done, perhaps at once. A callback is then called within
/// the start; a coroutine of Asio, which cannot be resumed there, in a later turn of its loop. A
/// token that is a variable of the caller is copied: forward it.
template <class T, class Token, class Start>
auto initiate_early(Token&& token, Start start) {
  return boost::asio::async_initiate<Token, void(Result<T>)>(
      [](auto handler, Start begin) {
        using Handler = decltype(handler);
        using Executor = boost::asio::associated_executor_t<Handler>;
        const auto shared = std::make_shared<Handler>(std::move(handler));
        const auto within = std::make_shared<bool>(true);
        begin([shared, within](Result<T> result) {
          if constexpr (!std::is_same_v<Executor, boost::asio::system_executor>) {
            if (*within) {
              const auto executor = boost::asio::get_associated_executor(*shared);
              boost::asio::post(executor, [shared, result = std::move(result)]() mutable {
                std::move (*shared)(std::move(result));
              });
              return;
            }
          }
          std::move (*shared)(std::move(result));
        });
        *within = false;
      },
      token, std::move(start));
}

}  // namespace starbus::bus
