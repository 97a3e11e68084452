#pragma once

#include <leveldb/db.h>
#include <leveldb/write_batch.h>

#include <cstddef>
#include <set>
#include <string_view>
#include <vector>

#include "storage/batch.hpp"
#include "storage/erasing_ranges.hpp"
#include "storage/error.hpp"

namespace starbus::storage {

/// Several batches as one LevelDB write. Belongs to the writer's thread; the batches must outlive
/// it. Only the writer writes, so the DB has exactly the result of all earlier groups.
class Group {
 public:
  Group(leveldb::DB& db, ErasingRanges& ranges) : db_(db), ranges_(ranges) { ranges.begin(); }

  /// True if this batch must not come into the same write as what is already there: it puts into a
  /// range that is hidden, which must be erased first, or there are too many of those.
  bool must_wait(const Batch& batch) const;
  /// io_error of a read: then the group is of no use.
  Result<> add(const Batch& batch);
  /// True once nothing more should be added: enough was looked up, or a range was hidden into which
  /// the next batch may put.
  bool complete() const { return complete_; }
  /// The next chunk of a range that is hidden: so many keys.
  Result<> add_chunk(std::size_t keys) { return ranges_.plan_chunk(db_, write_, keys); }

  /// All of it, once: nothing is added any more.
  leveldb::WriteBatch& finish() {
    ranges_.finish(write_);
    return write_;
  }

 private:
  Result<> erase_range(std::string_view from, std::string_view to);

  leveldb::DB& db_;
  ErasingRanges& ranges_;
  leveldb::WriteBatch write_;
  bool complete_ = false;
  std::size_t looked_up_ = 0;
  // What this write puts: the DB does not have it yet. Sorted only when a range asks.
  std::vector<std::string_view> unsorted_puts_;
  std::set<std::string_view> puts_;
};

}  // namespace starbus::storage
