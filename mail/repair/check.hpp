/// Checks a mail store against docs/guide/mail.md: every row can be read and decoded, a mailbox has
/// exactly the messages after its floor up to its last, sums are right. Reports damage with its
/// mailbox, and goes on. Memory does not grow with the store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "mail/limits.hpp"
#include "mail/repair/finding.hpp"
#include "mail/repair/row_cursor.hpp"
#include "mail/rows.hpp"
#include "storage/store.hpp"

namespace starbus::mail {

/// The result of a check.
struct CheckReport {
  std::vector<Finding> findings;  // the first kMostFindings
  std::uint64_t problems = 0;     // all, but the notes
  std::uint64_t notes = 0;
  std::uint64_t damage = 0;  // problems that are caused by damaged files
  Totals totals;             // of what can be read
  std::vector<DamagedBlock> blocks;

  /// Counts the finding, and keeps it if there is room.
  void add(Finding finding);
  /// Findings that are not in the list.
  std::uint64_t more() const { return problems + notes - findings.size(); }
  bool is_clean() const { return problems == 0; }
};

/// Called at the beginning of each shard; false ends the check.
struct CheckProgress {
  std::uint8_t shard = 0;
  std::uint64_t boxes = 0;
  std::uint64_t messages = 0;
};
using OnProgress = std::function<bool(const CheckProgress&)>;

/// io_error, stale, closed: the check could not go on. Blocks for disk reads.
storage::Result<CheckReport> check_store(const storage::Snapshot& snapshot,
                                         const OnProgress& progress = {});

}  // namespace starbus::mail
