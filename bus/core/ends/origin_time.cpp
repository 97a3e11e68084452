// What time does: probes, chokes, expiry; and what a new session does.
#include "bus/core/ends/origin.hpp"

#include <algorithm>
#include <cassert>

namespace starbus::bus {

void Origin::on_session() {
  for (auto& direct : direct_) direct.clear();
  for (auto& [key, stream] : streams_) stream->opened = stream->open_name.empty();
  for (Stream& stream : busy_) {
    stream.want_probe = !stream.lineage;
    if (!stream.choked) rewind(stream);
    stream.touched = now_;
    schedule(stream);
  }
}

void Origin::on_room() {
  for (Stream& stream : busy_) {
    if (!stream.choked) continue;
    stream.pause = from_ms(kChokeFirst);
    stream.probe_at = now_ + stream.pause;
    stream.want_probe = true;
    schedule(stream);
  }
}

Origin::Stuck Origin::stuck(Time silence) const {
  Stuck fullest;
  for (const Stream& stream : busy_) {
    if (now_ - stream.answered < silence || stream.charge <= fullest.bytes) continue;
    fullest = {stream.channel, stream.charge};
  }
  return fullest;
}

Time Origin::silence_of(const Stream& stream) const {
  const Time least = std::max(from_ms(kProbeFirst), 4 * stream.round_trip);
  return std::max(least, stream.pause);
}

void Origin::tick(Time now) {
  now_ = now;
  for (Stream& stream : busy_) {
    expire(stream);
    if (stream.choked) {
      if (now_ < stream.probe_at) continue;
      stream.pause = std::min(stream.pause * 2, from_ms(kChokeLongest));
      stream.probe_at = now_ + stream.pause;
    } else if (stream.sendable()) {
      stream.touched = now_;  // waits for our own link: that is not the owner's silence
      continue;
    } else {
      const Time silence = silence_of(stream);
      if (now_ - stream.touched <= silence) continue;
      stream.pause = std::min(silence * 2, from_ms(kProbeLongest));
      stream.touched = now_;
    }
    stream.want_probe = true;
    schedule(stream);
  }
  dispatch_events();
}

void Origin::expire(Stream& stream) {
  const std::uint32_t present = expiry_stamp(now_);
  if (!has_passed(stream.next_expiry, present)) return;
  // That one may have been released or withdrawn; and burying copies the stream.
  bool any = false;
  stream.next_expiry = 0;
  for (const Meta& meta : std::span(stream.items.data(), stream.items.size())) {
    const bool due = has_passed(meta.expires, present);
    any = any || due;
    if (!due) stream.next_expiry = earlier_expiry(stream.next_expiry, meta.expires);
  }
  if (!any) return;
  std::size_t index = 0;
  bury(stream, [&](const Meta& meta) {
    const bool sent = index++ < stream.sent;
    if (!has_passed(meta.expires, present)) return false;
    ++counters_.expired;
    events_due_.push_back({meta.token, stream.channel, stream.lane, meta.seq, Errc::expired, sent});
    return true;
  });
}

void Origin::withdraw(const ChannelId& channel, Lane lane, std::uint64_t seq) {
  Stream* stream = find(channel, lane);
  if (!stream || stream->items.empty()) return;
  bury(*stream, [&](const Meta& meta) { return meta.seq == seq; });
}

/// Turns the messages that `pick` chooses into tombstones: they keep their place in the chain, so
/// that their successors still follow something, and lose body, token and expiry.
template <class Pick>
void Origin::bury(Stream& stream, Pick&& pick) {
  bool any = false;
  Fifo<std::byte> encoded;
  std::size_t from = 0;
  stream.cursor_bytes = 0;
  for (std::size_t i = 0; i < stream.items.size(); ++i) {
    Meta& meta = stream.items[i];
    const std::byte* item = stream.encoded.data() + from;
    from += meta.encoded;
    if (!pick(meta)) {
      encoded.push(item, meta.encoded);
    } else {
      any = true;
      stream.charge -= charge_of(meta) - kItemHeader;
      if (meta.shared != 0) drop_shared(meta.shared);
      std::byte header[kItemHeader];
      store(header, kTombstone);
      std::memcpy(header + 4, item + 4, 4);
      encoded.push(header, kItemHeader);
      bytes_ -= meta.encoded - kItemHeader;
      meta = Meta{meta.seq, 0, kItemHeader, meta.sender, 0, 0, 1};
    }
    if (i + 1 == stream.cursor) stream.cursor_bytes = encoded.size();
  }
  stream.encoded = std::move(encoded);
  freed_ |= any;
}

}  // namespace starbus::bus
