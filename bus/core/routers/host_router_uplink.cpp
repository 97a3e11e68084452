// The session with busroot: what is announced, when, and what comes down.
#include "bus/core/routers/host_router.hpp"

#include <utility>

namespace starbus::bus {

void HostRouter::uplink_opened(LinkId id, PeerFacts peer, std::uint64_t session_id, Time now) {
  link_opened(id, std::move(peer), now);
  Link* link = find_link(id);
  link->session = Session(session_id, now);
  link->name = "busroot";
  link->uplink = true;
  link->queues.count_alone();
  if (uplink_) end_link(*uplink_, {Errc::superseded, "a newer link to busroot"});
  uplink_ = link;
  uplink_status_.connected = true;
  uplink_status_.link = id;
  uplink_status_.since = now;
  announce_all();
}

void HostRouter::drop_uplink(const Error& reason) {
  if (uplink_) end_link(*uplink_, reason);
}

/// Hello and the complete table go together and first: busroot takes what they omit for gone.
void HostRouter::announce_all() {
  Hello hello;
  hello.minor = config_.minor;
  hello.party = PartyKind::busd;
  hello.name = config_.host;
  hello.incarnation = config_.incarnation;
  hello.highest_term = uplink_status_.term;
  hello.software = config_.software;
  hello.attempt = ++attempts_;
  uplink_->session.say(hello);
  announced_ = true;
  table_.for_each_process([&](LocalProcess& process) {
    if (process.announced) announce(process);
  });
  tell(*uplink_, TableEnd{});
}

/// After the table's end these are claims.
void HostRouter::announce(const LocalProcess& process) {
  constexpr std::size_t kRowsPerRecord = 256;
  ProcessUp up{process.id, process.node, process.role->name,
               static_cast<std::uint32_t>(process.pid), true};
  tell(*uplink_, up);
  if (!process.tabled) return;
  Table table;
  table.process = process.id;
  for (Row& row : table_.rows_of(process)) {
    table.rows.push_back(std::move(row));
    if (table.rows.size() < kRowsPerRecord) continue;
    tell(*uplink_, table);
    table.rows.clear();
  }
  if (!table.rows.empty()) tell(*uplink_, table);
  up.pending = false;
  tell(*uplink_, up);
}

void HostRouter::uplink_gone(const Error& reason) {
  shell_.log(RouterShell::Level::warning, "session with busroot ended: " + reason.to_string());
  uplink_ = nullptr;
  announced_ = false;
  uplink_status_.connected = false;
  uplink_status_.greeted = false;
  uplink_status_.link = 0;
  uplink_status_.since = now();
  uplink_status_.last_error = reason;
  queries_.fail_all({Errc::unreachable, "the session with busroot ended"});
  host_shell_.uplink_ended(reason);
}

Result<> HostRouter::from_root(Link& link, Kind kind, ByteView payload) {
  if (kind == Kind::reset) {
    const auto reset = decode<Reset>(payload);
    return reset ? Error{reset->reason, "busroot ended the session: " + reset->detail}
                 : reset.error();
  }
  if (kind == Kind::welcome && !link.greeted && announced_) return on_welcome(link, payload);
  if (!link.greeted) {
    return Error{Errc::bad_bytes, std::string(name_of(kind)) + " before welcome"};
  }
  return on_root_record(link, kind, payload);
}

Result<> HostRouter::on_welcome(Link& link, ByteView payload) {
  const auto welcome = decode<Welcome>(payload);
  if (!welcome) return welcome.error();
  if (welcome->term < uplink_status_.term) {
    const Error outdated{Errc::bad_config, "busroot's term " + welcome->term.to_string() +
                                               " is below " + uplink_status_.term.to_string() +
                                               ", which this host has seen: its state "
                                               "directory is stale"};
    shell_.log(RouterShell::Level::error, outdated.to_string());
    return outdated;
  }
  if (welcome->lease_ms != 0) root_lease_ = from_ms(welcome->lease_ms);
  if (welcome->term > uplink_status_.term) host_shell_.remember_term(welcome->term);
  uplink_status_.term = welcome->term;
  // Welcome answers a hello that was said when the link was opened.
  echoed_ = std::max(echoed_, uplink_status_.since);
  uplink_status_.greeted = true;
  uplink_status_.since = now();
  link.greeted = true;
  link.minor = welcome->minor;
  link.name = welcome->host.empty() ? "busroot" : welcome->host;
  shell_.log(RouterShell::Level::info,
             "busroot " + link.name + " accepted this host, term " + welcome->term.to_string());
  watches_.renew();
  // Before any grant reaches them, the processes know from when on their lease counts.
  for_each_link([&](Link& process) {
    if (!process.greeted || &process == &link) return;
    process.session.beat(now(), lease_age());
    touch(process);
  });
  tell_room();
  return {};
}

Result<> HostRouter::on_root_record(Link& link, Kind kind, ByteView payload) {
  switch (kind) {
    case Kind::data:
      return data_from_root(payload);
    case Kind::probe:
      return probe_from_root(payload);
    case Kind::multicast:
      return multicast_from_root(payload);
    case Kind::ack:
      return reply_from_root<Ack>(payload);
    case Kind::posted:
      return reply_from_root<Posted>(payload);
    case Kind::nack:
      return reply_from_root<Nack>(payload);
    case Kind::attached:
      return on_attached(payload);
    case Kind::refused:
      return on_refused(payload);
    case Kind::active_ok:
      return pass_down<ActiveOk>(payload);
    case Kind::unbound:
      return on_unbound(payload);
    case Kind::freed_ok:
      return pass_down<FreedOk>(payload);
    case Kind::move_ok:
      return on_move_ok(payload);
    case Kind::no_move:
      return pass_down<NoMove>(payload);
    case Kind::reclaimed:
      return on_reclaimed(payload);
    case Kind::moved:
      return on_moved(payload);
    case Kind::watch_rows: {
      auto rows = decode<WatchRows>(payload);
      if (!rows) return rows.error();
      watches_.on_rows(std::move(*rows));
      return {};
    }
    case Kind::watch_refused: {
      const auto refused = decode<WatchRefused>(payload);
      if (!refused) return refused.error();
      watches_.on_refused(*refused);
      return {};
    }
    case Kind::query: {
      const auto query = decode<Query>(payload);
      if (!query) return query.error();
      host_shell_.answer_query(*query);
      return {};
    }
    case Kind::answer: {
      auto answer = decode<Answer>(payload);
      if (!answer) return answer.error();
      queries_.on_reply(std::move(*answer));
      return {};
    }
    case Kind::trace:
      return trace_from_root(link, payload);
    default:
      return Error{Errc::bad_bytes, std::string(name_of(kind)) + " from busroot"};
  }
}

}  // namespace starbus::bus
