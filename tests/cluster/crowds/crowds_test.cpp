// A node of crowds as a process: the sheep of a space elsewhere walk on when another one takes its
// place.
#include <gmock/gmock.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <string>

#include "tests/cluster/cluster_test.hpp"
#include "tests/cluster/crowds/pasture.hpp"
#include "tests/cluster/node_process.hpp"

namespace starbus::cluster_test {
namespace {

namespace rpc = entity::rpc;
using ::testing::ElementsAre;

class CrowdsTest : public ClusterTest {
 protected:
  /// A type of the data file, whose map may be missing, in its own process or at a node.
  void write_types(const std::string& type, const std::string& map, const std::string& where) {
    std::ofstream(cluster.folder() / "types.toml")
        << "[[space]]\ntype = '" << type << "'\ncapacity = 3\nmin_lines = 1\n"
        << "min = [0, 0]\nmax = [100, 100]\n[space.nav]\nmap = '" << map
        << "'\nwalkers = 10\nservice = '" << where << "'\n";
    std::ofstream field(cluster.folder() / "field.txt");
    for (int y = 0; y < 5; ++y) field << std::string(100, '.') << '\n';
  }
  std::unique_ptr<Daemon> node(const std::string& program_name, const std::string& host,
                               const std::string& name, const std::string& tables) {
    auto made = node_process(cluster, program_name, host, name, "", tables);
    made->start();
    return made;
  }
  std::unique_ptr<Daemon> crowds(const std::string& name) {
    return node("starbus-crowds", "a", name,
                "[crowds]\nmaps = '" + cluster.folder().string() + "'\n");
  }
  /// The manager, the service of spaces, and a node with pastures.
  boost::asio::awaitable<bool> begin() {
    manager = node("starbus-manager", "a", "manager-1",
                   "[services]\nhosts = 1\n[[service]]\ntype = 'space'\ninstances = 1\n");
    service = node("starbus-spaces", "a", "spaces-1",
                   "[spaces]\nfiles = ['" + (cluster.folder() / "types.toml").string() + "']\n");
    pasture = node("starbus-test-pasture", "a", "space-1",
                   "[spaces]\nmaps = '" + cluster.folder().string() + "'\n");
    const auto connected = co_await caller.connect(use_awaitable);
    if (!connected) co_return false;
    const auto answering = co_await endpoint.ready(use_awaitable);
    co_return answering.has_value();
  }
  boost::asio::awaitable<SheepView> look() {
    const auto seen = co_await rpc::call<&Pasture::look>(endpoint, "space/pasture-1", {});
    co_return seen ? *seen : SheepView{};
  }
  /// Walks to there as soon as the space is there; false: not within 30 s.
  boost::asio::awaitable<bool> walk(float x) {
    for (int i = 0; i < 300; ++i) {
      const auto told = co_await rpc::call<&Pasture::walk>(endpoint, "space/pasture-1", {}, x);
      if (told) co_return true;
      co_await pause(100ms);
    }
    co_return false;
  }
  /// Waits until the sheep is beyond there; the time that it took, or a minute.
  boost::asio::awaitable<std::chrono::milliseconds> beyond(float x) {
    const auto began = std::chrono::steady_clock::now();
    std::chrono::milliseconds took{0};
    while (took < 60s) {
      const SheepView seen = co_await look();
      took = std::chrono::duration_cast<std::chrono::milliseconds>(
          std::chrono::steady_clock::now() - began);
      if (seen.x > x) break;
      co_await pause(20ms);
    }
    co_return took;
  }
  Cluster cluster{{.more = {{"a", "[mail]\nshards = ['0-255']\n"}}}};  // ids come from its counters
  Bus caller{loop, cluster.node("b", "caller")};
  rpc::Endpoint endpoint{caller};
  std::unique_ptr<Daemon> manager;
  std::unique_ptr<Daemon> service;
  std::unique_ptr<Daemon> pasture;
};

TEST_F(CrowdsTest, ASheepOfASpaceWalksInItsOwnProcess) {
  write_types("pasture", "field.txt", "");
  run(
      [this]() -> Task {
        CO_TRUE(co_await begin());
        CO_TRUE(co_await walk(8));
        const auto took = co_await beyond(7);
        EXPECT_LT(took, 20s);
      },
      60s);
}

TEST_F(CrowdsTest, ANodeThatIsKilledCostsASecondAndNoErrand) {
  write_types("pasture", "field.txt", "service/crowds");
  run(
      [this]() -> Task {
        const auto one = crowds("crowds-1");
        CO_TRUE(co_await until(20s, [&] { return one->serves(); }));
        CO_TRUE(co_await begin());
        CO_TRUE(co_await walk(40));
        EXPECT_LT(co_await beyond(4), 20s);
        one->process().kill();
        const auto two = crowds("crowds-2");
        CO_TRUE(co_await until(20s, [&] { return two->serves(); }));
        const SheepView stands = co_await look();
        EXPECT_LT(stands.x, 30);
        EXPECT_TRUE(stands.ends.empty()) << "its errand goes on";
        const auto again = co_await beyond(stands.x + 0.1F);
        EXPECT_LT(again, 1s) << "it is asked again within a second";
        EXPECT_LT(co_await beyond(39), 40s);
        co_await pause(500ms);
        const SheepView there = co_await look();
        EXPECT_THAT(there.ends, ElementsAre("arrived"));
        EXPECT_EQ(there.version, 1U);
        EXPECT_EQ(pasture->log_lines_with("pasture-1 has lost its crowd"), 1U);
      },
      120s);
}

TEST_F(CrowdsTest, AMapThatIsNotThereFailsTheSpaceWithFileAndLine) {
  write_types("moor", "none.nav", "");
  run(
      [this]() -> Task {
        CO_TRUE(co_await begin());
        CO_TRUE(co_await until(30s, [&] {
          return pasture->log_lines_with("types.toml:8:7: no_map: " +
                                         (cluster.folder() / "none.nav").string()) > 0;
        }));
        EXPECT_GT(pasture->log_lines_with("the space moor-1 could not start"), 0U);
      },
      60s);
}

}  // namespace
}  // namespace starbus::cluster_test
