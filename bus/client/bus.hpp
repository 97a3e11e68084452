/// starbus' client API: read this header first.
///
/// A `Bus` is one node on the bus: one link to the busd of this host, a name of its own
/// (`process/HOST.NODE`), channels that it owns, and custody of what it sends.
///
/// Threads: a Bus belongs to the thread that runs its io_context. Call everything on that thread,
/// and expect every callback on it; from elsewhere use boost::asio::post(loop, ...). Nothing
/// blocks. Callbacks may call anything, close() included.
///
/// Asynchronous operations take an Asio completion token: a callback `void(Result<T>)`, or
/// `boost::asio::use_awaitable` (then `co_await` yields the Result<T>), or `use_future`.
///
///   boost::asio::io_context loop;
///   bus::Bus bus(loop, {.node = "space-1"});
///   co_await bus.connect(use_awaitable);
///   bus::Handlers handlers;
///   handlers.on_message = [](bus::Message& m) { ... };
///   co_await bus.bind("entity/7", handlers, use_awaitable);
///   bus.send("entity/8", "hello");
///   auto reply = co_await bus.call("service/chat", "who is there?", {}, use_awaitable);
///
/// **g++ 12**: put lambdas that capture what owns memory (strings, shared pointers), and what is
/// written in braces and has a member that owns memory (`Handlers{...}`, its `{}`), into variables
/// before the co_await expression. That compiler destroys such temporaries within it twice, which
/// corrupts memory without a warning; and so it does the results in `a ? co_await x : co_await y`:
/// write an if. A std::string is fine there, and so is `{}` for options that own nothing. Callbacks
/// as completion tokens are not concerned.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bus/client/initiate.hpp"
#include "bus/client/mailbox.hpp"
#include "bus/client/message.hpp"
#include "bus/client/post_key.hpp"
#include "bus/core/error.hpp"
#include "bus/core/wire/name.hpp"
#include "bus/core/wire/record.hpp"
#include "bus/core/wire/version.hpp"

namespace starbus::bus {

/// Where the local busd listens unless told otherwise, by Options or by $STARBUS_BUSD.
inline constexpr std::string_view kDefaultEndpoint = "unix:///run/starbus/busd.sock";

struct Options {
  std::string node{};         // unique on its host: 1..100 of a-z A-Z 0-9 _ -
  std::string role = "node";  // for busd's access list
  std::string endpoint{};     // of busd; empty: $STARBUS_BUSD, else kDefaultEndpoint
  /// The highest protocol version 1.N that is spoken: this release's, or the one before it, to see
  /// how a program of an older release gets on.
  std::uint8_t protocol_minor = kVersionMinor;
};

struct SendOptions {
  Lane lane = Lane::call;
  /// Not handed to a handler later than this after the call to send; 0: never given up. It ends in
  /// a whole millisecond of the clock, so up to one early. What expires ends as `expired`; if it
  /// had left already, it may or may not have been handled.
  std::chrono::milliseconds ttl{0};
  Trace trace{};
  /// Shared names only: messages with one key go to one instance (rendezvous hash); 0: all messages
  /// of this process go to one instance.
  std::uint64_t hash_key = 0;
  /// channel_id of a name that this process has bound: the message is that channel's own, in the
  /// order of the channel even when it moves. Not set: it is the process' own. Owned channels,
  /// multicast and announce only, and not with an acknowledgement, which could not follow.
  ChannelId from{};
};

struct CallOptions {
  std::chrono::milliseconds deadline{5000};
  Lane lane = Lane::call;
  Trace trace{};
  std::uint64_t hash_key = 0;
};

struct PostOptions {
  /// Of at most kMaxPostKey bytes: a post with a key that the mailbox has seen is not stored again,
  /// and answers with the number of the first. For posters that may crash and post again. Any text
  /// may be given; it is copied.
  PostKey key{};
  /// How long to wait for the store: its host may be down, or its disk full. 0: for ever. When it
  /// is over the post ends as expired; unless it never left, it may have been stored.
  std::chrono::milliseconds ttl{30'000};
  /// False: not while nobody has the shard, as far as this process sees: no_owner at once, and
  /// nothing is stored. (The first such post begins to watch, and is decided when the watch shows
  /// what there is.) A store that goes away afterwards is waited for all the same.
  bool wait = true;
  Trace trace{};
};

/// A name that this process owns now.
struct Bound {
  std::string name;  // of the instance or the member, where a shared or group name was asked for
  Epoch epoch;       // fencing token for side effects: grows with every owner
};

/// A channel that has moved here, with what its freeze function had packed at the source.
struct Arrival {
  std::string name;
  Epoch epoch;  // fencing token, as in Bound
  Bytes state;
};

/// What to do with channels that move to this process.
struct ArrivalHandlers {
  /// Whether to take it: an error refuses, and it stays where it is. Not set: takes all. Nothing is
  /// owned yet, and `arrived` may never follow.
  std::function<Result<>(const std::string& name, ByteView state)> accept{};
  /// It is owned now: make the object, return its handlers. Messages may follow at once.
  std::function<Handlers(Arrival& arrival)> arrived{};
};

/// A message without a completion of its own that ended badly.
struct Undelivered {
  ChannelId channel;
  std::string name;  // if this process knows it
  Lane lane = Lane::call;
  Error reason;  // no_owner: never handled; owner_lost, expired: see Error's catalogue
};

/// One change under a watched prefix.
struct WatchUpdate {
  std::vector<WatchRow> changes;  // row.present: new or changed; otherwise gone
  bool complete = false;          // the snapshot is whole: what you know is what there is
};

enum class LinkState { connected, disconnected };

/// What this process has sent to one channel, in one lane, and nobody has acknowledged yet.
struct Unacknowledged {
  std::string channel;  // its name, or its id if this process does not know the name any more
  Lane lane = Lane::call;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

class BusCore;

/// Ends its watch when destroyed. Move-only.
class WatchHandle {
 public:
  WatchHandle() = default;
  WatchHandle(WatchHandle&&) noexcept = default;
  WatchHandle& operator=(WatchHandle&& other) noexcept;
  ~WatchHandle();

