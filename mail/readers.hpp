/// The open readers of this host's mailboxes and logs. Sends them rows of the store, in order,
/// within the window of each. Rows are read from the reader's position each time, never queued, so
/// no arrival can be missed. Only durable rows are read: after a crash another message could get a
/// number that was not durable.
///
/// Readers take turns, a page each. One thread; blocks for disk reads.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/loop_thread.hpp"
#include "bus/core/limits.hpp"
#include "bus/core/wire/record_readers.hpp"
#include "mail/attempts.hpp"
#include "mail/limits.hpp"
#include "mail/rows.hpp"
#include "mail/types.hpp"
#include "storage/store.hpp"

namespace starbus::mail {

/// A session of a reader.
struct ReaderId {
  Process process;
  std::uint64_t token = 0;
  friend auto operator<=>(const ReaderId&, const ReaderId&) = default;
};

struct ReaderCounters {
  std::uint64_t opened = 0, superseded = 0, items = 0, bytes = 0, corrupt = 0;
};

class Readers {
 public:
  struct Session {
    std::uint8_t shard = 0;
    ChannelId box;
    PostTarget target = PostTarget::mailbox;
    Epoch epoch;
    Lineage reply;
    std::uint64_t position = 0;  // sent up to this number
    std::uint64_t last = 0;      // durable up to this number
    std::uint64_t window = 0;
    bool held = false;  // its epoch is not on the disk yet: nothing is sent
  };
  /// Sends records; `room` returns whether that process' stream takes more now.
  struct Way {
    std::function<void(const Process& to, Lineage hint, ByteView record)> say;
    std::function<bool(const Process& to)> room;
  };

  /// Holds at most so many sessions.
  Readers(const storage::Store& store, Way way, std::size_t most = kStoreReaders)
      : store_(store), way_(std::move(way)), most_(most) {}

  /// Begins a session, and ends the older sessions of its mailbox.
  void add(const ReaderId& id, const Session& session);
  /// Null if there is no such session.
  const Session* find(const ReaderId& id) const;
  /// True if there are too many readers, in all or of this process.
  bool full(const Process& process) const;
  std::size_t count() const { return open_.size(); }

  /// Call when the epoch of a session is on the disk. Ignores sessions that have ended.
  void release(const ReaderId& id, std::uint64_t last);
  /// Call with the durable row of a box. Ends the sessions that were opened for the other kind.
  void advance(const ChannelId& box, const BoxRow& row);
  void consumed(const ReaderId& id, std::uint64_t bytes);
  /// end: ends a session and tells its reader why. forget: ends it without a message.
  void end(const ReaderId& id, Errc reason, const std::string& detail);
  void forget(const ReaderId& id);
  /// Call when the reader has closed the session.
  void close(const ReaderId& id);
  /// Ends all sessions of a shard with `busy`; its next owner goes on.
  void end_shard(std::uint8_t shard);
  /// All of a process' earlier incarnations; with `living` = false of this one too.
  void process_gone(const Process& process, bool living);
  /// Whether a reader's process has ended if `process` lives, or does not.
  static bool ended_with(const Process& reader, const Process& process, bool living);
  /// Call when a record to the process with this channel was lost: its readers open again.
  void process_lost(const ChannelId& process);

  /// A process' stream has room again.
  void room();
  /// Sends to the readers that lag, for one turn; true if there is more to send.
  bool pump();
  const ReaderCounters& counters() const { return counters_; }

 private:
  struct Open {
    Session session;
    std::uint64_t sent = 0;      // mail_charge of all that was
    std::uint64_t consumed = 0;  // of that
    bool queued = false;         // in ready_ or blocked_
    bool starved = false;        // the next message is larger than what the window has left
    std::size_t place = 0;       // among the followers
    std::uint64_t settled = 0;   // durably, or by the cursor that it came with
    std::uint64_t first = 0;     // number that was sent; 0: none yet
    std::uint32_t attempts = 1;  // at that one
  };
  /// Who reads one box. Both only until it is decided which kind it is.
  struct OfBox {
    std::optional<ReaderId> owner;    // of the mailbox
    std::vector<ReaderId> followers;  // of the log; in no order
  };
  using Opens = std::map<ReaderId, Open>;

  void want(const ReaderId& id, Open& open);
  static bool may_send(const Open& open);
  std::size_t send_page(const ReaderId& id, Open& open);
  struct Page {
    bus::MailItems record;
    bool gone = false;   // the requested messages are not stored any more
    bool other = false;  // the box is of the other kind
  };
  storage::Result<Page> read_page(const Open& open) const;
  void begin(const ReaderId& id, Open& open, std::uint64_t first);
  void erase(Opens::iterator at, bool closed = false);

  const LoopThread thread_;
  const storage::Store& store_;
  Way way_;
  const std::size_t most_;
  Opens open_;
  boost::unordered_flat_map<ChannelId, OfBox> by_box_;
  std::map<Process, std::size_t> of_process_;  // how many are open
  std::deque<ReaderId> ready_;
  std::vector<ReaderId> blocked_;  // by their process' stream
  Attempts attempts_;
  Bytes scratch_;
  ReaderCounters counters_;
};

}  // namespace starbus::mail
