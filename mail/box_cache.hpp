#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "mail/limits.hpp"
#include "mail/rows.hpp"
#include "mail/types.hpp"
#include "storage/store.hpp"

namespace starbus::mail {

/// Caches the rows of mailboxes, with the changes of the batch that is being built: `keep` makes
/// the changes valid, `drop` discards them. Two generations: a box that is used is in the young
/// one; when that has `most` boxes, the old one is dropped and the young one becomes the old one,
/// between batches. So the latest `most` boxes are always cached. One thread.
class BoxCache {
 public:
  explicit BoxCache(storage::Store& store, std::size_t most = kCachedBoxes)
      : store_(store), most_(most) {}

  struct Box {
    BoxRow* row = nullptr;      // valid until the next call
    std::uint64_t durable = 0;  // the latest number that is on the disk
    std::uint64_t gone = 0;     // the floor that is on the disk
  };
  /// nullopt if there is no such box. Errors as Store::get; corrupt if the row is malformed.
  storage::Result<std::optional<Box>> find(std::uint8_t shard, const ChannelId& id);
  /// Makes a box of this kind in this batch. Call `find` first: the box must be missing, or its
  /// kind not decided.
  Box make(const ChannelId& id, std::string_view name, PostTarget kind);
  /// Marks the box as changed by this batch.
  void touch(const ChannelId& id);

  /// Puts every changed box into the batch.
  void write(storage::Batch& batch);
  /// Calls `changed(id, row)` for every box that the batch has changed.
  template <class Changed>
  void keep(Changed&& changed) {
    for (const ChannelId& id : dirty_) {
      Entry& entry = boxes_.at(id);
      entry.dirty = false;
      entry.durable = entry.row.last;
      entry.gone = entry.row.floor;
      changed(id, std::as_const(entry.row));
    }
    forget_some();
  }
  void drop();
  /// Drops all boxes of the shard. No batch may have changed them.
  void forget(std::uint8_t shard);

 private:
  struct Entry {
    std::uint8_t shard = 0;
    bool exists = false;
    bool dirty = false;
    BoxRow row;
    std::uint64_t durable = 0;
    std::uint64_t gone = 0;
  };
  using Generation = boost::unordered_flat_map<ChannelId, Entry>;
  void forget_some();
  storage::Result<Entry*> load(std::uint8_t shard, const ChannelId& id);

  storage::Store& store_;
  const std::size_t most_;
  Generation boxes_;  // young; has all changed boxes
  Generation old_;    // disjoint from boxes_
  std::vector<ChannelId> dirty_;
  Bytes scratch_;
};

}  // namespace starbus::mail
