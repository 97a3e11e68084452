#include "bus/core/routers/root_router.hpp"

#include <cassert>
#include <utility>

namespace starbus::bus {
namespace {

template <class Record>
Result<Record> decode_request(std::uint32_t host, ByteView payload) {
  auto request = decode<Record>(payload);
  if (request && request->process.host != host) {
    return Error{Errc::bad_bytes, "request for a process of another host"};
  }
  return request;
}

}  // namespace

RootRouter::RootRouter(RootShell& shell, Config config, Time now)
    : Router(shell, now),
      root_(links(), forwarding(), shell, std::move(config)),
      watches_(root_),
      routes_(root_),
      grace_(root_, routes_, watches_),
      names_(root_, watches_, routes_),
      sessions_(root_, names_, grace_),
      claims_(root_, names_, routes_),
      tables_(root_, names_, claims_, routes_, grace_),
      binds_(root_, names_, routes_),
      move_requests_(root_, names_, routes_),
      queries_(root_),
      traces_(root_, routes_) {
  assert(root_.config.term != 0);
  root_.reserve_grants();  // while there is room: a disk that fills up later stops no grant
}

Result<> RootRouter::on_record(RouterLink& link, Kind kind, ByteView payload) {
  if (!link.greeted) {
    if (kind == Kind::hello) return sessions_.on_hello(link, payload);
    return Error{Errc::bad_bytes, std::string(name_of(kind)) + " before hello"};
  }
  assert(link.attachment != nullptr);
  return on_greeted_record(static_cast<HostEntry&>(*link.attachment), kind, payload);
}

Result<> RootRouter::on_greeted_record(HostEntry& host, Kind kind, ByteView payload) {
  if (is_message_record(kind)) return routes_.on_message(host, kind, payload);
  switch (kind) {
    case Kind::process_up:
      return tables_.on_process_up(host, payload);
    case Kind::table:
      return tables_.on_table(host, payload);
    case Kind::table_end:
      return tables_.on_table_end(host, payload);
    case Kind::process_dead:
      return tables_.on_process_dead(host, payload);
    case Kind::bind:
    case Kind::resume:
    case Kind::active:
    case Kind::unbind:
    case Kind::freed:
    case Kind::move:
    case Kind::attach:
    case Kind::reclaim:
      return on_request(host, kind, payload);
    case Kind::watch:
      return watches_.on_watch(host, payload);
    case Kind::unwatch:
      return watches_.on_unwatch(host, payload);
    case Kind::query:
      return queries_.on_query(host, payload);
    case Kind::role_query:
      if (host.session->minor < kAdminRoleMinor) break;
      return queries_.on_role_query(host, payload);
    case Kind::answer:
      return queries_.on_answer(host, payload);
    case Kind::trace:
      if (host.session->minor < kTraceMinor) break;
      return traces_.on_trace(host, payload);
    case Kind::reset:
      return on_reset(host, payload);
    default:
      break;
  }
  return Error{Errc::bad_bytes, "a busd does not send " + std::string(name_of(kind))};
}

Result<> RootRouter::on_request(HostEntry& host, Kind kind, ByteView payload) {
  const auto serve = [&]<class Part, class Record>(
                         Part& part, void (Part::*handle)(RootProcess&, const Record&)) {
    const auto request = decode_request<Record>(host.id, payload);
    if (!request) return Result<>(request.error());
    // During grace nothing is granted and nothing taken back; an unknown process asks again.
    if (root_.grace || !host.complete || !root_.may_grant()) return Result<>();
    const auto found = host.processes.find(request->process);
    if (found != host.processes.end()) (part.*handle)(*found->second, *request);
    return Result<>();
  };
  switch (kind) {
    case Kind::bind:
      return serve(binds_, &BindRequests::on_bind);
    case Kind::resume:
      return serve(binds_, &BindRequests::on_resume);
    case Kind::active:
      return serve(binds_, &BindRequests::on_active);
    case Kind::unbind:
      return serve(binds_, &BindRequests::on_unbind);
    case Kind::move:
      return serve(move_requests_, &MoveRequests::on_move);
    case Kind::attach:
      return serve(move_requests_, &MoveRequests::on_attach);
    case Kind::reclaim:
      return serve(move_requests_, &MoveRequests::on_reclaim);
    default:
      assert(kind == Kind::freed);
      return serve(move_requests_, &MoveRequests::on_freed);
  }
}

Result<> RootRouter::on_reset(const HostEntry& host, ByteView payload) {
  const auto reset = decode<Reset>(payload);
  if (!reset) return reset.error();
  const std::string why = Error{reset->reason, reset->detail}.to_string();
  links().end(*host.session, {Errc::closed, "its busd ended the session: " + why});
  return {};
}

void RootRouter::on_link_gone(RouterLink& link, const Error& reason) {
  watches_.forget(link.id);
  sessions_.on_link_gone(link, reason);
}

RouterLink* RootRouter::link_towards(const Process& origin) {
  const auto found = root_.hosts.find(origin.host);
  return found == root_.hosts.end() ? nullptr : found->second->session;
}

/// Without CURVE there is nothing to know a host by before its hello but its connection.
std::string RootRouter::account_of(const PeerFacts& peer) const {
  return peer.key.empty() ? "host at " + peer.address : "key " + peer.key;
}

void RootRouter::go_on() {
  watches_.serve();
}

void RootRouter::tick(Time now_here) {
  Router::tick(now_here);
  sessions_.tick();
  watches_.tick();
  grace_.end_if_due();
  routes_.tick();
  queries_.tick();
  root_.reserve_grants();
  grace_.store();
}

void RootRouter::shut_down() {
  check_thread();
  links().end_all({Errc::shutting_down, root_.config.name + " is shutting down"});
}

void RootRouter::review_hosts() {
  check_thread();
  sessions_.review();
}

bool RootRouter::ask(Query query) {
  check_thread();
  return queries_.ask(std::move(query));
}

void RootRouter::answer(const Answer& answered) {
  check_thread();
  queries_.answer(answered);
}

}  // namespace starbus::bus
