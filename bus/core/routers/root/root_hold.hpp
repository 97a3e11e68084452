/// Records that busroot cannot route yet: their name is unknown and not all hosts have announced,
/// or the owner's host is away. A cache for speed only: origins send dropped records
/// again.
///
/// Bounded per name and in total by bytes, and by age. Owned and used by one thread; owns copies.
/// A record that does not fit is refused; the caller answers NACK overflow.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>

#include "bus/core/fifo.hpp"
#include "bus/core/lanes.hpp"
#include "bus/core/wire/record.hpp"

namespace starbus::bus {

class HoldQueues {
 public:
  /// Gets a kind and its payload, which is valid during the call. Returns false to keep it and the
  /// records after it. Must not call `hold`.
  using Visit = std::function<bool(Kind kind, ByteView payload)>;

  /// False if a bound is reached; then nothing is held. The payload is copied.
  [[nodiscard]] bool hold(const ChannelId& channel, Kind kind, ByteView payload, Time now);
  /// Hands over the records held for this name, in order.
  void release(const ChannelId& channel, const Visit& visit);
  /// As release, for every name.
  void release_all(const Visit& visit);
  /// Hands over the records that waited longer than kQueueAge.
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
