/// LevelDB's manifest as the sum of its edits (storage/check/version_edit.hpp): which tables and
/// logs a database is made of. A repair reads it if LevelDB cannot, and writes it again without the
/// lost tables, so that all others stay where they are. Pure; accepts any bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace starbus::storage {

/// One table of the database, with its first and last key.
struct ManifestTable {
  std::uint32_t level = 0;
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
  std::string first;  // keys as they stand in tables: table_keys.hpp
  std::string last;
};

struct Manifest {
  std::string comparator;
  std::uint64_t log_number = 0;  // older logs are in tables
  std::uint64_t previous_log = 0;
  std::uint64_t next_file = 0;
  std::uint64_t last_sequence = 0;
  std::vector<ManifestTable> tables;
};

/// Adds an edit; false if the edit is malformed, and `manifest` unchanged.
bool apply_edit(std::string_view edit, Manifest& manifest);
/// The whole manifest as one edit.
std::string encode(const Manifest& manifest);

/// A manifest as it was read.
struct ManifestReading {
  Manifest manifest;
  bool corrected = false;  // a wrong byte was put right
  bool torn = false;       // bytes after the latest edit are not a whole one
};
/// nullopt if the file has a hole or is malformed.
std::optional<ManifestReading> read_manifest(std::string_view file);

}  // namespace starbus::storage
