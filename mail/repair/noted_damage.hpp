/// What the disk has done to a store of mail, as its notes say (storage/store.hpp, DamageNote), in
/// terms of mail: which mailboxes may have lost what, and how that is made good, so that each hole
/// is told to its reader and no number is given twice.
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

namespace starbus::bus::busd::mail {

/// Those that are lost and not settled, as what repair_mail is to do. Of a log whole writes are
/// lost, with what they said of their senders; a table loses single rows. Without a manifest
/// anything may be missing: then all is looked at.
MailRepairOptions options_of(const std::vector<storage::DamageNote>& notes);

/// Adds to notes of logs, if they are not settled, the mailboxes of which rows are found in what is
/// lost, byte by byte: a write that cannot be read any more may still have them.
void name_boxes(const std::filesystem::path& folder, std::vector<storage::DamageNote>& notes);

/// Which files in lost/ have the originals of what `options_of` is about: names of files.
std::vector<std::string> originals_of(const std::vector<storage::DamageNote>& notes);

/// For people, with mailboxes by their names, at most `most` of each note.
std::vector<std::string> describe(const storage::Snapshot& snapshot,
                                  const std::vector<storage::DamageNote>& notes, std::size_t most);

struct NotedRepair {
  std::uint64_t steps = 0;
  std::uint64_t lost = 0;  // messages
};
/// Makes good what the notes of this folder say is lost of the open store, and settles them; at
/// once if there is nothing. `tell` is told of each action before it is done; false ends it, with
/// `closed`. May be cut off and repeated. Blocks; errors as of the store, and io_error of the
/// notes.
storage::Result<NotedRepair> repair_noted(storage::Store& store,
                                          const storage::StoreOptions& options,
                                          const std::function<bool(const RepairStep&)>& tell);

}  // namespace starbus::bus::busd::mail
