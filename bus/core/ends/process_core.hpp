/// One process on the bus, sans-IO: its session with busd, its origin and owner, its names and
/// watches. The client library (bus/client) is a shell around it; so is the simulator's process.
///
/// A session comes and goes (`connected`, `link_lost`); names, watches and custody stay. Each new
/// session begins with hello and the complete table of this process, then everything unanswered is
/// asked again and everything unacknowledged is sent again. Events are never called from within
/// bind, unbind, watch or send. One thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>

#include "bus/core/ends/durable_owner.hpp"
#include "bus/core/ends/origin.hpp"
#include "bus/core/ends/outbox.hpp"
#include "bus/core/ends/owner.hpp"
#include "bus/core/routers/row_set.hpp"
#include "bus/core/session.hpp"
#include "bus/core/wire/name.hpp"
#include "bus/core/wire/record_admin.hpp"
#include "bus/core/wire/record_moves.hpp"

namespace starbus::bus {

using BindingId = std::uint64_t;

class ProcessEvents : public OriginEvents, public DurableEvents {
 public:
  /// Busd accepted this process; `first` once, then again after each reconnect.
  virtual void on_welcome(bool first) = 0;
  virtual void on_bound(BindingId binding, Epoch epoch) = 0;
  /// The name is not ours; the binding is gone.
  virtual void on_bind_refused(BindingId binding, const Error& reason) = 0;
  virtual void on_unbound(BindingId binding) = 0;
  /// Of bind_durable, instead of on_bound: accept_durable begins, once this lineage is on the disk.
  /// Before that nobody may hear of it: what was sent to it would be lost with it.
  virtual void on_durable_bound(BindingId, Epoch, Lineage) {}
  virtual void on_delivery(BindingId binding, const Delivery& delivery) = 0;
  /// What changed under a watched prefix; `complete`: the snapshot is whole.
  virtual void on_watch(const std::string& prefix, const std::vector<WatchRow>& changes,
                        bool complete) = 0;
  virtual void on_watch_refused(const std::string& prefix, const Error& reason) = 0;

  /// A record of readers of mail (record_readers.hpp) or of shards that move (record_shards.hpp),
  /// of whatever process, undecoded.
  virtual void on_mail(const Process&, Kind, ByteView) {}
  /// Something that was said by say_mail to the process with this channel did not reach it, or it
  /// is not known whether it did: what was agreed with it is to be begun anew.
  virtual void on_mail_lost(const ChannelId&) {}

  /// This process was cut off from busroot for the length of its lease: it owns nothing any more,
  /// all its bindings and moves are gone, and what was unacknowledged has failed as lease_lost. It
  /// comes back by itself as a new incarnation, with its watches.
  virtual void on_lease_lost() = 0;
  /// The name of a channel that was sent to, for a role that has become restricted; empty: not
  /// known any more.
  virtual std::string name_of_channel(const ChannelId&) { return {}; }

  // --- moves; a program that moves nothing and takes nothing in leaves them alone ---
  /// A move of ours begins: nothing is accepted any more. What is returned travels, with the filter
  /// and the outbox.
  virtual Bytes on_freeze(BindingId) { return {}; }
  /// The target has confirmed: the binding is gone.
  virtual void on_moved(BindingId) {}
  /// The move has ended and the channel goes on here. busy: it never froze. move_refused, deadline
  /// (the target did not take it in time), too_large: it was frozen, nothing is lost; `epoch` is
  /// new. rolled_back: the target may have run.
  virtual void on_move_failed(BindingId, Epoch, const Error&) {}
  /// A channel wants to come here: ok to take it. Nothing is ours yet; on_arrived may never follow.
  virtual Result<> on_arriving(const std::string&, const Process&, ByteView) {
    return Error{Errc::move_refused, "no arrival handler"};
  }
  /// It is ours now, and its first messages may follow at once.
  virtual void on_arrived(BindingId, const std::string&, Epoch, Bytes) {}

