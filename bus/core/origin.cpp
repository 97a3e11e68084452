#include "bus/core/origin.hpp"

#include <algorithm>
#include <cassert>

namespace starbus::bus {
namespace {

constexpr std::size_t kRunTarget = 32 * 1024;  // a run that a daemon copies in one piece
constexpr std::size_t kWarmStreams = 1024;     // idle streams that may keep their storage
constexpr std::uint32_t kLargestStep = 0xffff'ffff;

std::uint32_t to_stamp(Time time) {
  const auto stamp = static_cast<std::uint32_t>(time / std::chrono::milliseconds(1));
  return stamp == 0 ? 1 : stamp;  // 0 means "never"
}

std::size_t body_size(const std::byte* item) {
  return load<std::uint32_t>(item) & ~kTombstone;
}

}  // namespace

Origin::~Origin() {
  for (auto& list : ready_) list.clear();
  busy_.clear();
  idle_.clear();
}

// --- streams -------------------------------------------------------------------------------------

Origin::Stream* Origin::find(const ChannelId& channel, Lane lane) const {
  const auto found = streams_.find(Key{channel, lane});
  return found == streams_.end() ? nullptr : found->second.get();
}

Origin::Stream& Origin::stream_for(const Destination& to, Lane lane) {
  auto& slot = streams_[Key{to.channel, lane}];
  if (!slot) {
    slot = std::make_unique<Stream>();
    slot->channel = to.channel;
    slot->lane = lane;
    slot->open_name = to.open_name;
    slot->opened = to.open_name.empty();
    idle_.push_back(*slot);
  }
  return *slot;
}

bool Origin::room_in(const Stream* stream, std::size_t charge, std::size_t process_charge) const {
  // A message larger than a window goes alone.
  const std::uint64_t in_stream = stream ? stream->charge : 0;
  const bool channel_room = in_stream == 0 || in_stream + charge <= kChannelWindow;
  const bool process_room = bytes_ == 0 || bytes_ + process_charge <= kProcessWindow;
  return channel_room && process_room;
}

bool Origin::has_room(const ChannelId& channel, Lane lane) const {
  // Half a window, so that whoever was refused can send more than one message when told.
  const Stream* stream = find(channel, lane);
  return (!stream || stream->charge <= kChannelWindow / 2) && bytes_ <= kProcessWindow / 4 * 3;
}

bool Origin::unacknowledged(const ChannelId& channel, Lane lane) const {
  const Stream* stream = find(channel, lane);
  return stream && !stream->items.empty();
}

bool Origin::settled(const Mark& mark) const {
  return std::ranges::none_of(busy_, [&](const Stream& stream) {
    return stream.items.front().seq < mark[static_cast<std::size_t>(stream.lane)];
  });
}

/// Puts the stream where its state belongs in the queue of what may leave.
void Origin::schedule(Stream& stream) {
  const bool wanted = stream.want_probe || stream.sendable();
  auto& list = ready_[static_cast<std::size_t>(stream.lane)];
  if (wanted && !stream.ready_hook.is_linked()) list.push_back(stream);
  if (!wanted && stream.ready_hook.is_linked()) list.erase(list.iterator_to(stream));
}

void Origin::rewind(Stream& stream) {
  if (stream.cursor != 0) ++counters_.resends;
  stream.cursor = 0;
  stream.cursor_bytes = 0;
  stream.timed_seq = 0;  // a reply could belong to either copy
}

void Origin::became_idle(Stream& stream) {
  busy_.erase(busy_.iterator_to(stream));
  stream.prev = 0;
  stream.choked = stream.want_probe = stream.expiring = false;
  stream.resent_last = ~std::uint64_t{0};
  schedule(stream);
  idle_.push_back(stream);
  if (idle_.size() > kWarmStreams) {
    stream.items.release();
    stream.encoded.release();
  }
  if (idle_.size() > kLineageCache) {
    Stream& oldest = idle_.front();
    idle_.pop_front();
    streams_.erase(Key{oldest.channel, oldest.lane});
  }
}

// --- sending -------------------------------------------------------------------------------------

std::uint64_t Origin::append(Stream& stream, ByteView head, ByteView body, Token token,
                             Time expires, const std::shared_ptr<const Bytes>& shared) {
  const std::uint64_t seq = next_seq_[static_cast<std::size_t>(stream.lane)]++;
  std::uint64_t step = 0;
  if (stream.items.empty()) {
    idle_.erase(idle_.iterator_to(stream));
    busy_.push_back(stream);
    stream.touched = now_;
    stream.pause = Time{};
    stream.want_probe = !stream.lineage;
  } else {
    step = seq - stream.items.back().seq;
  }
  const std::size_t size = shared ? shared->size() : head.size() + body.size();
  std::byte item[kItemHeader];
  store(item, static_cast<std::uint32_t>(size));
  store(item + 4, static_cast<std::uint32_t>(step > kLargestStep ? 0 : step));
  stream.encoded.push(item, kItemHeader);
  if (shared) {
    shared_.emplace(shared_key(stream.lane, seq), shared);
  } else {
    stream.encoded.push(head.data(), head.size());
    stream.encoded.push(body.data(), body.size());
  }
  stream.expiring |= expires != Time{};
  const auto charge = static_cast<std::uint32_t>(kItemHeader + size);
  const auto encoded = static_cast<std::uint32_t>(shared ? kItemHeader : charge);
  stream.items.push(Meta{seq, token, encoded, charge, expires == Time{} ? 0 : to_stamp(expires),
                         static_cast<std::uint16_t>(shared ? 1 : 0), 0});
  stream.charge += charge;
  bytes_ += encoded;
  ++counters_.sent;
  return seq;
}

Result<std::uint64_t> Origin::send(const Destination& to, Lane lane, ByteView head, ByteView body,
                                   Token token, Time expires) {
  if (body.size() > kMaxBody) {
    return Error{Errc::too_large, std::to_string(body.size()) + " bytes"};
  }
  const std::size_t charge = kItemHeader + head.size() + body.size();
  if (!room_in(find(to.channel, lane), charge, charge)) return Error{Errc::would_block};
  Stream& stream = stream_for(to, lane);
  if (stream.lineage < to.hint) adopt_lineage(stream, to.hint);
  const std::uint64_t seq = append(stream, head, body, token, expires, nullptr);
  schedule(stream);
  return seq;
}

Result<> Origin::multicast(std::span<const Recipient> recipients, Lane lane, ByteView head,
                           ByteView body, Time expires) {
  if (recipients.empty()) return {};
  if (recipients.size() > kMaxGroup) return Error{Errc::group_too_large};
  if (body.size() > kMaxBody) return Error{Errc::too_large};
  const std::size_t size = head.size() + body.size();
  for (const Recipient& recipient : recipients) {
    if (!room_in(find(recipient.to.channel, lane), size + kItemHeader,
                 size + recipients.size() * kItemHeader)) {
      return Error{Errc::would_block};
    }
  }
  auto shared = std::make_shared<Bytes>(head.begin(), head.end());
  shared->insert(shared->end(), body.begin(), body.end());
  Multicast record;
  record.lane = lane;
  record.body = *shared;
  bytes_ += size;
  for (const Recipient& recipient :
       recipients) {  // first: what this fails must not be of this body
    Stream& stream = stream_for(recipient.to, lane);
    if (stream.lineage < recipient.to.hint) adopt_lineage(stream, recipient.to.hint);
  }
  for (const Recipient& recipient : recipients) {
    Stream& stream = stream_for(recipient.to, lane);
    const bool at_once =
        stream.lineage && !stream.choked && stream.opened && stream.cursor == stream.items.size();
    const std::uint64_t prev = stream.items.empty() ? 0 : stream.items.back().seq;
    const std::uint64_t seq = append(stream, {}, {}, recipient.token, expires, shared);
    if (at_once) {
      record.targets.push_back({stream.channel, stream.lineage, prev, seq});
      stream.cursor = stream.sent = stream.items.size();
      stream.cursor_bytes = stream.encoded.size();
      ++counters_.transmitted;
    }
    schedule(stream);
  }
  if (!record.targets.empty()) {
    Bytes encoded;
    encode_multicast(record, encoded);
    direct_[static_cast<std::size_t>(lane)].push(encoded.data(), encoded.size());
  }
  return {};
}

bool Origin::ready(Lane lane) const {
  const auto index = static_cast<std::size_t>(lane);
  return !direct_[index].empty() || !ready_[index].empty();
}

Pulled Origin::pull(Lane lane, std::size_t budget, Bytes& out) {
  const auto index = static_cast<std::size_t>(lane);
  Fifo<std::byte>& direct = direct_[index];
  const std::size_t start = out.size();
  const auto pulled = [&] { return out.size() - start; };
  while (!direct.empty() && pulled() < budget) {
    const std::size_t size = sizeof(std::uint32_t) + load<std::uint32_t>(direct.data());
    const bool large = size > kChunk;
    if (large && pulled() != 0) return {pulled(), false};
    out.insert(out.end(), direct.data(), direct.data() + size);
    direct.pop(size);
    if (large) return {pulled(), true};
  }
  while (!ready_[index].empty() && pulled() < budget) {
    Stream& stream = ready_[index].front();
    ready_[index].pop_front();
    emit_open(stream, out);
    if (stream.want_probe) emit_probe(stream, out);
    std::size_t size = 0;
    if (stream.sendable()) {
      const bool alone = pulled() == 0;
      size = emit_run(stream, budget - std::min(budget, pulled()), alone, out);
      if (size == 0) {  // a large message that must come alone: the next pull takes it
        ready_[index].push_front(stream);
        break;
      }
    }
    schedule(stream);  // at the end: streams take turns
    if (size > kChunk) return {pulled(), true};
  }
  return {pulled(), false};
}

void Origin::emit_open(Stream& stream, Bytes& out) {
  if (stream.opened) return;
  stream.opened = true;
  encode(Open{stream.lane, stream.open_name}, out);
}

void Origin::emit_probe(Stream& stream, Bytes& out) {
  stream.want_probe = false;
  if (stream.items.empty()) return;
  ++counters_.probes;
  encode(Probe{stream.lane, {}, stream.channel, stream.items.back().seq}, out);
}

/// 0: the next message is large and needs a pull of its own (`alone`).
std::size_t Origin::emit_run(Stream& stream, std::size_t budget, bool alone, Bytes& out) {
  const std::size_t limit = std::clamp<std::size_t>(budget, 1, kRunTarget);
  const std::size_t before = out.size();
  const std::byte* at = stream.encoded.data() + stream.cursor_bytes;
  std::size_t count = 0;
  std::size_t size = 0;     // on the wire
  std::size_t encoded = 0;  // in the stream
  while (stream.cursor + count < stream.items.size() && count < 0xffff && size < limit) {
    const Meta& meta = stream.items[stream.cursor + count];
    const std::size_t item = kItemHeader + body_size(at + encoded);
    const bool chain_breaks = load<std::uint32_t>(at + encoded + 4) == 0;
    if (count != 0 && (chain_breaks || size + item > kRunTarget)) break;
    size += item;
    encoded += meta.encoded;
    ++count;
  }
  const std::size_t record = kRecordHeader + kRunHeader + size;
  if (record > kChunk && !alone) return 0;
  Run run;
  run.lane = stream.lane;
  run.count = static_cast<std::uint16_t>(count);
  run.channel = stream.channel;
  run.lineage = stream.lineage;
  run.seq = stream.items[stream.cursor].seq;
  run.prev = stream.cursor == 0 ? stream.prev : stream.items[stream.cursor - 1].seq;
  encode_run_header(run, size, out);
  const std::size_t first_item = out.size();
  append_items(stream, count, encoded, out);
  store(out.data() + first_item + 4, std::uint32_t{0});
  stream.cursor += count;
  stream.cursor_bytes += encoded;
  if (stream.cursor > stream.sent) {
    if (stream.timed_seq == 0) {
      stream.timed_seq = stream.items[stream.cursor - 1].seq;
      stream.timed_at = now_;
    }
    stream.sent = stream.cursor;
  }
  counters_.transmitted += count;
  return out.size() - before;
}

void Origin::append_items(const Stream& stream, std::size_t count, std::size_t size,
                          Bytes& out) const {
  const std::byte* from = stream.encoded.data() + stream.cursor_bytes;
  const std::byte* const end = from + size;
  const std::byte* at = from;
  for (std::size_t i = 0; i < count; ++i) {
    const Meta& meta = stream.items[stream.cursor + i];
    at += meta.encoded;
    if (!meta.shared) continue;
    out.insert(out.end(), from, at);
    const Bytes& body = *shared_.at(shared_key(stream.lane, meta.seq));
    out.insert(out.end(), body.begin(), body.end());
    from = at;
  }
  out.insert(out.end(), from, end);
}

// --- what comes back -----------------------------------------------------------------------------

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
      if (pending && !stream->choked) {
        stream->choked = true;
        stream->pause = from_ms(kChokeFirst);
        stream->probe_at = now_ + stream->pause;
        ++counters_.chokes;
        schedule(*stream);
      }
      break;
    case NackReason::no_owner:
      if (pending) fail_suffix(*stream);
      break;
    case NackReason::gap:
    case NackReason::lineage: {
      if (!adopt_lineage(*stream, nack.lineage)) break;
      const bool was_choked = stream->choked;
      if (nack.reason == NackReason::gap) release(*stream, nack.last);
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
  stream.touched = now_;
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
    stream.charge -= meta.charge;
    bytes_ -= meta.encoded;
    if (meta.shared) drop_shared(stream, meta.seq);
  }
  stream.prev = stream.items[count - 1].seq;
  if (stream.timed_seq <= stream.prev) stream.timed_seq = 0;  // its reply will never come
  stream.items.pop(count);
  stream.encoded.pop(encoded);
  stream.cursor -= std::min(stream.cursor, count);
  stream.cursor_bytes -= std::min(stream.cursor_bytes, encoded);
  stream.sent -= std::min(stream.sent, count);
  freed_ = true;
  if (stream.items.empty()) became_idle(stream);
}

