/// The reading side of one mailbox or log: sessions with the owner of its shard, one after the
/// other, which together give every message once and in order.
///
/// The position is the highest number that has come; a new session goes on after it, so messages
/// that an earlier session had under way are never missed and never given twice. Acknowledgements
/// are cumulative, and sent again in each session until the store has confirmed that they are on
/// its disk. At most one window of the present session waits here, besides messages of earlier
/// ones. Sans-IO, one thread. `say` is not called from within the constructor.
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
  /// Never returns a number twice in this process, nor one of its earlier incarnations, whose
  /// answers may still be under way.
  using DrawToken = std::function<std::uint64_t()>;

  MailReader(Settings settings, Say say, DrawToken draw);

  // --- events ---
  /// The owner of the shard and its epoch; epoch 0: it has no owner. A change ends the session.
  void store_is(const Process& store, Epoch epoch, Time now);
  /// The epoch under which this process owns the mailbox' name; 0: it does not now (the name
  /// moves), and sessions wait. Logs need none.
  void owned_under(Epoch epoch, Time now);
  void set_reply(Lineage reply) { reply_ = reply; }  // of this process' channel
  /// A record did not reach the process with this channel.
  void lost(const ChannelId& process, Time now);
  void tick(Time now);

  // --- records of the store; false: they belong to no session of this reader ---
  bool on_opened(const Process& store, MailOpened opened, Time now);
  bool on_items(const Process& store, MailItems items);
  bool on_attempts(const Process& store, const MailAttempts& attempts);
  bool on_acked(const Process& store, const MailAcked& acked);
  bool on_refused(const Process& store, const MailRefused& refused);
  bool on_end(const Process& store, const MailEnd& end, Time now);
  std::uint64_t token() const { return token_; }

  // --- for the user ---
  /// The next message, whose bytes are free in the window again; nullopt if none has come.
  std::optional<MailItem> take();
  /// Settles everything up to `upto`; `reject`: see MailAck. cursor_ahead: it was not taken yet;
  /// denied: this is a log; would_block: kMaxRejects are under way; or the failure.
  Result<> acknowledge(std::uint64_t upto, const std::string& reject = {});
  /// Ends for good, for this reason.
  void close(const Error& reason);

  bool opened() const { return opened_; }                 // a session has begun
  bool serving() const { return phase_ == Phase::open; }  // a session is open now
  const Error& failure() const {
    return failure_;
  }  // the reason why no session will follow; ok while one may
  std::uint64_t position() const { return taken_; }  // the latest number taken
  std::uint64_t last() const { return last_; }       // the latest that is known to be stored
  std::uint64_t acked() const { return acked_; }     // on the disk
  /// The latest number that is acknowledged, or will be unless the store refuses it.
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
