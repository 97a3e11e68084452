#include "storage/recovery/manifest.hpp"

#include <algorithm>

#include "storage/check/live_tables.hpp"
#include "storage/check/table_keys.hpp"
#include "storage/recovery/batch_bytes.hpp"
#include "storage/recovery/log_file.hpp"

namespace starbus::storage {
namespace {

constexpr std::uint32_t kLevels = 7;
constexpr std::string_view kPrefix = "MANIFEST-";

enum Tag : std::uint64_t {
  kComparator = 1,
  kLogNumber = 2,
  kNextFile = 3,
  kLastSequence = 4,
  kCompactPointer = 5,
  kDeletedTable = 6,
  kNewTable = 7,
  kPreviousLog = 9,
};

class EditReader {
 public:
  EditReader(std::string_view edit, Manifest& to) : edit_(edit), to_(to) {}

  bool run() {
    while (!edit_.empty()) {
      std::uint64_t tag = 0;
      if (!take_varint(edit_, tag) || !take(tag)) return false;
    }
    return true;
  }

 private:
  bool take(std::uint64_t tag) {
    switch (tag) {
      case kComparator:
        return take_text(to_.comparator);
      case kLogNumber:
        return take_varint(edit_, to_.log_number);
      case kPreviousLog:
        return take_varint(edit_, to_.previous_log);
      case kNextFile:
        return take_varint(edit_, to_.next_file);
      case kLastSequence:
        return take_varint(edit_, to_.last_sequence);
      case kCompactPointer: {  // where the next compaction begins: that of level 0 will do
        std::uint32_t level = 0;
        std::string key;
        return take_level(level) && take_text(key);
      }
      case kDeletedTable:
        return take_deleted();
      case kNewTable:
        return take_new();
      default:
        return false;
    }
  }

  bool take_text(std::string& text) {
    std::string_view slice;
    if (!take_slice(edit_, slice)) return false;
    text = slice;
    return true;
  }
  bool take_level(std::uint32_t& level) {
    std::uint64_t number = 0;
    if (!take_varint(edit_, number) || number >= kLevels) return false;
    level = static_cast<std::uint32_t>(number);
    return true;
  }
  bool take_deleted() {
    std::uint32_t level = 0;
    std::uint64_t number = 0;
    if (!take_level(level) || !take_varint(edit_, number)) return false;
    std::erase_if(to_.tables, [&](const ManifestTable& table) {
      return table.level == level && table.number == number;
    });
    return true;
  }
  bool take_new() {
    ManifestTable table;
    const bool whole = take_level(table.level) && take_varint(edit_, table.number) &&
                       take_varint(edit_, table.bytes) && take_text(table.first) &&
                       take_text(table.last) && read_table_key(table.first) &&
                       read_table_key(table.last);
    if (whole) to_.tables.push_back(std::move(table));
    return whole;
  }

  std::string_view edit_;
  Manifest& to_;
};

}  // namespace

bool apply_edit(std::string_view edit, Manifest& manifest) {
  return EditReader(edit, manifest).run();
}

std::string encode(const Manifest& manifest) {
  std::string edit;
  const auto number = [&](Tag tag, std::uint64_t value) {
    put_varint(edit, tag);
    put_varint(edit, value);
  };
  put_varint(edit, kComparator);
  put_slice(edit, manifest.comparator);
  number(kLogNumber, manifest.log_number);
  number(kPreviousLog, manifest.previous_log);
  number(kNextFile, manifest.next_file);
  number(kLastSequence, manifest.last_sequence);
  for (const ManifestTable& table : manifest.tables) {
    number(kNewTable, table.level);
    put_varint(edit, table.number);
    put_varint(edit, table.bytes);
    put_slice(edit, table.first);
    put_slice(edit, table.last);
  }
  return edit;
}

std::optional<ManifestReading> read_manifest(std::string_view file) {
  const auto is_edit = [](std::string_view bytes) {
    Manifest nothing;
    return apply_edit(bytes, nothing);
  };
  const LogReading log = read_log(file, is_edit);
  if (!log.holes.empty()) return std::nullopt;
  ManifestReading reading;
  reading.torn = log.tail.has_value();
  for (const LogRecord& record : log.records) {
    reading.corrected = reading.corrected || !record.corrected.empty();
    if (!apply_edit(record.bytes, reading.manifest)) return std::nullopt;
  }
  if (reading.manifest.comparator.empty() || reading.manifest.next_file == 0) return std::nullopt;
  return reading;
}

std::string manifest_file_name(std::uint64_t number) {
  const std::string table = table_file_name(number);
  return std::string(kPrefix).append(table, 0, table.find('.'));
}

std::optional<std::string> read_current(std::string_view text) {
  if (!text.ends_with('\n')) return std::nullopt;
  text.remove_suffix(1);
  if (!text.starts_with(kPrefix) || manifest_file_name(file_number(text)) != text) {
    return std::nullopt;
  }
  return std::string(text);
}

}  // namespace starbus::storage
