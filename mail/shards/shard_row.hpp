#pragma once

#include "mail/rows.hpp"
#include "storage/store.hpp"

namespace starbus::mail {

/// The row of a shard; an empty one if this store never had it. Errors as Store::get; also returns
/// corrupt if the row cannot be decoded. Blocks for the disk.
storage::Result<ShardRow> read_shard_row(const storage::Store& store, std::uint8_t shard);

/// Whether any row of the shard is here, besides its PlaceRow. True if the disk cannot tell.
bool has_rows(const storage::Store& store, std::uint8_t shard);
/// Whether rows of the shard are still being erased: it must not come back before that has ended.
/// True if the disk cannot tell.
bool is_being_erased(const storage::Store& store, std::uint8_t shard);
/// Erases all rows of a shard but its PlaceRow.
void erase_shard(std::uint8_t shard, storage::Batch& batch);

}  // namespace starbus::mail
