#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "mail/repair/box_walk.hpp"
#include "mail/repair/repair_mail.hpp"
#include "storage/bulk_writer.hpp"

namespace starbus::mail {

/// Repairs one mailbox, row by row in the order of a BoxWalk. Reports each step before it is
/// written. One thread.
class BoxRepair {
 public:
  /// False ends the repair.
  using Tell = std::function<bool(const RepairStep&)>;

  /// What is known of the mailbox beside its rows.
  struct Known {
    const FoundBox* found = nullptr;  // in files: of a row that cannot be read, or a later one
    std::uint64_t given = 0;          // the highest number that it has certainly given
  };
  BoxRepair(std::uint8_t shard, const BoxWalk::Box& box, const Known& known,
            storage::BulkWriter& writer, const Tell& tell);

  /// The rows of the mailbox in the order of a BoxWalk; `finish` after the last. Errors of the
  /// store, or the end that `tell` asked for.
  storage::Result<> message(const ScannedRow& row);
  storage::Result<> post_key(const ScannedRow& row);
  storage::Result<> finish();

  const BoxRow& row() const { return row_; }  // after finish

 private:
  RepairStep about(RepairAction action, std::uint64_t first = 0, std::uint64_t last = 0) const;
  storage::Result<> say(const RepairStep& step);
  storage::Result<> drop(std::uint64_t number, const std::optional<MessageRow>& row,
                         const ScannedRow& scanned);
  storage::Result<bool> fill_hole(std::uint64_t end, std::uint64_t total_before);
  storage::Result<> keep(std::uint64_t number, const MessageRow& row);
  storage::Result<> repair_name();

  const std::uint8_t shard_;
  const BoxWalk::Box& box_;
  const FoundBox* const found_;
  storage::BulkWriter& writer_;
  const Tell& tell_;
  const bool rebuilt_;         // the row cannot be read
  BoxRow row_;                 // as it will be
  const std::uint64_t given_;  // at least
  std::uint64_t expected_;     // the next number
  std::uint64_t total_ = 0;    // up to there
  bool kept_any_ = false;      // messages: the floor stands
  bool recounted_ = false;
  std::uint64_t counted_in_ = 0;  // the first that was behind the last
};

}  // namespace starbus::mail
