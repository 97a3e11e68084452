/// Damage notes of storage (storage/recovery/repair.hpp) in terms of mail: which mailboxes may have
/// lost which messages, and the repair, after which readers are told of each hole and no number is
/// used twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "mail/repair/finding.hpp"
#include "mail/repair/repair_mail.hpp"
#include "storage/recovery/repair.hpp"

namespace starbus::mail {

/// Converts unresolved damage notes into options for repair_mail. A damaged log loses whole writes,
/// including sender watermarks; a damaged table loses single rows; a lost manifest forces a full
/// scan.
MailRepairOptions options_of(const std::vector<storage::DamageNote>& notes);

/// For each unresolved log note, scans the quarantined bytes and adds the names of affected
/// mailboxes: an unreadable write may still have their rows.
void name_boxes(const std::filesystem::path& folder, std::vector<storage::DamageNote>& notes);

/// Names of the files in lost/ with the originals of unresolved notes.
std::vector<std::string> originals_of(const std::vector<storage::DamageNote>& notes);

/// Text for people: each note with the names of at most `most` mailboxes.
std::vector<std::string> describe(const storage::Snapshot& snapshot,
                                  const std::vector<storage::DamageNote>& notes, std::size_t most);

/// The result of a repair.
struct NotedRepair {
  std::uint64_t steps = 0;
  std::uint64_t lost = 0;  // messages
};
/// Repairs what the notes of this folder list as lost in the open store, and settles the notes;
/// returns at once if there are none. Calls `tell` before each step; false ends the repair with
/// `closed`. May be interrupted and repeated. Blocks; errors as of the store, and io_error of the
/// notes.
storage::Result<NotedRepair> repair_noted(storage::Store& store,
                                          const storage::StoreOptions& options,
                                          const std::function<bool(const RepairStep&)>& tell);

}  // namespace starbus::mail
