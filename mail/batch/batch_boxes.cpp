#include "mail/batch/batch_boxes.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "mail/limits.hpp"

namespace starbus::mail {

Error refusal_of(const storage::Error& error) {
  return {error == storage::Errc::corrupt ? Errc::corrupt : Errc::io_error, error.to_string()};
}

Result<std::optional<BatchBoxes::Place>> BatchBoxes::find(OpenShard& shard, const ChannelId& id) {
  const auto box = mail_.boxes.find(shard.number, id);
  if (!box) return refusal_of(box.error());
  if (!*box) return std::nullopt;
  return Place{shard, id, **box};
}

Result<std::optional<BatchBoxes::Place>> BatchBoxes::find(OpenShard& shard, const ChannelId& id,
                                                          std::string_view name,
                                                          PostTarget target) {
  auto found = find(shard, id);
  if (!found || !*found) return found;
  const BoxRow& row = *(*found)->box.row;
  const bool other = row.decided() && row.kind != target;
  if (other || row.name != name) return Error{Errc::denied, denial(row.kind)};
  return found;
}

BatchBoxes::Place BatchBoxes::claim(std::optional<Place> found, OpenShard& shard,
                                    const ChannelId& id, std::string_view name, PostTarget kind,
                                    MailBatch& batch) {
  if (found && found->box.row->kind == kind) return *found;
  if (!found) {
    ++batch.shards.totals_of(shard).boxes;
    ++batch.all.boxes;
  }
  return {shard, id, mail_.boxes.make(id, name, kind)};
}

std::uint64_t BatchBoxes::put_message(Place& place, ByteView trace, ByteView body,
                                      MailBatch& batch) {
  BoxRow& row = *place.box.row;
  mail_.boxes.touch(place.id);
  ++row.last;
  row.total += body.size();
  scratch_.clear();
  encode(MessageRow{mail_.shell.wall_ms(), row.total, as_text(trace), as_text(body)}, scratch_);
  batch.rows.put(message_key(place.shard.number, place.id, row.last), as_text(scratch_));
  Totals& totals = batch.shards.totals_of(place.shard);
  ++totals.messages;
  totals.bytes += body.size();
  batch.all.bytes += body.size();
  ++batch.all.messages;
  if (row.kind == PostTarget::log) trim_log(place, mail_.quota.of_log(row.name), batch);
  return row.last;
}

void BatchBoxes::settle(Place& place, std::uint64_t upto, MailBatch& batch) {
  BoxRow& row = *place.box.row;
  if (upto <= row.floor) return;
  assert(upto <= place.box.durable);
  const std::uint8_t shard = place.shard.number;
  const std::uint64_t count = upto - row.floor;
  if (count <= kErasedSingly) {
    for (std::uint64_t number = row.floor + 1; number <= upto; ++number) {
      batch.rows.erase(message_key(shard, place.id, number));
    }
  } else {
    batch.rows.erase_range(message_key(shard, place.id, row.floor + 1),
                           message_key(shard, place.id, upto + 1));
    ++batch.ranges;
  }
  // Totals are absolute: if this row cannot be read, the next readable one corrects the sum.
  std::string value;
  const auto latest = message(place, upto, value);
  const std::uint64_t before = row.floor_total;
  if (upto == row.last) {
    row.floor_total = row.total;
  } else if (latest) {
    row.floor_total = std::clamp(latest->total, row.floor_total, row.total);
  }
  row.floor = upto;
  mail_.boxes.touch(place.id);
  Totals& totals = batch.shards.totals_of(place.shard);
  totals.messages -= std::min(totals.messages, count);
  totals.bytes -= std::min(totals.bytes, row.floor_total - before);
  batch.counters.settled += count;
}

std::optional<MessageRow> BatchBoxes::message(const Place& place, std::uint64_t number,
                                              std::string& value) const {
  auto stored = mail_.store.get(message_key(place.shard.number, place.id, number));
  if (!stored || !stored->has_value()) return std::nullopt;
  value = std::move(**stored);
  return decode_message(value);
}

// --- the quota of a log --------------------------------------------------------------------------

/// Erases durable messages only: a batch may not erase what it puts.
void BatchBoxes::trim_log(Place& place, const LogQuota& quota, MailBatch& batch) {
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
  batch.counters.settled -= count;
  batch.counters.trimmed += count;
}

/// The first number from which on the messages have at most so many bytes. Binary search over the
/// running totals in the rows. For an unreadable row the next readable one counts; if there is
/// none, less is erased, and the rest when that row is gone.
std::uint64_t BatchBoxes::first_within(const Place& place, std::uint64_t bytes) const {
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
