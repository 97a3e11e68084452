/// starbus' client API: read this header first.
///
/// A `Bus` is one node on the bus. It has one link to the busd of this host, owns its own channel
/// (`process/HOST.NODE`) and those that it binds, and keeps what it sends until it is handled.
///
/// Threads: a Bus belongs to the thread that constructs it and runs its io_context. Call it on that
/// thread alone (it aborts otherwise), and expect every callback there. Other threads send through
/// a Sender (see `sender`), and do all else by boost::asio::post(loop, ...). Nothing blocks.
/// Callbacks may call anything, close() included, and may destroy the Bus: then no other callback
/// of it follows, but for the completions of what was pending.
///
/// Asynchronous operations take an Asio completion token: a callback `void(Result<T>)`, or
/// `boost::asio::use_awaitable` (then `co_await` yields the Result<T>), or `use_future`.
///
///   boost::asio::io_context loop;  // boost/asio/io_context.hpp
///   bus::Bus bus(loop, {.node = "space-1"});
///   co_await bus.connect(use_awaitable);
///   bus::Handlers handlers;
///   handlers.on_message = [](bus::Message& m) { ... };
///   co_await bus.bind("entity/7", handlers, use_awaitable);
///   bus.send("entity/8", "hello");
///   auto reply = co_await bus.call("service/chat", "who is there?", {}, use_awaitable);
///
/// **g++ 12** destroys some temporaries of a co_await expression twice, which corrupts memory
/// without a warning. Put these into variables before the expression: lambdas whose captures own
/// memory (strings, shared pointers), and braced values with a member that owns memory
/// (`Handlers{...}`, its `{}`). Write an if instead of `a ? co_await x : co_await y`. A std::string
/// is fine, and so is `{}` for options that own nothing. Callbacks as completion tokens are fine.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/co_await_trap.hpp"
#include "bus/client/bus_core.hpp"
#include "bus/client/bus_types.hpp"
#include "bus/client/initiate.hpp"
#include "bus/client/mailbox.hpp"
#include "bus/client/message.hpp"
#include "bus/client/sender.hpp"
#include "bus/client/watch_handle.hpp"

namespace starbus::bus {

class Bus {
 public:
  /// Throws std::invalid_argument if the node's name is invalid.
  Bus(boost::asio::io_context& loop, Options options)
      : core_(BusCore::make(loop, std::move(options))) {}
  /// Without close() this drops the link: the names stay owned until the process ends, at most for
  /// the lease.
  ~Bus() { core_->shut({Errc::closed, "the bus object was destroyed"}); }
  Bus(const Bus&) = delete;
  Bus& operator=(const Bus&) = delete;

  /// Completes when the bus has a session with busd and owns `process/HOST.NODE`: it can send, bind
  /// and be called. Tries again until busd answers; fails only for permanent reasons: name_taken,
  /// unauthorized, version_mismatch, bad_config, closed. A link that is lost later is dialled again
  /// silently (see on_link).
  template <CompletionFor<void> Token = Awaited>
  auto connect(Token&& token = Token()) {
    return initiate<void>(token, [this](Done<void> done) { core_->connect(std::move(done)); });
  }

