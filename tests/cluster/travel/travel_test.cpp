// Players who travel between nodes as processes, under load, while nodes are killed and drained:
// what each hears is counted by itself.
#include <gmock/gmock.h>
#include <signal.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "nodes/manager/manager_service.hpp"
#include "nodes/runtime/main_loop.hpp"
#include "tests/cluster/cluster_test.hpp"
#include "tests/cluster/node_process.hpp"
#include "tests/cluster/travel/rover.hpp"

namespace starbus::cluster_test {
namespace {

class TravelProcesses : public ClusterTest {
 protected:
  static constexpr int kRovers = 30;

  TravelProcesses() {
    std::ofstream file(cluster.folder() / "types.toml");
    for (const char* const type : {"low", "high"}) {
      file << "[[space]]\ntype = '" << type << "'\ncapacity = 40\nmax_lines = 4\n"
           << "min = [0, 0]\nmax = [100, 100]\nlabels = ['" << type << "']\n";
    }
  }
  Daemon& start(const std::string& what, const std::string& host, const std::string& name,
                const std::string& keys) {
    nodes_[name] = node_process(cluster, what, host, name, "space", keys);
    nodes_[name]->start();
    return *nodes_[name];
  }
  Daemon& rovers(const std::string& host, const std::string& name, const std::string& label) {
    return start("starbus-test-rover", host, name, "[spaces]\nlabels = ['" + label + "']\n");
  }
  /// The manager, the service, x with the low spaces on host a, y and z with the high ones.
  boost::asio::awaitable<bool> begin() {
    start("starbus-manager", "a", "manager-1",
          "[services]\nhosts = 1\n[[service]]\ntype = 'space'\ninstances = 1\n");
    start("starbus-spaces", "a", "spaces-1",
          "[spaces]\nfiles = ['" + (cluster.folder() / "types.toml").string() + "']\n");
    rovers("a", "x", "low");
    rovers("b", "y", "high");
    const bool connected = (co_await caller.connect(use_awaitable)).has_value();
    if (!connected || !co_await endpoint.ready(use_awaitable)) co_return false;
    co_return co_await until(20s, [this] { return all_serve(); });
  }
  bool all_serve() {
    return std::ranges::all_of(nodes_, [](const auto& each) { return each.second->serves(); });
  }
  boost::asio::awaitable<bool> make(const std::string& node, const std::string& type) {
    for (int i = 0; i < kRovers; ++i) {
      const std::string name = node + std::to_string(i);
      const auto made = co_await rpc::call<&RoverApp::make>(endpoint, "rovers/" + node,
                                                            {.deadline = 20s}, name, type);
      if (!made) {
        ADD_FAILURE() << name << ": " << made.error().to_string();
        co_return false;
      }
      said[name] = 0;
    }
    co_return true;
  }
  /// A number to each, and now and then a word to go elsewhere, until it is told to stop.
  Task talk() {
    boost::asio::steady_timer timer(loop);
    for (std::uint64_t turn = 0; !stop; ++turn) {
      std::uint64_t which = 0;
      for (auto& [name, last] : said) {
        const std::string channel = "rover/" + name;
        if (rpc::send<&Rover::hear>(endpoint, channel, {}, last + 1)) ++last;
        if ((turn + ++which) % 20 != 0 || !roam) continue;
        static_cast<void>(rpc::send<&Rover::travel>(endpoint, channel, {},
                                                    (turn + which) % 40 == 0 ? "low" : "high"));
      }
      timer.expires_after(5ms);
      co_await timer.async_wait(use_awaitable);
    }
    stopped = true;
  }
  boost::asio::awaitable<bool> hush() {
    stop = true;
    co_return co_await until(5s, [this] { return stopped; });
  }
  /// All that live, by name; those who have died with a node are left out.
  boost::asio::awaitable<std::map<std::string, RoverReport>> reports() {
    std::map<std::string, RoverReport> all;
    for (const auto& [name, last] : said) {
      const auto report =
          co_await rpc::call<&Rover::report>(endpoint, "rover/" + name, {.deadline = 10s});
      if (report) all[name] = *report;
    }
    co_return all;
  }
  boost::asio::awaitable<std::map<std::string, std::uint32_t>> counts() {
    std::map<std::string, std::uint32_t> all;
    for (const char* const type : {"low", "high"}) {
      for (int line = 1; line <= 4; ++line) {
        const std::string name = type + ("-" + std::to_string(line));
        const auto count = co_await rpc::call<&Ground::count>(endpoint, "space/" + name, {});
        if (count && *count > 0) all[name] = *count;
      }
    }
    co_return all;
  }
  int players_on(const std::string& node) {
    int sum = 0;
    const auto page = nodes_.at(node)->json("/spaces");
    for (const auto& row : page["spaces"]) sum += row["players"].get<int>();
    return sum;
  }
  std::uint64_t moves(const std::string& node) {
    const auto page = nodes_.at(node)->get("/metrics").body;
    const auto at = page.find("starbus_space_travels_total{end=\"away\"} ");
    return at == std::string::npos ? 0 : std::stoull(page.substr(at + 40));
  }