 private:
  friend class BusCore;
  std::weak_ptr<BusCore> core_;
  std::string prefix_;
  std::uint64_t id_ = 0;
};

struct BusCounters {
  std::uint64_t sent = 0, acknowledged = 0, failed = 0, expired = 0;
  std::uint64_t transmitted = 0, resends = 0, probes = 0, chokes = 0;
  std::uint64_t handled = 0, duplicates = 0, gaps = 0;
  std::uint64_t calls = 0, calls_timed_out = 0;
  std::uint64_t connects = 0;
  std::uint64_t unacknowledged_bytes = 0;
  std::uint64_t bytes_in = 0, bytes_out = 0;  // of the present link with busd
};

class Bus {
 public:
  /// Throws std::invalid_argument if the node's name is not one.
  Bus(boost::asio::io_context& loop, Options options);
  /// Without close(): drops the link. busd notices the end of the process, or keeps its names for
  /// the lease.
  ~Bus();
  Bus(const Bus&) = delete;
  Bus& operator=(const Bus&) = delete;

  /// Ready to send, bind and be called: a session with busd, and `process/HOST.NODE` granted. Keeps
  /// trying while nobody answers; ends with an error only for what will not mend by itself:
  /// name_taken, unauthorized, version_mismatch, bad_config, closed. Once connected, a lost link is
  /// mended silently (see on_link).
  template <CompletionFor<void> Token>
  auto connect(Token&& token) {
    return initiate<void>(token, [this](Done<void> done) { start_connect(std::move(done)); });
  }

  /// Becomes the owner of a name. Three forms:
  ///   "entity/7"       that very channel, if nobody owns it: else already_bound, naming the owner
  ///   "service/chat"   the next free instance "service/chat#N" of a shared name
  ///   "group/gates"    member "group/gates#HOST.NODE" of a group
  /// bad_name, denied, too_many_names, closed. Waits while busroot is away.
  template <CompletionFor<Bound> Token>
  auto bind(std::string name, Handlers handlers, Token&& token) {
    return initiate<Bound>(
        token, [this, n = std::move(name), h = std::move(handlers)](Done<Bound> done) mutable {
          start_bind(std::move(n), std::move(h), std::move(done));
        });
  }
  /// Gives a name up: accepts nothing from now on; completes when it is free for others. `name` as
  /// in Bound, or as it was given to bind. not_bound.
  template <CompletionFor<void> Token>
  auto unbind(std::string name, Token&& token) {
    return initiate<void>(
        token, [this, n = std::move(name)](Done<void> done) { start_unbind(n, std::move(done)); });
  }

