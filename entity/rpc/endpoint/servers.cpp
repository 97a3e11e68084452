#include "entity/rpc/endpoint/servers.hpp"

#include "entity/rpc/limits.hpp"

namespace starbus::entity::rpc {

void Servers::update(const std::vector<bus::WatchRow>& changes, bool complete,
                     Clock::time_point now) {
  forget(now);
  for (const bus::WatchRow& row : changes) {
    const auto known = names_.find(row.name);
    if (known != names_.end() && (!row.present || known->second != row.owner)) {
      retire(known->second, now);
      names_.erase(known);
    }
    if (!row.present) continue;
    names_.insert_or_assign(row.name, row.owner);
    owners_[row.owner] = true;
  }
  known_ = known_ || complete;
}

void Servers::retire(const bus::Process& process, Clock::time_point now) {
  owners_[process] = false;
  former_.emplace_back(now, process);
}

/// A process that had its name again meanwhile stays.
void Servers::forget(Clock::time_point now) {
  while (!former_.empty() &&
         (now - former_.front().first >= kFormerServerTime || former_.size() > kFormerServers)) {
    const auto found = owners_.find(former_.front().second);
    if (found != owners_.end() && !found->second) owners_.erase(found);
    former_.pop_front();
  }
}

}  // namespace starbus::entity::rpc
