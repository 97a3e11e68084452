// One log for all the objects of a process: everybody is given each message once, wherever he is.
#include "bus/client/log_feed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/asio/post.hpp>

#include <numeric>

#include "tests/cluster/cluster_test.hpp"

namespace starbus::cluster_test {
namespace {

using bus::LogFeed;
using bus::Mail;
using ::testing::ElementsAre;
using Numbers = std::vector<std::uint64_t>;

const std::string kLog = "log/notices";
const bus::PostOptions kPlain;

/// One who listens, and what it has executed.
struct Player {
  Numbers done;
  LogFeed::Listener listener;

  void enter(LogFeed& feed, std::uint64_t cursor) {
    auto entered = feed.listen(cursor, [this](const Mail& mail) { done.push_back(mail.number); });
    ASSERT_TRUE(entered);
    listener = std::move(*entered);
  }
  /// Goes to another process, with its cursor alone.
  void move(LogFeed& feed) {
    const std::uint64_t cursor = listener.cursor();
    listener.close();
    enter(feed, cursor);
  }
};

Numbers upto(std::uint64_t last) {
  Numbers all(last);
  std::iota(all.begin(), all.end(), 1);
  return all;
}

class LogFeedTest : public ClusterTest {
 protected:
  explicit LogFeedTest(const std::string& more = {})
      : cluster{{.more = {{"a", "[mail]\nshards = ['0-255']\n" + more}}}} {}

  boost::asio::awaitable<void> append(Bus& bus, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::string body = "notice";
      const auto number = co_await bus.append(kLog, body, kPlain, use_awaitable);
      EXPECT_TRUE(number) << number.error().to_string();
    }
  }

