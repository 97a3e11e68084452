/// Handlers and completions that throw, in a process that catches that: the rest goes on, and
/// nothing is lost or comes twice.
#include <gmock/gmock.h>

#include <algorithm>
#include <boost/asio/use_awaitable.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "bus/client/bus.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"
#include "tests/thrown_log.hpp"

namespace starbus::bus {
namespace {

using boost::asio::use_awaitable;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ThrowsTest : public LoopTest {
 protected:
  boost::asio::awaitable<bool> connect() {
    const auto first = co_await owner.connect(use_awaitable);
    const auto second = co_await caller.connect(use_awaitable);
    co_return first&& second;
  }

  starbus::testing::Cluster cluster{loop, {.hosts = {"a", "b"}}};
  Bus owner{loop, cluster.node("a", "owner")};
  Bus caller{loop, cluster.node("b", "caller")};
  test::ThrownLog log;
};

TEST_F(ThrowsTest, AMessageWhoseHandlerThrowsIsHandledAndTheNextOnesCome) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await connect());
    std::vector<int> got;
    Handlers handlers;
    handlers.on_message = [&](Message& message) {
      got.push_back(std::stoi(std::string(as_text(message.body()))));
      if (got.size() % 3 == 0) throw std::runtime_error("a bug");
    };
    CO_OK(co_await owner.bind("chat/lobby", handlers, use_awaitable));
    std::vector<int> sent;
    for (int i = 0; i < 300; ++i) {
      sent.push_back(i);
      CO_OK(caller.send("chat/lobby", std::to_string(i)));
    }
    CO_OK(co_await caller.flush(std::chrono::seconds(5), use_awaitable));
    EXPECT_EQ(got, sent) << "in order, and each once";
    EXPECT_EQ(log.lines.size(), 100u);
    EXPECT_THAT(log.lines, Each("message: a bug"));
    EXPECT_THAT(log.places, Each("message chat/lobby"));
    EXPECT_EQ(owner.counters().handled, 300u);
  });
}

TEST_F(ThrowsTest, ACallWhoseHandlerThrowsEndsAsHandlerFailed) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await connect());
    Handlers handlers;
    handlers.on_call = [&](Call& call) {
      if (as_text(call.body()) == "late") (void)call.reply("yes");
      throw std::runtime_error("a bug");
    };
    CO_OK(co_await owner.bind("chat/lobby", handlers, use_awaitable));
    const auto failed = co_await caller.call("chat/lobby", "early", {}, use_awaitable);
    EXPECT_EQ(failed.error(), Errc::handler_failed);
    EXPECT_THAT(failed.error().detail, HasSubstr("its handler threw"));
    const auto answered = co_await caller.call("chat/lobby", "late", {}, use_awaitable);
    EXPECT_TRUE(answered) << "it had answered before";
    EXPECT_THAT(log.places, ElementsAre("call chat/lobby", "call chat/lobby"));
  });
}

TEST_F(ThrowsTest, CompletionsAndWatchesThatThrowStopNothing) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await connect());
    const auto bug = [](const auto&) { throw std::runtime_error("a bug"); };
    int after = 0;
    auto first = caller.watch("chat/", bug);
    auto second = caller.watch("chat/", [&](const WatchUpdate&) { ++after; });
    CO_OK(first);
    CO_OK(second);
    owner.bind("chat/lobby", Handlers{}, bug);
    EXPECT_TRUE(co_await until([&] { return after >= 2; }));
    caller.call("chat/lobby", "x", {}, bug);  // no handler: an error, which comes all the same
    caller.send_acknowledged("chat/nobody", Bytes(), {}, bug);
    caller.flush(std::chrono::seconds(5), bug);
    EXPECT_TRUE(
        co_await until([&] { return std::ranges::count(log.lines, "completion: a bug") == 4; }));
    EXPECT_THAT(log.lines, Contains("listener: a bug"));
    EXPECT_THAT(log.places, Contains("watch chat/"));
    EXPECT_THAT(log.places, Contains(HasSubstr("CompletionsAndWatchesThatThrowStopNothing")))
        << "a callback is named by its type";
  });
}

TEST_F(ThrowsTest, AnArrivalThatThrowsIsRefusedAndTheNameGoesOnWhereItWas) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await connect());
    int handled = 0;
    Handlers handlers;
    handlers.on_message = [&](Message&) { ++handled; };
    CO_OK(co_await owner.bind("entity/7", handlers, use_awaitable));
    ArrivalHandlers arrivals;
    arrivals.accept = [](const std::string&, ByteView) -> Result<> {
      throw std::runtime_error("a bug");
    };
    arrivals.arrived = [](Arrival&) { return Handlers(); };
    caller.on_arrival("entity/", arrivals);
    const auto moved = co_await owner.move(
        "entity/7", "b.caller", [] { return Bytes(); }, use_awaitable);
    EXPECT_EQ(moved.error(), Errc::move_refused);
    CO_OK(caller.send("entity/7", "x"));
    EXPECT_TRUE(co_await until([&] { return handled == 1; }));
    EXPECT_THAT(log.places, ElementsAre("arrival of entity/7"));
  });
}

}  // namespace
}  // namespace starbus::bus
