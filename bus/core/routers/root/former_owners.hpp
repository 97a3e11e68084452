/// The hosts whose processes owned names that are free now. Their last acknowledgements may still
/// be under way, and no other host may answer for such a name.
///
/// A plain structure of RootRouter, bounded in number and in time; same thread.
#pragma once

#include <cstdint>
#include <deque>

#include <boost/unordered/unordered_flat_map.hpp>

#include "bus/core/lanes.hpp"
#include "bus/core/wire/ids.hpp"

namespace starbus::bus {

class FormerOwners {
 public:
  /// A host with more names than this that ends loses acknowledgements, which may be lost.
  static constexpr std::size_t kKept = 65'536;

  /// The name of a process on `host` has become free.
  void add(const ChannelId& channel, std::uint32_t host, Time now) {
    forget_before(now);
    if (order_.size() == kKept) forget_oldest();
    order_.push_back({channel, now});
    owners_.insert_or_assign(channel, Owner{host, now});
  }
  bool was(const ChannelId& channel, std::uint32_t host, Time now) const {
    const auto found = owners_.find(channel);
    return found != owners_.end() && found->second.host == host &&
           now - found->second.since <= kQueueAge;
  }

 private:
  struct Owner {
    std::uint32_t host;
    Time since;
  };
  struct Entry {
    ChannelId channel;
    Time since;
  };
  void forget_before(Time now) {
    while (!order_.empty() && now - order_.front().since > kQueueAge) forget_oldest();
  }
  void forget_oldest() {
    const auto found = owners_.find(order_.front().channel);
    // A name that became free once more has a later entry.
    if (found != owners_.end() && found->second.since == order_.front().since) owners_.erase(found);
    order_.pop_front();
  }

  std::deque<Entry> order_;
  boost::unordered_flat_map<ChannelId, Owner> owners_;
};

}  // namespace starbus::bus
