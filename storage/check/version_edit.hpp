/// One edit of LevelDB's manifest. The manifest is a log (log_format.hpp) whose records are edits;
/// their sum says which tables and logs a database is made of. Pure; accepts any bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace starbus::storage {

/// Views into the bytes that were read.
struct VersionEdit {
  struct Table {
    std::uint32_t level = 0;
    std::uint64_t number = 0;
    std::uint64_t bytes = 0;
    std::string_view first;  // keys as they stand in tables: table_keys.hpp
    std::string_view last;
  };
  std::optional<std::string_view> comparator;
  std::optional<std::uint64_t> log_number;
  std::optional<std::uint64_t> previous_log;
  std::optional<std::uint64_t> next_file;
  std::optional<std::uint64_t> last_sequence;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> deleted;  // level and number of tables
  std::vector<Table> added;                                      // after `deleted`
};

/// The fields' numbers in the file.
enum class EditTag : std::uint8_t {
  comparator = 1,
  log_number = 2,
  next_file = 3,
  last_sequence = 4,
  compact_pointer = 5,
  deleted_table = 6,
  new_table = 7,
  previous_log = 9,
};

/// nullopt if the edit is malformed.
std::optional<VersionEdit> read_edit(std::string_view bytes);

}  // namespace starbus::storage
