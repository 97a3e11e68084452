#include "nodes/gate/core/spoken.hpp"

#include <algorithm>

#include "nodes/gate/core/limits.hpp"

namespace starbus::nodes::gate {

bool SpokenSeen::first(const bus::Process& origin, std::uint64_t number) {
  const auto found = std::ranges::find(origins_, origin, &Origin::process);
  if (found == origins_.end()) {
    if (origins_.size() == kOriginsKept) origins_.erase(origins_.begin());
    origins_.push_back({origin, number, 0});
    return true;
  }
  std::rotate(found, found + 1, origins_.end());
  Origin& known = origins_.back();
  if (number > known.highest) {
    const std::uint64_t step = number - known.highest;
    known.before = step > 64 ? 0 : (step == 64 ? 0 : known.before << step) | (1ULL << (step - 1));
    known.highest = number;
    return true;
  }
  const std::uint64_t back = known.highest - number;
  if (back == 0 || back > 64) return false;
  const std::uint64_t bit = 1ULL << (back - 1);
  if ((known.before & bit) != 0) return false;
  known.before |= bit;
  return true;
}

void GroupTable::join(const std::string& group, const SessionId& session) {
  members_[group].insert(session);
}

void GroupTable::leave(const std::string& group, const SessionId& session) {
  const auto found = members_.find(group);
  if (found == members_.end()) return;
  found->second.erase(session);
  if (found->second.empty()) members_.erase(found);
}

std::optional<SessionId> GroupTable::after(const std::string& group,
                                           const SessionId& session) const {
  const auto found = members_.find(group);
  if (found == members_.end()) return {};
  const auto next = found->second.upper_bound(session);
  if (next == found->second.end()) return {};
  return *next;
}

std::size_t GroupTable::size(const std::string& group) const {
  const auto found = members_.find(group);
  return found == members_.end() ? 0 : found->second.size();
}

}  // namespace starbus::nodes::gate
