/// One batch of Mail: the items that it is made of, what it writes, and what follows when that is
/// on the disk. Plain values that belong to whoever builds or commits the batch.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mail/limits.hpp"
#include "mail/mail_counters.hpp"
#include "mail/open_shards.hpp"
#include "mail/reader_requests.hpp"
#include "mail/rows.hpp"
#include "mail/shards/shard_streams.hpp"
#include "mail/sweeper.hpp"
#include "mail/types.hpp"
#include "storage/batch.hpp"
#include "storage/limits.hpp"

namespace starbus::mail {

/// Decoded on arrival, while the disk works, and not when its batch is built.
struct WaitingPost {
  StreamId stream;
  std::uint64_t seq = 0;
  Bytes message;
  bool tombstone = false;
  Result<bus::DecodedPost> decoded;  // views into `message`
  ChannelId box;
};

using Purged = std::function<void(Result<std::uint64_t> messages)>;
/// An operator's request to erase a box up to a number.
struct WaitingPurge {
  ChannelId box;
  std::uint64_t upto = 0;
  Purged done;
};

using BatchItem = std::variant<WaitingPost, Opening, Acknowledgement, Sweeper::Found, WaitingPurge>;

/// A change of a row in a shard that is watched.
struct RowChange {
  storage::Batch::Kind kind;
  std::string key, end;
};

struct MailBatch {
  std::vector<BatchItem> items;
  bool refusing = false;  // the disk is full: nothing is stored, and that is noted
  storage::Batch rows;    // until it is committed
  std::map<StreamId, ShardStreams::Change> streams;
  std::pair<const StreamId, ShardStreams::Change>* latest = nullptr;  // of these
  ShardChanges shards;
  std::vector<StreamId> forgotten;          // unless it also changes them
  std::map<std::string, KeyRow> keys;       // idempotency keys that it puts
  std::vector<std::function<void()>> then;  // what readers are told once it is durable
  std::vector<RowChange> changes;           // to shards that are watched
  std::size_t ranges = 0;                   // that it erases
  std::optional<Process> put_off;  // the latest item has found no room, a reader's: it waits
  MailCounters counters;           // what it will have done
  Totals all;                      // of the store, with what it stores

  /// A batch erases few ranges.
  bool may_erase_more() const { return ranges + kRangesOfOne <= storage::kMaxBatchRanges; }
};

}  // namespace starbus::mail
