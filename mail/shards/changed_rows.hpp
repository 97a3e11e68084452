#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mail/limits.hpp"
#include "storage/batch.hpp"

namespace starbus::mail {

/// The rows of a shard that batches have changed since the last call: keys, whose values are read
/// later, and erased ranges. Keys of an erased range never come back (message numbers grow), so
/// ranges first, then keys, repeats the batches.
class ChangedRows {
 public:
  /// False: too many.
  bool add(storage::Batch::Kind kind, std::string_view key, std::string_view end) {
    if (kind == storage::Batch::Kind::erase_range) {
      ranges_.emplace_back(key, end);
    } else {
      keys_.emplace(key);
    }
    return size() <= kExportChanges;
  }
  std::size_t size() const { return keys_.size() + ranges_.size(); }
  bool empty() const { return size() == 0; }

  using Range = std::pair<std::string, std::string>;
  bool has_ranges() const { return !ranges_.empty(); }
  /// The range that was noted last; there must be one.
  Range take_range() {
    Range range = std::move(ranges_.back());
    ranges_.pop_back();
    return range;
  }
  std::string take_key() { return std::move(keys_.extract(keys_.begin()).value()); }

 private:
  std::set<std::string, std::less<>> keys_;
  std::vector<Range> ranges_;
};

}  // namespace starbus::mail
