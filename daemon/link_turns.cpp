#include "daemon/link_turns.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace starbus::daemon {

using bus::LinkId;
using bus::io::kLoopFree;
using bus::io::kLoopMemory;

void LinkTurns::join(User user) {
  ++users_[user].links;
}

void LinkTurns::leave(User user, LinkId link) {
  const auto found = users_.find(user);
  assert(found != users_.end() && found->second.links > 0);
  waiting_ -= std::erase(found->second.waiting, link);
  if (called_ == link) called_.reset();
  if (--found->second.links == 0) users_.erase(found);
}

void LinkTurns::advance_to(Clock::time_point now) {
  const auto periods = (now - halved_at_) / kLoopMemory;
  if (periods <= 0) return;
  halved_at_ = now;
  const int halvings = static_cast<int>(std::min<std::int64_t>(periods, 40));
  for (auto& [user, share] : users_) {
    share.spent /= std::int64_t{1} << halvings;
    if (share.turn_end) share.turn_end = std::min(*share.turn_end, share.spent + kTurn);
  }
}

bool LinkTurns::begin(User user, LinkId link, Clock::time_point now) {
  advance_to(now);
  Share& share = users_.at(user);
  const bool called = called_ == link;
  if (called) called_.reset();
  if (called || !shared() || (share.waiting.empty() && share.spent < kLoopFree)) {
    share.turn_end = share.spent + kTurn;
    return true;
  }
  share.waiting.push_back(link);
  ++waiting_;
  return false;
}

void LinkTurns::spend(User user, Clock::duration time, Clock::time_point now) {
  advance_to(now);
  const auto found = users_.find(user);
  if (found == users_.end()) return;
  found->second.spent += time;
  found->second.used += time;
}

LinkTurns::Clock::duration LinkTurns::used(User user) const {
  const auto found = users_.find(user);
  return found == users_.end() ? Clock::duration{} : found->second.used;
}

bool LinkTurns::is_over(User user) const {
  const auto found = users_.find(user);
  if (!shared() || found == users_.end()) return false;
  const Share& share = found->second;
  return share.turn_end && share.spent >= *share.turn_end;
}

std::optional<LinkId> LinkTurns::next(Clock::time_point now) {
  advance_to(now);
  Share* least = nullptr;
  for (auto& [user, share] : users_) {
    if (!share.waiting.empty() && (least == nullptr || share.spent < least->spent)) least = &share;
  }
  if (least == nullptr) return std::nullopt;
  called_ = least->waiting.front();
  least->waiting.pop_front();
  --waiting_;
  return called_;
}

}  // namespace starbus::daemon
