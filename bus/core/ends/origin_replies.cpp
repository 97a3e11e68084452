// What comes back: acknowledgements, refusals, other lineages.
#include "bus/core/ends/origin.hpp"

#include <algorithm>
#include <cassert>
#include "bus/core/sabotage.hpp"

namespace starbus::bus {

void Origin::on_ack(const Ack& ack) {
  Stream* stream = find(ack.channel, ack.lane);
  if (stream && adopt_lineage(*stream, ack.lineage)) {
    const bool was_choked = stream->choked;
    release(*stream, ack.last);
    owner_answered(*stream);
    if (was_choked && !stream->items.empty()) rewind(*stream);
    schedule(*stream);
  }
  dispatch_events();
}

void Origin::on_nack(const Nack& nack) {
  Stream* stream = find(nack.channel, nack.lane);
  if (!stream || stream->items.empty()) return;
  const bool pending = nack.seq >= stream->items.front().seq;
  switch (nack.reason) {
    case NackReason::overflow:
      if (!pending || stream->choked) break;
      slow_down(*stream);
      choke(*stream);
      break;
    case NackReason::no_owner:
      if (!pending) break;
      if (stream->durable) {
        choke(*stream);
      } else {
        fail_suffix(*stream);
      }
      break;
    case NackReason::gap:
    case NackReason::lineage: {
      if (!adopt_lineage(*stream, nack.lineage)) break;
      const bool was_choked = stream->choked;
      if (nack.reason == NackReason::gap && !stream->durable) release(*stream, nack.last);
      owner_answered(*stream);
      if (stream->items.empty()) break;
      const Time pause = std::max(stream->round_trip, from_ms(1));
      if (was_choked || nack.last != stream->resent_last || now_ - stream->resent_at > pause) {
        stream->resent_last = nack.last;
        stream->resent_at = now_;
        rewind(*stream);
      }
      schedule(*stream);
      break;
    }
  }
  dispatch_events();
}

void Origin::on_posted(const Posted& posted) {
  Stream* const stream = find(posted.channel, posted.lane);
  if (stream && stream->durable && adopt_lineage(*stream, posted.lineage)) {
    const bool was_choked = stream->choked;
    release_posted(*stream, posted);
    owner_answered(*stream);
    if (was_choked && !stream->items.empty()) rewind(*stream);
    schedule(*stream);
  }
  dispatch_events();
}

/// Releases what has a result, from the front. Without one, the result was in a record that is
/// lost: a probe asks for it. If the owner has forgotten it, the outcome is unknown.
void Origin::release_posted(Stream& stream, const Posted& posted) {
  std::size_t count = 0;
  auto result = posted.results.begin();
  for (; count < stream.items.size() && stream.items[count].seq <= posted.last; ++count) {
    const Meta& meta = stream.items[count];
    if (meta.tombstone) continue;
    while (result != posted.results.end() && result->seq < meta.seq) ++result;
    const bool found = result != posted.results.end() && result->seq == meta.seq;
    if (!found && !posted.complete) break;
    Event event{meta.token, stream.channel, stream.lane, meta.seq, Errc::owner_lost, true};
    if (found) {
      event.posted = true;
      event.reason = result->status;
      event.number = result->number;
    } else {
      ++counters_.failed;
    }
    events_due_.push_back(event);
  }
  if (count == 0) return;
  sample_round_trip(stream, stream.items[count - 1].seq);
  counters_.acknowledged += count;
  pop_front(stream, count);
}

void Origin::choke(Stream& stream) {
  if (stream.choked) return;
  stream.choked = true;
  stream.pause = from_ms(kChokeFirst);
  stream.probe_at = now_ + stream.pause;
  ++counters_.chokes;
  schedule(stream);
}

/// A queue on the way was full. All that is unacknowledged, sent again at once, would only fill it
/// again: so half of what was on its way may be, and an eighth more with every round trip.
void Origin::slow_down(Stream& stream) {
  stream.most_in_flight = std::max(stream.cursor_bytes / 2, kLeastInFlight);
}

void Origin::speed_up(Stream& stream, std::size_t released) {
  if (stream.most_in_flight == kNoLimit) return;
  stream.most_in_flight += released / 8;
  if (stream.most_in_flight >= kChannelWindow) stream.most_in_flight = kNoLimit;
}

/// False: the reply speaks of an older life of the channel, and says nothing about this one.
bool Origin::adopt_lineage(Stream& stream, Lineage lineage) {
  if (stream.lineage && lineage < stream.lineage) return false;
  if (stream.lineage && lineage > stream.lineage) {
    fail_front(stream, stream.sent, Errc::owner_lost, true);
    stream.prev = 0;  // what was never sent is chained anew
    stream.resent_last = ~std::uint64_t{0};
    stream.choked = false;
  }
  stream.lineage = lineage;
  return true;
}

void Origin::owner_answered(Stream& stream) {
  stream.choked = false;
  stream.touched = stream.answered = now_;
  stream.pause = Time{};
}

void Origin::release(Stream& stream, std::uint64_t last) {
  std::size_t count = 0;
  while (count < stream.items.size() && stream.items[count].seq <= last) {
    const Meta& meta = stream.items[count];
    if (meta.token != 0) {
      events_due_.push_back({meta.token, stream.channel, stream.lane, meta.seq, Errc::ok, true});
    }
    ++count;
  }
  if (count == 0) return;
  sample_round_trip(stream, last);
  counters_.acknowledged += count;
  pop_front(stream, count);
}

void Origin::sample_round_trip(Stream& stream, std::uint64_t last) {
  if (stream.timed_seq == 0 || last < stream.timed_seq) return;
  const Time sample = now_ - stream.timed_at;
  stream.round_trip = stream.round_trip == Time{} ? sample : (stream.round_trip * 7 + sample) / 8;
  stream.timed_seq = 0;
}

/// Forgets the first `count` items, whatever became of them.
void Origin::pop_front(Stream& stream, std::size_t count) {
  if (count == 0) return;
  std::size_t encoded = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Meta& meta = stream.items[i];
    encoded += meta.encoded;
    stream.charge -= charge_of(meta);
    bytes_ -= meta.encoded;
    if (meta.shared != 0) drop_shared(meta.shared);
    if (meta.sender != 0 && --outstanding_[meta.sender] == 0) outstanding_.erase(meta.sender);
  }
  stream.prev = stream.items[count - 1].seq;
  if (stream.timed_seq <= stream.prev) stream.timed_seq = 0;  // its reply will never come
  stream.items.pop(count);
  stream.encoded.pop(encoded);
  stream.cursor -= std::min(stream.cursor, count);
  stream.cursor_bytes -= std::min(stream.cursor_bytes, encoded);
  stream.sent -= std::min(stream.sent, count);
  speed_up(stream, encoded);
  freed_ = true;
  if (stream.items.empty()) became_idle(stream);
}

