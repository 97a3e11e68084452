/// One process on the bus, sans-IO: bytes and the time in, bytes and events out. The client library
/// (bus/client), busd's mail store and the simulator's processes are shells around it.
///
/// It holds the session with busd and hands each record to the part that it concerns:
///   Origin, ChannelSender            messages that leave, until they are acknowledged
///   Owner, DurableOwner              messages that arrive, once and in order
///   NameBinder, NameRequests         names that are bound, requested and given up
///   MoveSource, MoveTarget           channels that leave for, and come from, other processes
///   PrefixWatches, VitalsReporter, Lease, ControlQueue
///
/// Sessions end and begin (`link_lost`, `connected`); names, watches and unacknowledged messages
/// stay. Each new session begins with hello and the complete table of this process; then every
/// unanswered request and every unacknowledged message is sent again. One thread, that which
/// constructs it.
#pragma once

#include <optional>

#include "base/loop_thread.hpp"
#include "bus/core/ends/channel_sender.hpp"
#include "bus/core/ends/control_queue.hpp"
#include "bus/core/ends/durable_owner.hpp"
#include "bus/core/ends/lease.hpp"
#include "bus/core/ends/move_source.hpp"
#include "bus/core/ends/move_target.hpp"
#include "bus/core/ends/name_binder.hpp"
#include "bus/core/ends/name_requests.hpp"
#include "bus/core/ends/owner.hpp"
#include "bus/core/ends/prefix_watches.hpp"
#include "bus/core/ends/process_events.hpp"
#include "bus/core/ends/process_state.hpp"
#include "bus/core/ends/undelivered_reporter.hpp"
#include "bus/core/ends/vitals_reporter.hpp"
#include "bus/core/origin/origin.hpp"
#include "bus/core/session.hpp"

namespace starbus::bus {

class ProcessCore final : private RecordHandler, private LaneSource, private OriginEvents {
 public:
  /// `events` outlives the core.
  ProcessCore(ProcessConfig config, ProcessEvents& events, Time now);

  // --- the link with busd, for the shell ---
  /// A link to busd is up: opens a session with this random, non-zero id.
  void connected(std::uint64_t session_id, Time now);
  void link_lost();
  /// After an error the link must be closed. For a reset it is the peer's reason.
  Result<> on_bundle(ByteView bundle, Time now);
  /// Call every 10 ms or so, and after long pauses.
  void tick(Time now);
  void set_now(Time now);
  void send_bundles(const Session::TakeBuffer& take_buffer, const Session::SendBundle& send_bundle);
  /// False after link_lost, after the lease has ended, and if too many control records wait: the
  /// link must be closed then.
  bool has_session() const { return session_.has_value(); }
  bool greeted() const { return state_.greeted; }
  const Session* session() const { return session_ ? &*session_ : nullptr; }
  /// Leaves the bus: sends bye, which frees the names at once, and fails what is unacknowledged.
  void leave();

  // --- names ---
  /// bad_name, already_bound (by this process), denied, too_many_names. Later: on_bound or
  /// on_bind_refused.
  Result<BindingId> bind(std::string_view name);
  /// Binds a channel whose messages count as handled when they are on a disk (durable_owner.hpp).
  /// `lineage`: its last one; 0 begins a new life. Fails as bind, and with version_mismatch under
  /// an older daemon. Such a channel cannot be moved.
  Result<BindingId> bind_durable(std::string_view name, Lineage lineage);
  /// Accepts its messages from now on; `filter` are the rows of its streams on the disk, under this
  /// lineage. Does nothing if the binding has ended.
  void accept_durable(const ChannelId& channel, std::span<const FilterRow> filter);
  /// Accepts nothing from now on; on_unbound follows when busroot has freed the name. not_bound.
  Result<> unbind(const ChannelId& channel);
  /// The name of a binding of this process; empty if there is none.
  std::string_view bound_name(const ChannelId& channel) const;
  /// The epoch of a binding; 0 if there is none, or if it is not granted yet.
  Epoch epoch(const ChannelId& channel) const;
  std::size_t binding_count() const { return bindings_.size(); }
  bool may_bind(std::string_view name) const { return state_.rights.may_bind(name); }

