#pragma once

#include <cstdint>

#include "storage/store.hpp"

namespace starbus::mail {

/// The result of continuing the numbers of a store that a backup has replaced.
struct Carried {
  std::uint64_t boxes = 0;  // boxes that continue with the numbers of the replaced store
  std::uint64_t lost = 0;   // messages that are marked as lost in them
  std::uint64_t behind =
      0;  // boxes that kept their old numbers: too many messages since the backup
  std::uint64_t unread = 0;  // rows of the replaced store that cannot be read
};

/// Makes a restored store continue with the numbers of the store that it replaces: if a number that
/// a reader has saved as its cursor were given again, that reader would never receive the new
/// message. Lost rows replace the messages that came after the backup. Messages that were
/// acknowledged or purged since then are as in the backup. Skips shards that the restored store has
/// given away. Blocks. After an error, `restored` is useless.
storage::Result<Carried> carry_numbers(const storage::Snapshot& replaced, storage::Store& restored);

}  // namespace starbus::mail