  Cluster cluster{{.more = {{"a", "[mail]\nshards = ['0-255']\n"}}}};  // ids come from its counters
  Bus caller{loop, cluster.node("b", "caller")};
  rpc::Endpoint endpoint{caller};
  nodes::MainLoop main{loop};
  std::map<std::string, std::unique_ptr<Daemon>> nodes_;
  std::map<std::string, std::uint64_t> said;  // the last number, by rover
  bool stop = false;
  bool stopped = false;
  bool roam = true;
};

/// Each that lives has heard all, once, and in order, and is in one space, which counts it; the
/// others were on the node that was killed.
TEST_F(TravelProcesses, RoversHearAllInOrderWhileTheyTravelAndANodeIsKilled) {
  run(
      [this]() -> Task {
        CO_TRUE(co_await begin());
        rovers("b", "z", "high");
        CO_TRUE(co_await until(20s, [this] { return all_serve(); }));
        CO_TRUE(co_await make("x", "low"));
        spawn([this]() -> Task { co_await talk(); });
        CO_TRUE(co_await until(20s, [this] { return moves("x") > 60; }));
        const std::string crowded = players_on("y") > 0 ? "y" : "z";
        CO_TRUE(co_await until(20s, [&, this] { return players_on(crowded) > 3; }));
        nodes_.at(crowded)->kill();
        const std::uint64_t then = moves("x");
        CO_TRUE(co_await until(20s, [this, then] { return moves("x") > then + 30; }));
        roam = false;
        boost::asio::steady_timer timer(loop, 300ms);
        co_await timer.async_wait(use_awaitable);
        CO_TRUE(co_await hush());
        const auto all = co_await reports();
        EXPECT_GT(all.size(), 0U);
        std::cout << all.size() << " of " << said.size() << " live; " << moves("x")
                  << " moves from x\n";
        std::map<std::string, std::uint32_t> in;
        for (const auto& [name, report] : all) {
          EXPECT_EQ(report.wrong, 0U) << name;
          EXPECT_EQ(report.heard, said.at(name)) << name;
          EXPECT_NE(report.space, "") << name;
          ++in[report.space];
        }
        EXPECT_EQ(in, co_await counts()) << "each is in one space";
      },
      60s);
}

TEST_F(TravelProcesses, ADrainMovesEverybodyAndNothingIsLost) {
  run(
      [this]() -> Task {
        CO_TRUE(co_await begin());
        CO_TRUE(co_await make("y", "high"));
        rovers("b", "z", "high");
        CO_TRUE(co_await until(20s, [this] { return all_serve(); }));
        roam = false;
        spawn([this]() -> Task { co_await talk(); });
        nodes_.at("y")->process().signal(SIGTERM);
        CO_TRUE(
            co_await until(20s, [this] { return nodes_.at("y")->process().ended().has_value(); }));
        EXPECT_EQ(nodes_.at("y")->process().ended().value_or(-1), 0);
        EXPECT_EQ(nodes_.at("y")->log_lines_with("30 players have left for other nodes"), 1U);
        CO_TRUE(co_await hush());
        const auto all = co_await reports();
        EXPECT_EQ(all.size(), said.size()) << "everybody lives";
        for (const auto& [name, report] : all) {
          EXPECT_EQ(report.wrong, 0U) << name;
          EXPECT_EQ(report.heard, said.at(name)) << name;
          EXPECT_EQ(report.space, "high-2") << name;
        }
        const auto page = nodes_.at("z")->json("/spaces");
        EXPECT_EQ(page["spaces"][0]["players"], kRovers);
        EXPECT_EQ(page["travels"]["under_way"], 0);
      },
      60s);
}

/// All nodes with spaces drain at once: nobody waits for a seat that cannot come.
TEST_F(TravelProcesses, AShutdownOfTheClusterMovesNobody) {
  run(
      [this]() -> Task {
        CO_TRUE(co_await begin());
        CO_TRUE(co_await make("x", "low"));
        CO_TRUE(co_await make("y", "high"));
        EXPECT_EQ(players_on("x"), kRovers);
        EXPECT_EQ(players_on("y"), kRovers);
        const auto asked = co_await rpc::call<&nodes::manager::ManagerService::shutdown>(
            endpoint, nodes::manager::kManagerChannel, {}, "night");
        CO_TRUE(asked);
        const auto begun = std::chrono::steady_clock::now();
        for (const char* const node : {"x", "y"}) {
          CO_TRUE(
              co_await until(30s, [&] { return nodes_.at(node)->process().ended().has_value(); }));
          EXPECT_EQ(nodes_.at(node)->process().ended().value_or(-1), 0);
        }
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
        std::cout << "both nodes have ended after " << took.count() << " s\n";
        for (const char* const node : {"x", "y"}) {
          EXPECT_EQ(nodes_.at(node)->log_lines_with("30 players stay"), 1U) << node;
          EXPECT_EQ(nodes_.at(node)->log_lines_with("has not left"), 0U) << node;
          EXPECT_EQ(nodes_.at(node)->log_lines_with("have left for other nodes"), 0U) << node;
        }
      },
      90s);
}

}  // namespace
}  // namespace starbus::cluster_test
