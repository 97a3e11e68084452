#include "bus/core/routers/host/host_name_requests.hpp"

#include <cassert>
#include <string>

#include "bus/core/wire/name.hpp"

namespace starbus::bus {
namespace {

Result<> foreign_process(Kind kind) {
  return Error{Errc::bad_bytes, std::string(name_of(kind)) + " in the name of another process"};
}

}  // namespace

void tell_refused(HostState& host, RouterLink& link, const Refused& refused) {
  host.forwarding.note_failure(channel_id(refused.name), refused.process,
                               Error{refused.reason, refused.detail}.to_string());
  host.links.tell(link, refused);
}

bool HostNameRequests::takes(Kind kind) {
  switch (kind) {
    case Kind::bind:
    case Kind::resume:
    case Kind::active:
    case Kind::unbind:
    case Kind::freed:
    case Kind::move:
    case Kind::attach:
    case Kind::reclaim:
      return true;
    default:
      return false;
  }
}

Result<> HostNameRequests::on_request(RouterLink& link, LocalProcess& process, Kind kind,
                                      ByteView payload) {
  assert(takes(kind));
  if ((process.request_bytes += payload.size()) > kRequestBytes) {
    ++host_.counters.over_rate;
    host_.table.count_over_rate(process);
    return {};
  }
  if (!host_.links.accounts().ask(link.account, payload.size(), uplink_.request_room())) {
    ++host_.counters.over_rate;
    host_.table.count_over_rate(process);
    return {};
  }
  // What busroot heard before the rows would be undone by them. The process repeats it.
  if (uplink_.greeted() && !uplink_.knows(process)) return {};
  switch (kind) {
    case Kind::bind:
      return on_bind<Bind>(link, process, payload);
    case Kind::resume:
      if (link.minor < kDurableMinor) break;
      return on_bind<Resume>(link, process, payload);
    case Kind::active:
      return on_active(process, payload);
    case Kind::unbind:
      return pass_up<Unbind>(process, payload);
    case Kind::freed:
      return on_freed(process, payload);
    case Kind::move:
      return on_move(link, process, payload);
    case Kind::attach:
      return on_attach(link, process, payload);
    case Kind::reclaim:
      return on_reclaim(process, payload);
    default:
      break;
  }
  return Error{Errc::bad_bytes, std::string(name_of(kind)) + " from a process"};
}

template <class Request>
Result<> HostNameRequests::pass_up(const LocalProcess& process, ByteView payload) {
  const auto request = decode<Request>(payload);
  if (!request) return request.error();
  if (request->process != process.id) return foreign_process(Request::kKind);
  uplink_.tell(*request);
  return {};
}

template <class Request>
Result<> HostNameRequests::on_bind(RouterLink& link, LocalProcess& process, ByteView payload) {
  const auto bind = decode<Request>(payload);
  if (!bind) return bind.error();
  if (bind->process != process.id) return foreign_process(Request::kKind);
  const Ticket ticket = Ticket::of_bind(process.id, bind->number);
  const auto refuse = [&](const Error& why) {
    tell_refused(host_, link, {process.id, ticket, bind->name, errc_of(why), why.detail});
  };
  if (const auto checked = check_channel_name(bind->name); !checked) {
    refuse(checked.error());
    return {};
  }
  const LocalName* present = host_.table.find(channel_id(bind->name));
  auto allowed = access_.check_claim(process, bind->name, present && present->owner == &process);
  if (allowed && present && present->owner != &process) {
    allowed = Error{Errc::already_bound, present->owner->name};
  }
  const RouterLink* const root = uplink_.link();
  if (!allowed) {
    refuse(allowed.error());
  } else if (Request::kKind == Kind::resume && root && root->minor < kDurableMinor) {
    refuse({Errc::version_mismatch,
            "busroot speaks a protocol without durable channels: upgrade it first"});
  } else {
    uplink_.tell(*bind);
  }
  return {};
}

/// The process has its grant, which is all that a later busroot needs to know.
Result<> HostNameRequests::on_active(const LocalProcess& process, ByteView payload) {
  const auto active = decode<Active>(payload);
  if (!active) return active.error();
  LocalName* name = host_.table.find(active->channel);
  if (name && name->owner == &process && name->epoch == active->epoch) name->confirmed = true;
  return pass_up<Active>(process, payload);
}

/// The process does not want a grant that passed here.
Result<> HostNameRequests::on_freed(LocalProcess& process, ByteView payload) {
  const auto freed = decode<Freed>(payload);
  if (!freed) return freed.error();
  if (freed->process != process.id) return foreign_process(Kind::freed);
  const LocalName* name = host_.table.find(freed->channel);
  if (name && name->owner == &process && name->ticket == freed->ticket) {
    host_.table.release(freed->channel);
  }
  host_.table.forget_copy(process, freed->channel, freed->ticket);
  uplink_.tell(*freed);
  return {};
}

/// The library has the same bound; this one is for processes that do not use it.
Result<> HostNameRequests::on_move(RouterLink& link, const LocalProcess& process,
                                   ByteView payload) {
  const auto move = decode<Move>(payload);
  if (!move) return move.error();
  if (process.moving.size() >= kMaxMoves && !process.moving.contains(move->channel)) {
    host_.links.tell(link, NoMove{process.id, move->channel, move->ticket, Errc::busy,
                                  std::to_string(process.moving.size()) + " channels are moving"});
    return {};
  }
  return pass_up<Move>(process, payload);
}

Result<> HostNameRequests::on_attach(RouterLink& link, LocalProcess& process, ByteView payload) {
  const auto attach = decode<Attach>(payload);
  if (!attach) return attach.error();
  if (attach->process != process.id || attach->ticket.target != process.id) {
    return foreign_process(Kind::attach);
  }
  if (!check_channel_name(attach->name)) {
    return Error{Errc::bad_bytes, "attach: invalid channel name"};
  }
  const LocalName* present = host_.table.find(channel_id(attach->name));
  const auto allowed =
      access_.check_claim(process, attach->name, present && present->owner == &process);
  if (!allowed) {
    tell_refused(host_, link,
                 {process.id, attach->ticket, attach->name, errc_of(allowed.error()),
                  allowed.error().detail});
  } else {
    uplink_.tell(*attach);
  }
  return {};
}

Result<> HostNameRequests::on_reclaim(const LocalProcess& process, ByteView payload) {
  const auto reclaim = decode<Reclaim>(payload);
  if (!reclaim) return reclaim.error();
  if (reclaim->process != process.id) return foreign_process(Kind::reclaim);
  if (!check_channel_name(reclaim->name)) {
    return Error{Errc::bad_bytes, "reclaim: invalid channel name"};
  }
  if (!access_.may_hold(process, reclaim->name)) {
    return access_.deny(process, "hold " + reclaim->name);
  }
  // Every frozen copy has passed here, or is in the table: a process reclaims only what it had.
  const ChannelId channel = channel_id(reclaim->name);
  const auto copy = process.moving.find(channel);
  const bool frozen = copy != process.moving.end() && copy->second.ticket == reclaim->ticket;
  const LocalName* const name = host_.table.find(channel);
  const bool back = name && name->owner == &process && name->ticket == reclaim->ticket;
  if (frozen || back) uplink_.tell(*reclaim);
  return {};
}

}  // namespace starbus::bus
