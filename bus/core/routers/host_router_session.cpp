// How the session of a process begins: hello, its complete table, and who it is.
#include "bus/core/routers/host_router.hpp"
#include "bus/core/wire/name.hpp"

namespace starbus::bus {

Result<> HostRouter::on_hello(Link& link, ByteView payload) {
  const auto hello = decode<Hello>(payload);
  if (!hello) return hello.error();
  auto admitted = admit(link, *hello);
  if (!admitted) {
    ++counters_.sessions_refused;
    note_failure(Process{table_.id(), slot_id(hello->name), 0}.channel(), {},
                 admitted.error().to_string());
    return admitted.error();
  }
  LocalProcess& process = **admitted;
  link.name = process.name;
  process.software = hello->software;
  table_.attach(process, link.id);
  process.sessions.note(now());
  link.minor = std::min(hello->minor, config_.minor);
  welcome(link, process);
  return {};
}

/// The entry of the process that says hello, without a session; a predecessor is ended.
Result<LocalProcess*> HostRouter::admit(Link& link, const Hello& hello) {
  if (hello.party != PartyKind::process) {
    return Error{Errc::unauthorized, "a busd serves processes, not daemons"};
  }
  if (auto checked = check_node_name(hello.name); !checked) return checked.error();
  if (auto near = check_minor(hello.minor, config_.minor); !near) return near.error();
  auto role = config_.access.admit(hello.role, link.peer.uid, link.peer.gid);
  if (!role) return role.error();

  LocalProcess* process = table_.by_slot(slot_id(hello.name));
  if (process && process->pid != link.peer.pid && host_shell_.has_ended(process->pid)) {
    // Its successor was faster than the word of its end.
    end_process(*process, {Errc::closed, "the process ended"});
    process = nullptr;
  }
  if (process) {
    const auto arrival = judge_arrival(*process, hello.name, hello.incarnation, link.peer.pid);
    if (!arrival) return arrival.error();
    if (*arrival == Returner::same && hello.attempt < process->attempt) {
      return Error{Errc::superseded, "this hello was under way while a newer session began"};
    }
    if (*arrival == Returner::successor) {
      // The library's next incarnation after its lease is the very next number; a new bus object's
      // is drawn from the clock.
      const bool fenced = hello.incarnation == process->id.incarnation + 1;
      if (fenced) ++host_counters_.leases_ended;
      end_process(*process,
                  fenced ? Error{Errc::lease_lost, "it was cut off and comes back anew"}
                         : Error{Errc::superseded, "a newer bus object of the same process"});
      process = nullptr;
    } else if (Link* old = find_link(process->link)) {
      end_link(*old, {Errc::superseded, "the process opened a new session"});
    }
  }
  const bool fresh = process == nullptr;
  if (fresh) {
    if (table_.process_count() >= config_.max_processes) {
      return Error{Errc::too_many_processes,
                   std::to_string(config_.max_processes) + " processes are served"};
    }
    process = &table_.add(hello, link.peer.pid);
    if (link.peer.pid != 0 && table_.with_pid(link.peer.pid).size() == 1) {
      host_shell_.watch_pid(link.peer.pid);
    }
  }
  process->attempt = hello.attempt;
  process->role = *role;
  process->uid = link.peer.uid;
  process->gid = link.peer.gid;
  if (fresh) journal(*process, true);
  return process;
}

void HostRouter::welcome(Link& link, const LocalProcess& process) {
  Welcome welcome;
  welcome.minor = link.minor;
  welcome.you = process.id;
  welcome.host = config_.host;
  welcome.term = uplink_status_.term;
  welcome.bind_prefixes = process.role->bind;
  welcome.send_prefixes = process.role->send;
  welcome.max_names = process.role->max_names;
  welcome.software = config_.software;
  welcome.lease_ms = static_cast<std::uint32_t>(std::min(config_.lease, root_lease_) / from_ms(1));
  link.session.say(welcome);
  touch(link);
}

Result<> HostRouter::on_table(Link& link, LocalProcess& process, Kind kind, ByteView payload) {
  if (kind == Kind::table) return take_rows(process, payload);
  if (kind != Kind::table_end || !payload.empty()) {
    return Error{Errc::bad_bytes, std::string(name_of(kind)) + " before the table was complete"};
  }
  table_.replace_names(process, process.incoming);
  process.incoming = {};
  process.ready = true;
  process.announced = true;
  process.tabled = true;
  link.greeted = true;
  if (announced_) announce(process);
  tell_room();
  shell_.log(RouterShell::Level::info,
             process.name + ": session of pid " + std::to_string(process.pid) + ", role \"" +
                 process.role->name + "\", " + std::to_string(process.names.size()) + " names");
  return {};
}

Result<> HostRouter::take_rows(LocalProcess& process, ByteView payload) {
  auto table = decode<Table>(payload);
  if (!table) return table.error();
  // The session says whose rows these are: a process that was never welcomed does not know its own
  // identity yet.
  if (process.incoming.size() + table->rows.size() > process.role->max_names) {
    return Error{Errc::too_many_names, "role \"" + process.role->name + "\" may hold " +
                                           std::to_string(process.role->max_names) + " names"};
  }
  for (Row& row : table->rows) {
    const bool granted = row.epoch && row.lineage && row.lineage <= row.epoch;
    // Term 0: this host has seen no busroot yet and cannot tell.
    const bool future = uplink_status_.term && row.epoch.term() > uplink_status_.term.term();
    const bool foreign = row.state == RowState::granted;
    const bool ticketless = row.state != RowState::active && !row.ticket;
    if (!check_channel_name(row.name) || !granted || future || foreign || ticketless) {
      return Error{Errc::bad_bytes, "impossible row in a table"};
    }
    if (!may_hold(process, row.name)) return deny(process, "hold " + row.name);
    process.incoming.push_back(std::move(row));
  }
  return {};
}

/// The own channel of a process is for it alone, whatever the role says.
bool HostRouter::may_hold(const LocalProcess& process, std::string_view name) const {
  if (channel_id(name).high == kProcessTag || name.starts_with("process/")) {
    return name == process_channel_name(config_.host, process.node);
  }
  return process.role->may_bind(name);
}

}  // namespace starbus::bus
