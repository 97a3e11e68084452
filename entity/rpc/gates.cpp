#include "entity/rpc/gates.hpp"

#include "entity/rpc/limits.hpp"

namespace starbus::entity::rpc {

void Gates::update(const std::vector<bus::WatchRow>& changes, bool complete) {
  for (const bus::WatchRow& row : changes) {
    gone(row.name);
    if (!row.present) continue;
    owners_.emplace(row.name, row.owner);
    ++names_[row.owner];
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
  while (former_.size() > kMaxGates) {
    const auto oldest = names_.find(former_.front());
    if (oldest != names_.end() && oldest->second == 0) names_.erase(oldest);
    former_.pop_front();
  }
}

}  // namespace starbus::entity::rpc