  /// Becomes the owner of a name. Three forms:
  ///   "entity/7"       this channel, if it has no owner; else already_bound, naming the owner
  ///   "service/chat"   the next free instance "service/chat#N" of a shared name
  ///   "group/gates"    member "group/gates#HOST.NODE" of a group
  /// bad_name, denied, too_many_names, closed. Waits while busroot is away.
  template <CompletionFor<Bound> Token = Awaited>
  auto bind(std::string name, const Handlers& handlers, Token&& token = Token()) {
    return start_bind(std::move(name), handlers, token);
  }
  /// Takes the handlers over. In a co_await expression they have to be a variable.
  template <CompletionFor<Bound> Token = Awaited>
  auto bind(std::string name, Handlers&& handlers, Token&& token = Token()) {
    static_assert(!kAwaits<Token, void(Result<Bound>)>,
                  "g++ 12 would destroy these handlers twice: give them a name first, in a "
                  "statement of their own (docs/design/gcc12.md)");
    return start_bind(std::move(name), std::move(handlers), token);
  }
  /// Gives a name up: accepts no message from now on; completes when others may bind it. One that
  /// moves is given up when its move has failed, and one with messages in its outbox
  /// (SendOptions::from) when they have left; until then it goes on. `name` is the one in Bound, or
  /// the one that was given to bind. not_bound; denied for gate/HOST.NODE of
  /// this process, whose end tells others that the process has ended.
  template <CompletionFor<void> Token = Awaited>
  auto unbind(std::string name, Token&& token = Token()) {
    return initiate<void>(
        token, [this, n = std::move(name)](Done<void> done) { core_->unbind(n, std::move(done)); });
  }

  /// Moves a bound name to another process, "HOST.NODE", without losing, doubling or reordering
  /// anything that was sent to it or from it (SendOptions::from). First its own messages are
  /// acknowledged while new ones wait; then `freeze` packs the state of the object (at most
  /// kMaxBody less some KiB), and no message is handed to it here from that call on; in a node one
  /// that throws counts as one that returned nothing. Completes
  /// after the move. If it fails, the channel goes on here, and what was sent to it meanwhile is
  /// handed to it after the completion: not_bound, denied as by unbind, busy, no_owner (no such
  /// process), move_refused, too_large, deadline, and rolled_back: it goes on from the frozen state
  /// although the target may have changed it. docs/design/guarantees.md, "Moves".
  template <class Freeze, CompletionFor<void> Token = Awaited>
  requires std::is_convertible_v<Freeze, std::function<Bytes()>>
  auto move(std::string name, std::string target, Freeze&& freeze, Token&& token = Token()) {
    static_assert(!kFunctionTrapsCoAwait<Freeze> || !kAwaits<Token, void(Result<>)>,
                  "g++ 12 would destroy this lambda twice: give it a name first "
                  "(docs/design/gcc12.md)");
    return initiate<void>(
        token, [this, n = std::move(name), t = std::move(target),
                f = std::function<Bytes()>(std::forward<Freeze>(freeze))](Done<void> done) mutable {
          core_->move(n, t, std::move(f), std::move(done));
        });
  }
  /// Accepts channels that move here and whose names begin with `prefix`; the longest prefix
  /// decides. A name without a matching prefix is refused.
  void on_arrival(std::string prefix, ArrivalHandlers handlers) {
    core_->on_arrival(std::move(prefix), std::move(handlers));
  }
  /// The present epoch of a bound name, 0 if it is not bound: it changes when a move fails.
  Epoch epoch(std::string_view name) const { return core_->epoch(name); }

  /// Takes a message into custody until its owner has handled it. Order: FIFO per (this process,
  /// channel, lane). Refused at once: would_block (see room), denied, too_large, bad_name, closed,
  /// unreachable (before connect), no_owner (a shared name without instances). A later failure
  /// comes to on_undelivered.
  Result<> send(const Name& to, ByteView body, const SendOptions& options = {}) {
    return core_->send(to, body, options);
  }
  Result<> send(std::string_view to, ByteView body, const SendOptions& options = {}) {
    return core_->send(to, body, options);
  }
  Result<> send(std::string_view to, std::string_view body, const SendOptions& options = {}) {
    return send(to, as_bytes(body), options);
  }
  /// As send; completes when the message was handled, or with its failure. A refusal of send
  /// completes too, would_block included.
  template <CompletionFor<void> Token = Awaited>
  auto send_acknowledged(std::string to, Bytes body, SendOptions options, Token&& token = Token()) {
    return initiate<void>(
        token, [this, t = std::move(to), b = std::move(body), o = std::move(options)](
                   Done<void> done) { core_->send_acknowledged(t, b, o, std::move(done)); });
  }
  /// A handle by which any thread may send; it may outlive the Bus. From any thread.
  Sender sender() const { return Sender(core_->handed()); }
  /// Always ends: with the reply, with the bus' error, with handler_failed (see reported_code for
  /// what its handler says), or at the deadline. unreachable: before connect, and after the lease
  /// was lost until connect completes again.
  template <CompletionFor<Bytes> Token = Awaited>
  auto call(std::string to, ByteView body, CallOptions options, Token&& token = Token()) {
    return initiate<Bytes>(token, [this, t = std::move(to), b = Bytes(body.begin(), body.end()),
                                   o = std::move(options)](Done<Bytes> done) {
      core_->call(t, b, o, std::move(done));
    });
  }
  template <CompletionFor<Bytes> Token = Awaited>
  auto call(std::string to, std::string_view body, CallOptions options, Token&& token = Token()) {
    return call(std::move(to), as_bytes(body), std::move(options), std::forward<Token>(token));
  }

