/// What the import of a shard writes: the mark before its first row, its pages, and the decision
/// at its end. Each mark is in one batch with the rows that it stands for, so that after a crash
/// the PlaceRow says which rows are here. Accepts rows of the shard only: the pages come from
/// another host. Plain functions over values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bus/core/wire/record_shards.hpp"
#include "storage/batch.hpp"

namespace starbus::mail {

/// One attempt to take a shard from its host.
struct ImportAttempt {
  std::uint8_t shard = 0;
  std::uint64_t token = 0;
  std::string host;
};

/// Erases earlier rows of the shard here, and marks it as incoming.
storage::Batch incoming_batch(const ImportAttempt& attempt);
/// The rows of a page; with the last one the row of the shard, which is marked as arrived. Returns
/// nullopt if a change is not one of this shard.
std::optional<storage::Batch> page_batch(const ImportAttempt& attempt, const bus::ShardRows& page);
/// Notes that the shard is this store's. Also for a full disk.
storage::Batch kept_batch(const ImportAttempt& attempt);
/// Erases the rows here, and notes that the shard is its host's, so that a configuration that lists
/// it does not count. Also for a full disk.
storage::Batch elsewhere_batch(const ImportAttempt& attempt);

}  // namespace starbus::mail
