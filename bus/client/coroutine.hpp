/// Handlers that are coroutines. Apart from bus.hpp, since it needs much of Asio.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "bus/client/message.hpp"

namespace starbus::bus {

/// Wraps a coroutine as a handler. The message is detached (its body copied), and acknowledged when
/// the coroutine first suspends.
///   {.on_call = bus::coroutine(loop, [](bus::Call call) -> boost::asio::awaitable<void> { ... })}
template <class Function>
auto coroutine(boost::asio::io_context& loop, Function function) {
  return [&loop, function = std::move(function)](auto& message) {
    // The coroutine keeps its own copy of the function: its captures outlive an unbind.
    boost::asio::co_spawn(
        loop,
        [function, detached = message.detach()]() mutable -> boost::asio::awaitable<void> {
          co_await function(std::move(detached));
        },
        boost::asio::detached);
  };
}

}  // namespace starbus::bus
