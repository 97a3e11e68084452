#include "bus/core/wire/data.hpp"

#include "bus/core/limits.hpp"
#include "bus/core/wire/record.hpp"

namespace starbus::bus {
namespace {

constexpr std::uint8_t kFirst = 1;
constexpr std::uint8_t kLast = 2;

bool data_lane(std::uint8_t lane) {
  return lane >= 1 && lane < kLanes;
}

void append(Bytes& out, const std::byte* data, std::size_t size) {
  out.insert(out.end(), data, data + size);  // unlike resize: writes each byte once
}

/// Record header for a payload of `size` bytes.
void store_record_header(std::byte* at, Kind kind, std::size_t size) {
  store(at, static_cast<std::uint32_t>(size + 1));
  store(at + 4, static_cast<std::uint8_t>(kind));
}

void store_channel(std::byte* at, const ChannelId& id) {
  store(at, id.high);
  store(at + 8, id.low);
}

ChannelId load_channel(const std::byte* at) {
  return {load<std::uint64_t>(at), load<std::uint64_t>(at + 8)};
}

}  // namespace

void stamp_origin(std::byte* at, const Process& origin) {
  store(at, origin.host);
  store(at + 4, origin.slot);
  store(at + 8, origin.incarnation);
}

Process load_origin(const std::byte* at) {
  return {load<std::uint32_t>(at), load<std::uint32_t>(at + 4), load<std::uint64_t>(at + 8)};
}

Run view_run(ByteView payload) {
  const std::byte* at = payload.data();
  Run run;
  run.lane = static_cast<Lane>(load<std::uint8_t>(at));
  run.count = load<std::uint16_t>(at + 2);
  run.origin = load_origin(at + kOriginOffset);
  run.channel = load_channel(at + 20);
  run.lineage.value = load<std::uint64_t>(at + 36);
  run.prev = load<std::uint64_t>(at + 44);
  run.seq = load<std::uint64_t>(at + 52);
  run.items = payload.subspan(kRunHeader);
  return run;
}

Result<Run> decode_run(ByteView payload) {
  const Error bad{Errc::bad_bytes, "malformed data"};
  if (payload.size() < kRunHeader) return bad;
  if (!data_lane(load<std::uint8_t>(payload.data()))) return bad;
  Run run = view_run(payload);
  if (run.count == 0 || run.seq == 0 || run.prev >= run.seq) return bad;
  ByteView rest = run.items;
  std::uint64_t seq = run.seq;
  for (std::uint16_t i = 0; i < run.count; ++i) {
    if (rest.size() < kItemHeader) return bad;
    const auto raw = load<std::uint32_t>(rest.data());
    const auto step = load<std::uint32_t>(rest.data() + 4);
    const std::size_t size = raw & kSizeMask;
    if ((step == 0) != (i == 0) || seq + step < seq) return bad;
    if ((raw & kTombstone) && (raw & ~kTombstone) != 0) return bad;
    if (size > rest.size() - kItemHeader) return bad;
    run.system |= (raw & kSystem) != 0;
    seq += step;
    rest = rest.subspan(kItemHeader + size);
  }
  if (!rest.empty()) return bad;
  return run;
}

std::optional<Item> RunReader::next() {
  if (left_ == 0) return std::nullopt;
  --left_;
  const auto raw = load<std::uint32_t>(rest_.data());
  const auto step = load<std::uint32_t>(rest_.data() + 4);
  const std::size_t size = raw & kSizeMask;
  if (step != 0) {
    prev_ = seq_;
    seq_ += step;
  }
  const Item item{prev_, seq_, (raw & kTombstone) != 0, (raw & kSystem) != 0,
                  rest_.subspan(kItemHeader, size)};
  rest_ = rest_.subspan(kItemHeader + size);
  return item;
}

void encode_run(const Run& run, Bytes& out) {
  encode_run_header(run, run.items.size(), out);
  append(out, run.items.data(), run.items.size());
}

void encode_run_header(const Run& run, std::size_t items_size, Bytes& out) {
  std::byte head[kRecordHeader + kRunHeader];
  store_record_header(head, Kind::data, kRunHeader + items_size);
  std::byte* at = head + kRecordHeader;
  store(at, static_cast<std::uint8_t>(run.lane));
  store(at + 1, std::uint8_t{0});
  store(at + 2, run.count);
  stamp_origin(at + kOriginOffset, run.origin);
  store_channel(at + 20, run.channel);
  store(at + 36, run.lineage.value);
  store(at + 44, run.prev);
  store(at + 52, run.seq);
  append(out, head, sizeof head);
}

Result<Multicast> decode_multicast(ByteView payload) {
  const Error bad{Errc::bad_bytes, "malformed multicast"};
  if (payload.size() < kMulticastHeader) return bad;
  const auto lane = load<std::uint8_t>(payload.data());
  const std::size_t count = load<std::uint16_t>(payload.data() + 2);
  if (!data_lane(lane) || count == 0 || count > kMaxGroup) return bad;
  if (payload.size() < kMulticastHeader + count * kTargetSize) return bad;
  Multicast multicast;
  multicast.lane = static_cast<Lane>(lane);
  multicast.origin = load_origin(payload.data() + kOriginOffset);
  multicast.targets.reserve(count);
  const std::byte* at = payload.data() + kMulticastHeader;
  for (std::size_t i = 0; i < count; ++i, at += kTargetSize) {
    const Target target{load_channel(at),
                        {load<std::uint64_t>(at + 16)},
                        load<std::uint64_t>(at + 24),
                        load<std::uint64_t>(at + 32)};
    if (target.seq == 0 || target.prev >= target.seq) return bad;
    multicast.targets.push_back(target);
  }
  multicast.body = payload.subspan(kMulticastHeader + count * kTargetSize);
  return multicast;
}

void encode_multicast(const Multicast& multicast, Bytes& out) {
  const std::size_t targets = multicast.targets.size() * kTargetSize;
  std::byte head[kRecordHeader + kMulticastHeader];
  store_record_header(head, Kind::multicast, kMulticastHeader + targets + multicast.body.size());
  std::byte* at = head + kRecordHeader;
  store(at, static_cast<std::uint8_t>(multicast.lane));
  store(at + 1, std::uint8_t{0});
  store(at + 2, static_cast<std::uint16_t>(multicast.targets.size()));
  stamp_origin(at + kOriginOffset, multicast.origin);
  append(out, head, sizeof head);
  for (const Target& target : multicast.targets) {
    std::byte entry[kTargetSize];
    store_channel(entry, target.channel);
    store(entry + 16, target.lineage.value);
    store(entry + 24, target.prev);
    store(entry + 32, target.seq);
    append(out, entry, sizeof entry);
  }
  append(out, multicast.body.data(), multicast.body.size());
}

Result<Chunk> decode_chunk(ByteView payload) {
  Reader reader(payload);
  Chunk chunk;
  const auto lane = reader.get<std::uint8_t>();
  const auto flags = reader.get<std::uint8_t>();
  chunk.lane = static_cast<Lane>(lane);
  chunk.first = (flags & kFirst) != 0;
  chunk.last = (flags & kLast) != 0;
  if (chunk.first) chunk.total = reader.get<std::uint32_t>();
  chunk.bytes = reader.rest();
  const bool sizes = !chunk.first || (chunk.total > 0 && chunk.total <= kMaxRecord);
  if (!reader.ok() || lane >= kLanes || flags > (kFirst | kLast) || !sizes || chunk.bytes.empty()) {
    return Error{Errc::bad_bytes, "malformed chunk"};
  }
  return chunk;
}

void encode_chunk(const Chunk& chunk, Bytes& out) {
  const std::size_t fixed = chunk.first ? 6 : 2;
  std::byte head[kRecordHeader + 6];
  store_record_header(head, Kind::chunk, fixed + chunk.bytes.size());
  std::byte* at = head + kRecordHeader;
  store(at, static_cast<std::uint8_t>(chunk.lane));
  store(at + 1, static_cast<std::uint8_t>((chunk.first ? kFirst : 0) | (chunk.last ? kLast : 0)));
  if (chunk.first) store(at + 2, chunk.total);
  append(out, head, kRecordHeader + fixed);
  append(out, chunk.bytes.data(), chunk.bytes.size());
}

}  // namespace starbus::bus
