/// Reads mailboxes, messages and sums of a mail store, in pages, so that neither memory nor the
/// time of one call grows with the store. Pure functions over a snapshot; they block for disk
/// reads. Unreadable rows are reported and do not hide the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mail/limits.hpp"
#include "mail/repair/row_cursor.hpp"
#include "mail/rows.hpp"
#include "mail/types.hpp"
#include "storage/store.hpp"

namespace starbus::mail {

/// One mailbox or log.
struct BoxInfo {
  std::uint8_t shard = 0;
  ChannelId id;
  BoxRow row;
};

/// Which mailboxes and logs to list, and how many at once.
struct BoxQuery {
  std::string prefix{};  // of names
  std::string after{};   // BoxPage::next of the page before; empty: from the beginning
  std::size_t limit = 100;
};
/// A page of the list.
struct BoxPage {
  std::vector<BoxInfo> boxes;        // in order of shard and id
  std::vector<std::string> damaged;  // mailboxes whose row cannot be read, and damaged blocks
  /// No value: that was the last. A page may be short, or empty, and not be the last.
  std::optional<std::string> next;
};
/// io_error, stale, closed; bad_batch for an `after` that no page gave.
storage::Result<BoxPage> list_boxes(const storage::Snapshot& snapshot, const BoxQuery& query);

/// No value: there is no such mailbox. corrupt: its row cannot be read.
storage::Result<std::optional<BoxInfo>> find_box(const storage::Snapshot& snapshot,
                                                 std::string_view name);

/// The trouble of a message that is marked as lost.
inline constexpr std::string_view kLost = "lost";
/// One message, read without a reader's session.
struct Peeked {
  std::uint64_t number = 0;
  std::uint64_t time_ms = 0;
  std::string trace;
  std::string body;
  std::string trouble;  // not empty: it cannot be read, or is marked as lost: kLost
};
/// A page of messages.
struct PeekPage {
  std::vector<Peeked> messages;  // in order of numbers; a number that is missing here is missing
  std::uint64_t next = 0;        // 0: that was the last
  std::string damage;            // of the first damaged block that was met; empty: none
};
/// Messages from number `from` on; at most `limit`, kMostPeeked and about kPeekBytes.
storage::Result<PeekPage> peek(const storage::Snapshot& snapshot, const BoxInfo& box,
                               std::uint64_t from, std::size_t limit);
/// The same, and a number that is missing has its place too, with why nothing can be read there: in
/// a mailbox none may be missing.
storage::Result<PeekPage> peek_whole(const storage::Snapshot& snapshot, const BoxInfo& box,
                                     std::uint64_t from, std::size_t limit);

/// The sums of a shard, or of several.
struct ShardStatistics {
  Totals totals;
  std::uint64_t damaged = 0;         // rows of mailboxes that cannot be read, not counted otherwise
  std::vector<DamagedBlock> blocks;  // and blocks: there may be mailboxes in them
  std::uint64_t oldest_ms = 0;       // when the oldest message of the shard was stored; 0: none

  /// A block that goes on from one shard into the other is one.
  void add(const ShardStatistics& other);
  std::uint64_t unreadable() const { return damaged + blocks.size(); }
};
/// Reads all mailboxes of the shard, and the first message of each.
storage::Result<ShardStatistics> shard_statistics(const storage::Snapshot& snapshot,
                                                  std::uint8_t shard);

}  // namespace starbus::mail
