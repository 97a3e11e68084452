// The service of spaces and nodes with spaces as processes: what kill -9 of either makes of those
// who are in a space, and of those who wait.
#include <gmock/gmock.h>
#include <signal.h>

#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "nodes/runtime/main_loop.hpp"
#include "nodes/space/service/space_calls.hpp"
#include "nodes/space/service/space_service.hpp"
#include "tests/cluster/cluster_test.hpp"
#include "tests/cluster/node_process.hpp"
#include "tests/cluster/spaces/meadow.hpp"
#include "tests/places.hpp"

namespace starbus::cluster_test {
namespace {

namespace rpc = entity::rpc;
namespace space = nodes::space;

class SpacesTest : public ClusterTest {
 protected:
  SpacesTest() {
    std::ofstream(cluster.folder() / "types.toml") << "[[space]]\ntype = 'meadow'\ncapacity = 3\n"
                                                      "soft_capacity = 3\nmax_lines = 4\n"
                                                      "min = [0, 0]\nmax = [100, 100]\n";
  }

  /// Starts it; `keys` are of its configuration file.
  std::unique_ptr<Daemon> node(const std::string& program_name, const std::string& host,
                               const std::string& name, const std::string& tables = {}) {
    auto made = node_process(cluster, program_name, host, name, "", tables);
    made->start();
    return made;
  }
  std::unique_ptr<Daemon> spaces(const std::string& host, const std::string& name) {
    return node("starbus-spaces", host, name,
                "[spaces]\nfiles = ['" + (cluster.folder() / "types.toml").string() + "']\n");
  }
  /// The manager, the service on host a, and a caller: before the nodes, so that it knows none.
  boost::asio::awaitable<bool> begin() {
    manager = node("starbus-manager", "a", "manager-1",
                   "[services]\nhosts = 1\n[[service]]\ntype = 'space'\ninstances = 1\n");
    service = spaces("a", "spaces-1");
    const auto connected = co_await caller.connect(use_awaitable);
    if (!connected) co_return false;
    const auto answering = co_await endpoint.ready(use_awaitable);
    co_return answering.has_value();
  }

  /// A player who enters: the space in which it is; empty, with a failure: it is in none.
  boost::asio::awaitable<std::string> enter() {
    space::EnterRequest ask;
    ask.place.type = "meadow";
    ask.patience = 20s;
    const auto seat = co_await calls.enter(ask, use_awaitable);
    if (!seat) {
      ADD_FAILURE() << seat.error().to_string();
      co_return "";
    }
    const std::string channel = space::channel_name(seat->space);
    const space::Ticket ticket = seat->tickets.at(0);
    auto there = co_await rpc::call<&Meadow::come>(endpoint, channel, {}, ticket);
    if (there.error() == Errc::owner_lost) {  // it was meant for a dead owner of the name
      there = co_await rpc::call<&Meadow::come>(endpoint, channel, {}, ticket);
    }
    if (!there) {
      ADD_FAILURE() << there.error().to_string();
      co_return "";
    }
    const auto again = co_await rpc::call<&Meadow::come>(endpoint, channel, {}, ticket);
    EXPECT_FALSE(again) << "a ticket is used once";
    node_of[channel] = seat->node;
    co_return channel;
  }
  /// Waits until the service knows no space any more. False: 20 s have passed.
  boost::asio::awaitable<bool> heard_that_none_runs() {
    const space::SpaceName first;
    for (const auto end = std::chrono::steady_clock::now() + 20s;
         std::chrono::steady_clock::now() < end;) {
      const auto page = co_await rpc::call<&space::SpaceService::spaces>(
          endpoint, space::kSpaceService, {}, first, 10U);
      if (page && page->spaces.empty()) co_return true;
      co_await pause(10ms);
    }
    co_return false;
  }
  /// Of the space; 0: nobody owns it.
  boost::asio::awaitable<std::uint32_t> players_in(const std::string& channel) {
    const auto count = co_await rpc::call<&Meadow::count>(endpoint, channel, {});
    co_return count ? *count : 0;
  }

