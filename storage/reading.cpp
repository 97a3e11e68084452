#include "storage/reading.hpp"

#include <algorithm>
#include <iterator>
#include <memory>

#include "storage/envelope.hpp"
#include "storage/internal_keys.hpp"
#include "storage/leveldb/leveldb_status.hpp"

namespace starbus::storage {
namespace {

/// One page being filled. `get` reads one key of the same moment by itself.
template <class Get>
class PageReader {
 public:
  PageReader(leveldb::Iterator& at, Get get, const std::vector<ErasingRange>& hidden,
             std::string_view to, PageLimit limit)
      : at_(at), get_(std::move(get)), hidden_(hidden), to_(to), limit_(limit) {}

  Result<Page> read(std::string_view from) {
    last_ = std::string(from);
    at_.Seek(to_slice(from));
    while (at_.Valid() && !is_past_end() && at_.status().ok()) {
      const std::string_view key = to_view(at_.key());
      if (const auto end = hidden_until(hidden_, key)) {
        at_.Seek(to_slice(*end));
        continue;
      }
      if (is_full()) {
        page_.next = std::string(key);
        return std::move(page_);
      }
      add(key);
      at_.Next();
    }
    if (at_.status().ok()) return std::move(page_);
    if (!at_.status().IsCorruption()) return error_of(at_.status());
    end_at_damage();
    return std::move(page_);
  }

 private:
  bool is_past_end() const { return !to_.empty() && to_view(at_.key()) >= to_; }
  bool is_full() const {
    const std::size_t count = page_.records.size() + page_.damage.size();
    return count >= limit_.records ||
           (count > 0 && bytes_ + at_.key().size() + at_.value().size() > limit_.bytes);
  }

  void add(std::string_view key) {
    const auto value = unseal(key, to_view(at_.value()));
    if (value) {
      page_.records.push_back({std::string(key), std::string(*value)});
      bytes_ += key.size() + value->size();
    } else {
      page_.damage.push_back(value.error());
    }
    last_ = std::string(key) + '\0';
  }

  // LevelDB steps over a block that it cannot read and goes on after it. All that was read up to
  // here is sound. From here on its iterator could not report a second block: the next page gets a
  // fresh
  // one.
  void end_at_damage() {
    std::string end = "the end";
    if (at_.Valid()) {
      end = is_past_end() ? to_ : at_.key().ToString();
      if (!is_past_end()) page_.next = end;
      end = "before " + printable(end);
    }
    page_.damage.emplace_back(Errc::corrupt, "records may be missing from " + printable(last_) +
                                                 " to " + end + ": " + at_.status().ToString());
    // The first key is in another table, where the damage may have been of a newer version of it.
    // To get on, it is read by itself: that does not step over a damaged block.
    if (page_.next == last_ && page_.records.empty() && page_.damage.size() == 1) {
      const std::string key = *page_.next;
      auto value = get_(key);
      if (!value) {
        page_.damage.push_back(value.error());
      } else if (*value) {
        page_.records.push_back({key, std::move(**value)});
      }
      page_.next = key + '\0';
    }
  }

  leveldb::Iterator& at_;
  const Get get_;
  const std::vector<ErasingRange>& hidden_;
  const std::string to_;
  const PageLimit limit_;
  Page page_;
  std::size_t bytes_ = 0;
  std::string last_;  // all before it is in the page
};

}  // namespace

Result<std::optional<std::string>> read_value(leveldb::DB& db, leveldb::ReadOptions options,
                                              const std::vector<ErasingRange>& hidden,
                                              std::string_view key) {
  if (key < kFirstKey || hidden_until(hidden, key)) return std::optional<std::string>();
  options.verify_checksums = true;
  std::string sealed;
  const leveldb::Status status = db.Get(options, to_slice(key), &sealed);
  if (status.IsNotFound()) return std::optional<std::string>();
  if (!status.ok()) return error_of(status, key);
  const auto value = unseal(key, sealed);
  if (!value) return value.error();
  sealed.erase(0, kEnvelope);
  return std::optional<std::string>(std::move(sealed));
}

Result<Page> read_page(leveldb::DB& db, leveldb::ReadOptions options,
                       const std::vector<ErasingRange>& hidden, std::string_view from,
                       std::string_view to, PageLimit limit) {
  options.verify_checksums = true;
  limit.records = std::clamp<std::size_t>(limit.records, 1, kPageRecords);
  limit.bytes = std::min<std::size_t>(limit.bytes, kPageBytes);
  from = std::max(from, kFirstKey);
  // Most pages are of one mailbox, and most ranges of others: each row would be compared with all.
  std::vector<ErasingRange> within;
  std::ranges::copy_if(hidden, std::back_inserter(within),
                       [&](const ErasingRange& range) { return overlaps(range, from, to); });
  const std::unique_ptr<leveldb::Iterator> at(db.NewIterator(options));
  const auto get = [&](const std::string& key) { return read_value(db, options, within, key); };
  return PageReader(*at, get, within, to, limit).read(from);
}

}  // namespace starbus::storage
