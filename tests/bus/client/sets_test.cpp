// Sets of names: shared names, groups, watches.
#include <gtest/gtest.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <map>

#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"

namespace starbus::bus {
namespace {

using boost::asio::use_awaitable;
using namespace std::chrono_literals;

class SetsTest : public LoopTest {
 protected:
  SetsTest() : cluster(loop, {.hosts = {"a", "b", "c"}}) {}

  /// Waits for a condition that other parties bring about.
  boost::asio::awaitable<bool> eventually(std::function<bool()> condition) {
    boost::asio::steady_timer timer(loop);
    for (int i = 0; i < 1000 && !condition(); ++i) {
      timer.expires_after(5ms);
      co_await timer.async_wait(use_awaitable);
    }
    co_return condition();
  }

  testing::Cluster cluster;
};

TEST_F(SetsTest, InstancesOfASharedNameGetNumbersOfTheirOwn) {
  run([this]() -> Task {
    Bus one(loop, cluster.node("a", "one"));
    Bus two(loop, cluster.node("b", "two"));
    CO_OK(co_await one.connect(use_awaitable));
    CO_OK(co_await two.connect(use_awaitable));
    const auto first = co_await one.bind("service/chat", kNoHandlers, use_awaitable);
    const auto second = co_await two.bind("service/chat", kNoHandlers, use_awaitable);
    CO_OK(first);
    CO_OK(second);
    EXPECT_EQ(first->name, "service/chat#1");
    EXPECT_EQ(second->name, "service/chat#2");
  });
}

TEST_F(SetsTest, ASenderStaysWithOneInstanceAndKeysSpread) {
  run([this]() -> Task {
    Bus one(loop, cluster.node("a", "one"));
    Bus two(loop, cluster.node("b", "two"));
    Bus caller(loop, cluster.node("c", "caller"));
    for (Bus* bus : {&one, &two, &caller}) CO_OK(co_await bus->connect(use_awaitable));
    for (Bus* bus : {&one, &two}) {
      const Handlers handlers{.on_call = [](Call& call) { (void)call.reply(call.channel()); }};
      CO_OK(co_await bus->bind("service/chat", handlers, use_awaitable));
    }
    std::map<std::string, int> without_key, with_key;
    for (int i = 0; i < 50; ++i) {
      const auto reply = co_await caller.call("service/chat", "who?", {}, use_awaitable);
      CO_OK(reply);
      ++without_key[std::string(as_text(*reply))];
      CallOptions options;
      options.hash_key = static_cast<std::uint64_t>(i) + 1;
      const auto keyed = co_await caller.call("service/chat", "who?", options, use_awaitable);
      CO_OK(keyed);
      ++with_key[std::string(as_text(*keyed))];
    }
    EXPECT_EQ(without_key.size(), 1U);
    EXPECT_EQ(with_key.size(), 2U);
  });
}

TEST_F(SetsTest, AnotherInstanceTakesOverWhenOneLeaves) {
  run([this]() -> Task {
    Bus one(loop, cluster.node("a", "one"));
    Bus two(loop, cluster.node("b", "two"));
    Bus caller(loop, cluster.node("c", "caller"));
    for (Bus* bus : {&one, &two, &caller}) CO_OK(co_await bus->connect(use_awaitable));
    const Handlers handlers{.on_call = [](Call& call) { (void)call.reply(call.channel()); }};
    CO_OK(co_await one.bind("service/chat", handlers, use_awaitable));
    CO_OK(co_await two.bind("service/chat", handlers, use_awaitable));
    const auto before = co_await caller.call("service/chat", "", {}, use_awaitable);
    CO_OK(before);
    Bus& chosen = as_text(*before) == "service/chat#1" ? one : two;
    CO_OK(co_await chosen.close(1s, use_awaitable));
    std::string after;
    for (int i = 0; i < 1000 && after.empty(); ++i) {
      const auto reply = co_await caller.call("service/chat", "", {}, use_awaitable);
      if (reply) {
        after = as_text(*reply);
      } else {
        EXPECT_TRUE(reply.error() == Errc::no_owner || reply.error() == Errc::owner_lost);
      }
    }
    EXPECT_NE(after, as_text(*before));
    EXPECT_FALSE(after.empty());
  });
}

TEST_F(SetsTest, ASharedNameWithoutInstancesIsNoOwner) {
  run([this]() -> Task {
    Bus caller(loop, cluster.node("a", "caller"));
    CO_OK(co_await caller.connect(use_awaitable));
    const auto reply = co_await caller.call("service/none", "", {}, use_awaitable);
    EXPECT_EQ(reply.error(), Errc::no_owner);
    EXPECT_EQ(caller.send("service/none", "x").error(), Errc::no_owner);
  });
}

TEST_F(SetsTest, AnAnnouncementReachesEveryMemberOnceWithOneCopyPerHost) {
  run([this]() -> Task {
    constexpr int kMembers = 32;  // on each of two hosts
    std::vector<std::unique_ptr<Bus>> members;
    std::map<std::string, int> heard;
    for (int i = 0; i < 2 * kMembers; ++i) {
      const std::string host = i < kMembers ? "a" : "b";
      members.push_back(
          std::make_unique<Bus>(loop, cluster.node(host, "gate-" + std::to_string(i))));
      CO_OK(co_await members.back()->connect(use_awaitable));
      const Handlers handlers{.on_message = [&](Message& m) { ++heard[std::string(m.channel())]; }};
      CO_OK(co_await members.back()->bind("group/gates", handlers, use_awaitable));
    }
    Bus speaker(loop, cluster.node("c", "speaker"));
    CO_OK(co_await speaker.connect(use_awaitable));
    // The first announcement starts the watch; the second finds members known.
    CO_OK(speaker.announce("group/gates", "one"));
    CO_OK(co_await speaker.flush(5s, use_awaitable));
    const auto before = cluster.root()->counters();
    CO_OK(speaker.announce("group/gates", "two"));
    CO_OK(co_await speaker.flush(5s, use_awaitable));
    const auto after = cluster.root()->counters();
    EXPECT_EQ(after.multicasts_in - before.multicasts_in, 1U);
    EXPECT_EQ(after.multicast_copies_out - before.multicast_copies_out, 2U);
    EXPECT_EQ(heard.size(), 2U * kMembers);
    for (const auto& [member, times] : heard) EXPECT_EQ(times, 2) << member;
  });
}

TEST_F(SetsTest, AWatchGivesASnapshotAndThenChanges) {
  run([this]() -> Task {
    Bus owner(loop, cluster.node("a", "owner"));
    Bus watcher(loop, cluster.node("b", "watcher"));
    CO_OK(co_await owner.connect(use_awaitable));
    CO_OK(co_await watcher.connect(use_awaitable));
    CO_OK(co_await owner.bind("player/1", kNoHandlers, use_awaitable));
    CO_OK(co_await owner.bind("player/10", kNoHandlers, use_awaitable));
    CO_OK(co_await owner.bind("entity/1", kNoHandlers, use_awaitable));
    std::map<std::string, std::string> known;
    bool complete = false;
    auto handle = watcher.watch("player/", [&](const WatchUpdate& update) {
      complete = update.complete;
      for (const auto& row : update.changes) {
        if (row.present) known[row.name] = row.owner_name;
        if (!row.present) known.erase(row.name);
      }
    });
    CO_OK(handle);
    EXPECT_TRUE(co_await eventually([&] { return complete; }));
    const std::map<std::string, std::string> expected = {{"player/1", "a.owner"},
                                                         {"player/10", "a.owner"}};
    EXPECT_EQ(known, expected);
    CO_OK(co_await owner.unbind("player/1", use_awaitable));
    EXPECT_TRUE(co_await eventually([&] { return !known.contains("player/1"); }));
    CO_OK(co_await owner.close(1s, use_awaitable));
    EXPECT_TRUE(co_await eventually([&] { return known.empty(); }));
  });
}

TEST_F(SetsTest, ALaterWatcherOfTheSamePrefixGetsTheWholeSnapshotToo) {
  run([this]() -> Task {
    Bus bus(loop, cluster.node("a", "node"));
    CO_OK(co_await bus.connect(use_awaitable));
    CO_OK(co_await bus.bind("player/1", kNoHandlers, use_awaitable));
    std::size_t first = 0, second = 0;
    auto one = bus.watch("player/", [&](const WatchUpdate& u) { first += u.changes.size(); });
    CO_OK(one);
    EXPECT_TRUE(co_await eventually([&] { return first == 1; }));
    auto two = bus.watch("player/", [&](const WatchUpdate& u) { second += u.changes.size(); });
    CO_OK(two);
    EXPECT_TRUE(co_await eventually([&] { return second == 1; }));
    EXPECT_EQ(first, 1U);
  });
}

TEST_F(SetsTest, ARestartOfBusrootIsNotSeenByAWatcher) {
  run([this]() -> Task {
    Bus owner(loop, cluster.node("a", "owner"));
    Bus watcher(loop, cluster.node("b", "watcher"));
    CO_OK(co_await owner.connect(use_awaitable));
    CO_OK(co_await watcher.connect(use_awaitable));
    CO_OK(co_await owner.bind("player/1", kNoHandlers, use_awaitable));
    int appeared = 0, gone = 0;
    auto handle = watcher.watch("player/", [&](const WatchUpdate& update) {
      for (const auto& row : update.changes) ++(row.present ? appeared : gone);
    });
    CO_OK(handle);
    EXPECT_TRUE(co_await eventually([&] { return appeared == 1; }));
    cluster.crash_root();
    cluster.start_root();
    CO_OK(co_await owner.bind("player/2", kNoHandlers, use_awaitable));
    EXPECT_TRUE(co_await eventually([&] { return appeared == 2; }));
    EXPECT_EQ(gone, 0);
  });
}

}  // namespace
}  // namespace starbus::bus
