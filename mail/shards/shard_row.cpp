#include "mail/shards/shard_row.hpp"

#include <algorithm>

namespace starbus::mail {

storage::Result<ShardRow> read_shard_row(const storage::Store& store, std::uint8_t shard) {
  const std::string key = shard_key(shard);
  const auto stored = store.get(key);
  if (!stored) return stored.error();
  if (!stored->has_value()) return ShardRow{};
  const auto row = decode_shard(**stored);
  if (!row) return storage::Error(storage::Errc::corrupt, "not the row of a shard", key);
  return *row;
}

bool has_rows(const storage::Store& store, std::uint8_t shard) {
  const auto row = store.get(shard_key(shard));
  if (!row || row->has_value()) return true;
  const auto snapshot = store.snapshot();
  return !snapshot || std::ranges::any_of(kMovingKinds, [&](char kind) {
    const std::string prefix = kind_prefix(kind, shard);
    const auto page = (*snapshot)->scan(prefix, prefix_end(prefix), {.records = 1});
    return !page || !page->records.empty() || !page->damage.empty();
  });
}

bool is_being_erased(const storage::Store& store, std::uint8_t shard) {
  return std::ranges::any_of(kMovingKinds, [&](char kind) {
    const std::string prefix = kind_prefix(kind, shard);
    const auto erases = store.erases(prefix, prefix_end(prefix));
    return !erases || *erases;
  });
}

void erase_shard(std::uint8_t shard, storage::Batch& batch) {
  for (const char kind : kMovingKinds) {
    const std::string prefix = kind_prefix(kind, shard);
    batch.erase_range(prefix, prefix_end(prefix));
  }
  batch.erase(shard_key(shard));
}

}  // namespace starbus::mail