void Origin::drop_shared(const Stream& stream, std::uint64_t seq) {
  const auto found = shared_.find(shared_key(stream.lane, seq));
  assert(found != shared_.end());
  if (found->second.use_count() == 1) bytes_ -= found->second->size();
  shared_.erase(found);
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

void Origin::fail_suffix(Stream& stream) {
  stream.lineage = {};
  const std::size_t sent = stream.sent;
  const std::size_t unsent = stream.items.size() - sent;
  fail_front(stream, sent, Errc::owner_lost, true);
  fail_front(stream, unsent, Errc::no_owner, false);
}

void Origin::fail_all() {
  while (!busy_.empty()) fail_suffix(busy_.front());
  dispatch_events();
}

void Origin::dispatch_events() {
  while (!events_due_.empty()) {
    const std::vector<Event> events = std::exchange(events_due_, {});
    for (const Event& event : events) {
      if (event.reason == Errc::ok) {
        events_.on_acknowledged(event.token);
      } else {
        events_.on_failed(event.token, event.channel, event.lane, event.seq, event.reason,
                          event.sent);
      }
    }
  }
  if (std::exchange(freed_, false)) events_.on_room();
}

// --- time ----------------------------------------------------------------------------------------

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

Time Origin::silence_of(const Stream& stream) const {
  const Time least = std::max(from_ms(kProbeFirst), 4 * stream.round_trip);
  return std::max(least, stream.pause);
}

void Origin::tick(Time now) {
  now_ = now;
  for (Stream& stream : busy_) {
    if (stream.expiring) expire(stream);
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
  const std::uint32_t present = to_stamp(now_);
  const auto due = [&](const Meta& meta) {
    return meta.expires != 0 && static_cast<std::int32_t>(present - meta.expires) >= 0;
  };
  const std::span items(stream.items.data(), stream.items.size());
  if (std::ranges::none_of(items, due)) return;  // burying copies the stream
  std::size_t index = 0;
  bury(stream, [&](const Meta& meta) {
    const bool sent = index++ < stream.sent;
    if (!due(meta)) return false;
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
  bool expiring = false;
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
      if (meta.shared) drop_shared(stream, meta.seq);
      std::byte header[kItemHeader];
      store(header, kTombstone);
      std::memcpy(header + 4, item + 4, 4);
      encoded.push(header, kItemHeader);
      stream.charge -= meta.charge - kItemHeader;
      bytes_ -= meta.encoded - kItemHeader;
      meta = Meta{meta.seq, 0, kItemHeader, kItemHeader, 0, 0, 1};
    }
    expiring |= meta.expires != 0;
    if (i + 1 == stream.cursor) stream.cursor_bytes = encoded.size();
  }
  stream.expiring = expiring;
  stream.encoded = std::move(encoded);
  freed_ |= any;
}

}  // namespace starbus::bus
