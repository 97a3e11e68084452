#include "storage/check/table_blocks.hpp"
#include "base/crc32c.hpp"
#include "base/little_endian.hpp"
#include "storage/check/log_format.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "storage/check/table_keys.hpp"
#include "storage/envelope.hpp"
#include "storage/limits.hpp"
#include "storage/recovery/byte_fix.hpp"

namespace starbus::storage {
namespace {

// A block: entries, where every 16th of them begins (4 bytes each), how many those are (4), then
// the kind of its compression (1) and a checksum (4). Integers are little-endian.
constexpr std::size_t kRestartInterval = 16;
constexpr std::size_t kWord = 4;
constexpr char kUncompressed = 0;
constexpr std::size_t kLongestKey = kMaxKey + kTableKeyTrailer;
constexpr std::size_t kLongestValue = kMaxValue + kEnvelope;

class BlockSearch {
 public:
  using Visit = std::function<void(const TableRow&)>;
  BlockSearch(std::string_view table, const Visit& visit) : table_(table), visit_(visit) {}

  void run() {
    while (const auto end = find_end()) {
      give_out();
      at_ = *end;
    }
  }

 private:
  struct Entry {
    std::size_t shared = 0;  // bytes of the key before
    std::string_view rest;   // of the key
    std::string_view value;
  };

  /// Where the block that begins here ends, with its trailer; its entries are in entries_.
  std::optional<std::size_t> find_end() {
    entries_.clear();
    restarts_.clear();
    std::size_t key = 0;
    for (std::size_t next = at_;;) {
      const std::size_t begin = next;
      const auto entry = read_entry(next, key);
      if (!entry) return std::nullopt;
      if (entries_.size() % kRestartInterval == 0) {
        if (entry->shared != 0) return std::nullopt;
        restarts_.push_back(begin - at_);
      }
      key = entry->shared + entry->rest.size();
      entries_.push_back(*entry);
      if (const auto end = end_behind(next)) return end;
    }
  }

  std::optional<Entry> read_entry(std::size_t& at, std::size_t key) const {
    Entry entry;
    std::size_t rest = 0;
    std::size_t value = 0;
    if (!read_length(at, entry.shared) || !read_length(at, rest) || !read_length(at, value)) {
      return std::nullopt;
    }
    const bool fits = entry.shared <= key && entry.shared + rest > kTableKeyTrailer &&
                      entry.shared + rest <= kLongestKey && value <= kLongestValue &&
                      rest + value <= table_.size() - at;
    if (!fits) return std::nullopt;
    entry.rest = table_.substr(at, rest);
    entry.value = table_.substr(at + rest, value);
    at += rest + value;
    return entry;
  }

  bool read_length(std::size_t& at, std::size_t& length) const {
    length = 0;
    for (unsigned shift = 0; shift < 35 && at < table_.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(table_[at++]);
      length |= std::size_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }

  /// The end of the block if a list of restarts and a right checksum follow the latest entry.
  std::optional<std::size_t> end_behind(std::size_t at) const {
    const std::size_t end = at + (restarts_.size() + 1) * kWord;
    if (end + 1 + kWord > table_.size() || table_[end] != kUncompressed) return std::nullopt;
    if (word(end - kWord) != restarts_.size()) return std::nullopt;
    for (std::size_t i = 0; i < restarts_.size(); ++i) {
      if (word(at + i * kWord) != restarts_[i]) return std::nullopt;
    }
    const std::uint32_t crc = crc32c(0, table_.substr(at_, end + 1 - at_));
    if (word(end + 1) != masked(crc)) return std::nullopt;
    return end + 1 + kWord;
  }

  std::uint32_t word(std::size_t at) const { return load<std::uint32_t>(table_, at); }

  void give_out() const {
    std::string key;
    for (const Entry& entry : entries_) {
      key.resize(entry.shared);
      key += entry.rest;
      const auto read = read_table_key(key);
      // Entries of an index look like this, too: their values are not records.
      if (read && (!read->put || unseal(read->key, entry.value))) visit_({key, entry.value});
    }
  }

  const std::string_view table_;
  const Visit& visit_;
  std::size_t at_ = 0;
  std::vector<Entry> entries_;         // of the block that is looked at
  std::vector<std::size_t> restarts_;  // of that, too
};

}  // namespace

void visit_blocks(std::string_view table, const std::function<void(const TableRow&)>& visit) {
  BlockSearch(table, visit).run();
}

}  // namespace starbus::storage
