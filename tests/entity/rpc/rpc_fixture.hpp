// Two hosts in this process, a node that serves and one that calls, each with its endpoint.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"
#include "tests/entity/rpc/world.hpp"

namespace starbus::entity::rpc {

using boost::asio::use_awaitable;
using TestTask = bus::Task;
using namespace std::chrono_literals;

class RpcTest : public bus::LoopTest {
 protected:
  explicit RpcTest(bus::AccessList access = bus::AccessList())
      : cluster(loop, {.hosts = {"a", "b"}, .access = std::move(access)}),
        server_bus(loop, cluster.node("b", "server")),
        caller_bus(loop, cluster.node("a", "caller")),
        gate_bus(loop, cluster.node("a", "gate")),
        server(server_bus),
        caller(caller_bus),
        gate(gate_bus) {}

  boost::asio::awaitable<bool> connect() {
    for (bus::Bus* bus : {&server_bus, &caller_bus, &gate_bus}) {
      const auto connected = co_await bus->connect(use_awaitable);
      if (!connected) co_return false;
    }
    const auto ready = co_await server.ready(use_awaitable);
    co_return ready.has_value();
  }
  /// Until what was sent has been handled.
  boost::asio::awaitable<void> settle(bus::Bus& bus) {
    const auto flushed = co_await bus.flush(5s, use_awaitable);
    EXPECT_TRUE(flushed);
  }
  boost::asio::awaitable<void> sleep(std::chrono::milliseconds time) {
    boost::asio::steady_timer timer(loop, time);
    (void)co_await timer.async_wait(boost::asio::as_tuple(use_awaitable));
  }
  /// The call as bytes, sent by the bus alone.
  boost::asio::awaitable<Error> call_raw(bus::Bus& bus, std::string to, Bytes body) {
    const auto answer = co_await bus.call(std::move(to), ByteView(body), {}, use_awaitable);
    if (!answer) co_return from_bus(answer.error());
    Decoder in(*answer);
    ReplyKind kind{};
    Error error;
    if (!get_reply_head(in, kind, error)) co_return Errc::bad_bytes;
    co_return error;
  }

  testing::Cluster cluster;
  bus::Bus server_bus, caller_bus, gate_bus;
  Endpoint server, caller, gate;
};

}  // namespace starbus::entity::rpc
