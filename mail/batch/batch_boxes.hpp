/// What a batch does to mailboxes and logs, whoever causes it: finds or makes a box, numbers and
/// puts messages, erases them, and keeps the totals. Changes lie in BoxCache until the batch is on
/// the disk. Blocks for disk reads; an error concerns its box alone. The mail's thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mail/batch/mail_batch.hpp"
#include "mail/mail_state.hpp"

namespace starbus::mail {

/// The error that a sender or reader gets for a disk error of its box alone.
Error refusal_of(const storage::Error& error);

class BatchBoxes {
 public:
  /// A box, and where it lies.
  struct Place {
    OpenShard& shard;
    ChannelId id;
    BoxCache::Box box;
  };

  explicit BatchBoxes(MailState& mail) : mail_(mail) {}

  /// nullopt if there is no such box. Errors as refusal_of.
  Result<std::optional<Place>> find(OpenShard& shard, const ChannelId& id);
  /// The same for one that wants this box as `target`: denied if it is of the other kind.
  Result<std::optional<Place>> find(OpenShard& shard, const ChannelId& id, std::string_view name,
                                    PostTarget target);
  /// Returns the box of `find` with this kind, which its first message or its owner decides. Makes
  /// it if it is missing.
  Place claim(std::optional<Place> found, OpenShard& shard, const ChannelId& id,
              std::string_view name, PostTarget kind, MailBatch& batch);
  /// Returns the message's number. Trims the box by its quota if it is a log.
  std::uint64_t put_message(Place& place, ByteView trace, ByteView body, MailBatch& batch);
  /// Erases the messages up to `upto`, which must be durable.
  void settle(Place& place, std::uint64_t upto, MailBatch& batch);
  /// Views into `value`. nullopt if the row cannot be read.
  std::optional<MessageRow> message(const Place& place, std::uint64_t number,
                                    std::string& value) const;

 private:
  void trim_log(Place& place, const LogQuota& quota, MailBatch& batch);
  std::uint64_t first_within(const Place& place, std::uint64_t bytes) const;

  MailState& mail_;
  Bytes scratch_;
};

}  // namespace starbus::mail
