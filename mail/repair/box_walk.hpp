#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mail/repair/row_cursor.hpp"
#include "mail/rows.hpp"
#include "mail/types.hpp"

namespace starbus::mail {

/// Mailboxes of a shard by their ids, as these lie in keys: [from, to); `to` empty: to the end.
struct IdRange {
  std::string from{};
  std::string to{};
};

/// Steps through the mailboxes of a shard on the disk: row, messages and idempotency keys of each
/// together, also of mailboxes that lack one of these. Needs three pages of memory, however large
/// the mailboxes are. One thread; blocks for disk reads.
class BoxWalk {
 public:
  enum class State { sound, missing, damaged, no_box_row };
  struct Box {
    ChannelId id;
    State state = State::missing;
    BoxRow row;             // if sound
    storage::Error damage;  // if damaged
  };
  /// Malformed keys are skipped and reported to `bad_key`.
  using BadKey = std::function<void(const std::string& key)>;

  BoxWalk(const storage::Snapshot& snapshot, std::uint8_t shard, BadKey bad_key = {},
          const IdRange& ids = {});

  /// The next mailbox in order of ids; null at the end. What is left of the last one is passed
  /// over. Valid until the next call.
  storage::Result<const Box*> next();
  /// The next message row, or idempotency key, of this mailbox; null behind the last. Valid until
  /// the next call of the same.
  storage::Result<const ScannedRow*> next_message();
  storage::Result<const ScannedRow*> next_post_key();

  /// So far.
  std::vector<DamagedBlock> blocks() const;

 private:
  struct Part {
    RowCursor cursor;
    bool taken = false;  // the row that the cursor stands on was given out
  };
  Part part(char kind, const IdRange& ids) const;
  storage::Result<const ScannedRow*> at(Part& part);
  storage::Result<const ScannedRow*> next_of(Part& part);
  storage::Result<> finish();
  storage::Result<> read_box(const ScannedRow* row);

  const storage::Snapshot& snapshot_;
  std::uint8_t shard_;
  BadKey bad_key_;
  Part boxes_;
  Part messages_;
  Part post_keys_;
  std::optional<Box> box_;
};

}  // namespace starbus::mail
