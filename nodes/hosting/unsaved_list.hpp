#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

#include "entity/timers/timer_wheel.hpp"

namespace starbus::nodes::entities {

/// Entities whose present state is not stored, by online id, and when each is due: a fixed time
/// after its first change, so that many changes cost one save. A plain value.
class UnsavedList {
 public:
  explicit UnsavedList(entity::Time wait) : wait_(wait) {}

  /// Due after the wait; one that is marked already keeps its time.
  void mark(std::uint64_t id, entity::Time now) {
    if (due_.emplace(id, now + wait_).second) order_.emplace_back(now + wait_, id);
  }
  bool has(std::uint64_t id) const { return due_.contains(id); }
  /// It is being saved, or has ended. True if it was in the list.
  bool take(std::uint64_t id) { return due_.erase(id) != 0; }
  /// Removes and returns the entity that has been due for longest; nullopt if none is due.
  std::optional<std::uint64_t> take_due(entity::Time now) {
    while (!order_.empty() && order_.front().first <= now) {
      const auto [at, id] = order_.front();
      order_.pop_front();
      const auto found = due_.find(id);
      // One that was saved meanwhile, and has changed again, has a later place of its own.
      if (found == due_.end() || found->second != at) continue;
      due_.erase(found);
      return id;
    }
    return std::nullopt;
  }
  std::size_t size() const { return due_.size(); }

 private:
  const entity::Time wait_;
  std::unordered_map<std::uint64_t, entity::Time> due_;
  std::deque<std::pair<entity::Time, std::uint64_t>> order_;  // may name some that were saved
};

}  // namespace starbus::nodes::entities