 protected:
  ~ProcessEvents() = default;
};

struct ProcessConfig {
  std::string node;
  std::string role = "node";
  std::uint64_t incarnation = 0;  // grows from start to start of the same node
  std::string software;
  std::uint8_t minor = kVersionMinor;  // the highest minor version that is spoken
};

class ProcessCore final : private RecordHandler, private LaneSource, private OriginEvents {
 public:
  ProcessCore(ProcessConfig config, ProcessEvents& events, Time now);

  // --- the shell's side ---
  /// A link to busd is up: opens a session with this (random, non-zero) id.
  void connected(std::uint64_t session_id, Time now);
  void link_lost();
  /// An error means: end the link. For a reset it is the peer's reason.
  Result<> on_bundle(ByteView bundle, Time now);
  void tick(Time now);
  void set_now(Time now);
  void pump(const Session::Take& take, const Session::Emit& emit);
  /// False after link_lost, when the lease has ended, and when too many control records wait: then
  /// the link is to be ended too.
  bool has_session() const { return session_.has_value(); }
  bool greeted() const { return greeted_; }

  // --- names ---
  /// bad_name, already_bound (by this process), denied, too_many_names. Later: on_bound or
  /// on_bind_refused.
  Result<BindingId> bind(std::string_view name);
  /// A channel whose messages count as handled when they are on a disk (durable_owner.hpp).
  /// `lineage`: what it was last owned under; 0: its life begins. As bind otherwise, and
  /// version_mismatch from a daemon that is too old. Cannot be moved.
  Result<BindingId> bind_durable(std::string_view name, Lineage lineage);
  /// Messages to it are taken from now on; `filter` is what the disk has of its streams under this
  /// lineage. Nothing happens if the binding has gone meanwhile.
  void accept_durable(const ChannelId& channel, std::span<const FilterRow> filter);
  /// Accepts nothing from now on; on_unbound when busroot has freed the name. not_bound.
  Result<> unbind(const ChannelId& channel);
  /// The name that a binding of this process has; empty if there is none.
  std::string_view bound_name(const ChannelId& channel) const;
  /// The epoch of a binding; 0 if there is none, or no grant yet.
  Epoch epoch(const ChannelId& channel) const;
  std::size_t binding_count() const { return bindings_.size(); }

  // --- moves: process_moves.cpp ---
  /// Moves a channel of ours to a process whose identity a watch has shown (`hint`: the lineage of
  /// its process channel). Ends with on_moved or on_move_failed. not_bound; denied for the channel
  /// of a process; busy: it moves already, or kMaxMoves do.
  Result<> move(const ChannelId& channel, const Process& target, Lineage hint = {});
  /// A message from a channel of ours, in the order of that channel even when it moves: while it
  /// may not send, messages wait in its outbox. not_bound; busy once its state has left, and until
  /// the move has failed; otherwise as Origin::send, with no token, since its end may be seen by
  /// another process (failures come to on_failed there).
  Result<> send_from(const ChannelId& from, const Destination& to, Lane lane, ByteView head,
                     ByteView body, Time expires);
  /// The same to many.
  Result<> multicast_from(const ChannelId& from, std::span<const Origin::Recipient> recipients,
                          Lane lane, ByteView head, ByteView body, Time expires);
  /// The channel is on its way out: draining or frozen.
  bool moving(const ChannelId& channel) const;
  std::size_t move_count() const { return moving_.size(); }

  // --- watches ---
  /// One per prefix: bad_name, too_many_watches. Rows come by on_watch.
  Result<> watch(const std::string& prefix);
  void unwatch(const std::string& prefix);
  const RowSet* rows(const std::string& prefix) const;

  // --- sending ---
  /// ok or denied, by what busd told this role; unreachable before the first welcome.
  Result<> may_send(std::string_view name) const;
  bool restricted() const { return restricted_; }
  Origin& origin() { return origin_; }
  const Origin& origin() const { return origin_; }
  const Owner& owner() const { return owner_; }
  DurableOwner& durable() { return durable_; }

