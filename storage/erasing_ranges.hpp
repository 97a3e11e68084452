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

namespace starbus::storage {

/// A range too large to be erased within the commit that erases it. From that commit on the store's
/// own record lists it, readers skip it, and the writer erases its keys chunk by chunk; so it is
/// gone at once for everybody, also after a crash in between.
struct ErasingRange {
  std::string from;   // moves up with the chunks
  std::string to;     // exclusive
  std::string begin;  // where it began, for the compaction; not stored
};

/// All that the DB has at this moment, or at the snapshot of `options`; the oldest first.
Result<std::vector<ErasingRange>> load_erasing(leveldb::DB& db, leveldb::ReadOptions options);

/// The end of a range that hides `key`; no value: it is not hidden.
std::optional<std::string_view> hidden_until(const std::vector<ErasingRange>& ranges,
                                             std::string_view key);

/// Where the writer's chunks stand. Belongs to the writer's thread. What is planned into a write
/// becomes true by confirm(), once that write is on the disk; without, it never was.
class ErasingRanges {
 public:
  /// Forgets all and reads them from the DB.
  Result<> load(leveldb::DB& db);

  bool empty() const { return ranges_.empty(); }
  /// One batch more may add its ranges, then these come first.
  bool full() const;
  /// With what is planned, if that is more: what readers must count with.
  std::size_t size() const { return std::max(ranges_.size(), planned_.size()); }
  bool hide(std::string_view key) const { return hidden_until(ranges_, key).has_value(); }

  /// Begins the plan of one write.
  void begin() { planned_ = ranges_; }
  void plan_range(std::string_view from, std::string_view to);
  /// Erases the next kRangeChunk keys of what was there before this plan.
  Result<> plan_chunk(leveldb::DB& db, leveldb::WriteBatch& write);
  /// Adds the list to the write, once there has ever been one: also an empty list, and to writes
  /// that do not change it. A damaged log may lose any write, and what is put into a range that was
  /// erased must never come back without the list that no longer hides it.
  void finish(leveldb::WriteBatch& write);
  /// Returns the ranges that are done.
  std::vector<ErasingRange> confirm();

 private:
  std::vector<ErasingRange> ranges_;
  std::vector<ErasingRange> planned_;
  bool listed_ = false;  // since load
};

}  // namespace starbus::storage
