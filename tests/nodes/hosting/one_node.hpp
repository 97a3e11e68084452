/// A whole node in this process, beside a cluster of one host on a thread of its own.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "nodes/runtime/node.hpp"
#include "testing/cluster.hpp"
#include "tests/daemon/support.hpp"

namespace starbus::nodes::entities {

/// Runs what `make` makes until it stops the node. It must call what it is given within
/// App::start: then run_node has set its logger, to which the cluster writes, too.
inline void run_one_node(
    const std::function<std::unique_ptr<App>(std::function<void()> begin)>& make) {
  daemon::test::TempFolder folder;
  daemon::test::LogCapture former;
  boost::asio::io_context cluster_loop;
  starbus::testing::Cluster cluster(cluster_loop, {});
  std::thread cluster_thread;
  const auto file = folder.write(
      "node.toml", "node = 'n'\nstate_directory = '" + (folder.path() / "state").string() +
                       "'\n[bus]\nendpoint = '" + cluster.node("a", "n").endpoint +
                       "'\n[log]\ntarget = '" + (folder.path() / "log").string() + "'\n");
  const std::string path = file.string();
  const std::vector<const char*> arguments = {"node", "--config", path.c_str()};
  auto app = make([&] { cluster_thread = std::thread([&] { cluster_loop.run(); }); });
  EXPECT_EQ(run_node({.role = "tested"}, std::move(app), static_cast<int>(arguments.size()),
                     arguments.data()),
            daemon::kExitOk)
      << folder.read("log");
  cluster_loop.stop();
  if (cluster_thread.joinable()) cluster_thread.join();
}

}  // namespace starbus::nodes::entities
