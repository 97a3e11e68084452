// Posting, as far as it can be seen without a store.
#include <boost/asio/deferred.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"

namespace starbus::bus {
namespace {

using boost::asio::use_awaitable;
using namespace std::chrono_literals;

class MailClientTest : public LoopTest {
 protected:
  starbus::testing::Cluster cluster{loop, {.hosts = {"a", "b"}}};
};

TEST_F(MailClientTest, AKeyHasALimit) {
  run([this]() -> Task {
    Bus bus(loop, cluster.node("a", "x"));
    CO_OK(co_await bus.connect(use_awaitable));
    PostOptions options;
    const std::string key(kMaxPostKey + 1, 'k');
    options.key = key;
    const auto posted = co_await bus.post("player/1", "m", options, use_awaitable);
    EXPECT_EQ(posted.error(), Errc::too_large);
  });
}

TEST_F(MailClientTest, AKeyMayBeATemporaryWheneverThePostBegins) {
  const auto text = [](std::size_t size) { return std::string(size, 'k'); };
  PostOptions options;
  options.key = text(kMaxPostKey);
  EXPECT_EQ(options.key.text(), text(kMaxPostKey));
  EXPECT_TRUE((PostOptions{.key = text(kMaxPostKey + 1)}.key.text().empty()));
  run([this, &options, text]() -> Task {
    Bus bus(loop, cluster.node("b", "x"));
    CO_OK(co_await bus.connect(use_awaitable));
    const auto begin_later = [&](std::size_t size) {
      return bus.post("player/1", "m", {.key = text(size), .ttl = 50ms}, boost::asio::deferred);
    };
    auto good = begin_later(kMaxPostKey);
    auto bad = begin_later(kMaxPostKey + 1);
    EXPECT_EQ((co_await std::move(good)).error(), Errc::expired);
    EXPECT_EQ((co_await std::move(bad)).error(), Errc::too_large);
    // Held until it is known who has the shard.
    options.key = text(7);
    options.wait = false;
    const auto posted = co_await bus.post("player/1", "m", options, use_awaitable);
    EXPECT_EQ(posted.error(), Errc::no_owner);
  });
}

TEST_F(MailClientTest, BadNamesAndEndsAreRefused) {
  run([this]() -> Task {
    Bus bus(loop, cluster.node("a", "x"));
    const PostOptions options;
    const auto early = co_await bus.post("player/1", "m", options, use_awaitable);
    EXPECT_EQ(early.error(), Errc::unreachable);
    CO_OK(co_await bus.connect(use_awaitable));
    const auto bad = co_await bus.post("no kind", "m", options, use_awaitable);
    EXPECT_EQ(bad.error(), Errc::bad_name);
    CO_OK(co_await bus.close(1s, use_awaitable));
    const auto late = co_await bus.post("player/1", "m", options, use_awaitable);
    EXPECT_EQ(late.error(), Errc::closed);
  });
}

TEST_F(MailClientTest, WaitsForTheStoreAsLongAsItWasTold) {
  run([this]() -> Task {
    Bus bus(loop, cluster.node("b", "x"));
    CO_OK(co_await bus.connect(use_awaitable));
    PostOptions options;
    options.ttl = 300ms;
    const auto begin = std::chrono::steady_clock::now();
    const auto posted = co_await bus.post("player/1", "m", options, use_awaitable);
    EXPECT_EQ(posted.error(), Errc::expired);
    EXPECT_GT(std::chrono::steady_clock::now() - begin, 300ms - 1ms) << "whole milliseconds";
  });
}

TEST_F(MailClientTest, DoesNotWaitIfToldSo) {
  run([this]() -> Task {
    Bus bus(loop, cluster.node("b", "x"));
    CO_OK(co_await bus.connect(use_awaitable));
    PostOptions options;
    options.wait = false;
    // The first one, too.
    for (int i = 0; i < 3; ++i) {
      const auto posted = co_await bus.post("player/1", "m", options, use_awaitable);
      EXPECT_EQ(posted.error(), Errc::no_owner);
    }
  });
}

TEST_F(MailClientTest, WhatIsPostedBehindOneThatLooksForTheStoreStaysBehindIt) {
  run([this]() -> Task {
    Bus bus(loop, cluster.node("b", "x"));
    CO_OK(co_await bus.connect(use_awaitable));
    std::vector<std::string> ends;
    PostOptions looks;
    looks.wait = false;
    bus.post("player/1", "1", looks, [&](const Result<std::uint64_t>& posted) {
      ends.push_back("1 " + std::string(name_of(posted.error().code)));
    });
    bus.post("player/1", "2", {.ttl = 50ms}, [&](const Result<std::uint64_t>& posted) {
      ends.push_back("2 " + std::string(name_of(posted.error().code)));
    });
    while (ends.size() < 2) {
      boost::asio::steady_timer turn(loop, std::chrono::milliseconds(5));
      co_await turn.async_wait(boost::asio::use_awaitable);
    }
    EXPECT_EQ(ends, (std::vector<std::string>{"1 no_owner", "2 expired"}));
  });
}

TEST_F(MailClientTest, WhatHasNoEndWhenTheBusClosesIsToldSo) {
  run([this]() -> Task {
    Bus bus(loop, cluster.node("b", "x"));
    CO_OK(co_await bus.connect(use_awaitable));
    Code end;
    bus.post("player/1", "m", {.ttl = 0ms},
             [&](const Result<std::uint64_t>& posted) { end = posted.error().code; });
    const auto flushed = co_await bus.close(100ms, use_awaitable);
    EXPECT_EQ(flushed.error(), Errc::deadline);
    boost::asio::steady_timer turn(loop, std::chrono::milliseconds(10));
    co_await turn.async_wait(boost::asio::use_awaitable);
    EXPECT_EQ(end, Errc::closed);
  });
}

}  // namespace
}  // namespace starbus::bus
