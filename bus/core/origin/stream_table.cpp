#include "bus/core/origin/stream_table.hpp"

#include <cassert>

#include "bus/core/origin/origin.hpp"

namespace starbus::bus {
namespace {

constexpr std::size_t kWarmStreams = 1024;  // idle streams that may keep their storage

}  // namespace

StreamTable::~StreamTable() {
  for (auto& list : ready_) list.clear();
  busy_.clear();
  idle_.clear();
}

OriginStream* StreamTable::find(const ChannelId& channel, Lane lane) const {
  const auto found = streams_.find(Key{channel, lane});
  return found == streams_.end() ? nullptr : found->second.get();
}

OriginStream& StreamTable::get(const Destination& to, Lane lane) {
  auto& slot = streams_[Key{to.channel, lane}];
  if (!slot) {
    slot = std::make_unique<OriginStream>();
    slot->channel = to.channel;
    slot->lane = lane;
    slot->open_name = to.open_name;
    slot->opened = to.open_name.empty();
    slot->durable = to.durable;
    idle_.push_back(*slot);
  }
  return *slot;
}

void StreamTable::erase(OriginStream& stream) {
  assert(stream.items.empty());
  idle_.erase(idle_.iterator_to(stream));
  streams_.erase(Key{stream.channel, stream.lane});
}

void StreamTable::schedule(OriginStream& stream) {
  const bool wanted = stream.want_probe || stream.asks() || stream.sendable();
  ReadyList& list = ready(stream.lane);
  if (wanted && !stream.ready_hook.is_linked()) list.push_back(stream);
  if (!wanted && stream.ready_hook.is_linked()) list.erase(list.iterator_to(stream));
}

void StreamTable::became_busy(OriginStream& stream) {
  idle_.erase(idle_.iterator_to(stream));
  busy_.push_back(stream);
}

void StreamTable::became_idle(OriginStream& stream) {
  assert(stream.items.empty());
  busy_.erase(busy_.iterator_to(stream));
  stream.prev = 0;
  stream.next_expiry = 0;
  stream.reset_pace();
  schedule(stream);
  idle_.push_back(stream);
  if (idle_.size() > kWarmStreams) {
    stream.items.release();
    stream.encoded.release();
  }
  if (idle_.size() > kLineageCache) erase(idle_.front());
}

}  // namespace starbus::bus