  /// Stores a message in the mailbox of a channel, whether the channel has an owner or not.
  /// Completes with its number there, 1, 2, 3..., when it is on the disk of the mailbox's store.
  /// The post is sent again until it completes, whatever restarts, and is stored once. Mail of this
  /// process to one mailbox is stored in the order of the posts. Refused, and not stored:
  /// would_block (see room of "store/N"), denied, too_large, bad_name, closed, unreachable (before
  /// connect), store_full, mailbox_full, corrupt. Unknown: expired, lease_lost, owner_lost (the
  /// store has lost its disk).
  template <CompletionFor<std::uint64_t> Token = Awaited>
  auto post(std::string mailbox, ByteView body, PostOptions options, Token&& token = Token()) {
    return initiate<std::uint64_t>(
        token,
        [this, m = std::move(mailbox), b = Bytes(body.begin(), body.end()), o = std::move(options)](
            Done<std::uint64_t> done) { core_->post(m, b, o, std::move(done)); });
  }
  template <CompletionFor<std::uint64_t> Token = Awaited>
  auto post(std::string mailbox, std::string_view body, PostOptions options,
            Token&& token = Token()) {
    return post(std::move(mailbox), as_bytes(body), std::move(options), std::forward<Token>(token));
  }

  /// Opens the mailbox of a channel that this process has bound. The latest owner of the name
  /// reads; the reader of an earlier one ends as superseded. not_bound, superseded, cursor_ahead
  /// (the cursor is beyond the stored mail: see docs/reference/errors.md), denied (it is a log),
  /// corrupt, would_block (kMaxReaders), too_large (the window), version_mismatch (an older busd),
  /// unreachable (before connect), deadline, closed.
  template <CompletionFor<Mailbox> Token = Awaited>
  auto open_mailbox(std::string name, MailboxOptions options, Token&& token = Token()) {
    return initiate<Mailbox>(token, [this, n = std::move(name), options](Done<Mailbox> done) {
      core_->open_mailbox(n, options, std::move(done));
    });
  }

