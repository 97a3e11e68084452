#include "bus/core/routers/host/process_sessions.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "bus/core/routers/accounts.hpp"
#include "bus/core/wire/name.hpp"

namespace starbus::bus {
namespace {

constexpr LocalProcess* kNone = nullptr;

}  // namespace

ProcessSessions::ProcessSessions(HostState& host, AccessCheck& access, Uplink& uplink)
    : host_(host), access_(access), uplink_(uplink), roles_(host.config.access), log_(host.links) {
  for (const JournaledProcess& known : host.config.journaled) {
    Hello hello;
    hello.name = known.node;
    hello.incarnation = known.incarnation;
    LocalProcess& process = host_.table.add(hello, known.pid);
    host_.table.set_user(process, {.uid = known.uid});
    process.asked = known.role;
    auto role = std::make_shared<Role>();
    role->name = known.role;
    process.role = std::move(role);
    process.lost_at = host_.links.now();
    process.announced = true;
    watch_pid(known.pid);
  }
}

Result<> ProcessSessions::on_hello(RouterLink& link, ByteView payload) {
  const auto hello = decode<Hello>(payload);
  if (!hello) return hello.error();
  auto admitted = admit(link, *hello);
  if (!admitted) {
    ++host_.links.counters().sessions_refused;
    host_.forwarding.note_failure(Process{host_.table.id(), slot_id(hello->name), 0}.channel(), {},
                                  admitted.error().to_string());
    return admitted.error();
  }
  LocalProcess& process = **admitted;
  assert(process.link == 0 && !process.ready);
  link.name = process.name;
  process.software = hello->software;
  host_.table.attach(process, link.id);
  process.sessions.note(host_.links.now());
  link.minor = std::min(hello->minor, host_.config.minor);
  welcome(link, process);
  return {};
}

/// The entry of the process that says HELLO, without a session. Ends a predecessor.
Result<LocalProcess*> ProcessSessions::admit(RouterLink& link, const Hello& hello) {
  if (hello.party != PartyKind::process) {
    return Error{Errc::unauthorized, "a busd serves processes, not daemons"};
  }
  if (auto checked = check_node_name(hello.name); !checked) return checked.error();
  if (auto near = check_minor(hello.minor, host_.config.minor); !near) return near.error();
  User user{link.peer.uid, link.peer.gid, link.peer.groups};
  auto role = roles_.admit(hello.role, user);
  if (!role) return role.error();
  if (auto named = roles_.check_node(**role, hello.name); !named) return named.error();

  LocalProcess* process = host_.table.by_slot(slot_id(hello.name));
  if (process) {
    auto known = admit_known(*process, link, hello);
    if (!known) return known.error();
    process = *known;
  }
  const bool fresh = process == nullptr;
  if (fresh) {
    if (auto room = room_for(user.uid, **role); !room) {
      host_.table.count_over_rate(user.uid);
      return room.error();
    }
    process = &host_.table.add(hello, link.peer.pid);
    watch_pid(link.peer.pid);
  }
  process->attempt = hello.attempt;
  process->role = *role;
  host_.table.set_user(*process, std::move(user));
  process->asked = hello.role;
  if (fresh) journal(*process, true);
  return process;
}

/// Whether a process of this user may come: sessions by shares, and so many a second.
Result<> ProcessSessions::room_for(std::uint32_t uid, const Role& role) {
  const std::size_t all = host_.table.process_count();
  const std::size_t limit = host_.config.max_processes;
  const std::size_t own = host_.table.held_by(uid).processes;
  if (!within_share(own, 1, all, limit)) {
    return Error{Errc::too_many_processes, std::to_string(all) + " of " + std::to_string(limit) +
                                               " processes are served, " + std::to_string(own) +
                                               " of them of uid " + std::to_string(uid)};
  }
  if (own >= role.max_sessions) {
    return Error{Errc::too_many_processes, "role \"" + role.name + "\": user " +
                                               std::to_string(uid) + " has " + std::to_string(own) +
                                               " processes, its max_sessions"};
  }
  RateLimit& hellos = hellos_[uid];
  if (!hellos.open(kHellosPerSecond, host_.links.now())) {
    return Error{Errc::overloaded, "uid " + std::to_string(uid) + " opens more than " +
                                       std::to_string(kHellosPerSecond) + " processes a second"};
  }
  hellos.take(1);
  return {};
}

/// `present` without a session if it is the process that says HELLO; null if it has ended, so that
/// its name is free.
Result<LocalProcess*> ProcessSessions::admit_known(LocalProcess& present, const RouterLink& link,
                                                   const Hello& hello) {
  if (present.pid != link.peer.pid && host_.shell.has_ended(present.pid)) {
    // Its successor was faster than the notice of its end.
    end(present, {Errc::closed, "the process ended"});
    return kNone;
  }
  const auto arrival =
      judge_arrival(present, hello.name, hello.incarnation, link.peer.pid, link.peer.uid);
  if (!arrival) return arrival.error();
  if (*arrival == Returner::same && hello.attempt < present.attempt) {
    return Error{Errc::superseded, "this hello was under way while a newer session began"};
  }
  if (*arrival == Returner::successor) {
    // After its lease the library takes the next incarnation number; a new bus object draws one
    // from the clock.
    const bool fenced = hello.incarnation == present.id.incarnation + 1;
    if (fenced) ++host_.counters.leases_ended;
    end(present, fenced ? Error{Errc::lease_lost, "it was cut off and returns as a new incarnation"}
                        : Error{Errc::superseded, "a newer bus object of the same process"});
    return kNone;
  }
  if (RouterLink* const old = host_.links.find(present.link)) {
    host_.links.end(*old, {Errc::superseded, "the process opened a new session"});
  }
  return &present;
}

void ProcessSessions::welcome(RouterLink& link, const LocalProcess& process) {
  Welcome welcome;
  welcome.minor = link.minor;
  welcome.you = process.id;
  welcome.host = host_.config.host;
  welcome.term = uplink_.status().term;
  welcome.bind_prefixes = process.role->bind;
  welcome.send_prefixes = process.role->send;
  welcome.max_names = process.role->max_names;
  welcome.software = host_.config.software;
  welcome.trust = process.role->trust;
  welcome.lease_ms =
      static_cast<std::uint32_t>(std::min(host_.config.lease, uplink_.root_lease()) / from_ms(1));
  link.session.say(welcome);
  host_.links.touch(link);
}

Result<> ProcessSessions::on_table(RouterLink& link, LocalProcess& process, Kind kind,
                                   ByteView payload) {
  assert(!process.ready);
  if (kind == Kind::table) return take_rows(process, payload);
  if (kind != Kind::table_end || !payload.empty()) {
    return Error{Errc::bad_bytes, std::string(name_of(kind)) + " before the table was complete"};
  }
  host_.table.replace_names(process, process.incoming);
  process.incoming = {};
  process.ready = true;
  process.announced = true;
  process.tabled = true;
  link.greeted = true;
  uplink_.announce(process);
  tell_room();
  log_.line(process.user.uid, RouterShell::Level::info,
            process.name + ": session of pid " + std::to_string(process.pid) + ", role \"" +
                process.role->name + "\", " + std::to_string(process.names.size()) +
                " names, claims " + std::to_string(process.claimed.size()));
  return {};
}

Result<> ProcessSessions::take_rows(LocalProcess& process, ByteView payload) {
  auto table = decode<Table>(payload);
  if (!table) return table.error();
  // The session says whose rows these are: a process that never got WELCOME does not know its own
  // identity yet.
  if (process.incoming.size() + table->rows.size() > process.role->name_limit()) {
    return Error{Errc::too_many_names, "role \"" + process.role->name + "\" may hold " +
                                           std::to_string(process.role->max_names) + " names"};
  }
  if (auto room =
          access_.room_for(process, process.incoming.size() + table->rows.size(), process.counted);
      !room) {
    return room;
  }
  for (Row& row : table->rows) {
    const bool granted = row.epoch && row.lineage && row.lineage <= row.epoch;
    // A copy that arrives has the epoch of its source, which may be of any host.
    const bool here = row.state != RowState::attaching;
    const bool future = !uplink_.may_be_granted(row.epoch, here);
    const bool foreign = row.state == RowState::granted;
    const bool ticketless = row.state != RowState::active && !row.ticket;
    if (!check_channel_name(row.name) || !granted || future || foreign || ticketless) {
      return Error{Errc::bad_bytes, "table: impossible row"};
    }
    if (!access_.may_hold(process, row.name)) return access_.deny(process, "hold " + row.name);
    process.incoming.push_back(std::move(row));
  }
  return {};
}

void ProcessSessions::on_link_gone(LocalProcess& process, const Error& reason) {
  host_.table.detach(process);
  process.lost_at = host_.links.now();
  log_.line(process.user.uid, RouterShell::Level::info,
            process.name + ": session ended: " + reason.to_string());
}

void ProcessSessions::watch_pid(std::int64_t pid) {
  if (pid != 0 && host_.table.with_pid(pid).size() == 1) host_.shell.watch_pid(pid);
}

void ProcessSessions::journal(const LocalProcess& process, bool lives) {
  host_.shell.journal(
      {process.node, process.role->name, process.id.incarnation, process.pid, process.user.uid},
      lives);
}

void ProcessSessions::pid_ended(std::int64_t pid) {
  for (LocalProcess* process : host_.table.with_pid(pid)) {
    end(*process, {Errc::closed, "the process ended"});
  }
}

void ProcessSessions::end(LocalProcess& process, const Error& reason) {
  if (RouterLink* const link = host_.links.find(process.link)) host_.links.end(*link, reason);
  assert(process.link == 0);
  log_.line(process.user.uid, RouterShell::Level::info,
            process.name + ": ended, " + std::to_string(process.names.size()) +
                " names are free: " + reason.to_string());
  uplink_.report_dead(process);
  const std::int64_t pid = process.pid;
  journal(process, false);
  host_.table.remove(process);
  ++host_.counters.processes_ended;
  if (pid != 0 && host_.table.with_pid(pid).empty()) host_.shell.unwatch_pid(pid);
}

void ProcessSessions::tick() {
  log_.tick();
  const Time now = host_.links.now();
  std::vector<LocalProcess*> expired;
  host_.table.for_each_process([&](LocalProcess& process) {
    process.request_bytes = 0;
    if (process.link == 0 && now - process.lost_at > host_.config.lease) {
      expired.push_back(&process);
    }
  });
  for (LocalProcess* process : expired) {
    ++host_.counters.leases_ended;
    end(*process, {Errc::silent, "no session for the length of the lease"});
  }
}

void ProcessSessions::set_access_list(AccessList access) {
  roles_ = std::move(access);
  std::vector<std::pair<LocalProcess*, Error>> changed;
  host_.table.for_each_process([&](LocalProcess& process) {
    if (process.link == 0) return;  // it is judged when it comes back
    const auto role = roles_.admit(process.asked, process.user);
    const auto named = role ? roles_.check_node(**role, process.node) : Result<>(role.error());
    if (!named) {
      changed.emplace_back(&process, named.error());
    } else if (**role != *process.role) {
      process.role = *role;
      process.messages = {};
      process.bytes = {};
      changed.emplace_back(&process, Error{Errc::shutting_down, "the role has changed"});
    }
  });
  for (const auto& [process, why] : changed) {
    if (RouterLink* const link = host_.links.find(process->link)) host_.links.end(*link, why);
  }
}

RouterLink* ProcessSessions::session_of(const LocalProcess& process) {
  return process.ready ? host_.links.find(process.link) : nullptr;
}

void ProcessSessions::tell_room() {
  host_.table.for_each_process([&](LocalProcess& process) {
    RouterLink* const link = process.choked ? session_of(process) : nullptr;
    if (link == nullptr || link->minor < kRoomMinor) return;
    process.choked = false;
    host_.links.tell(*link, Room{});
  });
}

void ProcessSessions::beat(std::uint64_t lease_age) {
  host_.links.for_each([&](RouterLink& link) {
    if (!link.greeted || link.uplink) return;
    link.session.beat(host_.links.now(), lease_age);
    host_.links.touch(link);
  });
}

}  // namespace starbus::bus