  // --- moves ---
  /// Moves a channel of this process to another one, whose identity a watch has shown (`hint`: the
  /// lineage of its process channel). Ends with on_moved or on_move_failed. not_bound; denied for
  /// a name that is held for life (holder_for_life); busy: it is moving, or kMaxMoves channels are.
  Result<> move(const ChannelId& channel, const Process& target, Lineage hint = {});
  /// The program knows that the move which on_move_failed has ended is over: the channel accepts
  /// again. `epoch` as there; does nothing if the binding has ended, or was never frozen.
  void go_on(const ChannelId& channel, Epoch epoch);
  /// Sends a message from a channel of this process, in the order of that channel even when it
  /// moves: while the channel may not send, messages wait in its outbox. not_bound; busy after its
  /// state has left, until the move has failed; otherwise as Origin::send. There is no token: the
  /// message may end in another process, whose on_failed reports failures.
  Result<> send_from(const ChannelId& from, const Destination& to, Lane lane, ByteView head,
                     ByteView body, Time expires);
  Result<> multicast_from(const ChannelId& from, std::span<const Recipient> recipients, Lane lane,
                          ByteView head, ByteView body, Time expires,
                          FullReceivers* full = nullptr);
  /// The channel drains, is frozen, or waits for go_on.
  bool moving(const ChannelId& channel) const;
  std::size_t move_count() const { return bindings_.moving.size(); }
  /// How many messages of this channel wait in its outbox.
  std::size_t outbox_size(const ChannelId& channel) const;

  // --- watches ---
  /// One per prefix; rows come by on_watch. bad_name, too_many_watches.
  Result<> watch(const std::string& prefix);
  void unwatch(const std::string& prefix);
  const RowSet* rows(const std::string& prefix) const { return watches_.rows(prefix); }

  // --- messages ---
  /// ok, or denied by the rights of this role; unreachable before the first welcome.
  Result<> may_send(std::string_view name) const;
  bool restricted() const { return state_.rights.restricted; }
  Origin& origin() { return origin_; }
  const Origin& origin() const { return origin_; }
  const Owner& owner() const { return owner_; }
  DurableOwner& durable() { return durable_; }
  /// Sends an encoded record to the library of `to`, in kMailLane. Windows do not apply: check
  /// Origin::has_room before sending many. `hint`: the lineage of that process' channel.
  void send_mail_record(const Process& to, Lineage hint, ByteView record);
  /// Minor version of the session, or of the latest one; 0 before the first.
  std::uint8_t minor() const { return state_.minor; }
  bool speaks_mail() const { return state_.minor >= kMailMinor; }

  /// A message to this channel has ended so, and nobody in this process waits for its end: busd is
  /// told (UndeliveredReporter). `name`: empty if it is unknown.
  void note_undelivered(const ChannelId& channel, std::string_view name, Errc reason) {
    undelivered_.note(channel, name, reason);
  }
  /// How many there were.
  std::uint64_t undelivered() const { return undelivered_.total(); }

  /// Gives up a message, for calls whose deadline has passed: no handler gets it unless one has it
  /// already, or the word to its owner comes too late or is lost. No event follows.
  void withdraw(const ChannelId& channel, Lane lane, std::uint64_t seq);

  // --- identity ---
  Process self() const { return state_.self; }
  const std::string& host() const { return state_.host; }
  const std::string& node() const { return state_.config.node; }
  /// Lineage of process/HOST.NODE, 0 until it is bound. It travels in requests, so that replies
  /// need no PROBE.
  Lineage reply_lineage() const { return owner_.lineage(state_.self.channel()); }
  /// The binding of process/HOST.NODE, made at the first welcome; 0 before.
  BindingId process_binding() const { return binder_.process_binding(); }

 private:
  // RecordHandler, and its cases
  Result<> on_record(Kind kind, ByteView payload) override;
  Result<> on_message_record(Kind kind, ByteView payload);
  Result<> on_name_record(Kind kind, ByteView payload);
  Result<> on_run(ByteView payload);
  Result<> on_probe(ByteView payload);
  Result<> on_trace(ByteView payload);
  Result<> on_welcome(const Welcome& welcome);
  void adopt_rights(const Welcome& welcome);
  void on_attached(const Attached& attached);
  void on_system_message(const Delivery& delivery);

  // LaneSource
  bool ready(Lane lane) const override;
  FillResult fill_bundle(Lane lane, std::size_t budget, Bytes& out) override;

  // OriginEvents: system messages end here, the others at events_.
  void on_acknowledged(Token token) override;
  void on_failed(Token token, const ChannelId& channel, Lane lane, std::uint64_t seq, Errc reason,
                 bool sent) override;
  void on_posted(Token token, Errc status, std::uint64_t number) override;
  void on_room() override;

  void tell_withdrawn(const ChannelId& channel, Lane lane, std::uint64_t seq);
  void send_table();
  void advance_moves();
  void lose_lease();
  void end_bindings(Errc reason);

  LoopThread thread_;
  ProcessState state_;
  ProcessEvents& events_;
  ControlQueue control_;
  Origin origin_;
  Owner owner_;
  DurableOwner durable_;
  BindingTable bindings_;
  NameRequests requests_;
  NameBinder binder_;
  ChannelSender sender_;
  MoveSource source_;
  MoveTarget target_;
  PrefixWatches watches_;
  VitalsReporter vitals_;
  UndeliveredReporter undelivered_;
  Lease lease_;
  std::optional<Session> session_;
  Time session_began_{};
  std::uint64_t attempts_ = 0;  // sessions so far
  bool bye_due_ = false;
};

}  // namespace starbus::bus
