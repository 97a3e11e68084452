#include "mail/shards/import_batches.hpp"

#include <string_view>

#include "mail/row_keys.hpp"
#include "mail/rows.hpp"
#include "mail/shards/shard_row.hpp"

namespace starbus::mail {
namespace {

using bus::ShardChange;

void put_place(const ImportAttempt& attempt, Keeping keeping, storage::Batch& batch) {
  const std::uint64_t token = keeping == Keeping::elsewhere ? 0 : attempt.token;
  batch.put(place_key(attempt.shard), encode(PlaceRow{keeping, token, attempt.host}));
}

bool is_stream_key(std::string_view key) {
  const auto read = read_stream_key(key);
  const bool results = read && read->seq != 0;
  return read && key[0] == (results ? kResultsRows : kStreamRows);
}

/// True for a row of the shard of a kind that moves: no other row is accepted.
bool moves_with(std::uint8_t shard, std::string_view key) {
  return key.size() > 2 && static_cast<std::uint8_t>(key[1]) == shard &&
         (read_mail_key(key) || is_stream_key(key));
}

/// False: it is not a change of that shard.
bool apply(const ShardChange& change, std::uint8_t shard, storage::Batch& batch) {
  const std::string_view key = as_text(change.key);
  const std::string_view value = as_text(change.value);
  if (!moves_with(shard, key) && change.what != ShardChange::What::erase_range) return false;
  switch (change.what) {
    case ShardChange::What::put:
      batch.put(key, value);
      return true;
    case ShardChange::What::erase:
      batch.erase(key);
      return true;
    case ShardChange::What::erase_range: {
      if (key.size() < 2 || kMovingKinds.find(key[0]) == std::string_view::npos) return false;
      const std::string prefix = kind_prefix(key[0], shard);
      const bool within = key >= prefix && key <= value && value <= prefix_end(prefix);
      if (within) batch.erase_range(key, value);
      return within;
    }
  }
  return false;
}

}  // namespace

storage::Batch incoming_batch(const ImportAttempt& attempt) {
  storage::Batch batch;
  erase_shard(attempt.shard, batch);
  put_place(attempt, Keeping::incoming, batch);
  return batch;
}

std::optional<storage::Batch> page_batch(const ImportAttempt& attempt, const bus::ShardRows& page) {
  storage::Batch batch;
  for (const ShardChange& change : page.changes) {
    if (!apply(change, attempt.shard, batch)) return std::nullopt;
  }
  if (page.last) {
    const Totals totals{page.boxes, page.messages, page.bytes};
    batch.put(shard_key(attempt.shard), encode(ShardRow{page.lineage, totals}));
    put_place(attempt, Keeping::arrived, batch);
  }
  return batch;
}

storage::Batch kept_batch(const ImportAttempt& attempt) {
  storage::Batch batch;
  batch.use_reserve();
  put_place(attempt, Keeping::kept, batch);
  return batch;
}

storage::Batch elsewhere_batch(const ImportAttempt& attempt) {
  storage::Batch batch;
  batch.use_reserve();
  erase_shard(attempt.shard, batch);
  put_place(attempt, Keeping::elsewhere, batch);
  return batch;
}

}  // namespace starbus::mail
