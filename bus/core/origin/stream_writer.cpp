#include "bus/core/origin/stream_writer.hpp"

#include <algorithm>
#include <cassert>
#include <span>
#include <utility>

#include "bus/core/wire/record.hpp"

namespace starbus::bus {
namespace {

constexpr std::size_t kRunTarget = 32 * 1024;  // a run that a daemon copies in one piece

std::size_t body_size(const std::byte* item) {
  return load<std::uint32_t>(item) & kSizeMask;
}

/// Of the first message with this sequence or a later one.
std::size_t place_of(const OriginStream& stream, std::uint64_t seq) {
  const std::span items(stream.items.data(), stream.items.size());
  const auto found = std::ranges::lower_bound(items, seq, {}, &OriginStream::Item::seq);
  return static_cast<std::size_t>(found - items.begin());
}

}  // namespace

void StreamWriter::add_multicast(Lane lane, Targets targets) {
  targets_ += targets.size();
  multicasts(lane).push_back(std::move(targets));
  if (targets_ > sweep_at_) sweep();
}

void StreamWriter::drop_multicasts() {
  for (auto& lane : multicasts_) lane.clear();
  targets_ = 0;
}

/// Whether the message is still to be sent, by its multicast. Otherwise its stream goes on from its
/// place with runs: a tombstone must be sent, too, and so must a message under a new lineage.
bool StreamWriter::is_wanted(Lane lane, const Target& target) {
  OriginStream* const stream = streams_.find(target.channel, lane);
  if (!stream) return false;
  const std::size_t place = place_of(*stream, target.seq);
  if (place == stream->items.size() || stream->items[place].seq != target.seq) return false;
  if (has_passed(stream->items[place].expires, expiry_stamp(now_))) custody_.expire(*stream);
  if (place >= stream->cursor) return false;
  if (!stream->items[place].tombstone && stream->lineage == target.lineage &&
      stream->knows_owner() && stream->opened && !stream->choked) {
    return true;
  }
  stream->cursor = place;
  stream->cursor_bytes = 0;
  for (std::size_t i = 0; i < place; ++i) stream->cursor_bytes += stream->items[i].encoded;
  streams_.schedule(*stream);
  return false;
}

void StreamWriter::drop_unwanted(Lane lane, Targets& targets) {
  targets_ -= std::erase_if(targets, [&](const Target& t) { return !is_wanted(lane, t); });
}

void StreamWriter::sweep() {
  for (std::size_t i = 0; i < multicasts_.size(); ++i) {
    for (Targets& targets : multicasts_[i]) drop_unwanted(static_cast<Lane>(i), targets);
    std::erase_if(multicasts_[i], [](const Targets& targets) { return targets.empty(); });
  }
  sweep_at_ = 2 * targets_ + kTargetSlack;
}

void StreamWriter::pop_multicast(Lane lane) {
  targets_ -= multicasts(lane).front().size();
  multicasts(lane).pop_front();
}

void StreamWriter::note_sent(const Multicast& record) {
  for (const Target& target : record.targets) {
    OriginStream& stream = *streams_.find(target.channel, record.lane);
    stream.sent = std::max(stream.sent, place_of(stream, target.seq) + 1);
  }
  custody_.counters.transmitted += record.targets.size();
}

/// The next record, with the targets that want it; without any if none does.
Multicast StreamWriter::next_multicast(Lane lane) {
  Targets& targets = multicasts(lane).front();
  drop_unwanted(lane, targets);
  Multicast record;
  record.lane = lane;
  record.targets = targets;
  if (targets.empty()) return record;
  const OriginStream& stream = *streams_.find(targets.front().channel, lane);
  const std::size_t place = place_of(stream, targets.front().seq);
  record.body = custody_.shared.bytes(stream.items[place].shared);
  return record;
}

bool StreamWriter::ready(Lane lane) const {
  return !multicasts_[static_cast<std::size_t>(lane)].empty() || !streams_.ready(lane).empty();
}

FillResult StreamWriter::fill_bundle(Lane lane, std::size_t budget, Bytes& out) {
  std::deque<Targets>& records = multicasts(lane);
  StreamTable::ReadyList& ready = streams_.ready(lane);
  const std::size_t start = out.size();
  const auto filled = [&] { return out.size() - start; };
  while (!records.empty() && filled() < budget) {
    const Multicast record = next_multicast(lane);
    const std::size_t before = out.size();
    if (!record.targets.empty()) encode_multicast(record, out);
    const bool large = out.size() - before > kChunk;
    if (large && before != start) {
      out.resize(before);
      return {filled(), false};
    }
    note_sent(record);
    pop_multicast(lane);
    if (large) return {filled(), true};
  }
  while (!ready.empty() && filled() < budget) {
    OriginStream& stream = ready.front();
    ready.pop_front();
    write_open(stream, out);
    if (stream.want_probe) write_probe(stream, out);
    if (stream.asks()) write_question(stream, out);
    std::size_t size = 0;
    if (stream.sendable()) {
      const bool alone = filled() == 0;
      size = write_run(stream, budget - std::min(budget, filled()), alone, out);
      if (size == 0) {  // a large message that must come alone: the next bundle takes it
        ready.push_front(stream);
        break;
      }
    }
    streams_.schedule(stream);  // at the end: streams take turns
    if (size > kChunk) return {filled(), true};
  }
  return {filled(), false};
}

void StreamWriter::write_open(OriginStream& stream, Bytes& out) {
  if (stream.opened) return;
  stream.opened = true;
  encode(Open{stream.lane, stream.open_name}, out);
}

void StreamWriter::write_probe(OriginStream& stream, Bytes& out) {
  stream.want_probe = false;
  if (stream.items.empty()) return;
  ++custody_.counters.probes;
  // A probe of a message that was not transmitted would only be answered with a gap.
  const std::size_t latest = stream.cursor == 0 ? stream.items.size() : stream.cursor;
  encode(Probe{stream.lane, {}, stream.channel, stream.items[latest - 1].seq}, out);
}

/// See Succession. An owner of the former lineage, if there were one, would see a gap.
void StreamWriter::write_question(OriginStream& stream, Bytes& out) {
  stream.succession.want_question = false;
  if (stream.items.empty()) return;
  ++custody_.counters.probes;
  std::byte item[kItemHeader]{};
  store(item, kTombstone);
  Run run;
  run.lane = stream.lane;
  run.count = 1;
  run.channel = stream.channel;
  run.lineage = stream.lineage;
  run.seq = stream.succession.question;
  run.prev = run.seq - 1;
  run.items = item;
  encode_run(run, out);
}

StreamWriter::RunSize StreamWriter::measure_run(const OriginStream& stream, std::size_t limit) {
  const std::byte* const at = stream.encoded.data() + stream.cursor_bytes;
  RunSize run;
  while (stream.cursor + run.count < stream.items.size() && run.count < 0xffff &&
         run.wire < limit) {
    const OriginStream::Item& item = stream.items[stream.cursor + run.count];
    const std::byte* const header = at + run.encoded;
    const std::size_t size = kItemHeader + (item.tombstone ? 0 : body_size(header));
    const bool chain_breaks = load<std::uint32_t>(header + 4) == 0;
    if (run.count != 0 && (chain_breaks || run.wire + size > kRunTarget)) break;
    run.wire += size;
    run.encoded += item.encoded;
    ++run.count;
  }
  return run;
}

/// Returns 0 if the next message is large and must come alone.
std::size_t StreamWriter::write_run(OriginStream& stream, std::size_t budget, bool alone,
                                    Bytes& out) {
  const std::size_t room = stream.most_in_flight - stream.cursor_bytes;
  const std::size_t limit = std::clamp<std::size_t>(std::min(budget, room), 1, kRunTarget);
  const RunSize size = measure_run(stream, limit);
  assert(size.count != 0);
  if (kRecordHeader + kRunHeader + size.wire > kChunk && !alone) return 0;
  const std::size_t before = out.size();
  Run run;
  run.lane = stream.lane;
  run.count = static_cast<std::uint16_t>(size.count);
  run.channel = stream.channel;
  run.lineage = stream.lineage;
  run.seq = stream.items[stream.cursor].seq;
  run.prev = stream.cursor == 0 ? stream.prev : stream.items[stream.cursor - 1].seq;
  encode_run_header(run, size.wire, out);
  const std::size_t first_item = out.size();
  write_items(stream, size, out);
  store(out.data() + first_item + 4, std::uint32_t{0});
  advance(stream, size);
  return out.size() - before;
}

void StreamWriter::advance(OriginStream& stream, const RunSize& run) {
  stream.cursor += run.count;
  stream.cursor_bytes += run.encoded;
  const std::uint64_t latest = stream.items[stream.cursor - 1].seq;
  if (stream.cursor > stream.sent) {
    if (stream.timed_seq == 0) {
      stream.timed_seq = latest;
      stream.timed_at = now_;
    }
    stream.sent = stream.cursor;
  }
  custody_.counters.transmitted += run.count;
}

void StreamWriter::write_items(const OriginStream& stream, const RunSize& run, Bytes& out) const {
  const std::byte* from = stream.encoded.data() + stream.cursor_bytes;
  const std::byte* const end = from + run.encoded;
  const std::byte* at = from;
  for (std::size_t i = 0; i < run.count; ++i) {
    const OriginStream::Item& item = stream.items[stream.cursor + i];
    const std::byte* const header = std::exchange(at, at + item.encoded);
    if (!item.tombstone && item.shared == 0) continue;
    if (item.tombstone) {
      out.insert(out.end(), from, header + kItemHeader);
      store(out.data() + out.size() - kItemHeader, kTombstone);
    } else {
      out.insert(out.end(), from, at);
      const Bytes& body = custody_.shared.bytes(item.shared);
      out.insert(out.end(), body.begin(), body.end());
    }
    from = at;
  }
  out.insert(out.end(), from, end);
}

}  // namespace starbus::bus
