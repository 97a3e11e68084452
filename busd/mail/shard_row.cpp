#include "busd/mail/shard_row.hpp"

namespace starbus::bus::busd::mail {

storage::Result<ShardRow> read_shard_row(const storage::Store& store, std::uint8_t shard) {
  const std::string key = shard_key(shard);
  const auto stored = store.get(key);
  if (!stored) return stored.error();
  if (!stored->has_value()) return ShardRow{};
  const auto row = decode_shard(**stored);
  if (!row) return storage::Error(storage::Errc::corrupt, "not the row of a shard", key);
  return *row;
}

void erase_shard(std::uint8_t shard, storage::Batch& batch) {
  for (const char kind : kMovingKinds) {
    const std::string prefix = kind_prefix(kind, shard);
    batch.erase_range(prefix, prefix_end(prefix));
  }
  batch.erase(shard_key(shard));
}

}  // namespace starbus::bus::busd::mail
