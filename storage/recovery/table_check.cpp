#include "storage/recovery/table_check.hpp"
#include "base/crc32c.hpp"
#include "base/little_endian.hpp"
#include "storage/check/log_format.hpp"
#include "storage/check/varint.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "storage/check/table_blocks.hpp"
#include "storage/check/table_keys.hpp"
#include "storage/envelope.hpp"
#include "storage/internal_keys.hpp"
#include "storage/recovery/batch_bytes.hpp"
#include "storage/recovery/byte_fix.hpp"

namespace starbus::storage {
namespace {

constexpr std::size_t kFooter = 48;
constexpr std::size_t kTrailer = 5;  // of a block: kind, checksum
constexpr std::size_t kRestart = 4;
constexpr std::string_view kMagic{"\x57\xfb\x80\x8b\x24\x75\x47\xdb", 8};

struct Place {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;  // without its trailer
};

std::optional<Place> take_place(std::string_view& bytes, std::size_t file) {
  Place place;
  if (!take_varint(bytes, place.offset) || !take_varint(bytes, place.size)) return std::nullopt;
  const bool fits = place.offset <= file && place.size <= file - place.offset &&
                    file - place.offset - place.size >= kTrailer;
  if (!fits) return std::nullopt;
  return place;
}

using Row = std::pair<std::string, std::string>;

/// The entries of a block; nullopt if it is malformed.
std::optional<std::vector<Row>> read_block(std::string_view block) {
  if (block.size() < kRestart) return std::nullopt;
  const std::uint64_t restarts = load<std::uint32_t>(block, block.size() - kRestart);
  if ((restarts + 1) * kRestart > block.size()) return std::nullopt;
  block = block.substr(0, block.size() - (restarts + 1) * kRestart);
  std::vector<Row> rows;
  std::string key;
  while (!block.empty()) {
    std::uint64_t shared = 0;
    std::uint64_t rest = 0;
    std::uint64_t value = 0;
    const bool read =
        take_varint(block, shared) && take_varint(block, rest) && take_varint(block, value);
    if (!read || shared > key.size() || rest > block.size() || value > block.size() - rest) {
      return std::nullopt;
    }
    key.resize(shared);
    key += block.substr(0, rest);
    if (!rows.empty() && table_order().Compare(to_slice(rows.back().first), to_slice(key)) >= 0) {
      return std::nullopt;
    }
    rows.emplace_back(key, block.substr(rest, value));
    block.remove_prefix(rest + value);
  }
  return rows;
}

/// Whether a corrected block can be as it was written.
bool are_sound(const std::vector<Row>& rows) {
  for (const auto& [bytes, value] : rows) {
    const auto key = read_table_key(bytes);
    if (!key || (key->put && !unseal(key->key, value))) return false;
  }
  return true;
}

class TableReader {
 public:
  explicit TableReader(std::string file) { reading_.bytes = std::move(file); }

  TableReading run(std::uint64_t expected) {
    if (reading_.bytes.size() > expected) {
      note("the file is too long");
      reading_.corrected.push_back(expected);
      reading_.bytes.resize(expected);
    }
    const auto index = reading_.bytes.size() == expected ? read_index() : std::nullopt;
    if (!index) {
      search_blocks(expected);
    } else {
      read_blocks(*index);
    }
    return std::move(reading_);
  }

 private:
  void note(const char* reason) {
    if (reading_.reason.empty()) reading_.reason = reason;
  }

  std::optional<std::vector<Row>> read_index() {
    std::string& bytes = reading_.bytes;
    if (bytes.size() < kFooter) return std::nullopt;
    std::string_view footer = std::string_view(bytes).substr(bytes.size() - kFooter);
    const std::size_t magic = bytes.size() - kMagic.size();
    const auto meta = take_place(footer, bytes.size() - kFooter);
    const auto place = take_place(footer, bytes.size() - kFooter);
    if (!meta || !place) return std::nullopt;
    auto index = block_at(*place);
    if (!index && is_compressed(*place)) {
      reading_.has_compressed = true;
      return std::vector<Row>();  // all of them are
    }
    if (!index) return std::nullopt;
    // The checksum of the index vouches for its place, and so for all that the footer is needed
    // for.
    for (std::size_t i = 0; i < kMagic.size(); ++i) {
      if (bytes[magic + i] == kMagic[i]) continue;
      note("its last bytes are wrong");
      bytes[magic + i] = kMagic[i];
      reading_.corrected.push_back(magic + i);
    }
    return index;
  }

  /// Corrected if need be; nullopt if that is not possible.
  std::optional<std::vector<Row>> block_at(const Place& place) {
    const std::size_t end = place.offset + place.size;
    std::optional<std::size_t> corrected;
    std::string original = reading_.bytes.substr(place.offset, place.size + kTrailer);
    if (!fix_byte(reading_.bytes, place.offset, end + 1, end + 1, corrected)) {
      note("the checksum of a block is wrong");
      return std::nullopt;
    }
    auto rows = read_block(std::string_view(reading_.bytes).substr(place.offset, place.size));
    if (!corrected) return rows;
    note("the checksum of a block is wrong");
    if (!rows || reading_.bytes[end] != 0) {
      reading_.bytes.replace(place.offset, original.size(), original);
      return std::nullopt;
    }
    reading_.corrected.push_back(*corrected);
    return rows;
  }

  bool is_compressed(const Place& place) const {
    const std::string_view block =
        std::string_view(reading_.bytes).substr(place.offset, place.size + 1);
    return block.back() != 0 &&
           load<std::uint32_t>(reading_.bytes, place.offset + place.size + 1) ==
               masked(crc32c(0, block));
  }

  void read_blocks(const std::vector<Row>& index) {
    std::string from;
    for (const auto& [last, value] : index) {
      std::string_view handle = value;
      const auto place = take_place(handle, reading_.bytes.size() - kFooter);
      const std::string end = user_key(last) + '\0';
      const std::size_t known = reading_.corrected.size();
      auto rows = place ? block_at(*place) : std::nullopt;
      if (!rows && place && is_compressed(*place)) {
        reading_.has_compressed = true;
        rows.emplace();
      }
      if (rows && reading_.corrected.size() != known && !are_sound(*rows)) rows.reset();
      if (rows) {
        for (Row& row : *rows) reading_.rows.push_back(std::move(row));
      } else {
        reading_.corrected.resize(known);
        const std::size_t at = place ? place->offset : 0;
        reading_.lost.push_back({at, place ? at + place->size + kTrailer : 0, from, end});
      }
      from = user_key(last);
    }
  }

  void search_blocks(std::uint64_t expected) {
    note(reading_.bytes.size() < expected ? "the file is cut off" : "its index is lost");
    reading_.without_index = true;
    std::string from;
    visit_blocks(reading_.bytes, [&](const TableRow& row) {
      const bool in_order =
          reading_.rows.empty() ||
          table_order().Compare(to_slice(reading_.rows.back().first), to_slice(row.key)) < 0;
      if (!in_order) return;
      reading_.rows.emplace_back(row.key, row.value);
      from = user_key(row.key);
    });
    reading_.lost.push_back({0, expected, from, {}});
  }

  TableReading reading_;
};

}  // namespace

TableReading read_table(std::string file, std::uint64_t expected) {
  return TableReader(std::move(file)).run(expected);
}

}  // namespace starbus::storage
