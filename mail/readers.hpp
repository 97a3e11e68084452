/// The open readers of this host's mailboxes and logs, and what they are sent: rows of the store,
/// in order, within the window of each. What a reader gets is looked up from its position each
/// time, never remembered, so no arrival can be missed; and only what is durable is looked up,
/// since a number that a crash takes back would be given to another message.
///
/// Readers take turns, a page each. One thread; blocks for disk reads.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "bus/core/limits.hpp"
#include "bus/core/wire/record_readers.hpp"
#include "mail/attempts.hpp"
#include "mail/rows.hpp"
#include "storage/store.hpp"

namespace starbus::bus::busd::mail {

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
  static constexpr std::size_t kMost = 1'000'000;  // some 300 MiB: one store's players
  /// A library has at most kMaxReaders, and sessions of before may not have ended yet.
  static constexpr std::size_t kMostOfProcess = 2 * kMaxReaders;
  static constexpr std::size_t kPageBytes = 56 * 1024;    // of one record: within one bundle
  static constexpr std::size_t kPageRecords = 512;        // of one record
  static constexpr std::size_t kTurnBytes = 1024 * 1024;  // then posts have their turn

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
  /// How records leave; `room`: whether that process' stream takes more now.
  struct Way {
    std::function<void(const Process& to, Lineage hint, ByteView record)> say;
    std::function<bool(const Process& to)> room;
  };

  Readers(const storage::Store& store, Way way) : store_(store), way_(std::move(way)) {}

  /// Begins a session, and ends those of its mailbox that are older.
  void add(const ReaderId& id, const Session& session);
  /// Null: there is none, or no more.
  const Session* find(const ReaderId& id) const;
  /// No more, or no more of this process.
  bool full(const Process& process) const;
  std::size_t count() const { return open_.size(); }

  /// The epoch is on the disk; if there is such a session still.
  void release(const ReaderId& id, std::uint64_t last);
  /// What a box is now, durably. Those who want the other kind have waited for what will not come:
  /// their sessions end.
  void advance(const ChannelId& box, const BoxRow& row);
  void consumed(const ReaderId& id, std::uint64_t bytes);
  /// Ends a session and tells its reader why; or without a word.
  void end(const ReaderId& id, Errc reason, const std::string& detail);
  void forget(const ReaderId& id);
  /// Its reader has closed it.
  void close(const ReaderId& id);
  /// All of a shard: busy, its next owner goes on.
  void end_shard(std::uint8_t shard);
  /// All of a process' earlier incarnations; with `living` = false of this one too.
  void process_gone(const Process& process, bool living);
  /// Whether a reader's process has ended if `process` lives, or does not.
  static bool ended_with(const Process& reader, const Process& process, bool living);
  /// Something that was said to the process with this channel is lost: its readers begin anew.
  void process_lost(const ChannelId& process);

  /// A process' stream has room again.
  void room();
  /// Sends to whoever is behind, for one turn; true: there is more to do.
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
    MailItems record;
    bool gone = false;   // nothing of what was asked for is stored any more
    bool other = false;  // what is there is of the other kind
  };
  storage::Result<Page> read_page(const Open& open) const;
  void begin(const ReaderId& id, Open& open, std::uint64_t first);
  void erase(Opens::iterator at, bool closed = false);

  const storage::Store& store_;
  Way way_;
  Opens open_;
  boost::unordered_flat_map<ChannelId, OfBox> by_box_;
  std::map<Process, std::size_t> of_process_;  // how many are open
  std::deque<ReaderId> ready_;
  std::vector<ReaderId> blocked_;  // by their process' stream
  Attempts attempts_;
  Bytes scratch_;
  ReaderCounters counters_;
};

}  // namespace starbus::bus::busd::mail
