/// RootRouter: how a busd's session begins, and which of two sessions of one host wins.
#include <algorithm>
#include <cassert>

#include "bus/core/routers/root_router.hpp"
#include "bus/core/wire/bundle.hpp"
#include "bus/core/wire/name.hpp"

namespace starbus::bus {
namespace {

/// Without the port: the same for all sessions of one machine.
std::string_view machine_of(std::string_view address) {
  return address.substr(0, address.rfind(':'));
}

}  // namespace

Result<> RootRouter::on_hello(Link& link, ByteView payload) {
  const auto hello = decode<Hello>(payload);
  if (!hello) return hello.error();
  if (auto checked = check_hello(link, *hello); !checked) {
    return refuse(link, hello->name, checked.error());
  }
  if (auto free = make_way(link, *hello); !free) return refuse(link, hello->name, free.error());
  if (auto noted = admit_to_journal(hello->name); !noted) {
    return refuse(link, hello->name, noted.error());
  }
  open_session(link, *hello);
  return {};
}

/// The log line follows when the link ends: see on_link_gone.
Result<> RootRouter::refuse(Link& link, std::string_view name, const Error& why) {
  ++counters_.sessions_refused;
  const std::string_view shown = check_node_name(name) ? name : "with a bad name";
  link.name = "host " + std::string(shown) + " from " + link.peer.address;
  return why;
}

Result<> RootRouter::check_hello(const Link& link, const Hello& hello) {
  if (hello.party != PartyKind::busd) {
    return Error{Errc::unauthorized,
                 "busroot serves busds; processes connect to the busd of their "
                 "host"};
  }
  if (auto near = check_minor(hello.minor, config_.minor); !near) return near.error();
  if (auto checked = check_node_name(hello.name); !checked) return checked;
  if (hello.name == kRootName) return Error{Errc::bad_name, "no host may be called root"};
  if (auto allowed = root_shell_.allow_host(link.peer.key, hello.name); !allowed) return allowed;
  if (hello.highest_term.term() > config_.term) {
    return Error{Errc::bad_config,
                 "busd has seen term " + std::to_string(hello.highest_term.term()) +
                     ", this busroot is at term " + std::to_string(config_.term) +
                     ": its state directory is stale or not the one it had before"};
  }
  return {};
}

/// Checks that the host may have a session now, and ends its present one if there is one.
Result<> RootRouter::make_way(const Link& link, const Hello& hello) {
  const auto found = hosts_.find(host_id(hello.name));
  if (found == hosts_.end()) {
    if (hosts_.size() < config_.max_hosts) return {};
    return Error{Errc::too_many_processes,
                 "busroot serves " + std::to_string(config_.max_hosts) + " hosts, its limit"};
  }
  Host& host = *found->second;
  if (host.name != hello.name) {
    return Error{Errc::name_taken, "the name has the same hash as that of host " + host.name};
  }
  if (hello.incarnation == host.incarnation && hello.attempt < host.attempt) {
    return Error{Errc::superseded, "this hello was under way while a newer session began"};
  }
  if (host.session == nullptr) return {};
  const bool same_key = host.key == link.peer.key;
  const bool same_busd = same_key && host.incarnation == hello.incarnation;
  const bool restarted = same_key && hello.incarnation > host.incarnation &&
                         machine_of(host.address) == machine_of(link.peer.address);
  const bool silent = host.session->session.silence(now()) > from_ms(kSuspect);
  if (!same_busd && !restarted && !silent) {
    return Error{Errc::name_taken,
                 "host " + hello.name + " has a living session from " + host.address};
  }
  end_link(*host.session, {Errc::superseded, "by a session from " + link.peer.address});
  return {};
}

void RootRouter::open_session(Link& link, const Hello& hello) {
  auto& slot = hosts_[host_id(hello.name)];
  if (!slot) slot = std::make_unique<Host>();
  Host& host = *slot;
  assert(host.session == nullptr && !host.complete && !host.pending);
  host.name = hello.name;
  host.id = host_id(hello.name);
  host.incarnation = hello.incarnation;
  host.attempt = hello.attempt;
  host.key = link.peer.key;
  host.address = link.peer.address;
  host.software = hello.software;
  link.minor = std::min(hello.minor, config_.minor);
  host.link = link.id;
  host.session = &link;
  host.since = now();
  host.sessions.note(now());
  host.pending = std::make_unique<PendingTable>();
  link.attachment = &host;
  link.greeted = true;
  link.name = host.name;

  Welcome welcome;
  welcome.minor = link.minor;
  welcome.you = {host.id, 0, hello.incarnation};
  welcome.host = config_.name;
  welcome.term = Epoch::of(config_.term, 0);
  welcome.bind_prefixes = {""};
  welcome.send_prefixes = {""};
  welcome.software = config_.software;
  welcome.lease_ms = static_cast<std::uint32_t>(config_.lease / from_ms(1));
  link.session.say(welcome);
  shell_.log(RouterShell::Level::info, "host " + host.name + ": session from " + host.address +
                                           ", " + host.software + ", protocol " +
                                           protocol_text(link.minor));
}

}  // namespace starbus::bus
