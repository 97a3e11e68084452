/// Behind `Bus`: a ProcessCore and its link, and what the client library
/// adds: names to handlers, calls, shared names, groups, watches of several users. Internal header.
///
/// One thread, that of the io_context. Held by shared_ptr: posted work and timers keep it alive;
/// after `shut` nothing of the user's is called any more.
#pragma once

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <map>
#include <unordered_map>

#include "bus/client/bus.hpp"
#include "bus/client/mail_readers.hpp"
#include "bus/client/process_link.hpp"
#include "bus/client/shown_name.hpp"
#include "bus/core/ends/process_core.hpp"
#include "bus/core/wire/post_head.hpp"
#include "bus/io/clock.hpp"

namespace starbus::bus {

template <class T = void>
using Done = std::function<void(Result<T>)>;

/// 0 for a time to live of 0: never.
inline Time expiry_of(std::chrono::milliseconds ttl) {
  const std::chrono::milliseconds longest(kLongestLife);
  return ttl.count() > 0 ? io::boot_now() + std::min(ttl, longest) : Time{};
}

class BusCore final : public std::enable_shared_from_this<BusCore>, public ProcessEvents {
 public:
  BusCore(boost::asio::io_context& loop, Options options);
  ~BusCore();

  // --- bus_core.cpp: the link, the clock, the end ---
  void connect(Done<> done);
  void flush(std::chrono::milliseconds deadline, Done<> done);
  void room(const std::string& to, Lane lane, Done<> done);
  void close(std::chrono::milliseconds deadline, Done<> done);
  void shut(const Error& reason);
  void complete_later(Done<> done, Result<> result) {
    complete<void>(std::move(done), std::move(result));
  }
  BusCounters counters() const;
  std::vector<Unacknowledged> unacknowledged(std::size_t most);
  std::string handling() const { return shown_->text(); }
  const ProcessCore& process() const { return process_; }
  const std::string& endpoint() const { return options_.endpoint; }
  boost::asio::io_context& loop() { return loop_; }

  // --- bus_names.cpp: owning names ---
  void bind(std::string name, Handlers handlers, Done<Bound> done);
  void unbind(const std::string& name, Done<> done);

  // --- bus_moves.cpp: names that come and go ---
  void move(const std::string& name, const std::string& target, std::function<Bytes()> freeze,
            Done<> done);
  void on_arrival(std::string prefix, ArrivalHandlers handlers);

  // --- bus_send.cpp: messages, calls, replies ---
  Result<> send(const Name& to, ByteView body, const SendOptions& options, Done<> done);
  Result<> send(std::string_view to, ByteView body, const SendOptions& options, Done<> done);
  Result<> multicast(std::span<const std::string> to, ByteView body, const SendOptions& options);
  void call(const std::string& to, const Bytes& body, const CallOptions& options, Done<Bytes> done);
  Result<> reply(const Destination& to, Lane lane, const Envelope& envelope, ByteView body);

  // --- bus_mail.cpp: mailboxes and logs ---
  void post(PostTarget target, const std::string& name, ByteView body, const PostOptions& options,
            Done<std::uint64_t> done);
  void open_mailbox(const std::string& name, const MailboxOptions& options, Done<Mailbox> done);
  void follow(const std::string& log, const LogOptions& options, Done<LogReader> done);
  void read(const std::string& log, std::uint64_t from, std::size_t max,
            std::chrono::milliseconds deadline, Done<LogPage> done);
  MailReaders& readers() { return readers_; }

  // --- bus_sets.cpp: watches, shared names, groups ---
  Result<WatchHandle> watch(std::string prefix, std::function<void(const WatchUpdate&)> on_update,
                            std::function<void(const Error&)> on_error);
  void end_watch(const std::string& prefix, std::uint64_t id);
  Result<> announce(std::string_view group, ByteView body, const SendOptions& options);

  std::function<void(const Undelivered&)> on_undelivered;
  std::function<void(LinkState, const Error&)> on_link_state;
  std::function<void()> on_lease_end;
  std::function<void(const Error&)> on_end;

