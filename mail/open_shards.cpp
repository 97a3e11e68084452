#include "mail/open_shards.hpp"

#include <algorithm>
#include <utility>

#include "mail/limits.hpp"
#include "mail/shards/shard_row.hpp"

namespace starbus::mail {

storage::Result<OpenShard*> OpenShards::open(std::uint8_t number, Lineage lineage,
                                             std::uint64_t now_ms) {
  const auto row = read_shard_row(store_, number);
  if (!row) return row.error();
  const bool noted = row->lineage == lineage;
  auto streams = ShardStreams::read(store_, number, noted);
  if (!streams) return streams.error();
  OpenShard& opened = shards_[shard_channel(number).id()] =
      OpenShard{number, lineage, noted, row->totals, std::move(*streams), now_ms};
  return &opened;
}

bool OpenShards::close(std::uint8_t number) {
  return shards_.erase(shard_channel(number).id()) != 0;
}

OpenShard* OpenShards::of(const ChannelId& channel) {
  const auto found = shards_.find(channel);
  return found == shards_.end() ? nullptr : &found->second;
}

Totals OpenShards::totals() const {
  Totals all;
  for (const auto& [channel, shard] : shards_) all += shard.totals;
  return all;
}

bool OpenShards::has_unnoted() const {
  return std::ranges::any_of(shards_, [](const auto& entry) { return !entry.second.noted; });
}

std::set<Sweeper::Shard> OpenShards::noted() const {
  std::set<Sweeper::Shard> noted;
  for (const auto& [channel, shard] : shards_) {
    if (shard.noted) noted.insert({shard.number, shard.opened_ms});
  }
  return noted;
}

void OpenShards::write(ShardChanges& changes, storage::Batch& batch) const {
  std::size_t void_rows = kVoidRows;
  for (const auto& [channel, shard] : shards_) {
    const auto totals = changes.totals.find(shard.number);
    const bool changed = totals != changes.totals.end();
    if (shard.noted && !changed) continue;
    const std::size_t erased = shard.noted ? 0 : shard.streams.erase_void(batch, void_rows);
    void_rows -= erased;
    if (erased != 0) changes.voided[shard.number] = erased;
    // No lineage while void rows are left: after a crash they must not become valid again.
    const bool is_void = !shard.noted && shard.streams.has_void(erased);
    batch.put(shard_key(shard.number), encode(ShardRow{is_void ? Lineage{} : shard.lineage,
                                                       changed ? totals->second : shard.totals}));
    if (!shard.noted && !is_void) changes.noted.push_back(shard.number);
  }
}

void OpenShards::keep(const ShardChanges& changes) {
  for (const auto& [number, totals] : changes.totals) {
    if (OpenShard* const shard = at(number)) shard->totals = totals;
  }
  for (const auto& [number, rows] : changes.voided) {
    if (OpenShard* const shard = at(number)) shard->streams.void_erased(rows);
  }
}

}  // namespace starbus::mail
