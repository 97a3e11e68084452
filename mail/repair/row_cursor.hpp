#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mail/limits.hpp"
#include "storage/store.hpp"

namespace starbus::mail {

/// A row as it was read, or why it could not be.
struct ScannedRow {
  std::string key;
  std::string value;
  storage::Error damage;  // not ok: there is a row of this key, but not its value
};

/// Rows may be missing in [from, to).
struct DamagedBlock {
  std::string from;
  std::string to;  // empty: the end
  std::string reason;
};
/// Sorts them, and makes one of those that follow each other.
void merge_blocks(std::vector<DamagedBlock>& blocks);

/// Steps through the rows of a range in order of keys, page by page. Damage of single rows comes in
/// its place; damaged blocks are put aside. Not owned: the snapshot. One thread; blocks for disk
/// reads.
class RowCursor {
 public:
  RowCursor(const storage::Snapshot& snapshot, std::string from, std::string to,
            storage::PageLimit page = {});

  /// The row that is next; null at the end of the range. Valid until `step`.
  storage::Result<const ScannedRow*> row();
  void step();

  const std::vector<DamagedBlock>& blocks() const { return blocks_; }

 private:
  storage::Result<> read_page();
  void note_block(const std::string& page, std::string end, const std::string& detail);

  const storage::Snapshot& snapshot_;
  std::optional<std::string> next_;  // page; no value: there is none
  std::string to_;
  storage::PageLimit limit_;
  std::vector<ScannedRow> rows_;
  std::size_t at_ = 0;
  std::vector<DamagedBlock> blocks_;
};

}  // namespace starbus::mail
