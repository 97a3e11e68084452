#include "mail/batch/batch_builder.hpp"

#include <utility>

#include "mail/limits.hpp"

namespace starbus::mail {
namespace {

/// Rough size of the batch of these items, in bytes.
std::size_t rough_size(const std::vector<BatchItem>& items) {
  constexpr std::size_t kAround = 128;  // of a message: key, envelope, its share of the other rows
  std::size_t bytes = 0;
  for (const BatchItem& item : items) bytes += kAround + message_size(item);
  return bytes;
}

}  // namespace

MailBatch BatchBuilder::build(std::vector<BatchItem> items, bool refusing) {
  if (refusing) queue_.put_back(items, kRefusedMessages);
  MailBatch batch;
  batch.items = std::move(items);
  batch.refusing = refusing;
  batch.all = mail_.shards.totals();
  batch.rows.reserve(rough_size(batch.items), 2 * batch.items.size());
  add_items(batch);
  mail_.boxes.write(batch.rows);
  for (const auto& [key, row] : batch.keys) batch.rows.put(key, encode(row));
  for (auto& [id, change] : batch.streams) {
    mail_.shards.of(id.channel)->streams.write(id, change, mail_.shell.wall_ms(), batch.rows);
  }
  mail_.shards.write(batch.shards, batch.rows);
  note_changes(batch);
  if (refusing && !batch.rows.fits_reserve() && batch.items.size() > 1) {
    mail_.boxes.drop();
    queue_.put_back(batch.items, batch.items.size() / 2);
    return build(std::move(batch.items), true);
  }
  // Dead letters are not bookkeeping: their bodies may be large.
  const bool bookkeeping = batch.streams.empty() && batch.items.size() <= kRefusedMessages;
  if (refusing || (bookkeeping && batch.rows.fits_reserve())) batch.rows.use_reserve();
  return batch;
}

/// Items without room wait for the next batch; the first item always has room.
void BatchBuilder::add_items(MailBatch& batch) {
  for (std::size_t i = 0; i < batch.items.size(); ++i) {
    if (!batch.may_erase_more() || batch.rows.bytes() > kBatchHeavy) {
      return queue_.put_back(batch.items, i);
    }
    std::visit([&](auto& item) { add(item, batch); }, batch.items[i]);
    if (!batch.put_off) continue;
    queue_.put_back(batch.items, i);
    return queue_.put_off(*batch.put_off);
  }
}

/// The second byte of every key is its shard.
void BatchBuilder::note_changes(MailBatch& batch) const {
  batch.rows.for_each([&](storage::Batch::Kind kind, std::string_view key, std::string_view value) {
    if (kMovingKinds.find(key[0]) == std::string_view::npos) return;
    if (!mail_.shell.watched(static_cast<std::uint8_t>(key[1]))) return;
    const bool range = kind == storage::Batch::Kind::erase_range;
    batch.changes.push_back({kind, std::string(key), std::string(range ? value : "")});
  });
}

}  // namespace starbus::mail
