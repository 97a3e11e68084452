#include "mail/repair/row_cursor.hpp"

#include <algorithm>
#include <utility>

namespace starbus::mail {

RowCursor::RowCursor(const storage::Snapshot& snapshot, std::string from, std::string to,
                     storage::PageLimit page)
    : snapshot_(snapshot), next_(std::move(from)), to_(std::move(to)), limit_(page) {}

storage::Result<const ScannedRow*> RowCursor::row() {
  while (at_ == rows_.size() && next_) {
    if (auto read = read_page(); !read) return read.error();
  }
  return at_ == rows_.size() ? nullptr : &rows_[at_];
}

void RowCursor::step() {
  ++at_;
}

storage::Result<> RowCursor::read_page() {
  const std::string from = *next_;
  auto page = snapshot_.scan(from, to_, limit_);
  if (!page) return page.error();
  rows_.clear();
  at_ = 0;
  for (storage::Record& record : page->records) {
    rows_.push_back({std::move(record.key), std::move(record.value), {}});
  }
  std::string block;
  for (storage::Error& error : page->damage) {
    if (error.key.empty()) {
      block = error.detail;
    } else {
      std::string key = error.key;
      rows_.push_back({std::move(key), {}, std::move(error)});
    }
  }
  std::ranges::sort(rows_, {}, &ScannedRow::key);
  if (!block.empty()) note_block(from, page->next.value_or(to_), block);
  next_ = std::move(page->next);
  return {};
}

/// A damaged block ends its page, so the missing rows are after the last row of the page. One block
/// is met again at each row of another table within its range: that is one damage.
void RowCursor::note_block(const std::string& page, std::string end, const std::string& detail) {
  std::string begin = rows_.empty() ? page : rows_.back().key + '\0';
  const bool again = !blocks_.empty() && blocks_.back().to == page && rows_.size() <= 1;
  if (again || blocks_.size() == kDamagedBlocks) {
    blocks_.back().to = std::move(end);
    return;
  }
  const std::size_t colon = detail.find(": ");
  blocks_.push_back({std::move(begin), std::move(end),
                     colon == std::string::npos ? detail : detail.substr(colon + 2)});
}

void merge_blocks(std::vector<DamagedBlock>& blocks) {
  std::ranges::sort(blocks, {}, &DamagedBlock::from);
  std::vector<DamagedBlock> merged;
  for (DamagedBlock& block : blocks) {
    const bool goes_on =
        !merged.empty() && (merged.back().to.empty() || block.from <= merged.back().to);
    if (!goes_on) {
      merged.push_back(std::move(block));
    } else if (block.to.empty() || (!merged.back().to.empty() && block.to > merged.back().to)) {
      merged.back().to = std::move(block.to);
    }
  }
  blocks = std::move(merged);
}

}  // namespace starbus::mail
