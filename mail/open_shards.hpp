/// The shards that this store serves, or will serve: for each the lineage of its owner, its totals
/// and the streams of its senders. A shard is opened in two steps: its rows are read, then its
/// lineage is put on the disk, with which the rows of an earlier lineage become void and are
/// erased, some in each batch. Changes of a batch are valid after `keep`. Blocks for disk reads;
/// returns the errors of Store::get. The mail's thread only; the store outlives it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "mail/rows.hpp"
#include "mail/shards/shard_streams.hpp"
#include "mail/sweeper.hpp"
#include "mail/types.hpp"
#include "storage/store.hpp"

namespace starbus::mail {

/// A shard that this store serves now: a value within OpenShards.
struct OpenShard {
  std::uint8_t number = 0;
  Lineage lineage;
  bool noted = false;  // the lineage is on the disk
  Totals totals;       // durable
  ShardStreams streams;
  std::uint64_t opened_ms = 0;
};

/// What one batch does to the rows of shards.
struct ShardChanges {
  std::map<std::uint8_t, Totals> totals;       // of the shards that it changes, as they will be
  std::vector<std::uint8_t> noted;             // shards whose lineage it puts
  std::map<std::uint8_t, std::size_t> voided;  // rows of an earlier one that it erases, of shards

  /// The totals of a shard as they will be after the batch.
  Totals& totals_of(const OpenShard& shard) {
    return totals.try_emplace(shard.number, shard.totals).first->second;
  }
};

class OpenShards {
 public:
  explicit OpenShards(storage::Store& store) : store_(store) {}

  /// Reads the rows of a shard. Under another lineage than the last one the rows of its streams are
  /// void.
  storage::Result<OpenShard*> open(std::uint8_t number, Lineage lineage, std::uint64_t now_ms);
  /// False if it was not open.
  bool close(std::uint8_t number);
  /// Null if the shard is not open.
  OpenShard* at(std::uint8_t number) { return of(shard_channel(number).id()); }
  OpenShard* of(const ChannelId& channel);
  bool contains(std::uint8_t number) const { return shards_.contains(shard_channel(number).id()); }

  /// Durable totals of all open shards.
  Totals totals() const;
  /// Whether the lineage of a shard must still be put on the disk.
  bool has_unnoted() const;
  /// The others, for the sweeper.
  std::set<Sweeper::Shard> noted() const;

  /// Puts the rows of shards into a batch: changed totals, and lineages that are not on the disk.
  void write(ShardChanges& changes, storage::Batch& batch) const;
  /// Call when that is durable. Shards in `changes.noted` can be served then: the caller sets
  /// OpenShard::noted. Ignores shards that were closed since.
  void keep(const ShardChanges& changes);

 private:
  storage::Store& store_;
  std::unordered_map<ChannelId, OpenShard> shards_;
};

}  // namespace starbus::mail
