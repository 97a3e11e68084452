/// Part of bus.hpp: reads messages that were posted to a mailbox, or appended to a log.
///
/// A reader gives every message once and in order, goes on by itself when daemons or the store
/// restart, and takes no more than its window holds. It keeps no cursor of its own: save
/// `Mail::number` in the same commit as the effects of the message, and open with it next time.
///
/// Handles are move-only, belong to the Bus' thread, and close when destroyed.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bus/client/envelope.hpp"
#include "bus/client/initiate.hpp"
#include "bus/core/bytes.hpp"
#include "bus/core/limits.hpp"

namespace boost::asio {
class io_context;
}

namespace starbus::bus {

class BusCore;

/// A stored message.
struct Mail {
  std::uint64_t number = 0;                    // its place: 1, 2, 3...
  std::chrono::system_clock::time_point time;  // when it was stored, of the store's clock
  bool damaged = false;  // it was there and cannot be read any more: body and trace are empty
  /// How many readers were given it as the first that they had not settled, this one counted: above
  /// 1 only if others ended without closing their mailbox, as those do that a message kills. As far
  /// as the store remembers (docs/guide/mail.md, "Poison"); of logs always 1.
  std::uint32_t attempts = 1;
  Trace trace;
  Bytes body;

  std::string_view text() const { return as_text(body); }
};

/// How to open a mailbox.
struct MailboxOptions {
  /// The saved cursor: messages up to it count as acknowledged. 0: from the beginning.
  std::uint64_t after = 0;
  /// Bytes that may come before they are taken: 1 to kMaxMailWindow.
  std::size_t window = kMailWindow;
  /// How long to wait for the store; then the opening ends as deadline.
  std::chrono::milliseconds deadline{30'000};
};

/// How to follow a log. `window` and `deadline` as in MailboxOptions.
struct LogOptions {
  /// The saved cursor; kFromEnd: present messages are not read, as for a reader that joins now.
  static constexpr std::uint64_t kFromEnd = ~std::uint64_t{0};
  std::uint64_t after = kFromEnd;
  std::size_t window = kMailWindow;
  std::chrono::milliseconds deadline{30'000};
};

/// The common part of Mailbox and LogReader.
class MailStream {
 public:
  MailStream() = default;
  MailStream(MailStream&& other) noexcept { *this = std::move(other); }
  MailStream& operator=(MailStream&& other) noexcept;
  ~MailStream() { close(); }

  /// The next message, as soon as there is one. Ends with why no more will come: closed,
  /// superseded (a later owner has opened the mailbox), not_bound (the name went away; a move,
  /// too), lease_lost, corrupt, denied. busy: the last call has not completed.
  template <CompletionFor<Mail> Token = Awaited>
  auto next(Token&& token = Token()) {
    return initiate<Mail>(
        token, [this](std::function<void(Result<Mail>)> done) { start_next(std::move(done)); });
  }
  /// The same, all that have come, at least one and at most `max`.
  template <CompletionFor<std::vector<Mail>> Token = Awaited>
  auto next_batch(std::size_t max, Token&& token = Token()) {
    return initiate<std::vector<Mail>>(
        token, [this, max](std::function<void(Result<std::vector<Mail>>)> done) {
          start_batch(max, std::move(done));
        });
  }
  /// The number of the latest message that was given out; where it was opened, if none was.
  std::uint64_t position() const;
  /// The latest number that is known to be stored: messages between the two are unread.
  std::uint64_t last() const;
  void close();

 protected:
  friend class MailOpener;
  void start_next(std::function<void(Result<Mail>)> done);
  void start_batch(std::size_t max, std::function<void(Result<std::vector<Mail>>)> done);
  void start_acknowledge(std::uint64_t upto, const std::string& reject,
                         std::function<void(Result<>)> done);

  template <class T>
  void refuse(std::function<void(Result<T>)> done);

  std::weak_ptr<BusCore> core_;
  boost::asio::io_context* loop_ = nullptr;  // which outlives the Bus
  std::uint64_t id_ = 0;
};

/// The mailbox of a channel that this process owns.
class Mailbox : public MailStream {
 public:
  /// Everything up to `number` has been handled, and its effects are saved: it is erased. Completes
  /// when that is on the disk; a failure means that it may or may not be. cursor_ahead: it was not
  /// given out yet.
  template <CompletionFor<void> Token = Awaited>
  auto acknowledge(std::uint64_t number, Token&& token = Token()) {
    return initiate<void>(token, [this, number](std::function<void(Result<>)> done) {
      start_acknowledge(number, {}, std::move(done));
    });
  }
  /// The same, but `number` itself could not be handled and never will be: it goes to the dead
  /// letters of its shard, with the reason (at most 255 bytes, not empty). would_block: kMaxRejects
  /// are under way. store_full, corrupt, io_error, denied: it could not be put there, and nothing
  /// is settled by this; the mailbox goes on, and acknowledging a later one erases it.
  template <CompletionFor<void> Token = Awaited>
  auto reject(std::uint64_t number, std::string reason, Token&& token = Token()) {
    return initiate<void>(
        token, [this, number, r = std::move(reason)](std::function<void(Result<>)> done) {
          start_acknowledge(number, r.empty() ? "rejected" : r, std::move(done));
        });
  }
};

/// A log, with a cursor of this reader's own.
class LogReader : public MailStream {};

/// A piece of a log.
struct LogPage {
  std::vector<Mail> items;  // in order; numbers that are missing are not kept any more
  std::uint64_t last = 0;   // the latest that is stored
};

}  // namespace starbus::bus
