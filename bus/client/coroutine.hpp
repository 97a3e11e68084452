/// Part of bus.hpp: handlers that are coroutines.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "bus/client/message.hpp"

namespace starbus::bus {

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
