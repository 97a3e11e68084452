#pragma once

#include <memory>
#include <string>

#include "daemon/main_loop.hpp"
#include "nodes/runtime/node.hpp"
#include "nodes/runtime/node_core.hpp"

namespace starbus::nodes {

/// A node as run_daemon drives it. Belongs to the loop's thread; owns the program and the core.
class NodeDaemon final : public daemon::Daemon {
 public:
  NodeDaemon(NodeInfo info, std::unique_ptr<App> app)
      : info_(std::move(info)), app_(std::move(app)) {}
  ~NodeDaemon() override;

  void configure(daemon::ConfigReader& reader) override;
  bus::Result<> start(daemon::DaemonContext& context) override;
  bus::Result<> reload() override;
  void drain(std::function<void()> done) override;
  /// What the program has given to the loop by itself may throw, too.
  bool survives_exceptions() const override { return true; }
  void threw(const std::exception_ptr& thrown) override;
  std::string status() const override;
  /// Healthy only when ready, so that load balancers send nothing before.
  bool healthy() const override;

 private:
  const NodeInfo info_;
  NodeSettings fresh_;  // as configure() read them
  std::unique_ptr<NodeCore> core_;
  std::unique_ptr<App> app_;  // after the core: its objects go first
};

}  // namespace starbus::nodes
