#include "mail/repair/inspect.hpp"

#include <algorithm>
#include <utility>

#include "base/hex.hpp"
#include "bus/core/wire/name.hpp"
#include "mail/lost_row.hpp"
#include "mail/repair/row_cursor.hpp"
#include "mail/row_keys.hpp"

namespace starbus::mail {
namespace {

constexpr std::size_t kTokenBytes = 17;  // shard and id, as in the key

/// Where a list begins that goes on after `token`.
storage::Result<std::string> key_after(const std::string& token) {
  std::string key(1, kBoxRows);
  if (token.empty()) return key;
  const auto bytes = bytes_of_hex(token);
  if (!bytes || bytes->size() != kTokenBytes) {
    return storage::Error(storage::Errc::bad_batch,
                          "after: give what `next` of an earlier page says, 34 hex digits");
  }
  return key + *bytes + '\0';
}

void take_box(const ScannedRow& row, const BoxQuery& query, BoxPage& page) {
  const auto key = read_mail_key(row.key);
  const bool damaged = row.damage.code != storage::Errc::ok;
  auto box = key && !damaged ? decode_box(row.value) : std::nullopt;
  if (!box) {
    page.damaged.push_back(key ? "mailbox " + key->id.to_string() + ": its row cannot be read"
                               : "the key " + storage::printable(row.key));
  } else if (box->name.starts_with(query.prefix)) {
    page.boxes.push_back({key->shard, key->id, std::move(*box)});
  }
}

Peeked peeked(const ScannedRow& row) {
  Peeked message;
  message.number = read_mail_key(row.key)->number;
  if (row.damage.code != storage::Errc::ok) {
    message.trouble = row.damage.to_string();
    return message;
  }
  const auto decoded = decode_message(row.value);
  if (!decoded) {
    message.trouble = "not the row of a message";
  } else if (is_lost(*decoded)) {
    message.trouble = kLost;
  } else {
    message.time_ms = decoded->time_ms;
    message.trace = decoded->trace;
    message.body = decoded->body;
  }
  return message;
}

}  // namespace

storage::Result<BoxPage> list_boxes(const storage::Snapshot& snapshot, const BoxQuery& query) {
  const auto from = key_after(query.after);
  if (!from) return from.error();
  const std::size_t limit = std::clamp<std::size_t>(query.limit, 1, kMostBoxes);
  RowCursor cursor(snapshot, *from, prefix_end(std::string(1, kBoxRows)),
                   {.records = query.prefix.empty() ? limit + 1 : storage::kPageRecords});
  BoxPage page;
  std::string last;
  for (std::size_t read = 0;; ++read, cursor.step()) {
    const auto row = cursor.row();
    if (!row) return row.error();
    if (*row == nullptr) break;
    const bool full = page.boxes.size() >= limit || page.damaged.size() >= limit;
    if (full || read >= kMostBoxesRead) {
      page.next = hex_of(std::string_view(last).substr(1, kTokenBytes));
      break;
    }
    if (read_mail_key((*row)->key)) last = (*row)->key;
    take_box(**row, query, page);
  }
  for (const DamagedBlock& block : cursor.blocks()) {
    page.damaged.push_back("a damaged block may hold mailboxes: " + block.reason);
  }
  return page;
}

storage::Result<std::optional<BoxInfo>> find_box(const storage::Snapshot& snapshot,
                                                 std::string_view name) {
  BoxInfo box;
  box.id = channel_id(name);
  box.shard = bus::shard_of(box.id);
  const std::string key = box_key(box.shard, box.id);
  const auto value = snapshot.get(key);
  if (!value) return value.error();
  if (!value->has_value()) return std::optional<BoxInfo>();
  auto row = decode_box(**value);
  if (!row) return storage::Error(storage::Errc::corrupt, "not the row of a mailbox", key);
  box.row = std::move(*row);
  return std::optional(std::move(box));
}

storage::Result<PeekPage> peek(const storage::Snapshot& snapshot, const BoxInfo& box,
                               std::uint64_t from, std::size_t limit) {
  PeekPage page;
  const std::uint64_t first = std::max(from, box.row.floor + 1);
  if (first > box.row.last) return page;
  limit = std::clamp<std::size_t>(limit, 1, kMostPeeked);
  RowCursor cursor(snapshot, message_key(box.shard, box.id, first),
                   message_key(box.shard, box.id, box.row.last) + '\0',
                   {.records = limit + 1, .bytes = kPeekBytes});
  std::size_t bytes = 0;
  for (;; cursor.step()) {
    const auto row = cursor.row();
    if (!row) return row.error();
    if (!cursor.blocks().empty()) page.damage = cursor.blocks().front().reason;
    if (*row == nullptr) return page;
    Peeked message = peeked(**row);
    bytes += message.body.size();
    const bool full = page.messages.size() == limit || bytes > kPeekBytes;
    if (full && !page.messages.empty()) {
      page.next = message.number;
      return page;
    }
    page.messages.push_back(std::move(message));
  }
}

storage::Result<PeekPage> peek_whole(const storage::Snapshot& snapshot, const BoxInfo& box,
                                     std::uint64_t from, std::size_t limit) {
  limit = std::clamp<std::size_t>(limit, 1, kMostPeeked);
  auto found = peek(snapshot, box, from, limit);
  if (!found) return found;
  PeekPage page;
  page.damage = found->damage;
  const std::string why =
      page.damage.empty() ? "no such row" : "in a damaged block: " + page.damage;
  // Behind the last row of the last page a number up to the mailbox's last may be missing too.
  const std::uint64_t last = found->next != 0 ? found->next - 1 : box.row.last;
  const std::uint64_t first = std::max(from, box.row.floor + 1);
  auto message = found->messages.begin();
  for (std::uint64_t number = first; number != 0 && number <= last; ++number) {
    if (page.messages.size() == limit) {
      page.next = number;
      return page;
    }
    const bool there = message != found->messages.end() && message->number == number;
    page.messages.push_back(there ? std::move(*message++) : Peeked{number, 0, {}, {}, why});
  }
  page.next = found->next;
  return page;
}

storage::Result<ShardStatistics> shard_statistics(const storage::Snapshot& snapshot,
                                                  std::uint8_t shard) {
  const std::string prefix = kind_prefix(kBoxRows, shard);
  RowCursor cursor(snapshot, prefix, prefix_end(prefix));
  ShardStatistics statistics;
  for (;; cursor.step()) {
    const auto row = cursor.row();
    if (!row) return row.error();
    if (*row == nullptr) break;
    const auto key = read_mail_key((*row)->key);
    const bool damaged = (*row)->damage.code != storage::Errc::ok;
    auto box = key && !damaged ? decode_box((*row)->value) : std::nullopt;
    if (!box) {
      ++statistics.damaged;
      continue;
    }
    statistics.totals.add(*box);
    if (box->count() == 0) continue;
    const auto first = snapshot.get(message_key(shard, key->id, box->floor + 1));
    if (!first && first.error() != storage::Errc::corrupt) return first.error();
    const auto message = first && *first ? decode_message(**first) : std::nullopt;
    if (!message || is_lost(*message)) continue;
    const bool older = statistics.oldest_ms == 0 || message->time_ms < statistics.oldest_ms;
    if (older) statistics.oldest_ms = message->time_ms;
  }
  statistics.blocks = cursor.blocks();
  return statistics;
}

void ShardStatistics::add(const ShardStatistics& other) {
  totals += other.totals;
  if (other.oldest_ms != 0 && (oldest_ms == 0 || other.oldest_ms < oldest_ms)) {
    oldest_ms = other.oldest_ms;
  }
  damaged += other.damaged;
  blocks.insert(blocks.end(), other.blocks.begin(), other.blocks.end());
  merge_blocks(blocks);
}

}  // namespace starbus::mail
