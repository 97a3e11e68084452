/// The router of one host (busd): serves the processes that live here, and has one uplink to
/// busroot.
///
/// A record for a name of this host goes to its process, any other up; from busroot, what is not of
/// this host is dropped. What cannot go on now (no session with the process or with busroot, a full
/// queue, a rate above the role's) is answered NACK overflow, so that its origin chokes and
/// resends. Everything here is a cache: killing it loses nothing. Sans-IO, single-threaded; see
/// router.hpp for how a shell drives it. A process that breaks the protocol or the access list
/// loses its session.
#pragma once

#include <string>
#include <vector>

#include "bus/core/routers/host/host_table.hpp"
#include "bus/core/routers/host/host_watches.hpp"
#include "bus/core/routers/host/pending_requests.hpp"
#include "bus/core/routers/router.hpp"
#include "bus/core/wire/record_admin.hpp"
#include "bus/core/wire/record_moves.hpp"
#include "bus/core/wire/record_readers.hpp"

namespace starbus::bus {

/// A process as busd's journal knows it.
struct JournaledProcess {
  std::string node;
  std::string role;
  std::uint64_t incarnation = 0;
  std::int64_t pid = 0;  // 0: unknown
};

class HostShell : public RouterShell {
 public:
  /// From now on `pid_ended` is to be called when this process ends; at once if it has ended.
  virtual void watch_pid(std::int64_t pid) = 0;
  virtual void unwatch_pid(std::int64_t pid) = 0;
  /// Whether a watched process has ended already; `pid_ended` may still be on its way.
  virtual bool has_ended(std::int64_t) { return false; }
  /// busroot's term has grown: to be kept through restarts (HostConfig::highest_term).
  virtual void remember_term(Epoch term) = 0;
  /// A process has come, or has ended: to be kept through restarts of busd (HostConfig::journaled),
  /// before this returns. Not through those of the machine: processes end with it.
  virtual void journal(const JournaledProcess& process, bool lives) = 0;
  /// Somebody asks this host: `answer` is to be called later.
  virtual void answer_query(const Query& query) = 0;
  /// The session with busroot ended, whoever ended it: connect again.
  virtual void uplink_ended(const Error& reason) = 0;

 protected:
  ~HostShell() = default;
};

struct HostConfig {
  std::string host;
  std::string software;
  AccessList access;
  std::uint64_t incarnation = 0;  // grows from start to start
  Epoch highest_term;             // what remember_term was last told
  Time lease = from_ms(kLease);
  /// Of what `journal` was told: the living, less those that have ended since. They are announced,
  /// and what they own stays theirs until they are back or their lease has ended.
  std::vector<JournaledProcess> journaled;
  std::size_t max_processes = kMaxProcesses;
  std::uint8_t minor = kVersionMinor;  // the highest minor version that is spoken
};

/// What only a busd counts.
struct HostCounters {
  std::uint64_t not_local = 0;        // from busroot, for a name that is not here: dropped
  std::uint64_t without_session = 0;  // for a process between two sessions
  std::uint64_t without_uplink = 0;   // for another host, while busroot is away
  std::uint64_t over_rate = 0;        // above the role's rate
  std::uint64_t foreign_replies = 0;  // for a channel of another: dropped, since it may be late
  std::uint64_t denied = 0;           // sessions ended for breaking the access list
  std::uint64_t processes_ended = 0;
  std::uint64_t leases_ended = 0;  // of those, for want of a session
};

struct UplinkStatus {
  bool connected = false;  // a link is up
  bool greeted = false;    // busroot has accepted this host
  LinkId link = 0;
  Time since{};  // of the present state
  Epoch term;    // of the latest busroot
  Error last_error;
};

class HostRouter final : public Router, private HostWatchOutlet {
 public:
  HostRouter(HostShell& shell, HostConfig config, Time now);

  /// Instead of link_opened, for the link to busroot. `session_id` is random and not 0.
  void uplink_opened(LinkId id, PeerFacts peer, std::uint64_t session_id, Time now);
  /// Ends the session with busroot, to begin another with other keys, say.
  void drop_uplink(const Error& reason);
  void tick(Time now) override;
  /// The operating system says that it is gone: its names are free at once.
  void pid_ended(std::int64_t pid);
  /// Sessions whose role changed begin anew, and so learn what it may do now.
  void set_access_list(AccessList access);

  /// Asks another host, or "root"; `path` with its query string. The callback comes later or at
  /// once: the answer, unreachable, deadline, or too_large for a path beyond 255 bytes.
  void query(const std::string& target, const std::string& path,
             PendingRequests<Answer>::Callback callback);
  void answer(const Answer& answer);
  /// Follows the way of a message for the channel (record_admin.hpp). The callback comes later or
  /// at once: the trace with its end, or deadline: it was lost on its way.
  void trace(const ChannelId& channel, Lane lane, PendingRequests<HopTrace>::Callback callback);

  /// True if nothing waits for any link.
  bool idle();
  /// Ends all sessions: shutting_down. Names stay with their processes, which come back.
  void shut_down();

  HostTable& table() { return table_; }
  std::uint8_t minor() const { return config_.minor; }
  const UplinkStatus& uplink() const { return uplink_status_; }
  const HostCounters& host_counters() const { return host_counters_; }
  std::size_t watched_prefixes() const { return watches_.prefix_count(); }

 private:
  Result<> on_record(Link& link, Kind kind, ByteView payload) override;
  void on_link_gone(Link& link, const Error& reason) override;
  Link* link_towards(const Process& origin) override;
  std::uint64_t lease_age() const override;

