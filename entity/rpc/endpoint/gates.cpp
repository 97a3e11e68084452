#include "entity/rpc/endpoint/gates.hpp"

#include "entity/rpc/limits.hpp"

namespace starbus::entity::rpc {

void Gates::update(const std::vector<bus::WatchRow>& changes, bool complete) {
  for (const bus::WatchRow& row : changes) {
    const auto known = owners_.find(row.name);
    if (row.present && known != owners_.end() && known->second == row.owner) continue;
    gone(row.name);
    if (!row.present) continue;
    owners_.emplace(row.name, row.owner);
    if (++names_[row.owner] == 1) std::erase(former_, row.owner);
  }
  known_ = known_ || complete;
}

void Gates::gone(const std::string& name) {
  const auto found = owners_.find(name);
  if (found == owners_.end()) return;
  const bus::Process owner = found->second;
  owners_.erase(found);
  if (--names_[owner] != 0) return;
  former_.push_back(owner);
  if (former_.size() <= kMaxGates) return;
  names_.erase(former_.front());
  former_.pop_front();
}

}  // namespace starbus::entity::rpc