 private:
  // ProcessEvents
  void on_welcome(bool first) override;
  void on_bound(BindingId binding, Epoch epoch) override;
  void on_bind_refused(BindingId binding, const Error& reason) override;
  void on_unbound(BindingId binding) override;
  void on_delivery(BindingId binding, const Delivery& delivery) override;
  void on_watch(const std::string& prefix, const std::vector<WatchRow>& changes,
                bool complete) override;
  void on_watch_refused(const std::string& prefix, const Error& reason) override;
  void on_acknowledged(Token token) override;
  void on_posted(Token token, Errc status, std::uint64_t number) override;
  void on_mail(const Process& from, Kind kind, ByteView payload) override {
    readers_.on_mail(from, kind, payload);
  }
  void on_mail_lost(const ChannelId& process) override { readers_.on_lost(process); }
  void on_failed(Token token, const ChannelId& channel, Lane lane, std::uint64_t seq, Errc reason,
                 bool sent) override;
  void on_room() override;
  Bytes on_freeze(BindingId binding) override;
  void on_moved(BindingId binding) override;
  void on_move_failed(BindingId binding, Epoch epoch, const Error& reason) override;
  Result<> on_arriving(const std::string& name, const Process& from, ByteView state) override;
  void on_arrived(BindingId binding, const std::string& name, Epoch epoch, Bytes state) override;
  void on_lease_lost() override;
  std::string name_of_channel(const ChannelId& channel) override;

  ProcessLink::Hooks link_hooks();
  void check_waiters();
  std::string what_remains();
  template <class T>
  void complete(Done<T> done, Result<T> result);  // on a later turn of the loop
  bool closed() const { return closed_; }

  // --- what runs ---
  ShownName::Scope showing(std::string_view kind, std::string_view name) const {
    return {shown_, kind, name};
  }

  // --- names ---
  struct Bond {  // a name of ours, or one to be
    std::shared_ptr<const std::string> name;
    ChannelId channel;
    Handlers handlers;
    Done<Bound> bound;
    std::vector<Done<>> unbound;
    std::string asked;  // the shared or group name that was asked for, else empty
    unsigned instance = 0;
    std::function<Bytes()> freeze;  // of a move that is under way
    Done<> moved;
  };
  void start_move(const std::string& name, const std::string& target, std::function<Bytes()> freeze,
                  Done<> done);
  const ArrivalHandlers* arrival_handlers(std::string_view name) const;
  void end_bond(const Bond& bond, const Error& reason);
  std::shared_ptr<Bond> forget_bond(BindingId binding);
  void bind_exact(std::string name, std::string asked, unsigned instance, Handlers handlers,
                  Done<Bound> done);
  void bind_next_instance(std::string shared, unsigned after, Handlers handlers, Done<Bound> done);

  // --- sending ---
  struct PendingCall {
    Done<Bytes> done;
    ChannelId channel;
    Lane lane = Lane::call;
    std::uint64_t seq = 0;
    std::multimap<Time, std::uint64_t>::iterator deadline;
  };
  Result<Name> name_of_text(std::string_view text);
  Result<ChannelId> id_of_text(std::string_view text);
  Result<std::uint64_t> send_enveloped(const Name& to, Lineage hint, Lane lane,
                                       const Envelope& envelope, ByteView body, Token token,
                                       std::chrono::milliseconds ttl);
  Destination destination(const Name& to, Lineage hint) const;
  Result<> send_from(const Name& to, ByteView body, const SendOptions& options);
  Result<> multicast_now(std::span<const Origin::Recipient> recipients, const SendOptions& options,
                         ByteView body);
  void start_call(const Name& to, Lineage hint, std::uint64_t id, const Trace& trace,
                  ByteView body);
  void end_call(std::uint64_t id, Result<Bytes> result);
  void expire_calls();
  void arm_call_timer();
  void on_reply(const Delivery& delivery);
  void deliver(const Bond& bond, const Delivery& delivery);
  void deliver_call(const Bond& bond, const Delivery& delivery, const Envelope& envelope);
  void remember_name(const Name& name);
  Result<std::uint64_t> start_post(PostTarget target, const std::string& name, ByteView body,
                                   const PostOptions& options);
  void post_now(PostTarget target, const std::string& name, ByteView body,
                const PostOptions& options, Done<std::uint64_t> done);
  void hold_post(PostTarget target, const std::string& name, ByteView body,
                 const PostOptions& options, Done<std::uint64_t> done);
  bool knows_stores() const;
  Result<> may_read(const std::string& name, PostTarget target);
  MailReaders::Access reader_access();
  template <class Handle>
  void open_reader(MailReader::Settings settings, std::chrono::milliseconds deadline,
                   Done<Handle> done);
  struct LogReading;
  void read_on(const std::shared_ptr<LogReading>& reading);
  bool end_post(Token token, Result<std::uint64_t> result);

