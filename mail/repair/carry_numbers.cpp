#include "mail/repair/carry_numbers.hpp"

#include <algorithm>
#include <string>

#include "mail/lost_row.hpp"
#include "mail/repair/repair_mail.hpp"
#include "mail/repair/row_cursor.hpp"
#include "mail/row_keys.hpp"
#include "mail/shards/shard_row.hpp"
#include "storage/bulk_writer.hpp"

namespace starbus::mail {
namespace {

/// One shard after the other.
class Carrying {
 public:
  Carrying(const storage::Snapshot& replaced, storage::Store& restored)
      : replaced_(replaced), restored_(restored), writer_(restored) {}

  storage::Result<Carried> run() {
    for (std::size_t shard = 0; shard < kShards; ++shard) {
      const auto done = carry_shard(static_cast<std::uint8_t>(shard));
      if (!done) return done.error();
    }
    if (auto flushed = writer_.flush(); !flushed) return flushed.error();
    return carried_;
  }

 private:
  storage::Result<> carry_shard(std::uint8_t shard) {
    const auto place = restored_.get(place_key(shard));
    if (!place) return place.error();
    const auto where = *place ? decode_place(**place) : std::nullopt;
    if (where && where->keeping == Keeping::elsewhere) return {};
    const std::string prefix = kind_prefix(kBoxRows, shard);
    added_ = {};
    RowCursor cursor(replaced_, prefix, prefix_end(prefix));
    for (;; cursor.step()) {
      const auto scanned = cursor.row();
      if (!scanned) return scanned.error();
      if (*scanned == nullptr) break;
      const bool damaged = (*scanned)->damage.code != storage::Errc::ok;
      const auto row = damaged ? std::nullopt : decode_box((*scanned)->value);
      if (!row) {
        ++carried_.unread;
        continue;
      }
      if (auto done = carry_box(shard, (*scanned)->key, *row); !done) return done;
    }
    carried_.unread += cursor.blocks().size();
    return count(shard);
  }

  storage::Result<> carry_box(std::uint8_t shard, const std::string& key, const BoxRow& replaced) {
    const auto stored = restored_.get(key);
    if (!stored) return stored.error();
    // A mailbox created after the backup has no earlier state.
    BoxRow row{.kind = replaced.kind, .name = replaced.name};
    if (*stored) {
      const auto decoded = decode_box(**stored);
      if (!decoded) return {};  // for a repair of the backup, which was restored with --damaged
      row = *decoded;
    }
    if (row.last >= replaced.last || row.kind != replaced.kind) return {};
    const std::uint64_t before = row.count();
    // If the mailbox is empty, do not report acknowledged messages as lost.
    if (before == 0) row.floor = row.last = std::max(row.last, replaced.floor);
    if (replaced.last - row.last > kMostMarked) {
      if (before != 0) {
        ++carried_.behind;
        return {};
      }
      row.floor = row.last = replaced.last - kMostMarked;
    }
    if (before == 0) row.floor_total = row.total;
    const ChannelId id = read_mail_key(key)->id;
    while (row.last < replaced.last) {
      const auto put = writer_.put(message_key(shard, id, ++row.last), encode(lost_row(row.total)));
      if (!put) return put;
      ++carried_.lost;
    }
    row.reader = std::max(row.reader, replaced.reader);
    added_.boxes += *stored ? 0 : 1;
    added_.messages += row.count() - before;
    ++carried_.boxes;
    return writer_.put(key, encode(row));
  }

  storage::Result<> count(std::uint8_t shard) {
    if (added_ == Totals{}) return {};
    const auto stored = restored_.get(shard_key(shard));
    if (!stored) return stored.error();
    ShardRow row = *stored ? decode_shard(**stored).value_or(ShardRow{}) : ShardRow{};
    row.totals += added_;
    return writer_.put(shard_key(shard), encode(row));
  }

  const storage::Snapshot& replaced_;
  storage::Store& restored_;
  storage::BulkWriter writer_;
  Totals added_;  // to the shard
  Carried carried_;
};

}  // namespace

storage::Result<Carried> carry_numbers(const storage::Snapshot& replaced,
                                       storage::Store& restored) {
  return Carrying(replaced, restored).run();
}

}  // namespace starbus::mail
