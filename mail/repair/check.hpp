/// Whether a store of mail is as docs/guide/mail.md says: every row can be read and is of its form,
/// a mailbox has exactly the messages behind its floor up to its last, sums are right. Damage is
/// said of the mailbox that it concerns, and does not end the check. Memory does not grow with the
/// store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "mail/repair/finding.hpp"
#include "mail/repair/row_cursor.hpp"
#include "mail/rows.hpp"
#include "storage/store.hpp"

namespace starbus::bus::busd::mail {

/// Of one report: it is for people, and a bad disk has more than anybody reads.
inline constexpr std::size_t kMostFindings = 1'000;

struct CheckReport {
  std::vector<Finding> findings;  // the first kMostFindings
  std::uint64_t problems = 0;     // all, but the notes
  std::uint64_t notes = 0;
  std::uint64_t damage = 0;  // those of them that the storage below is the cause of
  Totals totals;             // of what can be read
  std::vector<DamagedBlock> blocks;

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

}  // namespace starbus::bus::busd::mail