void Origin::fail_front(Stream& stream, std::size_t count, Errc reason, bool sent) {
  for (std::size_t i = 0; i < count; ++i) {
    const Meta& meta = stream.items[i];
    if (meta.tombstone) continue;
    events_due_.push_back({meta.token, stream.channel, stream.lane, meta.seq, reason, sent});
  }
  counters_.failed += count;
  pop_front(stream, count);
}

void Origin::fail_suffix(Stream& stream, Errc sent_reason, Errc unsent_reason) {
  stream.lineage = {};
  const std::size_t sent = stream.sent;
  const std::size_t unsent = stream.items.size() - sent;
  const bool lie = sabotaged(Sabotage::no_owner_for_handled) && sent_reason == Errc::owner_lost;
  fail_front(stream, sent, lie ? Errc::no_owner : sent_reason, !lie);
  fail_front(stream, unsent, unsent_reason, false);
}

void Origin::fail_all(Errc reason) {
  for (auto& direct : direct_) direct.clear();
  while (!busy_.empty()) {
    Stream& stream = busy_.front();
    if (reason != Errc::ok) {
      fail_suffix(stream, reason, reason);
    } else if (stream.durable) {  // its owner is not lost: we are
      fail_suffix(stream, Errc::closed, Errc::closed);
    } else {
      fail_suffix(stream);
    }
  }
  dispatch_events();
}

void Origin::restrict(const std::function<std::string(const ChannelId&)>& name_of,
                      const std::function<bool(std::string_view)>& allowed) {
  std::vector<Key> denied;
  for (auto& [key, stream] : streams_) {
    if (key.channel.high == kProcessTag) continue;
    if (stream->open_name.empty()) stream->open_name = name_of(key.channel);
    stream->opened = false;
    if (stream->open_name.empty() || !allowed(stream->open_name)) denied.push_back(key);
  }
  for (const Key& key : denied) {
    Stream* const stream = find(key.channel, key.lane);
    if (stream && !stream->items.empty()) fail_suffix(*stream, Errc::denied, Errc::denied);
  }
  for (const Key& key : denied) {
    Stream* const stream = find(key.channel, key.lane);  // an idle one may have been forgotten
    if (!stream) continue;
    idle_.erase(idle_.iterator_to(*stream));
    streams_.erase(key);
  }
  dispatch_events();
}

void Origin::dispatch_events() {
  while (!events_due_.empty()) {
    const std::vector<Event> events = std::exchange(events_due_, {});
    for (const Event& event : events) {
      if (event.posted) {
        events_.on_posted(event.token, event.reason, event.number);
      } else if (event.reason == Errc::ok) {
        events_.on_acknowledged(event.token);
      } else {
        events_.on_failed(event.token, event.channel, event.lane, event.seq, event.reason,
                          event.sent);
      }
    }
  }
  if (std::exchange(freed_, false)) events_.on_room();
}

}  // namespace starbus::bus