  /// Such a record, for the library of `to`. Passes the windows:
  /// whoever says many looks at Origin::has_room first. `hint`: of that process' channel.
  void say_mail(const Process& to, Lineage hint, ByteView record);
  bool speaks_mail() const { return minor_ >= kMailMinor; }
  /// Whether the role of this process may own such a name.
  bool may_bind(std::string_view name) const { return matches_any(bind_prefixes_, name); }

  /// Leaves: says bye (names are free at once) and fails what is unacknowledged.
  void leave();

  Process self() const { return self_; }
  /// Lineage of process/HOST.NODE, 0 until it is bound: rides on requests, so that replies need no
  /// PROBE.
  Lineage reply_lineage() const { return owner_.lineage(self_.channel()); }
  /// The binding of process/HOST.NODE, made at the first welcome; 0 before.
  BindingId process_binding() const { return process_binding_; }
  const std::string& host() const { return host_; }
  const std::string& node() const { return config_.node; }
  const Session* session() const { return session_ ? &*session_ : nullptr; }

 private:
  enum class Phase { binding, active, unbinding, frozen, attaching };
  /// Of a channel that leaves (active: it drains; frozen) or arrives (attaching).
  struct Move {
    Ticket ticket;
    Lineage target_lineage{};  // of the target's process channel
    Time since{};              // of the present phase
    bool asked = false;        // drained: busroot is asked
    bool reclaiming = false;
    bool packed = false;  // the outbox has gone with the state
    Token state = 0;      // of the state message, while frozen
    std::uint64_t state_seq = 0;
    Error failure{Errc::deadline, "the target did not take it in time"};
    std::vector<FilterRow> filter{};  // while attaching
    Bytes application{};              // while attaching
  };
  struct Binding {
    BindingId id = 0;
    Name name;
    Phase phase = Phase::binding;
    Epoch epoch{};
    Lineage lineage{};
    bool durable = false;
    Lineage resumed{};  // of a durable one: what is asked for
    bool confirmed = false;
    Time asked{};
    bool repeated = false;     // asked more than once for the grant
    std::uint32_t sender = 0;  // for Origin; 0: has sent nothing of its own
    std::unique_ptr<Move> move{};
    std::unique_ptr<Outbox> outbox{};  // null: empty
  };

  /// Tokens of our own system messages; those of the user are below.
  static constexpr Token kSystemToken = Token{3} << 62;
  static constexpr Token kMailToken = ~Token{0};  // of all records of readers

  Result<> on_record(Kind kind, ByteView payload) override;
  Result<> on_trace(ByteView payload);
  void tell_vitals();
  Result<> on_welcome(const Welcome& welcome);
  void on_attached(const Attached& attached);
  void on_refused(const Refused& refused);
  void on_active_ok(const ActiveOk& ok);
  void on_unbound(const Unbound& unbound);
  Result<> on_watch_rows(WatchRows rows);
  Result<> on_control(Kind kind, ByteView payload);
  void on_freed_ok(const FreedOk& ok);
  void on_move_ok(const MoveOk& ok);
  void on_no_move(const NoMove& refused);
  void on_reclaimed(const Reclaimed& reclaimed);
  void on_moved(const Moved& moved);
  void on_system(const Delivery& delivery);
  void take_state(State state, const Process& from);
  Result<> may_take(const State& state, const Process& from) const;
  void on_state_refused(const StateRefused& refused);

  // OriginEvents, on their way to events_: system messages end here.
  void on_acknowledged(Token token) override;
  void on_failed(Token token, const ChannelId& channel, Lane lane, std::uint64_t seq, Errc reason,
                 bool sent) override;
  void on_posted(Token token, Errc status, std::uint64_t number) override;
  void on_room() override;

