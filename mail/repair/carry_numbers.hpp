#pragma once

#include <cstdint>

#include "storage/store.hpp"

namespace starbus::bus::busd::mail {

struct Carried {
  std::uint64_t boxes = 0;   // that have got the numbers of the store that was replaced
  std::uint64_t lost = 0;    // messages that are marked as lost in them
  std::uint64_t behind = 0;  // boxes that have not: too many messages since the backup
  std::uint64_t unread = 0;  // rows of the replaced store that cannot be read
};

/// A store that is restored goes on with the numbers of the one whose place it takes: a number that
/// a reader may have saved as its cursor is not given again, or mail that is posted now would never
/// be given out. In the place of what came since the backup, and was there in the end, are lost
/// rows. What was acknowledged, or purged, since then is as in the backup.
/// Shards that the restored store has given away are left out. Blocks. Errors: as of the stores;
/// then `restored` is of no use.
storage::Result<Carried> carry_numbers(const storage::Snapshot& replaced, storage::Store& restored);

}  // namespace starbus::bus::busd::mail
