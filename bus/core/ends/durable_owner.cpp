#include "bus/core/ends/durable_owner.hpp"

#include <algorithm>
#include <utility>

namespace starbus::bus {

void DurableOwner::activate(const ChannelId& channel, Lineage lineage,
                            std::span<const FilterRow> filter) {
  Channel fresh{lineage, {}};
  for (const FilterRow& row : filter) {
    fresh.streams[{row.origin, row.lane}] = {.accepted = row.last, .durable = row.last};
  }
  channels_[channel] = std::move(fresh);
}

void DurableOwner::deactivate(const ChannelId& channel) {
  channels_.erase(channel);
}

/// A stream with messages on their way to the disk stays.
void DurableOwner::forget(const StreamId& stream) {
  const Entry* const entry = find(stream);
  if (entry == nullptr || entry->accepted != entry->durable) return;
  channels_.at(stream.channel).streams.erase({stream.origin, stream.lane});
}

DurableOwner::Entry* DurableOwner::find(const StreamId& stream) {
  const auto channel = channels_.find(stream.channel);
  if (channel == channels_.end()) return nullptr;
  const auto entry = channel->second.streams.find({stream.origin, stream.lane});
  return entry == channel->second.streams.end() ? nullptr : &entry->second;
}

void DurableOwner::on_run(const Run& run) {
  const auto found = channels_.find(run.channel);
  if (found == channels_.end()) return;
  const StreamId stream{run.channel, run.origin, run.lane};
  const Lineage lineage = found->second.lineage;
  if (run.lineage != lineage) {
    ++counters_.foreign_lineage;
    return nack(stream, run.seq, NackReason::lineage, lineage, 0);
  }
  RunReader reader(run);
  while (const auto item = reader.next()) {
    // Looked up for each: the handler of the one before may have deactivated the channel.
    const auto channel = channels_.find(run.channel);
    if (channel == channels_.end()) return;
    Entry& entry = channel->second.streams[{run.origin, run.lane}];
    if (item->seq <= entry.accepted) {
      ++counters_.duplicates;
      if (item->seq <= entry.durable) repeat(stream, entry);
      continue;
    }
    // Everything after a gap in a run is after the gap, too.
    if (item->prev > entry.accepted) return gap(stream, lineage, entry, item->seq);
    ++counters_.accepted;
    entry.accepted = item->seq;
    events_.on_item(stream, item->seq, item->body, item->tombstone);
  }
}

void DurableOwner::on_probe(const Probe& probe) {
  const auto found = channels_.find(probe.channel);
  if (found == channels_.end()) return;
  const StreamId stream{probe.channel, probe.origin, probe.lane};
  Entry* const entry = find(stream);
  if (entry == nullptr) return nack(stream, probe.seq, NackReason::gap, found->second.lineage, 0);
  if (probe.seq > entry->accepted) return gap(stream, found->second.lineage, *entry, probe.seq);
  // Messages on their way to the disk are answered when they are there.
  if (probe.seq <= entry->durable) repeat(stream, *entry);
}

void DurableOwner::gap(const StreamId& stream, Lineage lineage, Entry& entry, std::uint64_t seq) {
  ++counters_.gaps;
  if (entry.durable != entry.accepted) {
    entry.gap = seq;  // sent when the disk has caught up: the origin would send all of it again
    return;
  }
  if (entry.durable != 0) repeat(stream, entry);
  nack(stream, seq, NackReason::gap, lineage, entry.durable);
}

void DurableOwner::repeat(const StreamId& stream, Entry& entry) {
  if (!std::exchange(entry.repeat, true)) repeats_.push_back(stream);
}

void DurableOwner::flush() {
  for (const StreamId& stream : std::exchange(repeats_, {})) {
    Entry* const entry = find(stream);
    if (entry == nullptr) continue;
    entry->repeat = false;
    events_.on_repeat(stream);
  }
}

void DurableOwner::stored(const StreamId& stream, std::uint64_t last,
                          std::span<const PostResult> results) {
  Entry* const entry = find(stream);
  if (entry == nullptr || last <= entry->durable) return;
  entry->durable = last;
  say(stream, *entry, results, false);
  if (entry->gap != 0 && entry->durable == entry->accepted) {
    const std::uint64_t seq = std::exchange(entry->gap, 0);
    // It may have come meanwhile, in its turn.
    if (seq > entry->accepted) {
      nack(stream, seq, NackReason::gap, channels_.at(stream.channel).lineage, entry->durable);
    }
  }
}

void DurableOwner::answer(const StreamId& stream, std::span<const PostResult> kept) {
  if (const Entry* const entry = find(stream)) say(stream, *entry, kept, true);
}

void DurableOwner::refused(const StreamId& stream, std::uint64_t last) {
  Entry* const entry = find(stream);
  if (entry == nullptr || entry->accepted <= std::max(entry->durable, last)) return;
  const std::uint64_t seq = entry->accepted;
  entry->accepted = std::max(entry->durable, last);
  entry->gap = 0;
  nack(stream, seq, NackReason::overflow, {}, 0);
}

void DurableOwner::say(const StreamId& stream, const Entry& entry,
                       std::span<const PostResult> results, bool complete) {
  Posted posted;
  posted.lane = stream.lane;
  posted.origin = stream.origin;
  posted.channel = stream.channel;
  posted.lineage = channels_.at(stream.channel).lineage;
  // In pieces that each stand alone: a piece says nothing of what its results do not reach.
  do {
    const std::size_t count = std::min(results.size(), Posted::kMostResults);
    posted.results.assign(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(count));
    results = results.subspan(count);
    posted.last = results.empty() ? entry.durable : posted.results.back().seq;
    posted.complete = complete;
    scratch_.clear();
    encode(posted, scratch_);
    reply_(scratch_);
  } while (!results.empty());
}

void DurableOwner::nack(const StreamId& stream, std::uint64_t seq, NackReason reason,
                        Lineage lineage, std::uint64_t last) {
  scratch_.clear();
  encode(Nack{stream.lane, stream.origin, stream.channel, seq, reason, lineage, last}, scratch_);
  reply_(scratch_);
}

}  // namespace starbus::bus
