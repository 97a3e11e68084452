#include "mail/batch/batch_erasing.hpp"

#include <algorithm>
#include <utility>

#include "mail/batch/bury.hpp"
#include "mail/batch/post_keys.hpp"
#include "mail/limits.hpp"

namespace starbus::mail {

void BatchErasing::add(const Sweeper::Found& found, MailBatch& batch) {
  for (const std::string& key : found.keys) {
    // The same key may have been stored again since.
    const auto before = seen_before(mail_, batch, key);
    if (before && !*before) batch.rows.erase(key);
  }
  for (const StreamId& stream : found.streams) {
    const OpenShard* const shard = mail_.shards.of(stream.channel);
    if (shard == nullptr || batch.streams.contains(stream)) continue;
    shard->streams.erase(stream, batch.rows);
    batch.forgotten.push_back(stream);
  }
  for (const Sweeper::Aged& aged : found.boxes) age(aged, batch);
}

void BatchErasing::age(const Sweeper::Aged& aged, MailBatch& batch) {
  OpenShard* const shard = mail_.shards.at(aged.shard);
  if (shard == nullptr || !batch.may_erase_more()) return;
  auto box = boxes_.find(*shard, aged.box);
  if (!box || !*box) return;
  BatchBoxes::Place place = **box;
  const std::uint64_t before = place.box.row->floor;
  std::uint64_t upto = std::min(aged.upto, place.box.durable);
  if (place.box.row->kind == PostTarget::mailbox) {
    if (batch.refusing) return;  // there is no room for the letters now
    upto = std::min(upto, before + kBuriedAtOnce);
    // Buried messages are erased in the same batch; the others follow later.
    for (std::uint64_t number = before + 1; number <= upto; ++number) {
      if (!bury(boxes_, place, number, "too old", batch)) upto = number - 1;
    }
  }
  if (upto <= before) return;
  boxes_.settle(place, upto, batch);
  batch.counters.settled -= upto - before;
  batch.counters.aged += upto - before;
}

void BatchErasing::add(const WaitingPurge& purge, MailBatch& batch) {
  const auto end = [&](Result<std::uint64_t> result) {
    batch.then.emplace_back([done = purge.done, result = std::move(result)] { done(result); });
  };
  OpenShard* const shard = mail_.shards.at(bus::shard_of(purge.box));
  if (shard == nullptr) return end(Error{Errc::no_owner, "this host does not keep its shard"});
  auto box = boxes_.find(*shard, purge.box);
  if (!box) return end(box.error());
  if (!*box) return end(Error{Errc::no_owner, "no such mailbox or log"});
  BatchBoxes::Place place = **box;
  const std::uint64_t floor = place.box.row->floor;
  const std::uint64_t upto = std::min(purge.upto, place.box.durable);
  boxes_.settle(place, upto, batch);
  const std::uint64_t count = place.box.row->floor - floor;
  batch.counters.settled -= count;
  batch.counters.purged += count;
  end(count);
}

}  // namespace starbus::mail
