// What leaves: runs, probes, and multicasts, as the session pulls them.
#include "bus/core/ends/origin.hpp"

#include <algorithm>
#include <cassert>
#include "bus/core/sabotage.hpp"

namespace starbus::bus {
namespace {

constexpr std::size_t kRunTarget = 32 * 1024;  // a run that a daemon copies in one piece

std::size_t body_size(const std::byte* item) {
  return load<std::uint32_t>(item) & kSizeMask;
}

}  // namespace

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
  // What was not transmitted would only be told to be missing.
  const Meta& latest = stream.cursor == 0 ? stream.items.back() : stream.items[stream.cursor - 1];
  encode(Probe{stream.lane, {}, stream.channel, latest.seq}, out);
}

/// 0: the next message is large and needs a pull of its own (`alone`).
std::size_t Origin::emit_run(Stream& stream, std::size_t budget, bool alone, Bytes& out) {
  const std::size_t room = stream.most_in_flight - stream.cursor_bytes;
  const std::size_t limit = std::clamp<std::size_t>(std::min(budget, room), 1, kRunTarget);
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
  if (sabotaged(Sabotage::no_prev)) run.prev = 0;
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
  if (sabotaged(Sabotage::no_acknowledgements))
    release(stream, stream.items[stream.cursor - 1].seq);
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
    if (meta.shared == 0) continue;
    out.insert(out.end(), from, at);
    const Bytes& body = shared_[meta.shared - 1].bytes;
    out.insert(out.end(), body.begin(), body.end());
    from = at;
  }
  out.insert(out.end(), from, end);
}

}  // namespace starbus::bus
