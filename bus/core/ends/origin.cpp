#include "bus/core/ends/origin.hpp"

#include <algorithm>
#include <cassert>

namespace starbus::bus {
namespace {

constexpr std::size_t kWarmStreams = 1024;  // idle streams that may keep their storage
constexpr std::uint32_t kLargestStep = 0xffff'ffff;

}  // namespace

Origin::~Origin() {
  for (auto& list : ready_) list.clear();
  busy_.clear();
  idle_.clear();
}
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
    slot->durable = to.durable;
    idle_.push_back(*slot);
  }
  return *slot;
}

bool Origin::room_in(const Stream* stream, std::size_t charge, std::size_t process_charge) const {
  // A message larger than a window goes alone.
  const std::uint64_t in_stream = stream ? stream->charge : 0;
  const bool channel_room = in_stream == 0 || in_stream + charge <= kChannelWindow;
  const bool process_room = bytes_ == 0 || bytes_ + process_charge <= kProcessWindow;
  if (stream && stream->durable && stream->items.size() >= kDurableWindow) return false;
  return channel_room && process_room;
}

bool Origin::has_room(const ChannelId& channel, Lane lane) const {
  // Half a window, so that whoever was refused can send more than one message when told.
  const Stream* stream = find(channel, lane);
  const bool items = !stream || !stream->durable || stream->items.size() <= kDurableWindow / 2;
  return items && (!stream || stream->charge <= kChannelWindow / 2) &&
         bytes_ <= kProcessWindow / 4 * 3;
}

std::vector<Origin::Waiting> Origin::unacknowledged(std::size_t most) const {
  std::vector<Waiting> all;
  for (const Stream& stream : busy_) {
    all.push_back({stream.channel, stream.lane, stream.items.size(), stream.charge});
  }
  const std::size_t kept = std::min(most, all.size());
  std::ranges::partial_sort(all, all.begin() + static_cast<std::ptrdiff_t>(kept), std::greater<>(),
                            &Waiting::bytes);
  all.resize(kept);
  return all;
}

bool Origin::unacknowledged(const ChannelId& channel, Lane lane) const {
  const Stream* stream = find(channel, lane);
  return stream && !stream->items.empty();
}

std::uint64_t Origin::unacknowledged_bytes(const ChannelId& channel, Lane lane) const {
  const Stream* stream = find(channel, lane);
  return stream ? stream->charge : 0;
}

bool Origin::settled(const Mark& mark) const {
  return std::ranges::none_of(busy_, [&](const Stream& stream) {
    const std::uint64_t end = mark[static_cast<std::size_t>(stream.lane)];
    // What has expired or was withdrawn has ended; only its place is still to be acknowledged.
    for (std::size_t i = 0; i < stream.items.size() && stream.items[i].seq < end; ++i) {
      if (!stream.items[i].tombstone) return true;
    }
    return false;
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
  stream.choked = stream.want_probe = false;
  stream.next_expiry = 0;
  stream.most_in_flight = kNoLimit;
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
                             Time expires, std::uint32_t shared, Marks marks) {
  const std::uint64_t seq = next_seq_[static_cast<std::size_t>(stream.lane)]++;
  std::uint64_t step = 0;
  if (stream.items.empty()) {
    idle_.erase(idle_.iterator_to(stream));
    busy_.push_back(stream);
    stream.touched = stream.answered = now_;
    stream.pause = Time{};
    stream.want_probe = !stream.lineage;
  } else {
    step = seq - stream.items.back().seq;
  }
  const std::size_t size =
      shared != 0 ? shared_[shared - 1].bytes.size() : head.size() + body.size();
  std::byte item[kItemHeader];
  store(item, static_cast<std::uint32_t>(size) | (marks.system ? kSystem : 0));
  store(item + 4, static_cast<std::uint32_t>(step > kLargestStep ? 0 : step));
  stream.encoded.push(item, kItemHeader);
  if (shared != 0) {
    ++shared_[shared - 1].holders;
  } else {
    stream.encoded.push(head.data(), head.size());
    stream.encoded.push(body.data(), body.size());
  }
  const Time end = std::min(expires, now_ + from_ms(kLongestLife));
  const std::uint32_t expiry = expires == Time{} ? 0 : expiry_stamp(end);
  if (expiry != 0) stream.next_expiry = earlier_expiry(stream.next_expiry, expiry);
  const auto charge = static_cast<std::uint32_t>(kItemHeader + size);
  const auto encoded = static_cast<std::uint32_t>(shared != 0 ? kItemHeader : charge);
  stream.items.push(Meta{seq, token, encoded, marks.sender, expiry, shared & 0x7fff'ffff, 0});
  if (marks.sender != 0) ++outstanding_[marks.sender];
  stream.charge += charge;
  bytes_ += encoded;
  ++counters_.sent;
  return seq;
}

Result<std::uint64_t> Origin::send(const Destination& to, Lane lane, ByteView head, ByteView body,
                                   Token token, Time expires, Marks marks) {
  if (body.size() > kMaxBody) {
    return Error{Errc::too_large, std::to_string(body.size()) + " bytes"};
  }
  const std::size_t charge = kItemHeader + head.size() + body.size();
  if (!marks.system && !room_in(find(to.channel, lane), charge, charge)) {
    return Error{Errc::would_block};
  }
  Stream& stream = stream_for(to, lane);
  if (stream.lineage < to.hint) adopt_lineage(stream, to.hint);
  const std::uint64_t seq = append(stream, head, body, token, expires, 0, marks);
  schedule(stream);
  return seq;
}

Result<> Origin::multicast(std::span<const Recipient> recipients, Lane lane, ByteView head,
                           ByteView body, Time expires, std::uint32_t sender) {
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
  const std::uint32_t shared = share(head, body);
  Multicast record;
  record.lane = lane;
  record.body = shared_[shared - 1].bytes;
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
    const std::uint64_t seq =
        append(stream, {}, {}, recipient.token, expires, shared, {sender, false});
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
  drop_shared(shared);  // our own hold
  return {};
}

/// Takes a body for several messages; the caller holds it until drop_shared.
std::uint32_t Origin::share(ByteView head, ByteView body) {
  if (free_shared_.empty()) {
    shared_.emplace_back();
    free_shared_.push_back(static_cast<std::uint32_t>(shared_.size()));
  }
  const std::uint32_t shared = free_shared_.back();
  free_shared_.pop_back();
  SharedBody& place = shared_[shared - 1];
  place.bytes.assign(head.begin(), head.end());
  place.bytes.insert(place.bytes.end(), body.begin(), body.end());
  place.holders = 1;
  bytes_ += place.bytes.size();
  return shared;
}

void Origin::drop_shared(std::uint32_t shared) {
  SharedBody& place = shared_[shared - 1];
  assert(place.holders != 0);
  if (--place.holders != 0) return;
  bytes_ -= place.bytes.size();
  place.bytes = {};
  free_shared_.push_back(shared);
}

}  // namespace starbus::bus
