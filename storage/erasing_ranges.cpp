#include "storage/erasing_ranges.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/little_endian.hpp"
#include "storage/envelope.hpp"
#include "storage/internal_keys.hpp"
#include "storage/leveldb/leveldb_status.hpp"
#include "storage/limits.hpp"

namespace starbus::storage {
namespace {

// Per range two keys, each after two bytes of its length.
void write_list(const std::vector<ErasingRange>& ranges, leveldb::WriteBatch& write) {
  std::string value;
  const auto append = [&](std::string_view key) {
    append_little(value, key.size(), sizeof(std::uint16_t));
    value += key;
  };
  for (const ErasingRange& range : ranges) {
    if (range.from >= range.to) continue;  // done
    append(range.from);
    append(range.to);
  }
  std::string sealed;
  seal(kErasingKey, value, sealed);
  write.Put(to_slice(kErasingKey), sealed);
}

std::optional<std::string> take_key(std::string_view& list) {
  constexpr std::size_t kLength = sizeof(std::uint16_t);
  if (list.size() < kLength) return std::nullopt;
  const std::size_t size = load<std::uint16_t>(list, 0);
  if (size > list.size() - kLength) return std::nullopt;
  std::string key(list.substr(kLength, size));
  list.remove_prefix(kLength + size);
  return key;
}

}  // namespace

Result<std::vector<ErasingRange>> load_erasing(leveldb::DB& db, leveldb::ReadOptions options) {
  options.verify_checksums = true;
  std::string sealed;
  const leveldb::Status status = db.Get(options, to_slice(kErasingKey), &sealed);
  std::vector<ErasingRange> ranges;
  if (status.IsNotFound()) return ranges;
  if (!status.ok()) return error_of(status, kErasingKey);
  const auto value = unseal(kErasingKey, sealed);
  if (!value) return value.error();
  for (std::string_view list = *value; !list.empty();) {
    auto from = take_key(list);
    auto to = take_key(list);
    if (!from || !to) {
      return Error(Errc::corrupt, printable(kErasingKey) + ": not a list",
                   std::string(kErasingKey));
    }
    ranges.push_back({*from, std::move(*to), *from, 0});
  }
  return ranges;
}

std::optional<std::string_view> hidden_until(const std::vector<ErasingRange>& ranges,
                                             std::string_view key) {
  for (const ErasingRange& range : ranges) {
    if (key >= range.from && key < range.to) return range.to;
  }
  return std::nullopt;
}

Result<> ErasingRanges::load(leveldb::DB& db) {
  auto loaded = load_erasing(db, {});
  if (!loaded) return loaded.error();
  ranges_ = std::move(*loaded);
  planned_.clear();
  listed_ = false;  // opening has moved all logs into tables
  return {};
}

void ErasingRanges::plan_range(std::string_view from, std::string_view to) {
  planned_.push_back({std::string(from), std::string(to), std::string(from), 0});
}

bool ErasingRanges::extend(std::string_view from, std::string_view to) {
  const auto before = std::ranges::find(planned_, from, &ErasingRange::to);
  if (before == planned_.end()) return false;
  before->to = std::string(to);
  return true;
}

Result<> ErasingRanges::plan_chunk(leveldb::DB& db, leveldb::WriteBatch& write, std::size_t most) {
  if (ranges_.empty()) return {};
  ErasingRange& range = planned_.front();
  leveldb::ReadOptions read;
  read.verify_checksums = true;
  read.fill_cache = false;  // read once, to be erased
  const std::unique_ptr<leveldb::Iterator> at(db.NewIterator(read));
  std::size_t erased = 0;
  for (at->Seek(range.from); at->Valid() && erased < most; at->Next()) {
    if (to_view(at->key()) >= range.to) break;
    write.Delete(at->key());
    range.from = at->key().ToString() + '\0';
    ++erased;
  }
  range.keys += erased;
  // A damaged block is skipped: it cannot be read, so nothing is left to hide.
  if (at->status().IsIOError()) return error_of(at->status());
  if (erased < most) range.from = range.to;
  return {};
}

void ErasingRanges::finish(leveldb::WriteBatch& write) {
  listed_ = listed_ || !planned_.empty();
  if (listed_) write_list(planned_, write);
}

std::vector<ErasedPiece> ErasingRanges::confirm() {
  std::vector<ErasedPiece> erased;
  std::erase_if(planned_, [&](ErasingRange& range) {
    const bool done = range.from >= range.to;
    if (!done && range.keys < kCompactKeys) return false;
    erased.push_back({std::exchange(range.begin, range.from), range.from, range.keys});
    range.keys = 0;
    return done;
  });
  ranges_ = std::move(planned_);
  planned_.clear();
  return erased;
}

}  // namespace starbus::storage
