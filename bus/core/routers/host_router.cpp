#include "bus/core/routers/host_router.hpp"

#include <utility>

namespace starbus::bus {

HostRouter::HostRouter(HostShell& shell, HostConfig config, Time now)
    : Router(shell, now),
      host_(links(), forwarding(), shell, std::move(config)),
      access_(host_),
      uplink_(host_),
      sessions_(host_, access_, uplink_),
      requests_(host_, access_, uplink_),
      answers_(host_, sessions_, uplink_),
      messages_(host_, access_, sessions_, uplink_),
      watches_(links(), uplink_),
      queries_(host_, uplink_),
      traces_(host_, messages_, uplink_) {}

// --- links ---------------------------------------------------------------------------------------

Result<> HostRouter::on_record(RouterLink& link, Kind kind, ByteView payload) {
  if (uplink_.is(link)) return from_root(link, kind, payload);
  LocalProcess* const process = host_.table.by_link(link.id);
  if (!process) {
    if (kind == Kind::hello) return sessions_.on_hello(link, payload);
    return Error{Errc::bad_bytes, std::string(name_of(kind)) + " before hello"};
  }
  if (kind == Kind::reset) {
    const auto reset = decode<Reset>(payload);
    return reset ? Error{reset->reason, "the process ended the session: " + reset->detail}
                 : reset.error();
  }
  if (!process->ready) return sessions_.on_table(link, *process, kind, payload);
  return from_process(link, *process, kind, payload);
}

void HostRouter::on_link_gone(RouterLink& link, const Error& reason) {
  if (uplink_.is(link)) {
    uplink_.on_gone(reason);
    queries_.on_uplink_gone();
    host_.shell.uplink_ended(reason);
    return;
  }
  watches_.forget(link.id);
  if (LocalProcess* const process = host_.table.by_link(link.id)) {
    sessions_.on_link_gone(*process, reason);
  } else {
    sessions_.log(link.peer.uid, RouterShell::Level::warning,
                  link.name + ": " + reason.to_string());
  }
}

RouterLink* HostRouter::link_towards(const Process& origin) {
  if (origin.host != host_.table.id()) return uplink_.link();
  const LocalProcess* const process = host_.table.by_id(origin);
  return process ? sessions_.session_of(*process) : nullptr;
}

std::string HostRouter::account_of(const PeerFacts& peer) const {
  return "uid " + std::to_string(peer.uid);
}

// --- records of processes ------------------------------------------------------------------------

Result<> HostRouter::from_process(RouterLink& link, LocalProcess& process, Kind kind,
                                  ByteView payload) {
  if (is_message_record(kind)) return messages_.from_process(link, process, kind, payload);
  if (HostNameRequests::takes(kind)) return requests_.on_request(link, process, kind, payload);
  switch (kind) {
    case Kind::open:
      return access_.on_open(process, payload);
    case Kind::watch:
      return on_watch(link, process, payload);
    case Kind::unwatch:
      return on_unwatch(link, payload);
    case Kind::trace:
      if (link.minor < kTraceMinor) break;
      return traces_.from_process(process, payload);
    case Kind::vitals:
      if (link.minor < kVitalsMinor) break;
      return on_vitals(process, payload);
    case Kind::undelivered:
      if (link.minor < kUndeliveredMinor) break;
      return on_undelivered(process, payload);
    case Kind::bye:
      sessions_.end(process, {Errc::closed, "bye"});
      return {};
    default:
      break;
  }
  return Error{Errc::bad_bytes, std::string(name_of(kind)) + " from a process"};
}

Result<> HostRouter::on_watch(RouterLink& link, const LocalProcess& process, ByteView payload) {
  const auto watch = decode<Watch>(payload);
  if (!watch) return watch.error();
  if (!process.role->may_watch(watch->prefix)) {
    host_.links.tell(link, WatchRefused{watch->prefix, Errc::denied,
                                        "role \"" + process.role->name +
                                            "\" of busd.toml may not watch this prefix"});
    return {};
  }
  watches_.watch(link.id, watch->prefix);
  return {};
}

Result<> HostRouter::on_unwatch(RouterLink& link, ByteView payload) {
  const auto unwatch = decode<Unwatch>(payload);
  if (!unwatch) return unwatch.error();
  watches_.unwatch(link.id, unwatch->prefix);
  return {};
}

Result<> HostRouter::on_vitals(LocalProcess& process, ByteView payload) {
  auto vitals = decode<Vitals>(payload);
  if (!vitals) return vitals.error();
  process.vitals = std::move(*vitals);
  return {};
}

/// For `bustop why` and the log, whose lines of one process are limited.
Result<> HostRouter::on_undelivered(LocalProcess& process, ByteView payload) {
  const auto report = decode<UndeliveredReport>(payload);
  if (!report) return report.error();
  host_.counters.undelivered += report->count;
  const std::string what = "undelivered: " + std::string(name_of(report->reason)) + ", " +
                           std::to_string(report->count) +
                           (report->count == 1 ? " message" : " messages");
  host_.forwarding.note_failure(report->channel, process.id, what);
  const std::string& name = report->channel_name;
  sessions_.log(
      process.user.uid, RouterShell::Level::warning,
      process.node + ": " + what + " to " + (name.empty() ? report->channel.to_string() : name));
  return {};
}

// --- records of busroot --------------------------------------------------------------------------

Result<> HostRouter::from_root(RouterLink& link, Kind kind, ByteView payload) {
  if (kind == Kind::reset) {
    const auto reset = decode<Reset>(payload);
    return reset ? Error{reset->reason, "busroot ended the session: " + reset->detail}
                 : reset.error();
  }
  if (kind == Kind::welcome && uplink_.awaits_welcome()) return on_welcome(link, payload);
  if (!link.greeted) {
    return Error{Errc::bad_bytes, std::string(name_of(kind)) + " before welcome"};
  }
  return on_root_record(link, kind, payload);
}

Result<> HostRouter::on_welcome(RouterLink& link, ByteView payload) {
  if (auto accepted = uplink_.on_welcome(link, payload); !accepted) return accepted;
  watches_.renew();
  // Before any grant reaches them, the processes know from when on their lease counts.
  sessions_.beat(uplink_.lease_age());
  sessions_.tell_room();
  return {};
}

Result<> HostRouter::on_root_record(RouterLink& link, Kind kind, ByteView payload) {
  if (is_message_record(kind)) return messages_.from_root(kind, payload);
  switch (kind) {
    case Kind::attached:
      return answers_.on_attached(payload);
    case Kind::refused:
      return answers_.on_refused(payload);
    case Kind::active_ok:
      return answers_.pass_down<ActiveOk>(payload);
    case Kind::unbound:
      return answers_.on_unbound(payload);
    case Kind::freed_ok:
      return answers_.pass_down<FreedOk>(payload);
    case Kind::rows_taken:
      if (link.minor < kRowsTakenMinor) break;
      return answers_.on_rows_taken(payload);
    case Kind::move_ok:
      return answers_.on_move_ok(payload);
    case Kind::no_move:
      return answers_.pass_down<NoMove>(payload);
    case Kind::reclaimed:
      return answers_.on_reclaimed(payload);
    case Kind::moved:
      return answers_.on_moved(payload);
    case Kind::watch_rows:
      return on_watch_rows(payload);
    case Kind::watch_refused:
      return on_watch_refused(payload);
    case Kind::query:
      return queries_.on_query<Query>(payload);
    case Kind::role_query:
      if (uplink_.link()->minor < kAdminRoleMinor) break;
      return queries_.on_query<RoleQuery>(payload);
    case Kind::answer:
      return queries_.on_answer(payload);
    case Kind::trace:
      return traces_.from_root(link, payload);
    default:
      break;
  }
  return Error{Errc::bad_bytes, std::string(name_of(kind)) + " from busroot"};
}

Result<> HostRouter::on_watch_rows(ByteView payload) {
  auto rows = decode<WatchRows>(payload);
  if (!rows) return rows.error();
  watches_.on_rows(std::move(*rows));
  return {};
}

Result<> HostRouter::on_watch_refused(ByteView payload) {
  const auto refused = decode<WatchRefused>(payload);
  if (!refused) return refused.error();
  watches_.on_refused(*refused);
  return {};
}

// --- calls of the shell --------------------------------------------------------------------------

void HostRouter::uplink_opened(LinkId id, PeerFacts peer, std::uint64_t session_id, Time now) {
  open(id, std::move(peer), "busroot", now);
  uplink_.open(*links().find(id), session_id);
}

void HostRouter::drop_uplink(const Error& reason) {
  check_thread();
  uplink_.drop(reason);
}

void HostRouter::go_on() {
  watches_.serve();
}

void HostRouter::tick(Time now) {
  Router::tick(now);
  sessions_.tick();
  uplink_.tick();
  watches_.tick();
  queries_.tick(now);
  traces_.tick(now);
}

void HostRouter::pid_ended(std::int64_t pid) {
  check_thread();
  sessions_.pid_ended(pid);
}

void HostRouter::set_access_list(AccessList access) {
  check_thread();
  sessions_.set_access_list(std::move(access));
}

void HostRouter::query(const std::string& target, const std::string& path, AdminRole role,
                       PendingRequests<Answer>::Callback callback) {
  check_thread();
  queries_.start(target, path, role, std::move(callback));
}

void HostRouter::answer(const Answer& answer) {
  check_thread();
  queries_.answer(answer);
}

void HostRouter::trace(const ChannelId& channel, Lane lane,
                       PendingRequests<HopTrace>::Callback callback) {
  check_thread();
  traces_.start(channel, lane, std::move(callback));
}

bool HostRouter::idle() {
  bool idle = true;
  links().for_each([&](const RouterLink& link) { idle = idle && link.queues.bytes() == 0; });
  return idle;
}

void HostRouter::shut_down() {
  check_thread();
  links().end_all({Errc::shutting_down, "busd stops"});
}

}  // namespace starbus::bus
