#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "busd/mail/rows.hpp"
#include "storage/store.hpp"

namespace starbus::bus::busd::mail {

/// What is known of mailboxes without asking the disk, and what the batch that is being built does
/// to them: it becomes true by `keep`, or never was, by `drop`. Only between batches are boxes
/// forgotten, all at once, when there are kMost. One thread.
class BoxCache {
 public:
  static constexpr std::size_t kMost = 65'536;  // some 10 MiB

  explicit BoxCache(storage::Store& store) : store_(store) {}

  struct Box {
    BoxRow* row = nullptr;      // valid until the next call
    std::uint64_t durable = 0;  // the latest number that is on the disk
    bool made = false;          // just now, by this batch
  };
  /// The box; an empty one if there is none yet. Errors as Store::get; corrupt also for a row that
  /// is none.
  storage::Result<Box> find_or_make(std::uint8_t shard, const ChannelId& id, std::string_view name,
                                    PostTarget kind);
  /// No value: there is none.
  storage::Result<std::optional<Box>> find(std::uint8_t shard, const ChannelId& id);
  /// It will be changed by this batch.
  void touch(const ChannelId& id);

  /// Puts every changed box into the batch.
  void write(storage::Batch& batch) const;
  /// `changed(id, row)` of every box that the batch has changed.
  template <class Changed>
  void keep(Changed&& changed) {
    for (const ChannelId& id : dirty_) {
      Entry& entry = boxes_.at(id);
      entry.dirty = false;
      entry.durable = entry.row.last;
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
  };
  void forget_some();
  storage::Result<Entry*> load(std::uint8_t shard, const ChannelId& id);

  storage::Store& store_;
  boost::unordered_flat_map<ChannelId, Entry> boxes_;
  std::vector<ChannelId> dirty_;
};

}  // namespace starbus::bus::busd::mail
