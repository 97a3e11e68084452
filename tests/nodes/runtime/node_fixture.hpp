/// A whole node in this process, beside a cluster on a thread of its own.
#pragma once

#include <gmock/gmock.h>

#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "nodes/runtime/node.hpp"
#include "testing/cluster.hpp"
#include "tests/daemon/support.hpp"

namespace starbus::nodes {

using namespace std::chrono_literals;
using daemon::test::LogCapture;
using daemon::test::TempFolder;

/// A cluster on a thread of its own, from begin() on: not while run_node replaces the logger that
/// both write to.
class ClusterThread {
 public:
  explicit ClusterThread(bus::Time lease)
      : cluster_(std::make_unique<starbus::testing::Cluster>(
            loop_, starbus::testing::ClusterOptions{.lease = lease})),
        endpoint_(cluster_->node("a", "x").endpoint) {}
  ~ClusterThread() {
    boost::asio::post(loop_, [this] {
      peer_.reset();
      loop_.stop();
    });
    if (thread_.joinable()) thread_.join();
  }
  const std::string& endpoint() const { return endpoint_; }
  /// Counts what comes for this name, in a process of its own beside the node. Before begin(); the
  /// process belongs to the thread that begin() starts.
  void listen(const std::string& name) {
    boost::asio::post(loop_, [this, name] {
      peer_ = std::make_unique<bus::Bus>(loop_, cluster_->node("a", "peer"));
      peer_->connect([this, name](const bus::Result<>& connected) {
        EXPECT_TRUE(connected);
        peer_->bind(name, {.on_message = [this](bus::Message&) { ++heard_; }},
                    [](const bus::Result<bus::Bound>& bound) { EXPECT_TRUE(bound); });
      });
    });
  }
  int heard() const { return heard_; }
  void begin() {
    thread_ = std::thread([this] { loop_.run(); });
  }
  /// From any thread, and does not wait.
  void crash_root() {
    boost::asio::post(loop_, [this] { cluster_->crash_root(); });
  }
  void start_root() {
    boost::asio::post(loop_, [this] { cluster_->start_root(); });
  }
  /// Returns when it has crashed; it is there again after this time.
  void take_busd_away(std::chrono::milliseconds time) {
    std::promise<void> crashed;
    boost::asio::post(loop_, [this, time, &crashed] {
      cluster_->crash_busd("a");
      back_.expires_after(time);
      back_.async_wait([this](const boost::system::error_code& error) {
        if (!error) cluster_->start_busd("a");
      });
      crashed.set_value();
    });
    crashed.get_future().wait();
  }

 private:
  boost::asio::io_context loop_;
  boost::asio::steady_timer back_{loop_};
  std::unique_ptr<starbus::testing::Cluster> cluster_;
  std::string endpoint_;
  std::unique_ptr<bus::Bus> peer_;
  std::atomic<int> heard_{0};
  std::thread thread_;
};

class ScriptedApp final : public App {
 public:
  using Start = std::function<bus::Result<>(Node&)>;
  explicit ScriptedApp(Start start) : start_(std::move(start)) {}
  bus::Result<> start(Node& node) override { return start_(node); }

 private:
  Start start_;
};

class NodeTest : public ::testing::Test {
 protected:
  int run(const std::string& endpoint, ScriptedApp::Start start, const std::string& more = {}) {
    const auto file = folder_.write(
        "node.toml", more + "node = 'n'\nstate_directory = '" +
                         (folder_.path() / "state").string() + "'\n[bus]\nendpoint = '" + endpoint +
                         "'\n[log]\ntarget = '" + (folder_.path() / "log").string() + "'\n");
    const std::string path = file.string();
    const std::vector<const char*> arguments = {"node", "--config", path.c_str()};
    return run_node({.role = "test"}, std::make_unique<ScriptedApp>(std::move(start)),
                    static_cast<int>(arguments.size()), arguments.data());
  }
  std::string log() const { return folder_.read("log"); }

  TempFolder folder_;
  LogCapture former_;
};

}  // namespace starbus::nodes