  /// Appends to a log: as post, but a log has any number of readers, with cursors of their own, and
  /// keeps messages for its retention. The first message makes a name a log or a mailbox for good.
  template <CompletionFor<std::uint64_t> Token = Awaited>
  auto append(std::string log, ByteView body, PostOptions options, Token&& token = Token()) {
    return initiate<std::uint64_t>(
        token,
        [this, l = std::move(log), b = Bytes(body.begin(), body.end()), o = std::move(options)](
            Done<std::uint64_t> done) { core_->append(l, b, o, std::move(done)); });
  }
  template <CompletionFor<std::uint64_t> Token = Awaited>
  auto append(std::string log, std::string_view body, PostOptions options,
              Token&& token = Token()) {
    return append(std::move(log), as_bytes(body), std::move(options), std::forward<Token>(token));
  }
  /// Reads a log after a cursor, and goes on with new messages. If the log does not keep the next
  /// message any more, begins with the oldest that it keeps. Errors: those of open_mailbox.
  template <CompletionFor<LogReader> Token = Awaited>
  auto follow(std::string log, LogOptions options, Token&& token = Token()) {
    return initiate<LogReader>(token, [this, l = std::move(log), options](Done<LogReader> done) {
      core_->follow(l, options, std::move(done));
    });
  }
  /// Reads at most `max` messages of a log from number `from` on, up to its present end. `deadline`
  /// if no message comes for so long: the store is away, or the messages have been erased
  /// meanwhile.
  template <CompletionFor<LogPage> Token = Awaited>
  auto read(std::string log, std::uint64_t from, std::size_t max,
            std::chrono::milliseconds deadline, Token&& token = Token()) {
    return initiate<LogPage>(token,
                             [this, l = std::move(log), from, max, deadline](Done<LogPage> done) {
                               core_->read(l, from, max, deadline, std::move(done));
                             });
  }
  /// With the deadline of LogOptions.
  template <CompletionFor<LogPage> Token = Awaited>
  auto read(std::string log, std::uint64_t from, std::size_t max, Token&& token = Token()) {
    return read(std::move(log), from, max, LogOptions().deadline, std::forward<Token>(token));
  }

  /// Sends one body to many owned channels, one copy per host; each channel is an ordinary stream.
  /// Receivers whose window is full are left out, or refuse it for all: SendOptions::when_full.
  /// Refused as would_block, for all: none has room, or the window of the process is full.
  /// Failures come to on_undelivered, one per channel, those left out as would_block.
  Result<> multicast(std::span<const std::string> to, ByteView body,
                     const SendOptions& options = {}) {
    return core_->multicast(to, body, options);
  }
  /// As multicast, and completes when the message has ended at each receiver. A refusal completes
  /// too. Not with SendOptions::from: denied.
  template <CompletionFor<GroupOutcome> Token = Awaited>
  auto multicast_acknowledged(std::vector<std::string> to, Bytes body, SendOptions options,
                              Token&& token = Token()) {
    return initiate<GroupOutcome>(token, [this, t = std::move(to), b = std::move(body),
                                          o = std::move(options)](Done<GroupOutcome> done) {
      core_->multicast_acknowledged(t, b, o, std::move(done));
    });
  }
  /// As multicast, to all members of a group that this process' watch shows. The first use begins
  /// the watch, and so does one after kWatchIdle without any; announcements wait until its snapshot
  /// is complete. group_too_large beyond kMaxGroup.
  Result<> announce(std::string_view group, ByteView body, const SendOptions& options = {}) {
    return core_->announce(group, body, options);
  }
  Result<> announce(std::string_view group, std::string_view body,
                    const SendOptions& options = {}) {
    return announce(group, as_bytes(body), options);
  }

  /// As announce, and completes when the message has ended at each member. A refusal completes too.
  /// Not with SendOptions::from: denied.
  template <CompletionFor<GroupOutcome> Token = Awaited>
  auto announce_acknowledged(std::string group, Bytes body, SendOptions options,
                             Token&& token = Token()) {
    return initiate<GroupOutcome>(token, [this, g = std::move(group), b = std::move(body),
                                          o = std::move(options)](Done<GroupOutcome> done) {
      core_->announce_acknowledged(g, b, o, std::move(done));
    });
  }

  /// Reports a snapshot of all names that begin with `prefix`, then changes, in order, while the
  /// handle lives. A restart of a daemon shows only as the changes that it made. Refusals
  /// (watch_too_large) come to `on_error`.
  Result<WatchHandle> watch(std::string prefix, std::function<void(const WatchUpdate&)> on_update,
                            std::function<void(const Error&)> on_error = {}) {
    return core_->watch(std::move(prefix), std::move(on_update), std::move(on_error));
  }

