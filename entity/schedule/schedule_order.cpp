// In which phase and in which order functions run, and what a cycle looks like.
#include <algorithm>
#include <queue>
#include <utility>

#include "entity/schedule/schedule.hpp"

namespace starbus::entity {
namespace {

constexpr std::size_t kNamesOfWay = 8;  // of a cycle: people read it

}  // namespace

/// "b after a", if `from` waits for `to` by that way or is it; else nothing.
std::string TickSchedule::way(const Entry& from, const Entry& to) const {
  std::unordered_map<const Entry*, const Entry*> reached_by{{&from, nullptr}};
  std::vector<const Entry*> open{&from};
  while (!open.empty() && !reached_by.contains(&to)) {
    const Entry* const entry = open.back();
    open.pop_back();
    for (const TickId id : entry->options.after) {
      const Entry* const next = find(id);
      if (next != nullptr && reached_by.emplace(next, entry).second) open.push_back(next);
    }
  }
  if (!reached_by.contains(&to)) return {};
  std::vector<const Entry*> steps;
  for (const Entry* step = &to; step != nullptr; step = reached_by.at(step)) steps.push_back(step);
  std::string text = from.options.name;
  for (std::size_t i = steps.size() - 1; i-- > 0;) {
    const bool is_told = steps.size() <= kNamesOfWay || i == 0 || steps.size() - i < kNamesOfWay;
    if (is_told) text += " after " + steps[i]->options.name;
    if (!is_told && i == 1) text += " after ...";
  }
  return text;
}

/// Its own, or the latest of those that it waits for.
TickPhase TickSchedule::settle_phase(Entry& entry,
                                     std::unordered_map<std::uint64_t, TickPhase>& settled) {
  const auto known = settled.find(entry.serial);
  if (known != settled.end()) return known->second;
  TickPhase phase = entry.options.phase;
  for (const TickId id : entry.options.after) {
    if (Entry* const other = find(id)) phase = std::max(phase, settle_phase(*other, settled));
  }
  settled.emplace(entry.serial, phase);
  return entry.phase = phase;
}

/// Kahn's algorithm ("Topological sorting of large networks", 1962), which of all that may be next
/// takes the one that was added first.
void TickSchedule::put_in_order() {
  std::unordered_map<std::uint64_t, TickPhase> settled;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> waiting_for;
  std::unordered_map<std::uint64_t, std::size_t> waits;
  for (const auto& [serial, entry] : functions_) settle_phase(*entry, settled);
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> next;
  for (const auto& [serial, entry] : functions_) {
    std::size_t count = 0;
    for (const TickId id : entry->options.after) {
      const Entry* const other = find(id);
      if (other == nullptr || other->phase != entry->phase) continue;
      waiting_for[id.serial].push_back(serial);
      ++count;
    }
    if (count == 0) {
      next.push(serial);
    } else {
      waits.emplace(serial, count);
    }
  }
  // Destroyed last: a removed function may own the handles of others.
  const auto former = std::exchange(order_, {});
  while (!next.empty()) {
    const std::uint64_t serial = next.top();
    next.pop();
    const auto& entry = functions_.at(serial);
    order_.at(static_cast<std::size_t>(entry->phase)).push_back(entry);
    for (const std::uint64_t other : waiting_for[serial]) {
      if (--waits.at(other) == 0) next.push(other);
    }
  }
  in_order_ = true;
}

}  // namespace starbus::entity
