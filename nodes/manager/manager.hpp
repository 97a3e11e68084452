/// The manager: the node that sees the whole cluster. Read this header first, then
/// docs/guide/manager.md.
///
///   starbus-manager --config /etc/starbus/manager.toml
///
///   rpc::call<&ManagerService::cluster>(endpoint, manager::kManagerChannel, {}, "");
///
/// It owns manager/cluster while it is ready. A second manager waits for that name, as a standby.
/// It stores nothing on disk: it learns its state from the nodes, and durable state is in the mail
/// store. Everything belongs to the loop's thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nodes/manager/placement/placement_plan.hpp"
#include "nodes/manager/shutdown_plan.hpp"
#include "nodes/runtime/node.hpp"

namespace starbus::nodes::manager {

struct ManagerParts;

class Manager final : public App {
 public:
  Manager();
  ~Manager() override;

  void configure(daemon::ConfigReader& reader) override;
  bus::Result<> start(Node& node) override;
  bus::Result<> reload() override;
  std::string status() const override;

 private:
  ShutdownPlan plan_;  // as configure() read it
  std::vector<WantedType> wanted_;
  std::unique_ptr<ManagerParts> parts_;
};

}  // namespace starbus::nodes::manager
