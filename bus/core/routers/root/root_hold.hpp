/// Records that busroot cannot route yet: their name is unknown and not all hosts have announced,
/// or the owner's host is away. A cache for speed only: whatever is dropped is resent by its
/// origin.
///
/// Bounded per name and in total by bytes, and by age. Owned and used by one thread; owns copies.
/// What does not fit is refused; the caller answers NACK overflow.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>

#include "bus/core/fifo.hpp"
#include "bus/core/lanes.hpp"
#include "bus/core/wire/record.hpp"

namespace starbus::bus {

class HoldQueues {
 public:
  /// Gets a kind and its payload, which is valid during the call. False: keep it, and what waits
  /// behind it. Must not hold anything.
  using Visit = std::function<bool(Kind kind, ByteView payload)>;

  /// False if a bound is reached; nothing was held then. The payload is copied.
  [[nodiscard]] bool hold(const ChannelId& channel, Kind kind, ByteView payload, Time now);
  /// Hands over, in order, what is held for this name.
  void release(const ChannelId& channel, const Visit& visit);
  /// The same for every name.
  void release_all(const Visit& visit);
  /// Hands over what waited longer than kQueueAge, to be given up.
  void expire(Time now, const Visit& dropped);

  std::size_t bytes() const { return bytes_; }
  std::size_t names() const { return queues_.size(); }

 private:
  struct Queue {
    Fifo<std::byte> records;  // {u32 milliseconds, u32 size, u8 kind, payload}
    std::size_t bytes = 0;
  };
  bool visit_front(Queue& queue, const Visit& visit);

  boost::unordered_flat_map<ChannelId, Queue> queues_;
  std::size_t bytes_ = 0;
};

}  // namespace starbus::bus
