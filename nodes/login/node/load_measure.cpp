#include "nodes/login/node/load_measure.hpp"

#include <algorithm>

#include "nodes/manager/load_service.hpp"

namespace starbus::nodes::login {
namespace {

constexpr std::chrono::milliseconds kLoadAnswer{2'000};

std::vector<NodeBusy> busy_of(const std::vector<manager::RoleNode>& rows) {
  std::vector<NodeBusy> nodes;
  for (const manager::RoleNode& row : rows) {
    NodeBusy& node = nodes.emplace_back();
    node.process = row.process;
    if (!row.measured) continue;
    node.busy_ms_per_s = row.busy_ms_per_s;
    const std::uint64_t most = static_cast<std::uint64_t>(Time(kLoadForget).count()) * 2;
    node.age = Time(static_cast<std::int64_t>(std::min(row.age_ms, most)));
  }
  return nodes;
}

}  // namespace

void LoadMeasure::ask() {
  if (waiting_ > 0) return;
  waiting_ = roles_.size();
  for (const std::string& role : roles_) ask(role);
}

void LoadMeasure::ask(const std::string& role) {
  entity::rpc::CallOptions options;
  options.deadline = kLoadAnswer;
  entity::rpc::call<&manager::LoadService::of_role>(
      endpoint_, std::string(manager::kLoadService), options,
      role)([this, alive = std::weak_ptr(alive_), role](const auto& reply) {
    if (alive.expired()) return;
    --waiting_;
    if (reply) report_(role, busy_of(*reply));
  });
}

}  // namespace starbus::nodes::login
