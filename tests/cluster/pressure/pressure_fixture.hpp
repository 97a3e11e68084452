/// A cluster with one node under pressure on host a, and a caller on host b.
#pragma once

#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "entity/rpc/rpc.hpp"
#include "tests/cluster/cluster_test.hpp"
#include "tests/cluster/node_process.hpp"
#include "tests/cluster/pressure/node/keeper.hpp"

namespace starbus::cluster_test {

class PressureTest : public ClusterTest {
 protected:
  std::unique_ptr<Daemon> pressed(const std::string& role, const std::string& keys) {
    return node_process(cluster, "starbus-test-pressure", "a", role + "-1", role, keys);
  }
  /// What the node's program says of itself; null: it has not answered.
  boost::asio::awaitable<nlohmann::json> report() {
    const auto text = co_await rpc::call<&Keeper::report>(endpoint, kKeeper, {.deadline = 10s});
    EXPECT_TRUE(text) << (text ? "" : text.error().to_string());
    co_return text ? nlohmann::json::parse(*text) : nlohmann::json();
  }
  boost::asio::awaitable<bool> work(bool works) {
    const auto told =
        co_await rpc::call<&Keeper::work>(endpoint, kKeeper, {.deadline = 10s}, works);
    EXPECT_TRUE(told) << (told ? "" : told.error().to_string());
    co_return told.has_value();
  }
  /// By name, with its labels: "starbus_node_exceptions_total{kind=\"hook\"}".
  static std::map<std::string, double> metrics(const Daemon& node) {
    std::map<std::string, double> values;
    std::istringstream lines(node.get("/metrics").body);
    for (std::string line; std::getline(lines, line);) {
      const auto space = line.rfind(' ');
      if (line.empty() || line[0] == '#' || space == std::string::npos) continue;
      values[line.substr(0, space)] = std::stod(line.substr(space + 1));
    }
    return values;
  }

  Cluster cluster;
  Bus bus{loop, cluster.node("b", "caller")};
  rpc::Endpoint endpoint{bus};
};

}  // namespace starbus::cluster_test