  // --- sets ---
  struct Watcher {
    std::function<void(const WatchUpdate&)> on_update;
    std::function<void(const Error&)> on_error;
  };
  struct Watched {
    std::map<std::uint64_t, Watcher> watchers;
    std::vector<std::function<void()>> when_complete;  // internal users
    std::size_t held_bytes = 0;                        // of messages that wait for the snapshot
    bool internal = false;                             // kept for a shared or group name
    // Members of a group as an announcement needs them; emptied when the watch changes.
    std::vector<Name> member_names;
    std::vector<Origin::Recipient> members;
  };
  struct Sticky {
    std::string instance;
    std::uint64_t used = 0;
  };
  bool is_kept(const std::string& shard) const;
  Result<Watched*> watch_internally(const std::string& prefix);
  Result<> hold(const std::string& prefix, std::size_t bytes, std::function<void()> action);
  std::optional<Name> choose_instance(const std::string& shared, std::uint64_t key, Lane lane,
                                      Lineage& hint);
  Result<> send_shared(const Name& to, ByteView body, const SendOptions& options, Done<> done);
  void call_shared(const Name& to, const Bytes& body, std::uint64_t key, std::uint64_t id,
                   const Trace& trace);
  void list_members(Watched& watched, const RowSet& rows);
  Result<> announce_now(const std::string& prefix, ByteView body, const SendOptions& options);
  void prune_sticky();

  boost::asio::io_context& loop_;
  Options options_;
  ProcessCore process_;
  ProcessLink link_;
  boost::asio::steady_timer call_timer_;
  // Shared with those scopes that outlive this, when a handler ends the bus.
  const std::shared_ptr<ShownName> shown_ = std::make_shared<ShownName>();
  MailReaders readers_;
  bool closing_ = false;
  bool closed_ = false;
  std::uint64_t connects_ = 0;

  std::vector<Done<>> connecting_;
  struct FlushWaiter {
    Origin::Mark mark;
    Time deadline{};
    bool held = false;  // some of it had no sequence yet: it waited for a snapshot
    Done<> done;
  };
  std::vector<FlushWaiter> flushes_;
  struct RoomWaiter {
    ChannelId channel;
    Lane lane;
    Done<> done;
  };
  std::vector<RoomWaiter> rooms_;

  std::unordered_map<BindingId, std::shared_ptr<Bond>> bonds_;
  std::unordered_map<std::string, BindingId> bond_by_name_;       // exact and asked names
  std::map<std::string, ArrivalHandlers, std::less<>> arrivals_;  // by prefix

  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  // Texts that were hashed before.
  boost::unordered_flat_map<std::string, Name, TextHash, std::equal_to<>> names_;
  boost::unordered_flat_map<ChannelId, std::string> names_by_id_;  // of recent sends: for reports
  Token next_token_ = 1;
  std::unordered_map<Token, Done<>> acknowledgements_;
  struct PendingPost {
    std::string box;
    Done<std::uint64_t> done;
  };
  boost::unordered_flat_map<Token, PendingPost> posts_;
  std::unordered_map<std::uint64_t, PendingCall> calls_;
  std::multimap<Time, std::uint64_t> call_deadlines_;
  std::uint64_t next_call_;  // begins at the incarnation: no reply to an earlier life fits a call
  std::uint64_t calls_started_ = 0, calls_timed_out_ = 0;
  Bytes envelope_;

  std::map<std::string, Watched> watched_;
  std::uint64_t next_watcher_ = 1;
  std::map<std::pair<std::string, std::uint64_t>, Sticky> sticky_;  // (shared name, key)
  std::uint64_t sticky_clock_ = 0;
  std::size_t held_messages_ = 0;
  std::size_t held_posts_ = 0;  // of those
};

}  // namespace starbus::bus
