#include "bus/core/routers/root/host_sessions.hpp"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "bus/core/routers/root/root_queries.hpp"
#include "bus/core/wire/bundle.hpp"
#include "bus/core/wire/name.hpp"

namespace starbus::bus {
namespace {

/// Without the port: the same for all sessions of one machine.
std::string_view machine_of(std::string_view address) {
  return address.substr(0, address.rfind(':'));
}

}  // namespace

Result<> HostSessions::on_hello(RouterLink& link, ByteView payload) {
  const auto hello = decode<Hello>(payload);
  if (!hello) return hello.error();
  if (auto checked = check_hello(link, *hello); !checked) {
    return refuse(link, hello->name, checked.error());
  }
  if (auto free = make_way(link, *hello); !free) return refuse(link, hello->name, free.error());
  if (auto noted = grace_.admit(hello->name); !noted) {
    return refuse(link, hello->name, noted.error());
  }
  open(link, *hello);
  return {};
}

/// on_link_gone writes the log line.
Result<> HostSessions::refuse(RouterLink& link, std::string_view name, const Error& why) {
  ++root_.links.counters().sessions_refused;
  const std::string_view shown = check_node_name(name) ? name : "with a bad name";
  link.name = "host " + std::string(shown) + " from " + link.peer.address;
  return why;
}

Result<> HostSessions::check_hello(const RouterLink& link, const Hello& hello) {
  if (hello.party != PartyKind::busd) {
    return Error{Errc::unauthorized,
                 "busroot serves busds; processes connect to the busd of their "
                 "host"};
  }
  if (auto near = check_minor(hello.minor, root_.config.minor); !near) return near.error();
  if (auto checked = check_node_name(hello.name); !checked) return checked;
  if (hello.name == RootQueries::kRootName)
    return Error{Errc::bad_name, "root: reserved, choose another host name"};
  if (auto allowed = root_.shell.allow_host(link.peer.key, hello.name); !allowed) return allowed;
  if (hello.highest_term.term() > root_.config.term) {
    return Error{Errc::bad_config,
                 "busd has seen term " + std::to_string(hello.highest_term.term()) +
                     ", this busroot is at term " + std::to_string(root_.config.term) +
                     ": its state directory is stale or not the one it had before"};
  }
  return {};
}

/// Checks that the host may have a session now, and ends its present one if there is one.
Result<> HostSessions::make_way(const RouterLink& link, const Hello& hello) {
  const auto found = root_.hosts.find(host_id(hello.name));
  if (found == root_.hosts.end()) {
    if (root_.hosts.size() < root_.config.max_hosts) return {};
    return Error{Errc::too_many_processes,
                 "busroot serves " + std::to_string(root_.config.max_hosts) + " hosts, its limit"};
  }
  HostEntry& host = *found->second;
  if (host.name != hello.name) {
    return Error{Errc::name_taken, "the name has the same hash as that of host " + host.name};
  }
  if (hello.incarnation == host.incarnation && hello.attempt < host.attempt) {
    return Error{Errc::superseded, "this hello was under way while a newer session began"};
  }
  if (host.session != nullptr) {
    if (auto gives_way = check_living(host, link, hello); !gives_way) return gives_way;
  }
  // The table of an earlier busd knows nothing of what was granted since. One that has lost its
  // state, and counts anew, is let in when the lease of the host has ended.
  if (hello.incarnation < host.incarnation) {
    return Error{Errc::superseded, "a later busd of this host had a session"};
  }
  if (host.session != nullptr) {
    root_.links.end(*host.session, {Errc::superseded, "by a session from " + link.peer.address});
  }
  return {};
}

/// Whether the host's present session may be ended for the one that says HELLO.
Result<> HostSessions::check_living(const HostEntry& host, const RouterLink& link,
                                    const Hello& hello) {
  const bool same_key = host.key == link.peer.key;
  const bool same_busd = same_key && host.incarnation == hello.incarnation;
  const bool restarted = same_key && hello.incarnation > host.incarnation &&
                         machine_of(host.address) == machine_of(link.peer.address);
  const bool silent = host.session->session.silence(root_.links.now()) > kSuspect;
  if (!same_busd && !restarted && !silent) {
    return Error{Errc::name_taken,
                 "host " + hello.name + " has a living session from " + host.address};
  }
  return {};
}

void HostSessions::open(RouterLink& link, const Hello& hello) {
  auto& slot = root_.hosts[host_id(hello.name)];
  if (!slot) slot = std::make_unique<HostEntry>();
  HostEntry& host = *slot;
  assert(host.session == nullptr && !host.complete && !host.pending);
  host.name = hello.name;
  host.id = host_id(hello.name);
  host.incarnation = hello.incarnation;
  host.attempt = hello.attempt;
  host.key = link.peer.key;
  host.rights = root_.shell.rights_of(host.name);
  host.address = link.peer.address;
  host.software = hello.software;
  link.minor = std::min(hello.minor, root_.config.minor);
  host.link = link.id;
  host.session = &link;
  host.since = root_.links.now();
  host.sessions.note(root_.links.now());
  host.pending = std::make_unique<PendingTable>();
  link.attachment = &host;
  link.greeted = true;
  link.name = host.name;
  welcome(link, host);
  root_.links.log(RouterShell::Level::info, "host " + host.name + ": session from " + host.address +
                                                ", " + host.software + ", protocol " +
                                                protocol_text(link.minor));
}

void HostSessions::welcome(RouterLink& link, const HostEntry& host) {
  Welcome welcome;
  welcome.minor = link.minor;
  welcome.you = {host.id, 0, host.incarnation};
  welcome.host = root_.config.name;
  welcome.term = Epoch::of(root_.config.term, 0);
  welcome.bind_prefixes = {""};
  welcome.send_prefixes = {""};
  welcome.software = root_.config.software;
  welcome.lease_ms = static_cast<std::uint32_t>(root_.config.lease / from_ms(1));
  welcome.granted = root_.granted;
  link.session.say(welcome);
}

void HostSessions::tick() {
  std::vector<HostEntry*> overdue;
  for (const auto& [id, host] : root_.hosts) {
    if (!host->complete && root_.links.now() - host->since >= root_.config.lease)
      overdue.push_back(host.get());
  }
  for (HostEntry* host : overdue) {
    if (host->session == nullptr) {
      lose(*host);
    } else {
      // While the session lasts, the lease of the host's processes goes on.
      root_.links.end(*host->session, {Errc::silent, "no complete table within the lease"});
    }
  }
}

void HostSessions::lose(HostEntry& host) {
  root_.links.log(RouterShell::Level::warning, "host " + host.name + ": lease ended; " +
                                                   std::to_string(host.names()) + " names of " +
                                                   std::to_string(host.processes.size()) +
                                                   " processes are freed");
  while (!host.processes.empty()) names_.process_died(*host.processes.begin()->second);
  grace_.lost(host.name);
  root_.hosts.erase(host.id);
}

void HostSessions::review() {
  std::vector<std::pair<RouterLink*, Error>> refused;
  for (const auto& [id, host] : root_.hosts) {
    if (host->session == nullptr) continue;
    HostRights rights = root_.shell.rights_of(host->name);
    if (const auto allowed = root_.shell.allow_host(host->key, host->name); !allowed) {
      refused.emplace_back(host->session, allowed.error());
    } else if (rights != host->rights) {
      // Its next session begins with a complete table, which is compared with its new rights.
      refused.emplace_back(host->session,
                           Error{Errc::shutting_down, "the rights of the host have changed"});
    }
  }
  for (const auto& [link, why] : refused) root_.links.end(*link, why);
}

void HostSessions::on_link_gone(RouterLink& link, const Error& reason) {
  if (link.attachment == nullptr) {
    root_.links.log(RouterShell::Level::warning, link.name + " refused: " + reason.to_string());
    return;
  }
  HostEntry& host = static_cast<HostEntry&>(*link.attachment);
  assert(host.session == &link);
  link.attachment = nullptr;
  host.session = nullptr;
  host.link = 0;
  host.complete = false;
  host.pending.reset();
  host.since = root_.links.now();
  root_.links.log(RouterShell::Level::warning,
                  "host " + host.name + ": session ended: " + reason.to_string() + "; its " +
                      std::to_string(host.names()) + " names wait for the lease");
}

}  // namespace starbus::bus