  /// Completes when every message sent before was handled or has failed; else with `deadline`.
  template <CompletionFor<void> Token = Awaited>
  auto flush(std::chrono::milliseconds deadline, Token&& token = Token()) {
    return initiate<void>(
        token, [this, deadline](Done<void> done) { core_->flush(deadline, std::move(done)); });
  }
  /// Completes when a message to `to` with these options would be taken, and at least half of the
  /// window there is free: of an owned channel; of the instance of a shared name that `hash_key`
  /// picks; of one member of a group, or of every member with WhenFull::wait.
  template <CompletionFor<void> Token = Awaited>
  auto room(std::string to, SendOptions options, Token&& token = Token()) {
    return initiate<void>(token, [this, t = std::move(to), o = std::move(options)](
                                     Done<void> done) { core_->room(t, o, std::move(done)); });
  }
  /// With the other options as they are by default.
  template <CompletionFor<void> Token = Awaited>
  auto room(std::string to, Lane lane, Token&& token = Token()) {
    SendOptions options;
    options.lane = lane;
    return room(std::move(to), options, std::forward<Token>(token));
  }
  /// Flushes (at most until `deadline`), frees all names and leaves. Completes with the result of
  /// the flush. Pending operations end as closed; later ones are refused as closed.
  template <CompletionFor<void> Token = Awaited>
  auto close(std::chrono::milliseconds deadline, Token&& token = Token()) {
    return initiate<void>(
        token, [this, deadline](Done<void> done) { core_->close(deadline, std::move(done)); });
  }

  void on_undelivered(std::function<void(const Undelivered&)> callback) {
    core_->on_undelivered(std::move(callback));
  }
  /// The link to busd was made or lost; `reason`: why it was lost. Informational.
  void on_link(std::function<void(LinkState, const Error& reason)> callback) {
    core_->on_link(std::move(callback));
  }

  /// This process was cut off from busroot for the length of its lease (30 s). It owns nothing any
  /// more: all names are gone, and pending operations have ended as lease_lost. The bus connects
  /// again by itself, as a new incarnation: bind again.
  void on_lease_lost(std::function<void()> callback) { core_->on_lease_lost(std::move(callback)); }

  /// The bus has ended for a permanent reason (name_taken, unauthorized, version_mismatch, ...),
  /// and is as after close(). Not called for close().
  void on_ended(std::function<void(const Error& reason)> callback) {
    core_->on_ended(std::move(callback));
  }

  /// What an operator should see: replies to calls that this process never made, and replies
  /// without room. Of each kind at most one text in kWarningPause.
  void on_warning(std::function<void(const std::string& text)> callback) {
    core_->on_warning(std::move(callback));
  }

  const std::string& node() const { return core_->node(); }
  /// Where it looks for busd.
  const std::string& endpoint() const { return core_->endpoint(); }
  /// Empty before connect.
  const std::string& host() const { return core_->host(); }
  Process self() const { return core_->self(); }
  BusCounters counters() const { return core_->counters(); }
  /// The channels for which a flush would wait: the `most` with the most bytes, those first.
  std::vector<Unacknowledged> unacknowledged(std::size_t most) const {
    return core_->unacknowledged(most);
  }
  /// The callback that runs now: "call service/chat", "message entity/7f3a", "watch ready/",
  /// "answer of service/db"; empty if none does. **From any thread**, for watchdogs.
  std::string handling() const { return core_->handling(); }
  boost::asio::io_context& loop() { return core_->loop(); }

 private:
  template <class Token>
  auto start_bind(std::string name, Handlers handlers, Token& token) {
    return initiate<Bound>(
        token, [this, n = std::move(name), h = std::move(handlers)](Done<Bound> done) mutable {
          core_->bind(std::move(n), std::move(h), std::move(done));
        });
  }

  std::shared_ptr<BusCore> core_;
};

}  // namespace starbus::bus