  /// Moves a bound name to another process, "HOST.NODE", without losing, doubling or reordering
  /// anything that was sent to it or from it (SendOptions::from). First its own messages are
  /// acknowledged while new ones wait; then `freeze` packs what the object is (at most kMaxBody
  /// less some KiB), and from that call on nothing is handed to it here. Completes when it is gone;
  /// or it goes on here: not_bound, busy, no_owner (no such process), move_refused, too_large,
  /// deadline, and rolled_back, after which it goes on from the frozen state although the target
  /// may have gone further. docs/guide/bus.md, "Moves".
  template <CompletionFor<void> Token>
  auto move(std::string name, std::string target, std::function<Bytes()> freeze, Token&& token) {
    return initiate<void>(
        token, [this, n = std::move(name), t = std::move(target), f = std::move(freeze)](
                   Done<void> done) mutable { start_move(n, t, std::move(f), std::move(done)); });
  }
  /// Takes in channels that move here and whose names begin with `prefix`; the longest prefix
  /// decides. Without any, all are refused.
  void on_arrival(std::string prefix, ArrivalHandlers handlers);
  /// The present epoch of a bound name, 0 if it is not bound: it changes when a move fails.
  Epoch epoch(std::string_view name) const;

  /// Takes a message into custody until its owner has handled it. Order: FIFO per (this process,
  /// channel, lane). Refused at once: would_block (see room), denied, too_large, bad_name, closed,
  /// unreachable (before connect), no_owner (a shared name without instances). Ends later, badly:
  /// on_undelivered.
  Result<> send(const Name& to, ByteView body, const SendOptions& options = {});
  Result<> send(std::string_view to, ByteView body, const SendOptions& options = {});
  Result<> send(std::string_view to, std::string_view body, const SendOptions& options = {}) {
    return send(to, as_bytes(body), options);
  }
  /// As send; completes when the message was handled, or with what became of it. A refusal as of
  /// send completes too, would_block included.
  template <CompletionFor<void> Token>
  auto send_acknowledged(std::string to, Bytes body, SendOptions options, Token&& token) {
    return initiate<void>(
        token, [this, t = std::move(to), b = std::move(body),
                o = std::move(options)](Done<void> done) { start_send(t, b, o, std::move(done)); });
  }
  /// Always ends: with the reply, with the handler's or the bus' error, or at the deadline.
  template <CompletionFor<Bytes> Token>
  auto call(std::string to, ByteView body, CallOptions options, Token&& token) {
    return initiate<Bytes>(token, [this, t = std::move(to), b = Bytes(body.begin(), body.end()),
                                   o = std::move(options)](Done<Bytes> done) {
      start_call(t, b, o, std::move(done));
    });
  }
  template <CompletionFor<Bytes> Token>
  auto call(std::string to, std::string_view body, CallOptions options, Token&& token) {
    return call(std::move(to), as_bytes(body), std::move(options), std::forward<Token>(token));
  }

  /// Puts a message into the mailbox of a channel, whether anybody owns that or not. Completes with
  /// its number there, 1, 2, 3..., when it is on the disk of the mailbox's store; and a post that
  /// has no end yet is sent again until it has, whatever restarts, so it is stored once. Mail of
  /// this process to one mailbox is in the order in which it was posted. Refused, and not stored:
  /// would_block (see room of "store/N"), denied, too_large, bad_name, closed, unreachable (before
  /// connect), store_full, mailbox_full, corrupt. Unknown: expired, lease_lost, owner_lost (the
  /// store has lost its disk).
  template <CompletionFor<std::uint64_t> Token>
  auto post(std::string mailbox, ByteView body, PostOptions options, Token&& token) {
    return initiate<std::uint64_t>(
        token,
        [this, m = std::move(mailbox), b = Bytes(body.begin(), body.end()), o = std::move(options)](
            Done<std::uint64_t> done) { start_post(m, b, o, std::move(done)); });
  }
  template <CompletionFor<std::uint64_t> Token>
  auto post(std::string mailbox, std::string_view body, PostOptions options, Token&& token) {
    return post(std::move(mailbox), as_bytes(body), std::move(options), std::forward<Token>(token));
  }

