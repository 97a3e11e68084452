#include "bus/core/routers/root/root_hold.hpp"

#include <cassert>

namespace starbus::bus {
namespace {

constexpr std::size_t kHead = 9;
// Cost of a record besides its bytes: its head, and its share of the queue and of the table.
constexpr std::size_t kOverhead = 128;

std::uint32_t stamp_of(Time now) {
  return static_cast<std::uint32_t>(now / std::chrono::milliseconds(1));
}

}  // namespace

bool HoldQueues::hold(const ChannelId& channel, Kind kind, ByteView payload, Time now) {
  const std::size_t cost = payload.size() + kOverhead;
  const auto found = queues_.find(channel);
  const std::size_t present = found == queues_.end() ? 0 : found->second.bytes;
  if (present + cost > kHoldQueue || bytes_ + cost > kHoldTotal) return false;
  Queue& queue = found == queues_.end() ? queues_[channel] : found->second;
  std::byte head[kHead];
  store(head, stamp_of(now));
  store(head + 4, static_cast<std::uint32_t>(payload.size()));
  store(head + 8, static_cast<std::uint8_t>(kind));
  queue.records.push(head, sizeof head);
  queue.records.push(payload.data(), payload.size());
  queue.bytes += cost;
  bytes_ += cost;
  return true;
}

bool HoldQueues::visit_front(Queue& queue, const Visit& visit) {
  const std::byte* const head = queue.records.data();
  const std::size_t size = load<std::uint32_t>(head + 4);
  const auto kind = static_cast<Kind>(load<std::uint8_t>(head + 8));
  if (!visit(kind, {head + kHead, size})) return false;
  queue.records.pop(kHead + size);
  assert(queue.bytes >= size + kOverhead && bytes_ >= size + kOverhead);
  queue.bytes -= size + kOverhead;
  bytes_ -= size + kOverhead;
  return true;
}

void HoldQueues::release(const ChannelId& channel, const Visit& visit) {
  const auto found = queues_.find(channel);
  if (found == queues_.end()) return;
  Queue& queue = found->second;
  while (!queue.records.empty() && visit_front(queue, visit)) {
  }
  if (queue.records.empty()) queues_.erase(found);
}

void HoldQueues::release_all(const Visit& visit) {
  for (auto at = queues_.begin(); at != queues_.end();) {
    Queue& queue = at->second;
    while (!queue.records.empty() && visit_front(queue, visit)) {
    }
    const auto present = at++;
    if (queue.records.empty()) queues_.erase(present);
  }
}

void HoldQueues::expire(Time now, const Visit& dropped) {
  const std::uint32_t present = stamp_of(now);
  release_all([&](Kind kind, ByteView payload) {
    // The head of the record lies before its payload.
    const auto since = load<std::uint32_t>(payload.data() - kHead);
    return std::chrono::milliseconds(present - since) > kQueueAge && dropped(kind, payload);
  });
}

}  // namespace starbus::bus
