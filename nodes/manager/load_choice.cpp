#include "nodes/manager/load_choice.hpp"

#include "nodes/manager/limits.hpp"

namespace starbus::nodes::manager {

std::string LoadChoice::choose(const std::vector<NodeLoad>& nodes) {
  const NodeLoad* best = nullptr;
  double least = 0;
  for (const NodeLoad& node : nodes) {
    const auto found = placed_.find(node.process);
    const bool counts = found != placed_.end() && found->second.reported_at == node.reported_at;
    const double placed = counts ? static_cast<double>(found->second.since) : 0;
    const double busy = node.busy_ms_per_s + placed * kPlacedBusy;
    const bool better =
        best == nullptr || busy < least || (busy == least && node.process < best->process);
    if (!better) continue;
    best = &node;
    least = busy;
  }
  if (best == nullptr) return {};
  // Nodes that have gone leave rows: without them the next reports count alone.
  if (placed_.size() >= kMaxNodes && !placed_.contains(best->process)) placed_.clear();
  Placed& placed = placed_[best->process];
  if (placed.reported_at != best->reported_at) placed = {best->reported_at, 0};
  ++placed.since;
  return best->process;
}

}  // namespace starbus::nodes::manager
