// The public API against real routers: two hosts in this process (see bus/testing).
#include "bus/client/bus.hpp"

#include <gtest/gtest.h>

#include <boost/asio/use_awaitable.hpp>

#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"

namespace starbus::bus {
namespace {

using boost::asio::use_awaitable;

class BusTest : public LoopTest {
 protected:
  BusTest() : cluster(loop, {.hosts = {"a", "b"}}) {}
  testing::Cluster cluster;
};

TEST_F(BusTest, ACallCrossesHostsAndReturns) {
  run([this]() -> Task {
    Bus server(loop, cluster.node("b", "server"));
    Bus client(loop, cluster.node("a", "client"));
    CO_OK(co_await server.connect(use_awaitable));
    CO_OK(co_await client.connect(use_awaitable));
    const Handlers handlers{
        .on_call = [](Call& call) { (void)call.reply("hello " + std::string(call.text())); }};
    CO_OK(co_await server.bind("entity/7", handlers, use_awaitable));
    const auto reply = co_await client.call("entity/7", "world", {}, use_awaitable);
    CO_OK(reply);
    EXPECT_EQ(as_text(*reply), "hello world");
  });
}

TEST_F(BusTest, MessagesArriveOnceAndInOrder) {
  run([this]() -> Task {
    Bus receiver(loop, cluster.node("b", "receiver"));
    Bus sender(loop, cluster.node("a", "sender"));
    CO_OK(co_await receiver.connect(use_awaitable));
    CO_OK(co_await sender.connect(use_awaitable));
    std::vector<int> seen;
    const Handlers handlers{
        .on_message = [&](Message& m) { seen.push_back(std::stoi(std::string(m.text()))); }};
    CO_OK(co_await receiver.bind("entity/7", handlers, use_awaitable));
    for (int i = 0; i < 10'000; ++i) {
      while (!sender.send("entity/7", std::to_string(i))) {
        CO_OK(co_await sender.room("entity/7", Lane::call, use_awaitable));
      }
    }
    CO_OK(co_await sender.flush(std::chrono::seconds(5), use_awaitable));
    std::vector<int> expected(10'000);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(seen, expected);
  });
}

TEST_F(BusTest, AnUnknownNameIsNoOwner) {
  run([this]() -> Task {
    Bus sender(loop, cluster.node("a", "sender"));
    CO_OK(co_await sender.connect(use_awaitable));
    const auto sent = co_await sender.send_acknowledged("entity/none", {}, {}, use_awaitable);
    EXPECT_EQ(sent.error(), Errc::no_owner);
    const auto reply = co_await sender.call("entity/none", "x", {}, use_awaitable);
    EXPECT_EQ(reply.error(), Errc::no_owner);
  });
}

}  // namespace
}  // namespace starbus::bus