  // Sessions of processes: host_router_session.cpp.
  Result<> on_hello(Link& link, ByteView payload);
  Result<> on_table(Link& link, LocalProcess& process, Kind kind, ByteView payload);
  Result<> take_rows(LocalProcess& process, ByteView payload);
  Result<LocalProcess*> admit(Link& link, const Hello& hello);
  void welcome(Link& link, const LocalProcess& process);
  bool may_hold(const LocalProcess& process, std::string_view name) const;

  // The uplink: host_router_uplink.cpp.
  Result<> from_root(Link& link, Kind kind, ByteView payload);
  Result<> on_welcome(Link& link, ByteView payload);
  Result<> on_root_record(Link& link, Kind kind, ByteView payload);
  void announce_all();
  void announce(const LocalProcess& process);
  void journal(const LocalProcess& process, bool lives);
  void uplink_gone(const Error& reason);

  // Requests and their answers: host_router_requests.cpp.
  Result<> from_process(Link& link, LocalProcess& process, Kind kind, ByteView payload);
  template <class Request>  // Bind or Resume
  Result<> on_bind(Link& link, LocalProcess& process, ByteView payload);
  Result<> on_freed(LocalProcess& process, ByteView payload);
  Result<> on_open(LocalProcess& process, ByteView payload);
  Result<> on_active(const LocalProcess& process, ByteView payload);
  Result<> on_attach(Link& link, LocalProcess& process, ByteView payload);
  std::string_view why_no_way(bool passes, const ChannelId& channel);
  Result<> on_move(Link& link, const LocalProcess& process, ByteView payload);
  Result<> on_reclaim(const LocalProcess& process, ByteView payload);
  Result<> check_claim(const LocalProcess& process, std::string_view name, bool held) const;
  template <class Request>
  Result<> pass_up(const LocalProcess& process, ByteView payload);
  void refuse(Link& link, const Refused& refused);
  Result<> on_attached(ByteView payload);
  Result<> on_refused(ByteView payload);
  Result<> on_unbound(ByteView payload);
  Result<> on_move_ok(ByteView payload);
  Result<> on_reclaimed(ByteView payload);
  Result<> on_moved(ByteView payload);
  template <class Record>
  Result<> pass_down(ByteView payload);
  /// An answer for a process without a session is dropped: the process asks again.
  template <class Record>
  void tell_process(const Record& record) {
    const LocalProcess* process = table_.by_id(record.process);
    if (Link* link = process ? session_of(*process) : nullptr) tell(*link, record);
  }

  // Messages: host_router_data.cpp.
  Result<> data_from_process(Link& link, LocalProcess& process, ByteView payload);
  Result<> probe_from_process(Link& link, LocalProcess& process, ByteView payload);
  Result<> multicast_from_process(Link& link, LocalProcess& process, ByteView payload);
  Result<> data_from_root(ByteView payload);
  Result<> probe_from_root(ByteView payload);
  Result<> multicast_from_root(ByteView payload);
  template <class Reply>
  Result<> reply_from_process(const LocalProcess& process, ByteView payload);
  template <class Reply>
  Result<> reply_from_root(ByteView payload);
  void deliver_parts(const Multicast& multicast, LinkId source);
  bool speaks_for(const LocalProcess& process, const ChannelId& channel);
  Link* session_of(const LocalProcess& process);
  void tell_room();
  /// Where records for the channel go; null, counted, if that is nowhere now.
  Link* route(const ChannelId& channel);
  bool within_rate(LocalProcess& process, std::uint64_t messages, std::uint64_t bytes);
  Result<> check_opened(const LocalProcess& process, const ChannelId& channel, Lane lane);
  Result<> deny(const LocalProcess& process, const std::string& what);

  // What a message may hold: host_router_access.cpp.
  bool may_say(const LocalProcess& process, const Run& run) const;
  bool may_read(const LocalProcess& process, const MailOpen& open) const;
  bool may_post(const LocalProcess& process, const Run& run) const;
  bool may_post(const LocalProcess& process, ByteView message) const;
  bool checks_posts(const LocalProcess& process, const ChannelId& channel) const;

  // Traces: host_router_trace.cpp.
  void trace_onward(HopTrace trace, LinkId source);
  void trace_back(HopTrace trace);
  Result<> trace_from_process(const LocalProcess& process, ByteView payload);
  Result<> trace_from_root(Link& link, ByteView payload);

  // HostWatchOutlet
  void tell_watcher(LinkId watcher, ByteView record) override;
  bool has_room(LinkId watcher) override;
  void tell_root(const Watch& watch) override;
  void tell_root(const Unwatch& unwatch) override;

  void end_process(LocalProcess& process, const Error& reason);
  bool uplink_greeted() const { return uplink_ && uplink_status_.greeted; }

  HostShell& host_shell_;
  HostConfig config_;
  HostTable table_;
  HostWatches watches_;
  PendingRequests<Answer> queries_;
  PendingRequests<HopTrace> traces_;
  HostCounters host_counters_;

  Link* uplink_ = nullptr;
  bool announced_ = false;      // hello and the complete table are said in this session
  std::uint64_t attempts_ = 0;  // sessions with busroot so far
  Time root_lease_ = from_ms(kLease);
  mutable Time echoed_{};  // when busd sent its latest heartbeat that busroot has echoed
  UplinkStatus uplink_status_;

  // Kept between calls for their capacity.
  struct Part {
    LocalProcess* owner = nullptr;
    Multicast multicast;
  };
  std::vector<Part> parts_;
  Multicast rest_;
  Bytes stamped_;
};

}  // namespace starbus::bus
