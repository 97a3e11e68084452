#include "mail/sweeper.hpp"

#include <algorithm>
#include <optional>

#include "bus/core/wire/name.hpp"
#include "mail/lost_row.hpp"
#include "mail/row_keys.hpp"

namespace starbus::mail {
namespace {

constexpr char kKinds[] = {kBoxRows, kPostKeyRows, kStreamRows};

/// When the message was stored, or, if it is lost, the next one of which that is known.
std::optional<std::uint64_t> time_of(const storage::Snapshot& snapshot, std::uint8_t shard,
                                     const ChannelId& id, std::uint64_t number,
                                     std::uint64_t last) {
  for (std::uint64_t step = 1;; step *= 2) {
    const auto stored = snapshot.get(message_key(shard, id, number));
    const auto row = stored && *stored ? decode_message(**stored) : std::nullopt;
    if (!row) return std::nullopt;
    if (!is_lost(*row)) return row->time_ms;
    if (last - number < step) return std::nullopt;
    number += step;
  }
}

}  // namespace

Sweeper::Found Sweeper::step(const std::set<Shard>& shards, std::uint64_t now_ms) {
  Found found;
  if (shards.empty()) return found;
  auto shard = shards.lower_bound({shard_, 0});
  if (shard == shards.end() || shard->number != shard_) {
    if (shard == shards.end()) shard = shards.begin();
    shard_ = shard->number;
    kind_ = 0;
    from_.clear();
  }
  const std::string prefix = kind_prefix(kKinds[kind_], shard_);
  const auto snapshot = store_.snapshot();
  if (!snapshot) return found;
  const auto page = (*snapshot)->scan(from_.empty() ? prefix : from_, prefix_end(prefix),
                                      {.records = kSweepPage});
  if (!page) return found;
  for (const storage::Record& record : page->records) {
    look(*shard, record, now_ms, **snapshot, found);
  }
  from_ = page->next.value_or("");
  if (!from_.empty()) return found;
  kind_ = (kind_ + 1) % std::size(kKinds);
  if (kind_ == 0) ++shard_;  // after the last one the first follows
  return found;
}

void Sweeper::look(const Shard& shard, const storage::Record& record, std::uint64_t now_ms,
                   const storage::Snapshot& snapshot, Found& found) const {
  switch (record.key.front()) {
    case kBoxRows:
      return look_at_box(shard, record, now_ms, snapshot, found);
    case kPostKeyRows: {
      const auto row = decode_key(record.value);
      if (row && outlived(*row, now_ms)) found.keys.push_back(record.key);
      return;
    }
    case kStreamRows: {
      const auto key = read_stream_key(record.key);
      const auto row = decode_stream(record.value);
      if (!key || !row) return;
      if (!older(std::max(row->time_ms, shard.opened_ms), in_ms(kStreamLife), now_ms)) return;
      const ChannelId channel = shard_channel(shard.number).id();
      found.streams.push_back({channel, key->origin, key->lane});
      return;
    }
    default:
      return;
  }
}

/// Messages lie in the order of their times, so by halves.
void Sweeper::look_at_box(const Shard& shard, const storage::Record& record, std::uint64_t now_ms,
                          const storage::Snapshot& snapshot, Found& found) const {
  const auto box = decode_box(record.value);
  if (!box || box->count() == 0) return;
  const std::uint64_t life =
      box->kind == PostTarget::log ? quota_.of_log(box->name).age_ms : quota_.age_ms;
  if (life == 0) return;
  const ChannelId id = channel_id(box->name);
  const auto too_old = [&](std::uint64_t number) {
    const auto time = time_of(snapshot, shard.number, id, number, box->last);
    return time && older(*time, life, now_ms);
  };
  std::uint64_t low = box->floor;  // too old, or gone
  std::uint64_t high = box->last + 1;
  if (!too_old(low + 1)) return;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (too_old(middle) ? low : high) = middle;
  }
  found.boxes.push_back({shard.number, id, low});
}

}  // namespace starbus::mail
