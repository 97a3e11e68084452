/// A cluster of two hosts with managers, members (member.hpp), and a process that watches and asks.
#pragma once

#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <map>
#include <set>

#include "nodes/manager/manager_service.hpp"
#include "nodes/runtime/presence.hpp"
#include "tests/cluster/cluster_test.hpp"
#include "tests/cluster/manager/member.hpp"
#include "tests/cluster/node_process.hpp"

namespace starbus::cluster_test {

using nodes::manager::IdRange;
using nodes::manager::kManagerChannel;
using nodes::manager::ManagerService;
using nodes::manager::ShutdownPhase;
using nodes::manager::ShutdownReport;
using nodes::manager::StageReport;
using nodes::manager::StageState;

class ManagerTest : public ClusterTest {
 protected:
  explicit ManagerTest(ClusterOptions options = {}) : cluster(std::move(options)) {}

  /// Started. `keys` are of its configuration file.
  Daemon& member(const std::string& host, const std::string& name, const std::string& role,
                 const std::string& keys) {
    return started(node_process(cluster, "starbus-test-member", host, name, role,
                                "notes = '" + notes() + "'\n" + keys));
  }
  Daemon& manager(const std::string& host, const std::string& name, const std::string& keys = {}) {
    return started(node_process(cluster, "starbus-manager", host, name, "manager", keys));
  }
  Daemon& started(std::unique_ptr<Daemon> daemon) {
    daemon->start();
    daemons.push_back(std::move(daemon));
    return *daemons.back();
  }
  std::string notes() const { return (cluster.folder() / "notes").string(); }

  /// A process that sees who is ready, and calls the manager.
  struct Observer {
    Bus bus;
    rpc::Endpoint endpoint{bus};
  };
  boost::asio::awaitable<bool> begin(Observer& observer) {
    const auto connected = co_await observer.bus.connect(use_awaitable);
    if (!connected) co_return false;
    auto watch = nodes::watch_ready(observer.bus, "", [this](const nodes::ReadyUpdate& update) {
      for (const auto& each : update.came) ready.insert(each.process);
      for (const auto& each : update.left) ready.erase(each.process);
    });
    if (!watch) co_return false;
    watching = std::move(*watch);
    co_return true;
  }
  boost::asio::awaitable<bool> all_ready(std::size_t count) {
    co_return co_await until(20s, [this, count] { return ready.size() == count; });
  }
  /// Asks until the shutdown is in that phase; the latest report, empty if it never was.
  boost::asio::awaitable<ShutdownReport> report_when(Observer& observer, ShutdownPhase phase,
                                                     std::chrono::milliseconds limit) {
    boost::asio::steady_timer timer(loop);
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (std::chrono::steady_clock::now() < deadline) {
      auto asked = co_await rpc::call<&ManagerService::shutdown_report>(observer.endpoint,
                                                                        kManagerChannel, {});
      if (asked && asked->phase == phase) co_return *asked;
      timer.expires_after(20ms);
      co_await timer.async_wait(use_awaitable);
    }
    ADD_FAILURE() << "the shutdown was never " << name_of(phase);
    co_return ShutdownReport{};
  }
  static const StageReport& stage(const ShutdownReport& report, const std::string& name) {
    for (const StageReport& each : report.stages) {
      if (each.name == name) return each;
    }
    static const StageReport kNone;
    return kNone;
  }

  /// The lines that members have noted, "saved gate gate-1", in the order of time.
  std::vector<std::string> noted() const {
    std::ifstream file(notes());
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  /// What a member has written into its file.
  static std::map<std::string, std::uint64_t> numbers_of(const Daemon& member) {
    std::ifstream file(member.state_folder() / "numbers");
    std::map<std::string, std::uint64_t> numbers;
    std::string key;
    for (std::uint64_t number = 0; file >> key >> number;) numbers[key] = number;
    return numbers;
  }

  Cluster cluster;
  std::vector<std::unique_ptr<Daemon>> daemons;
  bus::WatchHandle watching;
  std::set<std::string> ready;
};

}  // namespace starbus::cluster_test
