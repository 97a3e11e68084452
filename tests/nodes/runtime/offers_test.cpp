/// What a node offers: all of it, in order, or nothing.
#include "nodes/runtime/offers.hpp"

#include <gtest/gtest.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"

namespace starbus::nodes {
namespace {

using boost::asio::use_awaitable;

struct Place {
  Place(boost::asio::io_context& loop, const bus::Options& options) : bus(loop, options) {}
  void offer(const std::string& name) { EXPECT_TRUE(offers.add(name, bus::Handlers{})); }
  /// "bound", or the error.
  void bind() {
    end.reset();
    offers.bind("ready/db/" + bus.node(), [this](const bus::Result<>& result) {
      end = result ? "bound" : std::string(name_of(result.error().code));
    });
  }
  bus::Bus bus;
  entity::rpc::Endpoint endpoint{bus};
  Offers offers{endpoint};
  std::optional<std::string> end;
};

class OffersTest : public bus::LoopTest {
 protected:
  OffersTest() {
    for (Place* place : {&one, &two}) {
      place->offer("service/db");
      place->offer("db/main");
      place->offer("group/stores");
    }
  }
  boost::asio::awaitable<std::string> bound(Place& place) {
    place.bind();
    EXPECT_TRUE(co_await until([&] { return place.end.has_value(); }));
    co_return place.end.value_or("");
  }
  starbus::testing::Cluster cluster{loop, {.hosts = {"a", "b"}}};
  Place one{loop, cluster.node("a", "one")};
  Place two{loop, cluster.node("b", "two")};
};

TEST_F(OffersTest, WhoStandsByForAnotherIsInNoSetMeanwhile) {
  run([this]() -> bus::Task {
    CO_OK(co_await one.bus.connect(use_awaitable));
    CO_OK(co_await two.bus.connect(use_awaitable));
    std::vector<std::string> seen;
    auto watch = two.bus.watch("service/db", [&](const bus::WatchUpdate& update) {
      for (const bus::WatchRow& row : update.changes) {
        seen.push_back((row.present ? "+" : "-") + row.name);
      }
    });
    CO_OK(watch);
    const std::string first = co_await bound(one);
    EXPECT_EQ(first, "bound");
    EXPECT_EQ(one.offers.bound(), 3U);
    for (int i = 0; i < 3; ++i) {
      const std::string second = co_await bound(two);
      EXPECT_EQ(second, "already_bound");
      EXPECT_EQ(two.offers.bound(), 0U);
    }
    one.offers.withdraw();
    EXPECT_TRUE(co_await until([&] { return seen.size() == 2; }));
    const std::string last = co_await bound(two);
    EXPECT_EQ(last, "bound");
    EXPECT_EQ(two.offers.bound(), 3U);
    EXPECT_TRUE(co_await until([&] { return seen.size() == 3; }));
    EXPECT_EQ(seen[0].substr(1), seen[1].substr(1)) << "the one that stood by never came and went";
  });
}

TEST_F(OffersTest, ARefusedNameTakesThoseWithItThatWereGranted) {
  run([this]() -> bus::Task {
    CO_OK(co_await one.bus.connect(use_awaitable));
    CO_OK(co_await two.bus.connect(use_awaitable));
    bus::Handlers none;
    CO_OK(co_await one.bus.bind("db/second", none, use_awaitable));
    two.offer("db/second");
    const std::string refused = co_await bound(two);
    EXPECT_EQ(refused, "already_bound");
    EXPECT_EQ(two.offers.bound(), 0U);
    const std::string free = co_await bound(one);
    EXPECT_EQ(free, "bound") << "db/main has been given back";
  });
}

}  // namespace
}  // namespace starbus::nodes
