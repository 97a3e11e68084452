/// The streams of an Origin, by channel and lane, and in lists: those with something to transmit,
/// those with unacknowledged messages, and the idle ones, of which the latest kLineageCache keep
/// their lineage. Owns the streams; one thread.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>

#include "bus/core/origin/origin_stream.hpp"

namespace starbus::bus {

struct Destination;

class StreamTable {
  template <OriginStream::Hook OriginStream::*hook>
  using List =
      boost::intrusive::list<OriginStream,
                             boost::intrusive::member_hook<OriginStream, OriginStream::Hook, hook>,
                             boost::intrusive::constant_time_size<true>>;

 public:
  using BusyList = List<&OriginStream::busy_hook>;
  using ReadyList = List<&OriginStream::ready_hook>;
  struct Key {
    ChannelId channel;
    Lane lane;
    friend bool operator==(const Key&, const Key&) = default;
    friend std::size_t hash_value(const Key& key) {
      return hash_value(key.channel) + static_cast<std::size_t>(key.lane) * 0x9e3779b9;
    }
  };
  using Map = boost::unordered_flat_map<Key, std::unique_ptr<OriginStream>, boost::hash<Key>>;

  StreamTable() = default;
  ~StreamTable();
  StreamTable(const StreamTable&) = delete;
  StreamTable& operator=(const StreamTable&) = delete;

  /// Null if there is none.
  OriginStream* find(const ChannelId& channel, Lane lane) const;
  /// The stream to this place, idle if it is new.
  OriginStream& get(const Destination& to, Lane lane);
  /// Ends an idle stream.
  void erase(OriginStream& stream);

  /// Lists the stream among those that are ready, or not, as its state says. Call after changes.
  void schedule(OriginStream& stream);
  void became_busy(OriginStream& stream);
  /// Its last message is gone. May end the stream that is idle for longest.
  void became_idle(OriginStream& stream);

  ReadyList& ready(Lane lane) { return ready_[static_cast<std::size_t>(lane)]; }
  const ReadyList& ready(Lane lane) const { return ready_[static_cast<std::size_t>(lane)]; }
  BusyList& busy() { return busy_; }
  const BusyList& busy() const { return busy_; }
  Map& all() { return streams_; }

 private:
  Map streams_;
  std::array<ReadyList, kLanes> ready_;
  BusyList busy_;
  List<&OriginStream::idle_hook> idle_;  // longest idle first
};

}  // namespace starbus::bus
