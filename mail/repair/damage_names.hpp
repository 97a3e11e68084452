#pragma once

#include <cstddef>
#include <vector>

#include "mail/repair/finding.hpp"
#include "storage/store.hpp"

namespace starbus::bus::busd::mail {

/// Which mailboxes a damaged part of a file concerns, and which numbers of each, as far as it is
/// known: by the keys between which records may be lost, and the rows of mailboxes, which say what
/// is kept of each. At most `most` of them, and one finding that has no mailbox, in front, which
/// says the file and the reason. Blocks for disk reads.
storage::Result<std::vector<Finding>> name_damage(const storage::Snapshot& snapshot,
                                                  const storage::FileDamage& damage,
                                                  std::size_t most);

}  // namespace starbus::bus::busd::mail
