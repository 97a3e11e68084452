/// What a watchdog and a report are told: which handler runs, and who has not acknowledged.
#include <gmock/gmock.h>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <thread>

#include "bus/client/bus.hpp"
#include "bus/client/shown_name.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"

namespace starbus::bus {
namespace {

using boost::asio::use_awaitable;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

class HandlingTest : public LoopTest {
 protected:
  starbus::testing::Cluster cluster{loop, {.hosts = {"a", "b"}}};
};

TEST_F(HandlingTest, WhatRunsHasANameWhileItRuns) {
  run([this]() -> Task {
    Bus owner(loop, cluster.node("a", "owner"));
    Bus caller(loop, cluster.node("b", "caller"));
    CO_OK(co_await owner.connect(use_awaitable));
    CO_OK(co_await caller.connect(use_awaitable));
    std::vector<std::string> seen;
    Handlers handlers;
    handlers.on_message = [&](Message&) { seen.push_back(owner.handling()); };
    handlers.on_call = [&](Call& call) {
      seen.push_back(owner.handling());
      (void)call.reply("yes");
    };
    CO_OK(co_await owner.bind("chat/lobby", handlers, use_awaitable));
    auto watch = caller.watch("chat/", [&](const WatchUpdate& update) {
      if (!update.changes.empty()) seen.push_back(caller.handling());
    });
    CO_OK(watch);
    EXPECT_TRUE(co_await until([&] { return seen.size() == 1; }));
    CO_OK(caller.send("chat/lobby", "hello"));
    std::string answered;
    caller.call("chat/lobby", "well?", CallOptions{},
                [&](const Result<Bytes>&) { answered = caller.handling(); });
    EXPECT_TRUE(co_await until([&] { return !answered.empty(); }));
    EXPECT_THAT(seen,
                ::testing::ElementsAre("watch chat/", "message chat/lobby", "call chat/lobby"));
    EXPECT_EQ(answered, "answer of chat/lobby");
    EXPECT_EQ(owner.handling(), "");
  });
}

TEST_F(HandlingTest, ABundleThatTookLongLetsTheLoopDoOtherWorkBeforeTheNext) {
  constexpr int kMessages = 190;  // of 1,000 bytes: three bundles, which a socket holds at a time
  constexpr std::size_t kLargest = kBundleTarget + kChunk + 4096;  // bundle
  boost::asio::io_context slow;
  Bus owner(slow, cluster.node("a", "owner"));
  int handled = 0;
  int before_others = 0;
  run([&]() -> Task {
    Bus sender(loop, cluster.node("a", "sender"));
    CO_OK(co_await sender.connect(use_awaitable));
    Handlers handlers;
    handlers.on_message = [&](Message&) {
      if (handled++ > 0) return;
      std::this_thread::sleep_for(kBatchTime);
      boost::asio::post(slow, [&] { before_others = handled; });
    };
    bool bound = false;
    owner.connect([&](const Result<>&) {
      owner.bind("chat/lobby", handlers, [&](const Result<Bound>& b) { bound = b.has_value(); });
    });
    const auto poll = [&] {
      slow.restart();
      slow.poll();
    };
    EXPECT_TRUE(co_await until([&] {
      poll();
      return bound;
    }));
    for (int i = 0; i < kMessages; ++i) CO_OK(sender.send("chat/lobby", std::string(1000, 'm')));
    co_await until(100ms, [] { return false; });  // they come to the owner's socket
    EXPECT_TRUE(co_await until([&] {
      poll();
      return handled == kMessages && before_others > 0;
    }));
  });
  EXPECT_LE(before_others, static_cast<int>(kLargest / 1000));
}

TEST_F(HandlingTest, AFlushThatFailsSaysForWhom) {
  run([this]() -> Task {
    auto owner = std::make_unique<Bus>(loop, cluster.node("a", "owner"));
    Bus sender(loop, cluster.node("b", "sender"));
    CO_OK(co_await owner->connect(use_awaitable));
    CO_OK(co_await sender.connect(use_awaitable));
    CO_OK(co_await owner->bind("chat/lobby", kNoHandlers, use_awaitable));
    EXPECT_TRUE(sender.unacknowledged(5).empty());
    cluster.crash_root();
    for (int i = 0; i < 3; ++i) CO_OK(sender.send("chat/lobby", "hello"));
    const auto waiting = sender.unacknowledged(5);
    EXPECT_EQ(waiting.size(), 1U);
    if (waiting.size() != 1) co_return;
    EXPECT_EQ(waiting[0].channel, "chat/lobby");
    EXPECT_EQ(waiting[0].messages, 3U);
    EXPECT_GT(waiting[0].bytes, 15U);
    const auto flushed = co_await sender.flush(50ms, use_awaitable);
    EXPECT_EQ(flushed.error().code, Errc::deadline);
    EXPECT_THAT(flushed.error().detail, HasSubstr("3 for chat/lobby"));
    cluster.start_root();
    CO_OK(co_await sender.flush(20s, use_awaitable));
    EXPECT_TRUE(sender.unacknowledged(5).empty());
  });
}

TEST(ShownName, IsReadWholeOrNotAtAll) {
  ShownName shown;
  EXPECT_EQ(shown.text(), "");
  shown.show("call ", std::string(200, 'x'));
  EXPECT_EQ(shown.text(), "call " + std::string(ShownName::kLongest - 5, 'x'));
  const std::string ones(40, '1');
  const std::string twos(40, '2');
  std::atomic<bool> end{false};
  std::atomic<int> torn{0};
  std::thread reader([&] {
    while (!end) {
      const std::string text = shown.text();
      const bool known = text.empty() || text == ones || text == twos || text.starts_with("call ");
      if (!known) ++torn;
    }
  });
  for (int i = 0; i < 100'000; ++i) shown.show(i % 2 == 0 ? ones : twos, "");
  shown.hide();
  end = true;
  reader.join();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(shown.text(), "");
}

}  // namespace
}  // namespace starbus::bus
