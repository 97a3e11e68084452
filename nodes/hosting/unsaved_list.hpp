#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "entity/timers/timer_wheel.hpp"

namespace starbus::nodes::entities {

/// Entities whose present state is not stored, by online id, and when each is due. A plain value.
class UnsavedList {
 public:
  /// A time that does not come.
  static constexpr entity::Time kNever = entity::Time::max();

  /// `wait`: of entities that are marked without a time.
  explicit UnsavedList(entity::Time wait) : wait_(wait) {}

  /// Due after the wait; one that is marked already keeps its time.
  void mark(std::uint64_t id, entity::Time now) { mark_at(id, now + wait_); }
  /// kNever: it is not due, and in the list all the same.
  void mark_at(std::uint64_t id, entity::Time due) {
    if (due_.emplace(id, due).second && due != kNever) order_.emplace(due, id);
  }
  bool has(std::uint64_t id) const { return due_.contains(id); }
  /// It is being saved, or has ended. True if it was in the list.
  bool take(std::uint64_t id) {
    const auto found = due_.find(id);
    if (found == due_.end()) return false;
    order_.erase({found->second, id});
    due_.erase(found);
    return true;
  }
  /// Removes and returns the entity that has been due for longest; nullopt if none is due.
  std::optional<std::uint64_t> take_due(entity::Time now) {
    if (order_.empty() || order_.begin()->first > now) return std::nullopt;
    const std::uint64_t id = order_.begin()->second;
    take(id);
    return id;
  }
  std::size_t size() const { return due_.size(); }

 private:
  const entity::Time wait_;
  std::unordered_map<std::uint64_t, entity::Time> due_;
  std::set<std::pair<entity::Time, std::uint64_t>> order_;  // those that become due
};

}  // namespace starbus::nodes::entities
