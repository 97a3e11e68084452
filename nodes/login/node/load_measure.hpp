#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "entity/rpc/rpc.hpp"
#include "nodes/login/core/node_loads.hpp"

namespace starbus::nodes::login {

/// How busy the nodes are where players live: asks the manager, now and then. Belongs to the loop's
/// thread; the endpoint outlives it. A manager that does not answer shows as silence.
class LoadMeasure {
 public:
  using Report = std::function<void(const std::string& role, const std::vector<NodeBusy>& nodes)>;

  /// `report` is called with each answer.
  LoadMeasure(entity::rpc::Endpoint& endpoint, std::vector<std::string> roles, Report report)
      : endpoint_(endpoint), roles_(std::move(roles)), report_(std::move(report)) {}
  /// Begins a round, unless one is under way.
  void ask();

 private:
  void ask(const std::string& role);

  entity::rpc::Endpoint& endpoint_;
  const std::vector<std::string> roles_;
  const Report report_;
  std::size_t waiting_ = 0;  // answers of this round
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace starbus::nodes::login
