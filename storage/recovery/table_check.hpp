/// A whole table of LevelDB in memory, block by block, each with its checksum: where one byte is
/// wrong it is put right, and what cannot be is said. Pure; for any bytes.
///
/// A table is blocks, each with its kind and a checksum behind it, an index of them, and at the end
/// a footer of 48 bytes that says where the index is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace starbus::storage {

struct LostBlock {
  std::size_t from = 0;  // offsets
  std::size_t to = 0;
  std::string first_key;  // of the store: records within [first_key, end_key) may be lost
  std::string end_key;    // empty: behind all that the table has
};

struct TableReading {
  std::string bytes;                   // as the file was, with what was put right
  std::vector<std::size_t> corrected;  // offsets of those
  std::vector<LostBlock> lost;
  /// The index is lost, or the end of the file: found are the blocks up to the first that is not
  /// whole, and `lost` has the rest.
  bool without_index = false;
  std::vector<std::pair<std::string, std::string>> rows;  // of all blocks that are whole, in order
  /// Blocks of other programs are in it, compressed: they are sound, and their rows not in `rows`.
  bool has_compressed = false;
  std::string reason;  // of the first that was wrong

  bool is_sound() const { return corrected.empty() && lost.empty() && !without_index; }
  /// The bytes are those that were written.
  bool is_whole() const { return lost.empty() && !without_index; }
};

/// `expected`: bytes that it should have.
TableReading read_table(std::string file, std::uint64_t expected);

}  // namespace starbus::storage
