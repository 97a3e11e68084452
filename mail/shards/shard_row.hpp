#pragma once

#include "mail/rows.hpp"
#include "storage/store.hpp"

namespace starbus::bus::busd::mail {

/// The row of a shard; an empty one if nobody ever had it here. Errors as Store::get; corrupt also
/// for a row that is none. Blocks for the disk.
storage::Result<ShardRow> read_shard_row(const storage::Store& store, std::uint8_t shard);

/// Whether anything of it is here but where it is kept. If the disk does not say: true.
bool has_rows(const storage::Store& store, std::uint8_t shard);
/// Whether rows of it are still being erased: it must not come back before they are gone. If the
/// disk does not say: true.
bool is_being_erased(const storage::Store& store, std::uint8_t shard);
/// Erases all that lies here of a shard, but where it is kept.
void erase_shard(std::uint8_t shard, storage::Batch& batch);

}  // namespace starbus::bus::busd::mail
