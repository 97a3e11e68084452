#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "mail/types.hpp"
#include "storage/store.hpp"

namespace starbus::mail {

/// What Mail needs from its owner. Called on the mail's thread.
class MailShell {
 public:
  /// See DurableOwner::stored, answer, refused.
  virtual void stored(const StreamId& stream, std::uint64_t last,
                      std::span<const PostResult> results) = 0;
  virtual void answer(const StreamId& stream, std::span<const PostResult> kept) = 0;
  virtual void refused(const StreamId& stream, std::uint64_t last) = 0;
  virtual void forget(const StreamId& stream) = 0;
  /// The shard may be served: its lineage is on the disk. `filter` has the streams of its senders.
  virtual void opened(std::uint8_t shard, const std::vector<FilterRow>& filter) = 0;
  /// See Readers::Way.
  virtual void say(const Process& reader, Lineage hint, ByteView record) = 0;
  virtual bool has_room(const Process& reader) = 0;
  /// Whether to call `changed` for a shard: with each change of a batch that was begun since, after
  /// it is on the disk; as Batch::for_each.
  virtual bool watched(std::uint8_t shard) = 0;
  virtual void changed(std::uint8_t shard, storage::Batch::Kind kind, std::string_view key,
                       std::string_view end) = 0;
  /// The store has stopped, or the outcome of its batch is unknown: mail accepts and acknowledges
  /// nothing more, and has dropped all that waited.
  virtual void stopped(const storage::Error& reason) = 0;
  /// Runs `action` on the mail's thread, later. From any thread.
  virtual void post(std::function<void()> action) = 0;
  virtual std::uint64_t wall_ms() = 0;

 protected:
  ~MailShell() = default;
};

/// Says a record (record_readers.hpp) to a reader.
template <class Record>
void say(MailShell& shell, const Process& reader, Lineage hint, const Record& record) {
  Bytes bytes;
  encode(record, bytes);
  shell.say(reader, hint, bytes);
}

}  // namespace starbus::mail
