#include "nodes/replica/followers.hpp"

#include <chrono>

namespace starbus::nodes::replica {

bool Followers::asked(const std::string& mirror, entity::Time now) {
  const auto known = asked_.find(mirror);
  if (known != asked_.end()) {
    known->second = now;
    return true;
  }
  forget_old(now);
  if (asked_.size() == kMaxMirrors) return false;
  asked_.emplace(mirror, now);
  names_.push_back(mirror);
  return true;
}

const std::vector<std::string>& Followers::names(entity::Time now) {
  forget_old(now);
  return names_;
}

/// Once a second at most.
void Followers::forget_old(entity::Time now) {
  if (now - swept_ < kFollow) return;
  swept_ = now;
  const auto is_old = [&](const auto& item) { return now - item.second > kForget; };
  if (std::erase_if(asked_, is_old) == 0) return;
  names_.clear();
  for (const auto& [name, asked] : asked_) names_.push_back(name);
}

}  // namespace starbus::nodes::replica
