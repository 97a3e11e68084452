#include "bus/core/session.hpp"

#include <algorithm>
#include <cassert>

#include "bus/core/wire/data.hpp"

namespace starbus::bus {
namespace {

// Shares of the data lanes when all are full; control goes first, always.
constexpr std::array<std::int64_t, kLanes> kQuantum = {0, 32 * 1024, 16 * 1024, 8 * 1024};

}  // namespace

Result<> Session::receive(ByteView bundle, Time now, RecordHandler& handler) {
  now_ = now;
  if (!unfinished()) {
    const auto begun = begin_bundle(bundle, now);
    if (!begun) return begun.error();
    if (!*begun) return {};
    handled_ = kBundleHeaderSize;
  }
  assert(handled_ <= bundle.size());
  if (auto result = dispatch(bundle, handler); !result) return result;
  if (handled_ < bundle.size()) return {};
  handled_ = 0;
  consumed_ += bundle.size();
  return {};
}

/// False: it belongs to another session.
Result<bool> Session::begin_bundle(ByteView bundle, Time now) {
  const auto header = decode_bundle_header(bundle);
  if (!header) return header.error();
  if (header->session == 0) return Error{Errc::bad_bytes, "session 0"};
  if (id_ == 0) id_ = header->session;
  if (header->session != id_) {
    ++counters_.foreign_bundles;
    return false;
  }
  if (header->number != next_in_) return Error{Errc::bad_bytes, "bundle out of order"};
  if (header->consumed < peer_consumed_ || header->consumed > bytes_out_) {
    return Error{Errc::bad_bytes, "impossible count of consumed bytes"};
  }
  ++next_in_;
  if (header->consumed != peer_consumed_) consumed_at_ = now;
  peer_consumed_ = header->consumed;
  heard_ = now;
  ++counters_.bundles_in;
  counters_.bytes_in += bundle.size();
  return true;
}

/// From handled_ on, to the end or until the handler has had enough.
Result<> Session::dispatch(ByteView bundle, RecordHandler& handler) {
  while (handled_ < bundle.size()) {
    const ByteView records = bundle.subspan(handled_);
    if (records.size() < kRecordHeader) return Error{Errc::bad_bytes, "torn record"};
    const std::size_t size = load<std::uint32_t>(records.data());
    if (size == 0 || size > records.size() - sizeof(std::uint32_t)) {
      return Error{Errc::bad_bytes, "record beyond its bundle"};
    }
    const auto kind = static_cast<Kind>(load<std::uint8_t>(records.data() + 4));
    const ByteView payload = records.subspan(kRecordHeader, size - 1);
    handled_ += sizeof(std::uint32_t) + size;
    auto result = kind == Kind::chunk ? receive_chunk(payload, handler)
                                      : receive_record(kind, payload, handler);
    if (!result) return result;
    if (handled_ < bundle.size() && handler.enough()) return {};
  }
  return {};
}

Result<> Session::receive_chunk(ByteView payload, RecordHandler& handler) {
  const auto chunk = decode_chunk(payload);
  if (!chunk) return chunk.error();
  IncomingChunks& incoming = incoming_[static_cast<std::size_t>(chunk->lane)];
  if (chunk->first != (incoming.total == 0)) return Error{Errc::bad_bytes, "chunk out of order"};
  if (!trusted_ && (chunk->lane != Lane::control || chunk->total > kStrangerRecord)) {
    return Error{Errc::bad_bytes, "a large record before hello"};
  }
  if (chunk->first) incoming.total = chunk->total;
  incoming.latest = heard_;
  if (chunk->bytes.size() > incoming.total - incoming.record.size()) {
    return Error{Errc::bad_bytes, "chunks beyond their record"};
  }
  incoming.record.insert(incoming.record.end(), chunk->bytes.begin(), chunk->bytes.end());
  if (chunk->last != (incoming.record.size() == incoming.total)) {
    return Error{Errc::bad_bytes, "chunks unlike their record"};
  }
  if (!chunk->last) return {};
  const Bytes record = std::exchange(incoming.record, {});
  incoming.total = 0;
  const auto kind = static_cast<Kind>(record[0]);
  if (kind == Kind::chunk) return Error{Errc::bad_bytes, "chunk within a chunk"};
  return receive_record(kind, ByteView(record).subspan(1), handler);
}

std::size_t Session::incomplete_bytes() const {
  std::size_t bytes = 0;
  for (const IncomingChunks& incoming : incoming_) bytes += incoming.record.size();
  return bytes;
}

Time Session::incomplete_for(Time now) const {
  Time longest{};
  for (const IncomingChunks& incoming : incoming_) {
    if (incoming.total != 0) longest = std::max(longest, now - incoming.latest);
  }
  return longest;
}

Result<> Session::receive_record(Kind kind, ByteView payload, RecordHandler& handler) {
  ++counters_.records_in;
  if (kind != Kind::heartbeat) return handler.on_record(kind, payload);
  const auto heartbeat = decode<Heartbeat>(payload);
  if (!heartbeat) return heartbeat.error();
  on_heartbeat(*heartbeat);
  return {};
}

void Session::on_heartbeat(const Heartbeat& heartbeat) {
  if (peer_sent_at_ == 0) prompt_ = true;
  peer_sent_at_ = heartbeat.sent_at;
  peer_sent_at_heard_ = now_;
  const auto present = static_cast<std::uint64_t>(now_.count());
  const std::uint64_t spent = heartbeat.echo + heartbeat.echo_age;
  if (heartbeat.echo == 0 || spent < heartbeat.echo || spent > present) return;
  echoed_ = std::max(echoed_, Time(static_cast<std::int64_t>(heartbeat.echo)));
  // The peer wrote this no earlier than `spent`, whatever the way back took.
  if (heartbeat.lease_age < spent) {
    lease_base_ =
        std::max(lease_base_, Time(static_cast<std::int64_t>(spent - heartbeat.lease_age)));
  }
  const Time sample(static_cast<std::int64_t>(present - spent));
  round_trip_ = round_trip_ == Time{} ? sample : (round_trip_ * 7 + sample) / 8;
}

void Session::tick(Time now, std::uint64_t lease_age) {
  now_ = now;
  if (now - spoke_ < kHeartbeat && !prompt_) return;
  prompt_ = false;
  beat(now, lease_age);
}

void Session::beat(Time now, std::uint64_t lease_age) {
  spoke_ = now;
  if (!own_.empty() && in_flight() != 0)
    return;  // the link is stuck: one waiting heartbeat is enough
  Heartbeat heartbeat;
  heartbeat.sent_at = static_cast<std::uint64_t>(now.count());
  heartbeat.echo = peer_sent_at_;
  heartbeat.echo_age = static_cast<std::uint64_t>((now - peer_sent_at_heard_).count());
  heartbeat.lease_age = lease_age;
  say(heartbeat);
}

bool Session::lane_ready(const LaneSource& source, Lane lane) const {
  return outgoing_[static_cast<std::size_t>(lane)].active() || source.ready(lane);
}

bool Session::anything_ready(const LaneSource& source) const {
  if (!own_.empty()) return true;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (lane_ready(source, static_cast<Lane>(lane))) return true;
  }
  return false;
}

