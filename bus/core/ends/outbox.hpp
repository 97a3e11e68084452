/// Messages of a channel that may not send now: it drains, is frozen or attaching, or its earlier
/// messages still wait here. First in, first out over all receivers and lanes, so that the order of
/// the channel holds. Travels in a move.
///
/// Bounded by kOutbox bytes of messages. Owns copies; one thread, no I/O.
#pragma once

#include <deque>
#include <vector>

#include "bus/core/lanes.hpp"
#include "bus/core/limits.hpp"
#include "bus/core/wire/record_moves.hpp"

namespace starbus::bus {

class Outbox {
 public:
  struct Entry {
    OutboxItem item;
    Time expires{};  // 0: never
  };

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  /// A message that is larger than the bound goes alone.
  bool has_room(std::size_t bytes) const {
    return entries_.empty() || bytes_ + bytes + kOverhead <= kOutbox;
  }
  void push(OutboxItem item, Time expires) {
    bytes_ += cost(item);
    entries_.push_back({std::move(item), expires});
  }
  const Entry& front() const { return entries_.front(); }
  Entry pop() {
    Entry entry = std::move(entries_.front());
    entries_.pop_front();
    bytes_ -= cost(entry.item);
    return entry;
  }

  /// For the state: each message with the rest of its time to live, at least 1 ms.
  std::vector<OutboxItem> pack(Time now) const {
    std::vector<OutboxItem> items;
    items.reserve(entries_.size());
    for (const Entry& entry : entries_) {
      OutboxItem& item = items.emplace_back(entry.item);
      if (entry.expires == Time{}) continue;
      const auto left = (entry.expires - now) / std::chrono::milliseconds(1);
      item.ttl_ms = static_cast<std::uint32_t>(std::max<std::int64_t>(left, 1));
    }
    return items;
  }
  void unpack(std::vector<OutboxItem> items, Time now) {
    for (OutboxItem& item : items) {
      const Time expires = item.ttl_ms == 0 ? Time{} : now + from_ms(item.ttl_ms);
      push(std::move(item), expires);
    }
  }

 private:
  static constexpr std::size_t kOverhead = 128;  // memory of an entry besides its bytes
  static std::size_t cost(const OutboxItem& item) { return item.message.size() + kOverhead; }

  std::deque<Entry> entries_;
  std::size_t bytes_ = 0;
};

}  // namespace starbus::bus