  /// Begins to read the mailbox of a channel that this process has bound. The latest owner of the
  /// name reads; an earlier one ends as superseded. not_bound, superseded, cursor_ahead (the store
  /// has less than the cursor: see its cure), denied (it is a log), corrupt, would_block
  /// (kMaxReaders), too_large (the window), version_mismatch (an older busd), unreachable (before
  /// connect), deadline, closed.
  template <CompletionFor<Mailbox> Token>
  auto open_mailbox(std::string name, MailboxOptions options, Token&& token) {
    return initiate<Mailbox>(token, [this, n = std::move(name), options](Done<Mailbox> done) {
      start_open_mailbox(n, options, std::move(done));
    });
  }

  /// Appends to a log: as post, but a log has any number of readers, with cursors of their own, and
  /// keeps what its retention says. The first message makes it a log, or a mailbox, for good.
  template <CompletionFor<std::uint64_t> Token>
  auto append(std::string log, ByteView body, PostOptions options, Token&& token) {
    return initiate<std::uint64_t>(
        token,
        [this, l = std::move(log), b = Bytes(body.begin(), body.end()), o = std::move(options)](
            Done<std::uint64_t> done) { start_append(l, b, o, std::move(done)); });
  }
  template <CompletionFor<std::uint64_t> Token>
  auto append(std::string log, std::string_view body, PostOptions options, Token&& token) {
    return append(std::move(log), as_bytes(body), std::move(options), std::forward<Token>(token));
  }
  /// Reads a log from behind a cursor, and goes on with what is appended. A cursor below what is
  /// still kept goes on with the oldest that is. Errors as of open_mailbox.
  template <CompletionFor<LogReader> Token>
  auto follow(std::string log, LogOptions options, Token&& token) {
    return initiate<LogReader>(token, [this, l = std::move(log), options](Done<LogReader> done) {
      start_follow(l, options, std::move(done));
    });
  }
  /// What a log has from number `from` on, at most `max` messages of it, now. Ends as `deadline` if
  /// nothing comes for so long: its store is away, or what was there when it began has been erased.
  template <CompletionFor<LogPage> Token>
  auto read(std::string log, std::uint64_t from, std::size_t max,
            std::chrono::milliseconds deadline, Token&& token) {
    return initiate<LogPage>(token,
                             [this, l = std::move(log), from, max, deadline](Done<LogPage> done) {
                               start_read(l, from, max, deadline, std::move(done));
                             });
  }
  /// The same, with the deadline of LogOptions.
  template <CompletionFor<LogPage> Token>
  auto read(std::string log, std::uint64_t from, std::size_t max, Token&& token) {
    return read(std::move(log), from, max, LogOptions().deadline, std::forward<Token>(token));
  }

  /// One body to many owned channels, one copy per host on the way; each is an ordinary stream. All
  /// are taken or none. Failures are reported per member to on_undelivered.
  Result<> multicast(std::span<const std::string> to, ByteView body,
                     const SendOptions& options = {});
  /// Multicast to the members of a group that this process' watch shows. The first use starts the
  /// watch; until its snapshot is complete, announcements wait. group_too_large beyond kMaxGroup.
  Result<> announce(std::string_view group, ByteView body, const SendOptions& options = {});
  Result<> announce(std::string_view group, std::string_view body,
                    const SendOptions& options = {}) {
    return announce(group, as_bytes(body), options);
  }

  /// A snapshot of all names that begin with `prefix`, then changes, in order, for as long as the
  /// handle lives. A restart of a daemon shows as the difference that it made, if any. Refusals
  /// (watch_too_large) come to `on_error`.
  Result<WatchHandle> watch(std::string prefix, std::function<void(const WatchUpdate&)> on_update,
                            std::function<void(const Error&)> on_error = {});

