// What a batch erases besides acknowledged messages: by age, by an operator, by the quotas of logs.
#include <algorithm>
#include <utility>

#include "mail/mail.hpp"

namespace starbus::mail {

void Mail::add(const Sweeper::Found& found, storage::Batch& batch) {
  for (const std::string& key : found.keys) {
    // The same key may have been stored again since.
    const auto before = seen_before(key);
    if (before && !*before) batch.erase(key);
  }
  for (const StreamId& stream : found.streams) {
    const Shard* const shard = shard_of(stream.channel);
    if (shard == nullptr || batch_->streams.contains(stream)) continue;
    shard->streams.erase(stream, batch);
    batch_->forgotten.push_back(stream);
  }
  for (const Sweeper::Aged& aged : found.boxes) age(aged, batch);
}

void Mail::age(const Sweeper::Aged& aged, storage::Batch& batch) {
  Shard* const shard = shard_at(aged.shard);
  if (shard == nullptr || !may_erase_more()) return;
  const auto box = boxes_.find(aged.shard, aged.box);
  if (!box || !*box) return;
  Place place{*shard, aged.box, **box};
  const std::uint64_t before = place.box.row->floor;
  std::uint64_t upto = std::min(aged.upto, place.box.durable);
  if (place.box.row->kind == PostTarget::mailbox) {
    if (batch_->refusing) return;  // there is no room for the letters now
    upto = std::min(upto, before + kBuriedAtOnce);
    // Buried messages are erased in the same batch; the others follow later.
    for (std::uint64_t number = before + 1; number <= upto; ++number) {
      if (!bury(place, number, "too old", batch)) upto = number - 1;
    }
  }
  if (upto <= before) return;
  settle(place, upto, batch);
  batch_->counters.settled -= upto - before;
  batch_->counters.aged += upto - before;
}

void Mail::add(const Purge& purge, storage::Batch& batch) {
  const auto end = [&](Result<std::uint64_t> result) {
    batch_->then.emplace_back([done = purge.done, result = std::move(result)] { done(result); });
  };
  Shard* const shard = shard_at(bus::shard_of(purge.box));
  if (shard == nullptr) return end(Error{Errc::no_owner, "this host does not keep its shard"});
  const auto box = boxes_.find(shard->number, purge.box);
  if (!box) return end(refusal_of(box.error()));
  if (!*box) return end(Error{Errc::no_owner, "no such mailbox or log"});
  Place place{*shard, purge.box, **box};
  const std::uint64_t floor = place.box.row->floor;
  const std::uint64_t upto = std::min(purge.upto, place.box.durable);
  settle(place, upto, batch);
  const std::uint64_t count = place.box.row->floor - floor;
  batch_->counters.settled -= count;
  batch_->counters.purged += count;
  end(count);
}

// --- logs ----------------------------------------------------------------------------------------

/// Erases durable messages only: a batch may not erase what it puts.
void Mail::trim_log(Place& place, const LogQuota& quota, storage::Batch& batch) {
  BoxRow& row = *place.box.row;
  std::uint64_t upto = row.floor;
  if (quota.messages != 0 && row.count() > quota.messages) upto = row.last - quota.messages;
  // Tolerates an eighth more, so that one search serves many appends.
  if (quota.bytes != 0 && row.bytes() > quota.bytes + quota.bytes / 8) {
    upto = std::max(upto, first_within(place, quota.bytes) - 1);
  }
  upto = std::min(upto, place.box.durable);
  if (upto <= row.floor) return;
  const std::uint64_t count = upto - row.floor;
  settle(place, upto, batch);
  batch_->counters.settled -= count;
  batch_->counters.trimmed += count;
}

/// The first number from which on the messages have at most so many bytes. Binary search over the
/// running totals in the rows. For an unreadable row the next readable one counts; if there is
/// none, less is erased, and the rest when that row is gone.
std::uint64_t Mail::first_within(const Place& place, std::uint64_t bytes) const {
  const BoxRow& row = *place.box.row;
  std::uint64_t low = row.floor + 1;
  std::uint64_t high = place.box.durable + 1;
  std::string value;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    std::uint64_t number = middle;
    auto found = message(place, number, value);
    for (std::uint64_t step = 1; !found && high - number > step; step *= 2) {
      found = message(place, number += step, value);
    }
    // The messages after it are too many bytes: the result is later.
    if (found && row.total - std::min(row.total, found->total) > bytes) {
      low = number + 1;
    } else {
      high = middle;
    }
  }
  // The messages after `low` fit; with `low` they may not.
  return std::min(low + 1, place.box.durable + 1);
}

}  // namespace starbus::mail