  Cluster cluster{{.more = {{"a", "[mail]\nshards = ['0-255']\n"}}}};  // ids come from its counters
  Bus caller{loop, cluster.node("b", "caller")};
  rpc::Endpoint endpoint{caller};
  nodes::MainLoop main{loop};
  space::SpaceCalls calls{endpoint};
  std::unique_ptr<Daemon> manager;
  std::unique_ptr<Daemon> service;
  std::map<std::string, std::string> node_of;  // by channel of a space
};

TEST_F(SpacesTest, APlayerEntersAPlaceThatDoesNotRunYetAndFurtherLinesBegin) {
  run(
      [this]() -> Task {
        CO_TRUE(co_await begin());
        const auto one = node("starbus-test-meadow", "a", "space-1");
        const auto two = node("starbus-test-meadow", "b", "space-2");
        CO_TRUE(co_await until(20s, [&] { return one->serves() && two->serves(); }));
        std::map<std::string, std::uint32_t> players;
        for (int i = 0; i < 7; ++i) ++players[co_await enter()];
        EXPECT_EQ(players,
                  (std::map<std::string, std::uint32_t>{
                      {"space/meadow-1", 3}, {"space/meadow-2", 3}, {"space/meadow-3", 1}}));
        for (const auto& [channel, count] : players) {
          EXPECT_EQ(co_await players_in(channel), count) << channel;
        }
        EXPECT_NE(node_of.at("space/meadow-1"), node_of.at("space/meadow-2"));
        // What an operator sees of that. It runs beside this loop, which is not asked.
        const auto ended = cluster
                               .run({program("bustop"), "spaces", "meadow", "--busd",
                                     cluster.endpoint("b"), "--json"},
                                    "spaces")
                               ->wait(30s);
        EXPECT_EQ(ended, 0) << cluster.log_of("spaces");
        const auto shown = nlohmann::json::parse(cluster.log_of("spaces"), nullptr, false);
        CO_TRUE(shown.is_object());
        EXPECT_EQ(shown["service"], "a.spaces-1");
        CO_TRUE(shown["spaces"].size() == 3);
        for (const auto& row : shown["spaces"]) {
          const std::string channel = "space/" + row["space"].get<std::string>();
          EXPECT_EQ(row["node"], node_of.at(channel)) << row;
          EXPECT_EQ(row["at_node"]["players"], players.at(channel)) << row;
          EXPECT_TRUE(row["at_node"]["tick"].contains("took_ms")) << row;
        }
      },
      60s);
}

/// Nobody is let in twice or thrown out, and who asks meanwhile is let in by the next one.
TEST_F(SpacesTest, AServiceThatIsKilledCostsNobodyItsSpace) {
  run(
      [this]() -> Task {
        CO_TRUE(co_await begin());
        const auto one = node("starbus-test-meadow", "a", "space-1");
        const auto two = node("starbus-test-meadow", "b", "space-2");
        for (int i = 0; i < 4; ++i) co_await enter();
        const auto before = node_of;
        service->process().kill();
        const auto next = spaces("b", "spaces-2");
        EXPECT_EQ(co_await enter(), "space/meadow-2");
        EXPECT_EQ(co_await enter(), "space/meadow-2");
        EXPECT_EQ(co_await enter(), "space/meadow-3") << "both others are full";
        for (const auto& [channel, owner] : before) EXPECT_EQ(node_of.at(channel), owner);
        EXPECT_EQ(co_await players_in("space/meadow-1"), 3U);
        EXPECT_EQ(co_await players_in("space/meadow-2"), 3U);
        EXPECT_EQ(co_await players_in("space/meadow-3"), 1U);
      },
      60s);
}

TEST_F(SpacesTest, TheSpacesOfANodeThatIsKilledRunElsewhere) {
  run(
      [this]() -> Task {
        CO_TRUE(co_await begin());
        const auto one = node("starbus-test-meadow", "a", "space-1");
        EXPECT_EQ(co_await enter(), "space/meadow-1");
        const auto two = node("starbus-test-meadow", "b", "space-2");
        CO_TRUE(co_await until(20s, [&] { return two->serves(); }));
        one->process().kill();
        CO_TRUE(co_await heard_that_none_runs());
        // Under the number of the old one or under the next: whichever the directory shows as free.
        const std::string next = co_await enter();
        EXPECT_EQ(node_of[next], "b.space-2");
        EXPECT_EQ(co_await players_in(next), 1U) << "the other one died with its node";
      },
      60s);
}

/// SIGTERM: its spaces are warned and end in order, and it leaves; who asks gets another node.
TEST_F(SpacesTest, ANodeThatDrainsEndsItsSpacesInOrder) {
  run(
      [this]() -> Task {
        CO_TRUE(co_await begin());
        const auto one = node("starbus-test-meadow", "a", "space-1");
        EXPECT_EQ(co_await enter(), "space/meadow-1");
        const auto two = node("starbus-test-meadow", "b", "space-2");
        CO_TRUE(co_await until(20s, [&] { return two->serves(); }));
        one->process().signal(SIGTERM);
        CO_TRUE(co_await until(30s, [&] { return one->process().ended().has_value(); }));
        EXPECT_EQ(one->process().ended().value_or(-1), 0);
        EXPECT_EQ(one->log_lines_with("the space meadow-1 has ended"), 1U);
        EXPECT_NE(co_await enter(), "");
        EXPECT_EQ(node_of.rbegin()->second, "b.space-2");
      },
      90s);
}

}  // namespace
}  // namespace starbus::cluster_test
