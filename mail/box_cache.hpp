#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "mail/rows.hpp"
#include "storage/store.hpp"

namespace starbus::bus::busd::mail {

/// What is known of mailboxes without asking the disk, and what the batch that is being built does
/// to them: it becomes true by `keep`, or never was, by `drop`. Two generations: a box that is used
/// is in the young one; when that has `most` the old one is forgotten, and the young one becomes
/// it, between batches. So what was among the latest `most` is known for certain. One thread.
class BoxCache {
 public:
  /// Some 20 MiB in a generation. A box that is not known costs a post several lookups in tables.
  static constexpr std::size_t kMost = 131'072;

  explicit BoxCache(storage::Store& store, std::size_t most = kMost) : store_(store), most_(most) {}

  struct Box {
    BoxRow* row = nullptr;      // valid until the next call
    std::uint64_t durable = 0;  // the latest number that is on the disk
    std::uint64_t gone = 0;     // the floor that is
  };
  /// No value: there is none. Errors as Store::get; corrupt also for a row that is none.
  storage::Result<std::optional<Box>> find(std::uint8_t shard, const ChannelId& id);
  /// Of a box that `find` has just been asked for, and that is not decided: this batch makes it,
  /// and of this kind.
  Box make(const ChannelId& id, std::string_view name, PostTarget kind);
  /// It will be changed by this batch.
  void touch(const ChannelId& id);

  /// Puts every changed box into the batch.
  void write(storage::Batch& batch);
  /// `changed(id, row)` of every box that the batch has changed.
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
  /// Nothing of the shard is known any more; no batch changes it now.
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
  Generation boxes_;  // young; has all that the batch changes
  Generation old_;    // none of them is in boxes_
  std::vector<ChannelId> dirty_;
  Bytes scratch_;
};

}  // namespace starbus::bus::busd::mail
