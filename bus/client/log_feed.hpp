/// One log, read once by a process for all of its objects that listen to it: notices to every
/// player, the chat of a guild.
///
///   bus::LogFeed notices(bus, "log/notices", {});
///   co_await notices.opened(use_awaitable);              // before the first player comes
///   auto listener = notices.listen(player.notices_read, [&](const bus::Mail& mail) {
///     player.notices_read = mail.number;                 // saved, and moved, with its effects
///     player.on_notice(mail);
///   });
///
/// A listener is given each message after its cursor once and in order, wherever its object has
/// been meanwhile: from memory, or from the store if the cursor is further back. Two ways to keep
/// the cursor:
/// - for everybody, also those who are offline: save it with the object; a new one begins at
///   kPresent. Each executes each message once, now or at its next login.
/// - only for those who are online: begin at kPresent at each login, and carry it over moves.
///
/// Belongs to the Bus' thread, and must end before the Bus. Handlers run on later turns of the
/// loop, at most kFeedPass in one; they may end any listener, also their own, and the feed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "bus/client/bus.hpp"
#include "bus/client/feed_book.hpp"

namespace starbus::bus {

class LogFeedCore;

/// Callbacks of a LogFeed; the loop's thread calls them.
struct LogFeedOptions {
  /// The feed has ended, for a reason that does not pass: denied, bad_name, corrupt, closed,
  /// cursor_ahead (the store has less than has been read). No listener gets messages that are
  /// stored from then on.
  std::function<void(const Error&)> on_ended{};
};

class LogFeed {
 public:
  using Handler = std::function<void(const Mail&)>;
  /// As a cursor: messages that are stored by now are not read. "Now" is how far this process has
  /// followed the log, or where it will begin.
  static constexpr std::uint64_t kPresent = LogOptions::kFromEnd;

  /// One object's place in the feed. Move-only; leaves the feed when destroyed, and may outlive it.
  class Listener {
   public:
    Listener() = default;
    Listener(Listener&& other) noexcept { *this = std::move(other); }
    Listener& operator=(Listener&& other) noexcept;
    ~Listener() { close(); }

    /// Number of the last message that it was given, else where it began. Save it, and carry it
    /// over a move: kPresent while the feed has not opened.
    std::uint64_t cursor() const { return place_->cursor; }
    /// Messages that it never came to, because the log did not keep them so long.
    std::uint64_t missed() const { return place_->missed; }
    void close();

   private:
    friend class LogFeed;
    std::weak_ptr<LogFeedCore> core_;
    FeedBook::Id id_ = 0;
    std::shared_ptr<const FeedBook::Place> place_ = std::make_shared<FeedBook::Place>();
  };

  /// Begins to follow the log from its present end, and tries for as long as it takes.
  LogFeed(Bus& bus, std::string log, LogFeedOptions options);
  ~LogFeed();
  LogFeed(const LogFeed&) = delete;
  LogFeed& operator=(const LogFeed&) = delete;

  /// Completes when it follows the log, or with why it never will.
  template <CompletionFor<void> Token>
  auto opened(Token&& token) {
    return initiate<void>(
        token, [this](std::function<void(Result<>)> done) { await_open(std::move(done)); });
  }
  /// `cursor`: as saved, 0 for all that is kept, or kPresent. would_block: kFeedListeners are
  /// there.
  Result<Listener> listen(std::uint64_t cursor, Handler handler);

  /// Number of the latest message that has come here; 0 before it is open.
  std::uint64_t position() const;
  std::size_t listeners() const;

 private:
  void await_open(std::function<void(Result<>)> done);

  std::shared_ptr<LogFeedCore> core_;
};

}  // namespace starbus::bus