void Session::send_bundles(LaneSource& source, const TakeBuffer& take_buffer,
                           const SendBundle& send_bundle) {
  while (id_ != 0) {  // nothing may be sent before the peer has named the session
    const bool send = may_send() && anything_ready(source);
    // A report needs no room on the link clock: without it, two full directions would wait for
    // each other for ever.
    if (!send && !report_due()) return;
    Bytes bundle = take_buffer();
    bundle.resize(kBundleHeaderSize);
    if (in_flight() == 0) consumed_at_ = now_;
    if (send) fill(source, bundle);
    reported_ = consumed_;
    seal_bundle(bundle, id_, next_out_++, consumed_);
    bytes_out_ += bundle.size();
    ++counters_.bundles_out;
    counters_.bytes_out += bundle.size();
    send_bundle(std::move(bundle));
  }
}

void Session::fill(LaneSource& source, Bytes& bundle) {
  bundle.insert(bundle.end(), own_.begin(), own_.end());
  own_.clear();
  while (lane_ready(source, Lane::control) && bundle.size() < kBundleTarget) {
    if (fill_from_lane(source, Lane::control, kBundleTarget - bundle.size(), bundle) == 0) break;
  }
  for (std::size_t idle = 0; idle < kLanes - 1 && bundle.size() < kBundleTarget;) {
    const Lane lane = static_cast<Lane>(turn_);
    if (!lane_ready(source, lane)) {
      deficit_[turn_] = 0;
      turn_ = turn_ % (kLanes - 1) + 1;
      ++idle;
      continue;
    }
    idle = 0;
    if (deficit_[turn_] <= 0) deficit_[turn_] += kQuantum[turn_];
    std::size_t sent = 0;
    if (deficit_[turn_] > 0) {  // else it still pays for a record larger than its share
      const std::size_t room = kBundleTarget - bundle.size();
      sent = fill_from_lane(source, lane, std::min(static_cast<std::size_t>(deficit_[turn_]), room),
                            bundle);
      deficit_[turn_] -= static_cast<std::int64_t>(sent);
    }
    if (deficit_[turn_] <= 0 || sent == 0) turn_ = turn_ % (kLanes - 1) + 1;
  }
}

std::size_t Session::fill_from_lane(LaneSource& source, Lane lane, std::size_t budget,
                                    Bytes& bundle) {
  OutgoingChunks& outgoing = outgoing_[static_cast<std::size_t>(lane)];
  const std::size_t start = bundle.size();
  if (!outgoing.active()) {
    const FillResult filled = source.fill_bundle(lane, budget, bundle);
    if (!filled.large) return bundle.size() - start;
    const auto record = bundle.begin() + static_cast<std::ptrdiff_t>(start);
    outgoing.record.assign(record + sizeof(std::uint32_t), bundle.end());
    outgoing.sent = 0;
    bundle.resize(start);
    // The buffers of bundles are used again and again: none stays as large as the largest record.
    if (bundle.capacity() > kMaxBundle) bundle = Bytes(bundle.begin(), bundle.end());
  }
  const std::size_t size = std::min({outgoing.record.size() - outgoing.sent,
                                     std::max<std::size_t>(budget, 4096), std::size_t{kChunk}});
  Chunk chunk;
  chunk.lane = lane;
  chunk.first = outgoing.sent == 0;
  chunk.total = static_cast<std::uint32_t>(outgoing.record.size());
  chunk.bytes = ByteView(outgoing.record).subspan(outgoing.sent, size);
  outgoing.sent += size;
  chunk.last = !outgoing.active();
  encode_chunk(chunk, bundle);
  if (chunk.last) outgoing = {};
  return bundle.size() - start;
}

}  // namespace starbus::bus
