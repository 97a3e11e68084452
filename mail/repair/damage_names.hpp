#pragma once

#include <cstddef>
#include <vector>

#include "mail/repair/finding.hpp"
#include "storage/store.hpp"

namespace starbus::mail {

/// The mailboxes that a damaged part of a file may affect, with their numbers: found by the keys
/// between which records may be lost, and by the rows of mailboxes. The first finding has no
/// mailbox, and names the file and the reason; at most `most` others follow. Blocks for disk reads.
storage::Result<std::vector<Finding>> name_damage(const storage::Snapshot& snapshot,
                                                  const storage::FileDamage& damage,
                                                  std::size_t most);

}  // namespace starbus::mail