  /// Completes when all that was sent so far was handled or has failed; `deadline` otherwise.
  template <CompletionFor<void> Token>
  auto flush(std::chrono::milliseconds deadline, Token&& token) {
    return initiate<void>(
        token, [this, deadline](Done<void> done) { start_flush(deadline, std::move(done)); });
  }
  /// Completes when at least half a window to `to` in this lane is free.
  template <CompletionFor<void> Token>
  auto room(std::string to, Lane lane, Token&& token) {
    return initiate<void>(token, [this, t = std::move(to), lane](Done<void> done) {
      start_room(t, lane, std::move(done));
    });
  }
  /// Flushes (at most until `deadline`), frees all names, leaves. Completes with what flush said.
  /// Afterwards everything is refused as closed. Pending operations end as closed.
  template <CompletionFor<void> Token>
  auto close(std::chrono::milliseconds deadline, Token&& token) {
    return initiate<void>(
        token, [this, deadline](Done<void> done) { start_close(deadline, std::move(done)); });
  }

  void on_undelivered(std::function<void(const Undelivered&)> callback);
  /// The link to busd came or went; `reason` of a loss. Informational: nothing needs to be done.
  void on_link(std::function<void(LinkState, const Error& reason)> callback);

  /// This process was cut off from busroot for the length of its lease (30 s), and owns nothing any
  /// more: all names are gone, what was pending has ended as lease_lost. The bus comes back by
  /// itself, as a new incarnation: bind anew.
  void on_lease_lost(std::function<void()> callback);

  /// It has ended by itself, for a reason that does not mend (name_taken, unauthorized,
  /// version_mismatch, ...): as behind close(). Not called for close().
  void on_ended(std::function<void(const Error& reason)> callback);

  const std::string& node() const;
  const std::string& endpoint() const;  // where it looks for busd
  const std::string& host() const;      // empty before connect
  Process self() const;
  BusCounters counters() const;
  /// Whom a flush would wait for: the `most` channels with the most bytes, those first.
  std::vector<Unacknowledged> unacknowledged(std::size_t most) const;
  /// What runs now of what the bus calls: "call service/chat", "message entity/7f3a", "watch
  /// ready/", "answer of service/db"; empty: nothing of it. **From any thread**, for watchdogs.
  std::string handling() const;
  boost::asio::io_context& loop();

 private:
  template <class T>
  using Done = std::function<void(Result<T>)>;

  void start_connect(Done<void> done);
  void start_bind(std::string name, Handlers handlers, Done<Bound> done);
  void start_unbind(const std::string& name, Done<void> done);
  void start_send(const std::string& to, const Bytes& body, const SendOptions& options,
                  Done<void> done);
  void start_call(const std::string& to, const Bytes& body, const CallOptions& options,
                  Done<Bytes> done);
  void start_move(const std::string& name, const std::string& target, std::function<Bytes()> freeze,
                  Done<void> done);
  void start_post(const std::string& mailbox, const Bytes& body, const PostOptions& options,
                  Done<std::uint64_t> done);
  void start_append(const std::string& log, const Bytes& body, const PostOptions& options,
                    Done<std::uint64_t> done);
  void start_open_mailbox(const std::string& name, const MailboxOptions& options,
                          Done<Mailbox> done);
  void start_follow(const std::string& log, const LogOptions& options, Done<LogReader> done);
  void start_read(const std::string& log, std::uint64_t from, std::size_t max,
                  std::chrono::milliseconds deadline, Done<LogPage> done);
  void start_flush(std::chrono::milliseconds deadline, Done<void> done);
  void start_room(const std::string& to, Lane lane, Done<void> done);
  void start_close(std::chrono::milliseconds deadline, Done<void> done);

  std::shared_ptr<BusCore> core_;
};

/// Wraps a coroutine as a handler: the message is detached (its body copied), and acknowledged at
/// the coroutine's first suspension.
///   {.on_call = bus::coroutine(loop, [](bus::Call call) -> boost::asio::awaitable<void> { ... })}
template <class Function>
auto coroutine(boost::asio::io_context& loop, Function function);

}  // namespace starbus::bus

#include "bus/client/coroutine.hpp"
