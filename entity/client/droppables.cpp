#include "entity/client/droppables.hpp"

#include <algorithm>
#include <utility>

#include "entity/client/limits.hpp"

namespace starbus::entity::sessions {

DropCounters& DropCounters::operator+=(const DropCounters& other) {
  said += other.said;
  replaced += other.replaced;
  aged += other.aged;
  crowded += other.crowded;
  return *this;
}

Droppables::Rows::iterator Droppables::remove(Rows::iterator at) {
  bytes_ -= at->second.body->size();
  slots_.erase(at->second.slot);
  return rows_.erase(at);
}

void Droppables::put(std::uint64_t slot, const DropRule& rule, Body body, LinkTime now) {
  Order order{255 - rule.priority, ++last_};
  if (const auto known = slots_.find(slot); known != slots_.end()) {
    if (known->second.rank == order.rank) order = known->second;
    remove(rows_.find(known->second));
    ++counters_.replaced;
  }
  const bool ages = rule.max_age < kNeverOld - now;
  bytes_ += body->size();
  slots_.emplace(slot, order);
  rows_.emplace(order, Row{slot, ages ? now + rule.max_age : kNeverOld, std::move(body)});
  while (rows_.size() > kDroppableSlots || bytes_ > kDroppableBytes) {
    remove(std::prev(rows_.end()));
    ++counters_.crowded;
  }
}

void Droppables::erase(std::uint64_t slot) {
  if (const auto known = slots_.find(slot); known != slots_.end()) {
    remove(rows_.find(known->second));
  }
}

void Droppables::expire(LinkTime now) {
  for (auto at = rows_.begin(); at != rows_.end();) {
    if (at->second.until > now) {
      ++at;
    } else {
      at = remove(at);
      ++counters_.aged;
    }
  }
}

void Droppables::clear() {
  rows_.clear();
  slots_.clear();
  bytes_ = 0;
}

void Droppables::said(std::size_t count) {
  counters_.said += count;
  for (; count > 0; --count) remove(rows_.begin());
}

std::vector<WaitingUpdate> Droppables::pack(LinkTime now) const {
  std::vector<WaitingUpdate> waiting;
  waiting.reserve(rows_.size());
  for (const auto& [order, row] : rows_) {
    const LinkTime left =
        row.until == kNeverOld ? kNeverOld : std::max(row.until - now, LinkTime{});
    waiting.push_back({row.slot, static_cast<std::uint8_t>(255 - order.rank), left, row.body});
  }
  return waiting;
}

void Droppables::unpack(std::vector<WaitingUpdate> waiting, LinkTime now) {
  for (WaitingUpdate& each : waiting) {
    put(each.slot, {each.left, each.priority}, std::move(each.body), now);
  }
}

}  // namespace starbus::entity::sessions
