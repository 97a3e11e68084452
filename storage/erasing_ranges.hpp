#pragma once

#include <leveldb/db.h>
#include <leveldb/write_batch.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/error.hpp"
#include "storage/limits.hpp"

namespace starbus::storage {

/// A range too large to be erased within its commit. From that commit on a record of the store
/// lists it, readers skip it, and the writer erases its keys chunk by chunk: it is gone at once for
/// all readers, also after a crash in between.
struct ErasingRange {
  std::string from;        // moves up with the chunks
  std::string to;          // exclusive
  std::string begin;       // erased from here on, and not yet reported; not stored
  std::uint64_t keys = 0;  // number of these
};

/// `to` empty: the end.
inline bool overlaps(const ErasingRange& range, std::string_view from, std::string_view to) {
  return range.to > from && (to.empty() || range.from < to);
}

/// Something to compact.
struct ErasedPiece {
  std::string from;
  std::string to;  // exclusive
  std::uint64_t keys = 0;
};

/// All that the DB has at this moment, or at the snapshot of `options`; the oldest first.
Result<std::vector<ErasingRange>> load_erasing(leveldb::DB& db, leveldb::ReadOptions options);

/// The end of a range that hides `key`; no value: it is not hidden.
std::optional<std::string_view> hidden_until(const std::vector<ErasingRange>& ranges,
                                             std::string_view key);

/// The progress of the writer's chunks. Belongs to the writer's thread. A chunk that is planned
/// into a write counts from confirm() on, once that write is on the disk; without, it never was.
class ErasingRanges {
 public:
  /// Forgets all and reads them from the DB.
  Result<> load(leveldb::DB& db);

  bool empty() const { return ranges_.empty(); }
  /// Half of kMaxErasing: what is erased now should rather be erased at once.
  bool crowded() const { return size() >= kMaxErasing / 2; }
  /// One batch more may add its ranges, then these come first.
  bool full() const { return size() >= kMaxErasing; }
  /// With what is planned, if that is more: what readers must count with.
  std::size_t size() const { return std::max(ranges_.size(), planned_.size()); }
  bool hide(std::string_view key) const { return hidden_until(ranges_, key).has_value(); }

  /// Begins the plan of one write.
  void begin() { planned_ = ranges_; }
  void plan_range(std::string_view from, std::string_view to);
  /// If it begins where one that is hidden ends, as of a mailbox that is read on: that one reaches
  /// further then, and nothing need be looked up.
  bool extend(std::string_view from, std::string_view to);
  /// Erases the next so many keys of what was there before this plan.
  Result<> plan_chunk(leveldb::DB& db, leveldb::WriteBatch& write, std::size_t most);
  /// Adds the list to the write, once there has ever been one: also an empty list, and to writes
  /// that do not change it. A damaged log may lose any write, and what is put into a range that was
  /// erased must never come back without the list that no longer hides it.
  void finish(leveldb::WriteBatch& write);
  /// Returns what has been erased, in pieces of kCompactKeys and the ends of ranges.
  std::vector<ErasedPiece> confirm();

 private:
  std::vector<ErasingRange> ranges_;
  std::vector<ErasingRange> planned_;
  bool listed_ = false;  // since load
};

}  // namespace starbus::storage
