#include "bus/core/routers/host_router.hpp"

#include <utility>

namespace starbus::bus {

HostRouter::HostRouter(HostShell& shell, HostConfig config, Time now)
    : Router(shell, now),
      host_shell_(shell),
      config_(std::move(config)),
      table_(config_.host),
      watches_(*this) {
  uplink_status_.since = now;
  uplink_status_.term = config_.highest_term;
  for (const JournaledProcess& known : config_.journaled) {
    Hello hello;
    hello.name = known.node;
    hello.incarnation = known.incarnation;
    LocalProcess& process = table_.add(hello, known.pid);
    auto role = std::make_shared<Role>();
    role->name = known.role;
    process.role = std::move(role);
    process.lost_at = now;
    process.announced = true;
    if (known.pid != 0 && table_.with_pid(known.pid).size() == 1) host_shell_.watch_pid(known.pid);
  }
}

Result<> HostRouter::on_record(Link& link, Kind kind, ByteView payload) {
  if (&link == uplink_) return from_root(link, kind, payload);
  LocalProcess* process = table_.by_link(link.id);
  if (!process) {
    if (kind == Kind::hello) return on_hello(link, payload);
    return Error{Errc::bad_bytes, "no hello first"};
  }
  if (kind == Kind::reset) {
    const auto reset = decode<Reset>(payload);
    return reset ? Error{reset->reason, "the process ended the session: " + reset->detail}
                 : reset.error();
  }
  if (!process->ready) return on_table(link, *process, kind, payload);
  return from_process(link, *process, kind, payload);
}

void HostRouter::on_link_gone(Link& link, const Error& reason) {
  if (&link == uplink_) return uplink_gone(reason);
  watches_.forget(link.id);
  LocalProcess* process = table_.by_link(link.id);
  if (!process) {
    shell_.log(RouterShell::Level::warning, link.name + ": " + reason.to_string());
    return;
  }
  table_.detach(*process);
  process->lost_at = now();
  shell_.log(RouterShell::Level::info, process->name + ": session ended: " + reason.to_string());
}

HostRouter::Link* HostRouter::link_towards(const Process& origin) {
  if (origin.host != table_.id()) return uplink_greeted() ? uplink_ : nullptr;
  const LocalProcess* process = table_.by_id(origin);
  return process && process->ready ? find_link(process->link) : nullptr;
}

void HostRouter::tick(Time now) {
  Router::tick(now);
  std::vector<LocalProcess*> expired;
  table_.for_each_process([&](LocalProcess& process) {
    process.request_bytes = 0;
    if (process.link == 0 && now - process.lost_at > config_.lease) expired.push_back(&process);
  });
  for (LocalProcess* process : expired) {
    ++host_counters_.leases_ended;
    end_process(*process, {Errc::silent, "no session for the length of the lease"});
  }
  watches_.tick();
  queries_.tick(now);
  traces_.tick(now);
}

std::uint64_t HostRouter::lease_age() const {
  if (uplink_greeted()) echoed_ = std::max(echoed_, uplink_->session.echoed());
  if (echoed_ == Time{}) return Heartbeat::kNoLease;
  return static_cast<std::uint64_t>((now() - echoed_).count());
}

void HostRouter::journal(const LocalProcess& process, bool lives) {
  host_shell_.journal({process.node, process.role->name, process.id.incarnation, process.pid},
                      lives);
}

void HostRouter::pid_ended(std::int64_t pid) {
  for (LocalProcess* process : table_.with_pid(pid)) {
    end_process(*process, {Errc::closed, "the process ended"});
  }
}

void HostRouter::end_process(LocalProcess& process, const Error& reason) {
  if (Link* link = find_link(process.link)) end_link(*link, reason);
  shell_.log(RouterShell::Level::info, process.name + ": gone, " +
                                           std::to_string(process.names.size()) +
                                           " names are free: " + reason.to_string());
  if (announced_ && process.announced) tell(*uplink_, ProcessDead{process.id});
  const std::int64_t pid = process.pid;
  journal(process, false);
  table_.remove(process);
  ++host_counters_.processes_ended;
  if (pid != 0 && table_.with_pid(pid).empty()) host_shell_.unwatch_pid(pid);
}

void HostRouter::set_access_list(AccessList access) {
  config_.access = std::move(access);
  std::vector<std::pair<LocalProcess*, Error>> changed;
  table_.for_each_process([&](LocalProcess& process) {
    const auto role = config_.access.admit(process.role->name, process.uid, process.gid);
    if (!role) {
      changed.emplace_back(&process, role.error());
    } else if (**role != *process.role) {
      process.role = *role;
      process.messages = {};
      process.bytes = {};
      changed.emplace_back(&process, Error{Errc::shutting_down, "the role has changed"});
    }
  });
  for (const auto& [process, why] : changed) {
    if (Link* link = find_link(process->link)) end_link(*link, why);
  }
}

void HostRouter::query(const std::string& target, const std::string& path,
                       PendingRequests<Answer>::Callback callback) {
  if (path.size() > kMaxName || target.size() > kMaxName) {
    return callback(Error{Errc::too_large, "at most 255 bytes"});
  }
  if (queries_.full()) return callback(Error{Errc::busy, "1024 requests are waiting"});
  if (!uplink_greeted()) return callback(Error{Errc::unreachable, "no session with busroot"});
  const std::uint64_t number = queries_.add(std::move(callback), now());
  tell(*uplink_, Query{config_.host, number, target, path});
}

void HostRouter::answer(const Answer& answer) {
  if (uplink_greeted()) tell(*uplink_, fit_to_send(answer));
}

bool HostRouter::idle() {
  bool idle = true;
  for_each_link([&](Link& link) { idle = idle && link.queues.bytes() == 0; });
  return idle;
}

void HostRouter::shut_down() {
  std::vector<LinkId> links;
  for_each_link([&](Link& link) { links.push_back(link.id); });
  for (const LinkId id : links) {
    if (Link* link = find_link(id)) end_link(*link, {Errc::shutting_down, "busd stops"});
  }
}

void HostRouter::tell_watcher(LinkId watcher, ByteView record) {
  if (Link* link = find_link(watcher)) tell_encoded(*link, record, 0);
}

bool HostRouter::has_room(LinkId watcher) {
  const Link* const link = find_link(watcher);
  return link != nullptr && link->queues.bytes(Lane::control) < kSnapshotRoom;
}

void HostRouter::tell_root(const Watch& watch) {
  if (uplink_greeted()) tell(*uplink_, watch);
}

void HostRouter::tell_root(const Unwatch& unwatch) {
  if (uplink_greeted()) tell(*uplink_, unwatch);
}

}  // namespace starbus::bus
