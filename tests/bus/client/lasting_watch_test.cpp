// A watch for programs that go on when it is refused.
#include "bus/client/lasting_watch.hpp"

#include <gtest/gtest.h>

#include <boost/asio/use_awaitable.hpp>
#include <string>
#include <vector>

#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"

namespace starbus::bus {
namespace {

using boost::asio::use_awaitable;

class LastingWatchTest : public LoopTest {
 protected:
  LastingWatchTest() : cluster(loop, {.hosts = {"a"}}) {}
  testing::Cluster cluster;
};

TEST_F(LastingWatchTest, ARefusedWatchIsAskedForAgain) {
  run([this]() -> Task {
    Bus bus(loop, cluster.node("a", "watcher"));
    CO_OK(co_await bus.connect(use_awaitable));
    CO_OK(co_await bus.bind("town/one", kNoHandlers, use_awaitable));
    std::vector<WatchHandle> others;
    for (std::size_t i = 0; i < kMaxWatches; ++i) {
      auto handle = bus.watch("other/" + std::to_string(i) + "/", [](const WatchUpdate&) {});
      CO_OK(handle);
      others.push_back(std::move(*handle));
    }
    std::vector<std::string> seen;
    bool complete = false;
    int lapsed = 0;
    LastingWatch watch(
        bus, "town/",
        [&](const WatchUpdate& update) {
          for (const WatchRow& row : update.changes) seen.push_back(row.name);
          complete = update.complete;
        },
        [&](const Error& why) {
          EXPECT_EQ(why, Errc::too_many_watches);
          ++lapsed;
        });
    CO_OK(watch.start());
    EXPECT_EQ(lapsed, 1);
    EXPECT_FALSE(watch.current());
    others.clear();
    EXPECT_TRUE(co_await until([&] { return complete; }));
    EXPECT_TRUE(watch.current());
    EXPECT_EQ(seen, std::vector<std::string>{"town/one"});
    CO_OK(co_await bus.bind("town/two", kNoHandlers, use_awaitable));
    EXPECT_TRUE(co_await until([&] { return seen.size() == 2; }));
    EXPECT_EQ(lapsed, 1);
  });
}

TEST_F(LastingWatchTest, AnInvalidPrefixIsAnErrorAtOnce) {
  Bus bus(loop, cluster.node("a", "watcher"));
  LastingWatch watch(
      bus, std::string(300, 'x'), [](const WatchUpdate&) {}, nullptr);
  EXPECT_EQ(watch.start().error(), Errc::bad_name);
}

}  // namespace
}  // namespace starbus::bus
