/// Reads a whole table of LevelDB block by block with their checksums. Corrects one wrong byte per
/// block, and reports the blocks that it cannot correct. Pure; accepts any bytes.
///
/// A table is blocks, each followed by its kind and a checksum, an index of them, and at the end a
/// footer of 48 bytes with the place of the index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace starbus::storage {

/// A block of a table that cannot be read.
struct LostBlock {
  std::size_t from = 0;  // offsets
  std::size_t to = 0;
  std::string first_key;  // of the store: records within [first_key, end_key) may be lost
  std::string end_key;    // empty: after all that the table has
};

/// The content of a table, and what of it is lost.
struct TableReading {
  std::string bytes;                   // as the file was, with what was put right
  std::vector<std::size_t> corrected;  // offsets of those
  std::vector<LostBlock> lost;
  /// The index is lost, or the end of the file: only the blocks up to the first damaged one were
  /// found, and `lost` has the rest.
  bool without_index = false;
  std::vector<std::pair<std::string, std::string>> rows;  // of all blocks that are whole, in order
  /// It has compressed blocks, written by other programs: sound, but their rows are not in `rows`.
  bool has_compressed = false;
  std::string reason;  // of the first that was wrong

  bool is_sound() const { return corrected.empty() && lost.empty() && !without_index; }
  /// The bytes are as they were written.
  bool is_whole() const { return lost.empty() && !without_index; }
};

/// `expected`: size that the table should have, in bytes.
TableReading read_table(std::string file, std::uint64_t expected);

}  // namespace starbus::storage
