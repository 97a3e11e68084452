// Messages that other threads send.
#include "bus/client/sender.hpp"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <thread>

#include "bus/client/bus.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"

namespace starbus::bus {
namespace {

using boost::asio::use_awaitable;
using namespace std::chrono_literals;

class SenderTest : public LoopTest {
 protected:
  static Bytes text(std::string_view text) {
    const ByteView view = as_bytes(text);
    return {view.begin(), view.end()};
  }
  testing::Cluster cluster{loop, {.hosts = {"a"}}};
};

TEST_F(SenderTest, ThreadsSendInOrderEach) {
  constexpr int kThreads = 4;
  constexpr int kMessages = 2'000;
  run([this]() -> Task {
    Bus bus(loop, cluster.node("a", "node"));
    CO_OK(co_await bus.connect(use_awaitable));
    std::vector<std::vector<int>> seen(kThreads);
    Handlers handlers;
    handlers.on_message = [&](Message& message) {
      const std::string body(message.text());
      seen.at(static_cast<std::size_t>(body[0] - '0')).push_back(std::stoi(body.substr(1)));
    };
    CO_OK(co_await bus.bind("entity/7", handlers, use_awaitable));
    const LoopThread here;
    int acknowledged = 0;
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread, sender = bus.sender()] {
        for (int i = 0; i < kMessages; ++i) {
          const auto sent =
              sender.send("entity/7", text(std::to_string(thread) + std::to_string(i)),
                          SendOptions(), [&](const Result<>& result) {
                            here.check();
                            if (result) ++acknowledged;
                          });
          EXPECT_TRUE(sent);
        }
      });
    }
    EXPECT_TRUE(co_await until([&] { return acknowledged == kThreads * kMessages; }));
    for (const auto& numbers : seen) {
      EXPECT_EQ(numbers.size(), static_cast<std::size_t>(kMessages));
      EXPECT_TRUE(std::ranges::is_sorted(numbers));
    }
  });
}

TEST_F(SenderTest, EveryEndComesToTheLoop) {
  run([this]() -> Task {
    Bus bus(loop, cluster.node("a", "node"));
    CO_OK(co_await bus.connect(use_awaitable));
    std::vector<std::string> undelivered;
    bus.on_undelivered(
        [&](const Undelivered& message) { undelivered.push_back(message.reason.to_string()); });
    std::vector<Errc> ends;
    const auto note = [&](const Result<>& result) { ends.push_back(errc_of(result.error())); };
    std::jthread([&, sender = bus.sender()] {
      EXPECT_TRUE(sender.send("entity/nobody", text("hello"), SendOptions(), note));
      EXPECT_TRUE(sender.send("no name", text("hello"), SendOptions(), note));
      EXPECT_TRUE(sender.send("no name", text("hello")));
      EXPECT_EQ(sender.send("entity/7", Bytes(kMaxBody + 1)).error(), Errc::too_large);
    }).join();
    EXPECT_TRUE(co_await until([&] { return ends.size() == 2; }));
    EXPECT_EQ(ends, (std::vector<Errc>{Errc::bad_name, Errc::no_owner}));
    EXPECT_EQ(undelivered.size(), 1U);
  });
}

TEST_F(SenderTest, IsBounded) {
  run([this]() -> Task {
    Bus bus(loop, cluster.node("a", "node"));
    CO_OK(co_await bus.connect(use_awaitable));
    const Sender sender = bus.sender();
    std::size_t taken = 0;
    while (sender.send("entity/nobody", Bytes())) ++taken;
    EXPECT_EQ(taken, kHandedSends);
    EXPECT_EQ(sender.send("entity/nobody", Bytes()).error(), Errc::would_block);
    bus.on_undelivered([&](const Undelivered&) { --taken; });
    EXPECT_TRUE(co_await until([&] { return taken == 0; }));
    while (sender.send("entity/nobody", Bytes(64 * 1024))) ++taken;
    EXPECT_EQ(taken, kHandedBytes / (64 * 1024 + 13));
    EXPECT_TRUE(co_await until([&] { return taken == 0; }));
  });
}

TEST_F(SenderTest, OtherWorkOfTheLoopGoesOn) {
  run([this]() -> Task {
    Bus bus(loop, cluster.node("a", "node"));
    CO_OK(co_await bus.connect(use_awaitable));
    const Sender sender = bus.sender();
    for (std::size_t i = 0; i < 10 * kHandedPass; ++i) {
      EXPECT_TRUE(sender.send("entity/nobody", Bytes()));
    }
    std::uint64_t before = bus.counters().sent;
    std::uint64_t most = 0;
    std::uint64_t turns = 0;
    std::function<void()> other_work = [&] {
      const std::uint64_t present = bus.counters().sent;
      most = std::max(most, present - std::exchange(before, present));
      ++turns;
      if (present < 10 * kHandedPass) boost::asio::post(loop, other_work);
    };
    boost::asio::post(loop, other_work);
    EXPECT_TRUE(co_await until([&] { return bus.counters().sent == 10 * kHandedPass; }));
    EXPECT_LE(most, kHandedPass);
    EXPECT_GE(turns, 10U);
  });
}

TEST_F(SenderTest, OutlivesItsBus) {
  run([this]() -> Task {
    auto bus = std::make_unique<Bus>(loop, cluster.node("a", "node"));
    CO_OK(co_await bus->connect(use_awaitable));
    const Sender sender = bus->sender();
    std::vector<Errc> ends;
    const auto note = [&](const Result<>& result) { ends.push_back(errc_of(result.error())); };
    EXPECT_TRUE(sender.send("entity/7", Bytes(), SendOptions(), note));
    bus.reset();
    EXPECT_EQ(sender.send("entity/7", Bytes(), SendOptions(), note).error(), Errc::closed);
    EXPECT_TRUE(co_await until([&] { return !ends.empty(); }));
    EXPECT_EQ(ends, std::vector<Errc>{Errc::closed});
  });
}

}  // namespace
}  // namespace starbus::bus