  Cluster cluster;
  Bus space1_{loop, cluster.node("a", "space-1")};
  Bus space2_{loop, cluster.node("b", "space-2")};
};

TEST_F(LogFeedTest, WhoIsOnlineIsGivenEachNoticeOnceThoughHeMoves) {
  run([this]() -> Task {
    CO_OK(co_await space1_.connect(use_awaitable));
    CO_OK(co_await space2_.connect(use_awaitable));
    LogFeed feed1(space1_, kLog, {});
    LogFeed feed2(space2_, kLog, {});
    CO_OK(co_await feed1.opened(use_awaitable));
    CO_OK(co_await feed2.opened(use_awaitable));
    Player player;
    player.enter(feed1, LogFeed::kPresent);
    co_await append(space1_, 1);
    CO_TRUE(co_await until([&] { return player.done.size() == 1; }));
    player.move(feed2);  // which may not have heard of it yet
    CO_TRUE(co_await until([&] { return feed2.position() == 1; }));
    co_await append(space1_, 1);
    CO_TRUE(co_await until([&] { return player.done.size() == 2; }));
    // While he is nowhere, both processes hear of two more.
    const std::uint64_t cursor = player.listener.cursor();
    player.listener.close();
    co_await append(space2_, 2);
    CO_TRUE(co_await until([&] { return feed1.position() == 4 && feed2.position() == 4; }));
    player.enter(feed1, cursor);
    CO_TRUE(co_await until([&] { return player.done.size() == 4; }));
    // Who comes now has nothing to do with what was.
    Player late;
    late.enter(feed1, LogFeed::kPresent);
    co_await append(space2_, 1);
    CO_TRUE(co_await until([&] { return late.done.size() == 1 && player.done.size() == 5; }));
    EXPECT_EQ(player.done, upto(5));
    EXPECT_THAT(late.done, ElementsAre(5));
    EXPECT_EQ(player.listener.missed() + late.listener.missed(), 0u);
  });
}

TEST_F(LogFeedTest, CatchesUpFromTheStore) {
  run([this]() -> Task {
    CO_OK(co_await space1_.connect(use_awaitable));
    co_await append(space1_, 3 * bus::kFeedPage);
    LogFeed feed(space1_, kLog, {});
    Player old;
    old.enter(feed, 0);  // also before it is open
    Player fresh;
    fresh.enter(feed, LogFeed::kPresent);
    EXPECT_EQ(fresh.listener.cursor(), LogFeed::kPresent);
    CO_OK(co_await feed.opened(use_awaitable));
    EXPECT_EQ(feed.position(), 3 * bus::kFeedPage);
    Player older;
    older.enter(feed, 5);
    co_await append(space1_, 2);
    const std::uint64_t last = 3 * bus::kFeedPage + 2;
    CO_TRUE(co_await until([&] {
      return old.listener.cursor() == last && older.listener.cursor() == last &&
             fresh.listener.cursor() == last;
    }));
    EXPECT_EQ(old.done, upto(last));
    EXPECT_EQ(older.done.size(), last - 5);
    EXPECT_THAT(fresh.done, ElementsAre(last - 1, last));
  });
}

TEST_F(LogFeedTest, WaitsForItsStore) {
  run([this]() -> Task {
    LogFeed feed(space2_, kLog, {});  // unreachable, as yet
    CO_OK(co_await space2_.connect(use_awaitable));
    co_await append(space2_, 2);
    CO_OK(co_await feed.opened(use_awaitable));
    Player player;
    player.enter(feed, 0);
    CO_TRUE(co_await until([&] { return player.done.size() == 2; }));
    cluster.busd("a").kill();
    Player behind;
    behind.enter(feed, 1);
    cluster.busd("a").start();
    co_await append(space2_, 2);
    CO_TRUE(co_await until([&] { return player.done.size() == 4 && behind.done.size() == 3; }));
    EXPECT_EQ(player.done, upto(4));
    EXPECT_THAT(behind.done, ElementsAre(2, 3, 4));
  });
}

TEST_F(LogFeedTest, HandlersMayEndListenersAndTheFeed) {
  run([this]() -> Task {
    CO_OK(co_await space1_.connect(use_awaitable));
    auto feed = std::make_unique<LogFeed>(space1_, kLog, bus::LogFeedOptions{});
    CO_OK(co_await feed->opened(use_awaitable));
    Player second;
    LogFeed::Listener first;
    int heard = 0;
    auto ends_all = feed->listen(LogFeed::kPresent, [&](const Mail& mail) {
      ++heard;
      second.listener.close();
      if (mail.number == 2) feed.reset();
      first.close();
    });
    CO_OK(ends_all);
    first = std::move(*ends_all);
    second.enter(*feed, LogFeed::kPresent);
    co_await append(space1_, 1);
    CO_TRUE(co_await until([&] { return heard == 1; }));
    EXPECT_EQ(feed->listeners(), 0u);
    auto last = feed->listen(0, [&](const Mail& mail) {
      if (mail.number == 2) feed.reset();
    });
    CO_OK(last);
    co_await append(space1_, 2);
    CO_TRUE(co_await until([&] { return feed == nullptr; }));
    EXPECT_EQ(last->cursor(), 2u);
    EXPECT_THAT(second.done, ElementsAre());
  });
}

TEST_F(LogFeedTest, OtherWorkOfTheLoopGoesOn) {
  run([this]() -> Task {
    CO_OK(co_await space1_.connect(use_awaitable));
    LogFeed feed(space1_, kLog, {});
    CO_OK(co_await feed.opened(use_awaitable));
    std::uint64_t given = 0, before_others = 0;
    std::vector<LogFeed::Listener> all;
    for (std::uint64_t i = 0; i < 3 * bus::kFeedPass; ++i) {
      auto one = feed.listen(LogFeed::kPresent, [&](const Mail&) {
        // Other work is posted with the first, and must not wait for the last.
        if (++given == 1) boost::asio::post(loop, [&] { before_others = given; });
      });
      CO_OK(one);
      all.push_back(std::move(*one));
    }
    co_await append(space1_, 1);
    CO_TRUE(co_await until([&] { return given == all.size(); }));
    EXPECT_EQ(before_others, bus::kFeedPass);
  });
}

TEST_F(LogFeedTest, WhatDoesNotMendIsSaid) {
  run([this]() -> Task {
    CO_OK(co_await space1_.connect(use_awaitable));
    const std::string letter = "letter";
    CO_OK(co_await space1_.post(kLog, letter, kPlain, use_awaitable));
    bus::Error told{};
    LogFeed feed(space1_, kLog, {[&](const bus::Error& reason) { told = reason; }});
    const auto opened = co_await feed.opened(use_awaitable);
    EXPECT_EQ(opened.error(), Errc::denied) << "a mailbox is no log";
    EXPECT_EQ(told, Errc::denied);
    const auto again = co_await feed.opened(use_awaitable);
    EXPECT_EQ(again.error(), Errc::denied);
  });
}

class ShortLogFeedTest : public LogFeedTest {
 protected:
  ShortLogFeedTest() : LogFeedTest("[[mail.log]]\nprefix = 'log/'\nmessages = 10\n") {}
};

TEST_F(ShortLogFeedTest, WhatTheLogDidNotKeepIsCounted) {
  run([this]() -> Task {
    CO_OK(co_await space1_.connect(use_awaitable));
    co_await append(space1_, 30);
    LogFeed feed(space1_, kLog, {});
    CO_OK(co_await feed.opened(use_awaitable));
    Player player;
    player.enter(feed, 4);
    CO_TRUE(co_await until([&] { return player.listener.cursor() == 30; }));
    EXPECT_EQ(player.listener.missed() + player.done.size(), 26u);
    EXPECT_GT(player.listener.missed(), 0u);
    EXPECT_EQ(player.done.back(), 30u);
  });
}

}  // namespace
}  // namespace starbus::cluster_test
