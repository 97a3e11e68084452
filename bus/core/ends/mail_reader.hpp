/// The reading side of one mailbox or log: sessions with whoever keeps its shard, one after the
/// other, that together give every message once and in order.
///
/// The position is the highest number that has come; a new session goes on behind it, so what an
/// earlier one still had under way is never missed and never taken twice. Acknowledgements are
/// cumulative and said again in each session until they are known to be on the disk. What waits
/// here is at most one window of the present session, and what earlier ones had brought.
/// Sans-IO, one thread. `say` is not called from within the constructor.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "bus/core/bytes.hpp"
#include "bus/core/lanes.hpp"
#include "bus/core/wire/record_readers.hpp"

namespace starbus::bus {

class MailReader {
 public:
  struct Settings {
    PostTarget target = PostTarget::mailbox;
    std::string name{};
    std::uint64_t after = 0;  // a mailbox: acknowledged with the first session
    bool from_end = false;    // logs
    std::uint32_t window = 0;
  };
  /// An encoded record for the store's process.
  using Say = std::function<void(const Process& store, ByteView record)>;
  /// Never the same twice in this process, nor in an earlier life of it, whose answers may still be
  /// on their way.
  using DrawToken = std::function<std::uint64_t()>;

  MailReader(Settings settings, Say say, DrawToken draw);

  // --- what is known of the world ---
  /// Who owns the shard, and since when; nobody: epoch 0. The session ends if that has changed.
  void store_is(const Process& store, Epoch epoch, Time now);
  /// Under which epoch the mailbox' name is owned here; 0: not now (it moves), sessions wait.
  /// Logs need none.
  void owned_under(Epoch epoch, Time now);
  void set_reply(Lineage reply) { reply_ = reply; }  // of this process' channel
  /// A record did not reach the process with this channel.
  void lost(const ChannelId& process, Time now);
  void tick(Time now);

  // --- what the store says; false: of no session of this reader ---
  bool on_opened(const Process& store, MailOpened opened, Time now);
  bool on_items(const Process& store, MailItems items);
  bool on_attempts(const Process& store, const MailAttempts& attempts);
  bool on_acked(const Process& store, const MailAcked& acked);
  bool on_refused(const Process& store, const MailRefused& refused);
  bool on_end(const Process& store, const MailEnd& end, Time now);
  std::uint64_t token() const { return token_; }

  // --- the user's side ---
  /// The next message, which gives its room back. None: nothing is there now.
  std::optional<MailItem> take();
  /// Settles everything up to `upto`; `reject`: see MailAck. cursor_ahead: that was not taken yet;
  /// denied: a log; would_block: kMaxRejects are under way; or the failure.
  Result<> acknowledge(std::uint64_t upto, const std::string& reject = {});
  /// Ends for good, for this reason.
  void close(const Error& reason);

  bool opened() const { return opened_; }                 // some session has begun
  bool serving() const { return phase_ == Phase::open; }  // one is there now
  const Error& failure() const { return failure_; }  // why no session will follow; ok while one may
  std::uint64_t position() const { return taken_; }  // the latest number taken
  std::uint64_t last() const { return last_; }       // the latest that is known to be stored
  std::uint64_t acked() const { return acked_; }     // on the disk
  /// Will be, or is: what was said and not refused.
  std::uint64_t settling() const { return pending_.empty() ? acked_ : pending_.back().upto; }
  const Settings& settings() const { return settings_; }

 private:
  enum class Phase { idle, asked, open, ended };
  struct Waiting {
    MailItem item;
    std::uint64_t token = 0;  // of the session that brought it
  };

  template <class Record>
  void say(const Record& record);
  void try_open(Time now);
  void lose(Time retry_at);
  void end(const Error& reason);
  bool of_session(const Process& store, std::uint64_t token, Phase phase) const;

  Settings settings_;
  Say say_;
  DrawToken draw_;
  Phase phase_ = Phase::idle;
  Process store_;
  Epoch store_epoch_{};
  Epoch epoch_{};
  Lineage reply_{};
  std::uint64_t token_ = 0;
  Time retry_at_{};
  Time patience_{};  // how long the next question waits for its answer
  Time give_up_at_{};
  Time pause_{};
  std::uint64_t received_ = 0;  // the highest number that has come
  std::uint64_t taken_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t acked_ = 0;      // on the disk
  std::deque<MailAck> pending_;  // not known to be: neighbours without a reason are one
  std::uint64_t consumed_ = 0;   // in this session
  std::uint64_t reported_ = 0;   // of that
  std::deque<Waiting> items_;
  std::uint64_t retried_ = 0;   // number of the message of this session that was given out before
  std::uint32_t attempts_ = 1;  // at it
  bool opened_ = false;
  Error failure_;
  Bytes scratch_;
};

}  // namespace starbus::bus