  Ticket ticket_of(const Binding& binding) const;
  void arrive(Binding& binding, const Attached& attached);
  void advance_moves();
  void ask_to_move(Binding& binding);
  void freeze(Binding& binding);
  void reclaim_now(Binding& binding, const Error& reason);
  void end_move(Binding& binding);
  void cancel_move(Binding& binding, const Error& reason);
  void void_outbox(Binding& binding, Errc reason, bool sent);
  bool may_send_now(const Binding& binding) const;
  static Result<> may_send_from(const Binding* binding);
  std::uint32_t sender_of(Binding& binding);
  void wait_in_outbox(Binding& binding, const Destination& to, Lane lane, ByteView head,
                      ByteView body, Time expires);
  void flush_outbox(Binding& binding);
  void flush_outboxes();
  std::uint64_t say_system(const Process& to, Lineage hint, ByteView record, Token token);

  void say_table();
  bool lease_ended() const;
  void fence();
  void end_bindings(Errc reason);
  void ask(Binding& binding);
  void ask_again();
  void forget(const ChannelId& channel);
  void refuse_grant(const ChannelId& channel, const Ticket& ticket);
  void deactivate(const ChannelId& channel);
  Result<Name> name_to_bind(std::string_view text) const;
  Result<BindingId> bind_as(std::string_view text, bool durable, Lineage resumed);
  BindingId add_binding(Name name, bool durable, Lineage resumed);
  Binding* find(const ChannelId& channel) const;
  template <class Record>
  void say(const Record& record) {
    scratch_.clear();
    encode(record, scratch_);
    say_encoded(scratch_);
  }
  void say_encoded(ByteView record);

  bool ready(Lane lane) const override;
  Pulled pull(Lane lane, std::size_t budget, Bytes& out) override;

  ProcessConfig config_;
  ProcessEvents& events_;
  Time now_;
  Origin origin_;
  Owner owner_;
  DurableOwner durable_;
  std::optional<Session> session_;
  bool greeted_ = false;        // in this session
  bool overloaded_ = false;     // control records were dropped: the session is to end
  std::uint64_t attempts_ = 0;  // sessions so far
  Time session_began_{};
  Time lease_ = from_ms(kLease - kLeaseMargin);
  Time lease_base_{};  // busroot heard from this host at this time, or later; 0: nothing to lose
  bool ever_greeted_ = false;
  bool left_ = false;
  bool bye_due_ = false;

  Process self_;
  std::string host_;
  std::uint8_t minor_ = 0;  // protocol version of the session
  Vitals vitals_{};         // as busd knows them
  Time vitals_at_{};
  std::uint64_t transmitted_ = 0;  // when they were told
  std::uint64_t resends_ = 0;
  bool restricted_ = false;
  std::vector<std::string> bind_prefixes_;
  std::vector<std::string> send_prefixes_;
  std::size_t max_names_ = kMaxNamesPerProcess;

  BindingId next_binding_ = 1;
  BindingId process_binding_ = 0;
  boost::unordered_flat_map<ChannelId, std::unique_ptr<Binding>> bindings_;
  std::set<ChannelId> unanswered_;  // bindings with a request out
  struct Freeing {
    Ticket ticket;
    Time asked{};
  };
  // What we hold no more, by channel and ticket's number: repeated until freed_ok.
  std::map<std::pair<ChannelId, std::uint64_t>, Freeing> freeing_;
  std::set<ChannelId> moving_;   // bindings with a move
  std::set<ChannelId> waiting_;  // bindings with an outbox
  std::uint32_t next_sender_ = 1;
  std::map<Token, ChannelId> states_;  // state messages that are not acknowledged
  Token next_state_ = kSystemToken + 1;
  std::map<std::string, RowSet> watches_;
  Fifo<std::byte> control_;  // encoded records for the control lane
  Bytes scratch_;
};

}  // namespace starbus::bus
