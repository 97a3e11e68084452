/// The router of one host (busd): serves the processes that live here, and has one uplink to
/// busroot.
///
/// A record for a name of this host goes to its process, any other up; from busroot, a record for a
/// name that is not here is dropped. A record that cannot go on now (no session with the process or
/// with busroot, a full queue, a rate above the role's) is answered NACK overflow, so that its
/// origin waits and sends it again. Everything here is a cache: killing it loses nothing. Sans-IO;
/// belongs to one thread; see router.hpp for how a shell drives it. A process that breaks the
/// protocol or the access list loses its session.
///
/// The parts are in host/: sessions of processes, the uplink, name requests and their answers,
/// messages, watches, queries, traces. This class gives each record to the part it belongs to.
#pragma once

#include <string>

#include "bus/core/routers/host/access_check.hpp"
#include "bus/core/routers/host/account_report.hpp"
#include "bus/core/routers/host/host_config.hpp"
#include "bus/core/routers/host/host_name_requests.hpp"
#include "bus/core/routers/host/host_queries.hpp"
#include "bus/core/routers/host/host_traces.hpp"
#include "bus/core/routers/host/host_watches.hpp"
#include "bus/core/routers/host/message_path.hpp"
#include "bus/core/routers/host/name_answers.hpp"
#include "bus/core/routers/host/process_sessions.hpp"
#include "bus/core/routers/host/uplink.hpp"
#include "bus/core/routers/router.hpp"

namespace starbus::bus {

class HostRouter final : public Router {
 public:
  HostRouter(HostShell& shell, HostConfig config, Time now);

  /// Call it instead of link_opened for the link to busroot. `session_id` is random and not 0.
  void uplink_opened(LinkId id, PeerFacts peer, std::uint64_t session_id, Time now);
  /// Ends the session with busroot, for example to begin another with other keys.
  void drop_uplink(const Error& reason);
  void tick(Time now) override;
  bool unfinished() const override { return watches_.unfinished(); }
  void go_on() override;
  /// The operating system reports that the process has ended: its names are free at once.
  void pid_ended(std::int64_t pid);
  /// Ends the sessions whose role changed; their processes come back and learn their new role.
  void set_access_list(AccessList access);

  /// Asks another host, or "root"; `path` with its query string. It is answered by what `role`, of
  /// the caller here, may do; as `observe` where a session of 1.1 is on the way. The callback comes
  /// later or at once: the answer, unreachable, deadline, busy, or too_large for a path beyond 255
  /// bytes.
  void query(const std::string& target, const std::string& path, AdminRole role,
             PendingRequests<Answer>::Callback callback);
  void answer(const Answer& answer);
  /// Follows the way of a message for the channel (record_admin.hpp). The callback comes later or
  /// at once: the trace with its end, busy, or deadline if it was lost on its way.
  void trace(const ChannelId& channel, Lane lane, PendingRequests<HopTrace>::Callback callback);

  /// True if no link has anything queued.
  bool idle();
  /// Ends all sessions: shutting_down. Names stay with their processes, which come back.
  void shut_down();

  HostTable& table() { return host_.table; }
  std::uint8_t minor() const { return host_.config.minor; }
  const UplinkStatus& uplink() const { return uplink_.status(); }
  const HostCounters& host_counters() const { return host_.counters; }
  /// Who holds how much of what all processes of this host share.
  AccountReport account_report() { return report_accounts(host_); }
  std::size_t watched_prefixes() const { return watches_.prefix_count(); }

 private:
  Result<> on_record(RouterLink& link, Kind kind, ByteView payload) override;
  void on_link_gone(RouterLink& link, const Error& reason) override;
  RouterLink* link_towards(const Process& origin) override;
  std::string account_of(const PeerFacts& peer) const override;
  std::uint64_t lease_age() const override { return uplink_.lease_age(); }

  Result<> from_process(RouterLink& link, LocalProcess& process, Kind kind, ByteView payload);
  Result<> on_watch(RouterLink& link, const LocalProcess& process, ByteView payload);
  Result<> on_unwatch(RouterLink& link, ByteView payload);
  Result<> on_vitals(LocalProcess& process, ByteView payload);
  Result<> on_undelivered(LocalProcess& process, ByteView payload);
  Result<> from_root(RouterLink& link, Kind kind, ByteView payload);
  Result<> on_welcome(RouterLink& link, ByteView payload);
  Result<> on_root_record(RouterLink& link, Kind kind, ByteView payload);
  Result<> on_watch_rows(ByteView payload);
  Result<> on_watch_refused(ByteView payload);

  HostState host_;
  AccessCheck access_;
  Uplink uplink_;
  ProcessSessions sessions_;
  HostNameRequests requests_;
  NameAnswers answers_;
  MessagePath messages_;
  HostWatches watches_;
  HostQueries queries_;
  HostTraces traces_;
};

}  // namespace starbus::bus
