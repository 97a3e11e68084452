#include "storage/group.hpp"

#include <memory>

#include "storage/internal_keys.hpp"
#include "storage/leveldb/leveldb_status.hpp"
#include "storage/limits.hpp"

namespace starbus::storage {

bool Group::must_wait(const Batch& batch) const {
  if (ranges_.empty()) return false;
  bool found = false;
  batch.for_each([&](Batch::Kind kind, std::string_view key, std::string_view) {
    found = found || (kind == Batch::Kind::put && ranges_.hide(key)) ||
            (kind == Batch::Kind::erase_range && ranges_.full());
  });
  return found;
}

Result<> Group::add(const Batch& batch) {
  Result<> result;
  batch.for_each([&](Batch::Kind kind, std::string_view first, std::string_view second) {
    switch (kind) {
      case Batch::Kind::put:
        write_.Put(to_slice(first), to_slice(second));
        unsorted_puts_.push_back(first);
        break;
      case Batch::Kind::erase:
        write_.Delete(to_slice(first));
        break;
      case Batch::Kind::erase_range:
        if (result) result = erase_range(first, second);
        break;
    }
  });
  return result;
}

Result<> Group::erase_range(std::string_view from, std::string_view to) {
  puts_.insert(unsorted_puts_.begin(), unsorted_puts_.end());
  unsorted_puts_.clear();
  // Forgotten with that: many ranges over the same puts may not multiply them.
  for (auto put = puts_.lower_bound(from); put != puts_.end() && *put < to;) {
    write_.Delete(to_slice(*put));
    put = puts_.erase(put);
  }
  if (ranges_.extend(from, to)) {
    complete_ = true;
    return {};
  }

  const std::size_t most = ranges_.crowded() ? kRangeCrowded : kRangeInline;
  leveldb::ReadOptions read;
  read.verify_checksums = true;
  const std::unique_ptr<leveldb::Iterator> at(db_.NewIterator(read));
  std::vector<std::string> found;
  for (at->Seek(to_slice(from)); at->Valid() && found.size() <= most; at->Next()) {
    if (to_view(at->key()) >= to) break;
    found.push_back(at->key().ToString());
  }
  if (at->status().IsIOError()) return error_of(at->status());
  looked_up_ += found.size();
  if (looked_up_ >= kRangeLooked) complete_ = true;
  if (found.size() <= most) {
    for (const std::string& key : found) write_.Delete(key);
  } else {
    ranges_.plan_range(from, to);
    complete_ = true;
  }
  return {};
}

}  // namespace starbus::storage
