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

#include "bus/core/name.hpp"
#include "bus/core/origin.hpp"
#include "bus/core/owner.hpp"
#include "bus/core/row_set.hpp"
#include "bus/core/session.hpp"

namespace starbus::bus {

using BindingId = std::uint64_t;

class ProcessEvents : public OriginEvents {
 public:
  /// Busd accepted this process; `first` once, then again after each reconnect.
  virtual void on_welcome(bool first) = 0;
  virtual void on_bound(BindingId binding, Epoch epoch) = 0;
  /// The name is not ours; the binding is gone.
  virtual void on_bind_refused(BindingId binding, const Error& reason) = 0;
  virtual void on_unbound(BindingId binding) = 0;
  virtual void on_delivery(BindingId binding, const Delivery& delivery) = 0;
  /// What changed under a watched prefix; `complete`: the snapshot is whole.
  virtual void on_watch(const std::string& prefix, const std::vector<WatchRow>& changes,
                        bool complete) = 0;
  virtual void on_watch_refused(const std::string& prefix, const Error& reason) = 0;

 protected:
  ~ProcessEvents() = default;
};

struct ProcessConfig {
  std::string node;
  std::string role = "node";
  std::uint64_t incarnation = 0;  // grows from start to start of the same node
  std::string software;
};

class ProcessCore final : private RecordHandler, private LaneSource {
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
  /// Something waits to be pumped, or would be after `flush_acks`.
  bool has_session() const { return session_.has_value(); }
  bool greeted() const { return greeted_; }

  // --- names ---
  /// bad_name, already_bound (by this process), denied, too_many_names. Later: on_bound or
  /// on_bind_refused.
  Result<BindingId> bind(std::string_view name);
  /// Accepts nothing from now on; on_unbound when busroot has freed the name. not_bound.
  Result<> unbind(const ChannelId& channel);
  /// The name that a binding of this process has; empty if there is none.
  std::string_view bound_name(const ChannelId& channel) const;
  std::size_t binding_count() const { return bindings_.size(); }

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
  enum class Phase { binding, active, unbinding };
  struct Binding {
    BindingId id = 0;
    Name name;
    Phase phase = Phase::binding;
    Epoch epoch{};
    Lineage lineage{};
    bool confirmed = false;
    Time asked{};
  };

  Result<> on_record(Kind kind, ByteView payload) override;
  Result<> on_welcome(const Welcome& welcome);
  void on_attached(const Attached& attached);
  void on_refused(const Refused& refused);
  void on_active_ok(const ActiveOk& ok);
  void on_unbound(const Unbound& unbound);
  Result<> on_watch_rows(WatchRows rows);
  Result<> on_control(Kind kind, ByteView payload);
  void on_freed_ok(const FreedOk& ok);

  void say_table();
  void ask(Binding& binding);
  void ask_again();
  void forget(const ChannelId& channel);
  void refuse_grant(const ChannelId& channel, std::uint64_t number);
  Result<BindingId> add_binding(Name name);
  Binding* find(const ChannelId& channel);
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
  std::optional<Session> session_;
  bool greeted_ = false;  // in this session
  bool ever_greeted_ = false;
  bool left_ = false;
  bool bye_due_ = false;

  Process self_;
  std::string host_;
  bool restricted_ = false;
  std::vector<std::string> bind_prefixes_;
  std::vector<std::string> send_prefixes_;
  std::size_t max_names_ = kMaxNamesPerProcess;

  BindingId next_binding_ = 1;
  BindingId process_binding_ = 0;
  boost::unordered_flat_map<ChannelId, std::unique_ptr<Binding>> bindings_;
  std::set<ChannelId> unanswered_;  // bindings with a request out
  struct Freeing {
    std::uint64_t number = 0;
    Time asked{};
  };
  std::map<ChannelId, Freeing> freeing_;  // grants that we did not want: repeated until freed_ok
  std::map<std::string, RowSet> watches_;
  Fifo<std::byte> control_;  // encoded records for the control lane
  Bytes scratch_;
};

}  // namespace starbus::bus
