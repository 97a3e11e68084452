// Names, watches and the access list: what processes ask, and what busroot answers.
#include "bus/core/routers/host_router.hpp"
#include "bus/core/sabotage.hpp"
#include "bus/core/wire/name.hpp"

namespace starbus::bus {
namespace {

constexpr std::size_t kMaxOpened = 65'536;  // per session

/// Requests that a process asks again until they are answered: any of them may be dropped.
bool is_repeated(Kind kind) {
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

Result<> foreign_process(Kind kind) {
  return Error{Errc::bad_bytes, std::string(name_of(kind)) + " in the name of another process"};
}

}  // namespace

Result<> HostRouter::from_process(Link& link, LocalProcess& process, Kind kind, ByteView payload) {
  if (is_repeated(kind) && (process.request_bytes += payload.size()) > kRequestBytes) {
    ++host_counters_.over_rate;
    return {};
  }
  switch (kind) {
    case Kind::data:
      return data_from_process(link, process, payload);
    case Kind::probe:
      return probe_from_process(link, process, payload);
    case Kind::multicast:
      return multicast_from_process(link, process, payload);
    case Kind::ack:
      return reply_from_process<Ack>(process, payload);
    case Kind::posted:
      return reply_from_process<Posted>(process, payload);
    case Kind::nack:
      return reply_from_process<Nack>(process, payload);
    case Kind::open:
      return on_open(process, payload);
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
    case Kind::watch: {
      const auto watch = decode<Watch>(payload);
      if (!watch) return watch.error();
      watches_.watch(link.id, watch->prefix);
      return {};
    }
    case Kind::unwatch: {
      const auto unwatch = decode<Unwatch>(payload);
      if (!unwatch) return unwatch.error();
      watches_.unwatch(link.id, unwatch->prefix);
      return {};
    }
    case Kind::trace:
      if (link.minor < kTraceMinor) break;
      return trace_from_process(process, payload);
    case Kind::vitals: {
      if (link.minor < kVitalsMinor) break;
      auto vitals = decode<Vitals>(payload);
      if (!vitals) return vitals.error();
      process.vitals = std::move(*vitals);
      return {};
    }
    case Kind::bye:
      end_process(process, {Errc::closed, "bye"});
      return {};
    default:
      break;
  }
  return Error{Errc::bad_bytes, std::string(name_of(kind)) + " from a process"};
}

/// What busroot must decide. Without a session there it is dropped: the process repeats it.
template <class Request>
Result<> HostRouter::pass_up(const LocalProcess& process, ByteView payload) {
  const auto request = decode<Request>(payload);
  if (!request) return request.error();
  if (request->process != process.id) return foreign_process(Request::kKind);
  if (uplink_greeted()) tell(*uplink_, *request);
  return {};
}

template <class Request>
Result<> HostRouter::on_bind(Link& link, LocalProcess& process, ByteView payload) {
  const auto bind = decode<Request>(payload);
  if (!bind) return bind.error();
  if (bind->process != process.id) return foreign_process(Request::kKind);
  const Ticket ticket = Ticket::of_bind(process.id, bind->number);
  if (const auto checked = check_channel_name(bind->name); !checked) {
    refuse(link,
           {process.id, ticket, bind->name, errc_of(checked.error()), checked.error().detail});
    return {};
  }
  const LocalName* present = table_.find(channel_id(bind->name));
  auto allowed = check_claim(process, bind->name, present && present->owner == &process);
  if (allowed && present && present->owner != &process) {
    allowed = Error{Errc::already_bound, present->owner->name};
  }
  if (!allowed) {
    refuse(link,
           {process.id, ticket, bind->name, errc_of(allowed.error()), allowed.error().detail});
  } else if (Request::kKind == Kind::resume && uplink_greeted() && uplink_->minor < kDurableMinor) {
    refuse(link, {process.id, ticket, bind->name, Errc::version_mismatch,
                  "busroot speaks a protocol without durable channels: upgrade it first"});
  } else if (uplink_greeted()) {
    tell(*uplink_, *bind);
  }
  return {};
}

/// Whether the process may own this name as far as this host decides; `held`: it does.
Result<> HostRouter::check_claim(const LocalProcess& process, std::string_view name,
                                 bool held) const {
  if (!may_hold(process, name)) {
    return Error{Errc::denied, "role \"" + process.role->name + "\" may not bind it"};
  }
  const std::size_t names = process.names.size() + process.moving.size();
  if (!held && names >= process.role->max_names) {
    return Error{Errc::too_many_names, std::to_string(names) + " are held"};
  }
  return {};
}

/// The process has its grant, which is all that a later busroot needs to know.
Result<> HostRouter::on_active(const LocalProcess& process, ByteView payload) {
  const auto active = decode<Active>(payload);
  if (!active) return active.error();
  LocalName* name = table_.find(active->channel);
  if (name && name->owner == &process && name->epoch == active->epoch) name->confirmed = true;
  return pass_up<Active>(process, payload);
}

Result<> HostRouter::on_attach(Link& link, LocalProcess& process, ByteView payload) {
  const auto attach = decode<Attach>(payload);
  if (!attach) return attach.error();
  if (attach->process != process.id || attach->ticket.target != process.id) {
    return foreign_process(Kind::attach);
  }
  if (!check_channel_name(attach->name)) return Error{Errc::bad_bytes, "attach of no name"};
  const LocalName* present = table_.find(channel_id(attach->name));
  const auto allowed = check_claim(process, attach->name, present && present->owner == &process);
  if (!allowed) {
    refuse(link, {process.id, attach->ticket, attach->name, errc_of(allowed.error()),
                  allowed.error().detail});
  } else if (uplink_greeted()) {
    tell(*uplink_, *attach);
  }
  return {};
}

/// The library has the same bound; here it is one for those who do not use it.
Result<> HostRouter::on_move(Link& link, const LocalProcess& process, ByteView payload) {
  const auto move = decode<Move>(payload);
  if (!move) return move.error();
  if (process.moving.size() >= kMaxMoves && !process.moving.contains(move->channel)) {
    tell(link, NoMove{process.id, move->channel, move->ticket, Errc::busy,
                      std::to_string(process.moving.size()) + " channels are moving"});
    return {};
  }
  return pass_up<Move>(process, payload);
}

Result<> HostRouter::on_reclaim(const LocalProcess& process, ByteView payload) {
  const auto reclaim = decode<Reclaim>(payload);
  if (!reclaim) return reclaim.error();
  if (reclaim->process != process.id) return foreign_process(Kind::reclaim);
  if (!check_channel_name(reclaim->name)) return Error{Errc::bad_bytes, "reclaim of no name"};
  if (!may_hold(process, reclaim->name)) return deny(process, "hold " + reclaim->name);
  // Every frozen copy has passed here, or stands in the table: nobody reclaims what he never had.
  const ChannelId channel = channel_id(reclaim->name);
  const auto copy = process.moving.find(channel);
  const bool frozen = copy != process.moving.end() && copy->second.ticket == reclaim->ticket;
  const LocalName* const name = table_.find(channel);
  const bool back = name && name->owner == &process && name->ticket == reclaim->ticket;
  if ((frozen || back) && uplink_greeted()) tell(*uplink_, *reclaim);
  return {};
}

void HostRouter::refuse(Link& link, const Refused& refused) {
  note_failure(channel_id(refused.name), refused.process,
               Error{refused.reason, refused.detail}.to_string());
  tell(link, refused);
}

/// The process does not want a grant that passed here.
Result<> HostRouter::on_freed(LocalProcess& process, ByteView payload) {
  const auto freed = decode<Freed>(payload);
  if (!freed) return freed.error();
  if (freed->process != process.id) return foreign_process(Kind::freed);
  const LocalName* name = table_.find(freed->channel);
  if (name && name->owner == &process && name->ticket == freed->ticket) {
    table_.release(freed->channel);
  }
  HostTable::forget_copy(process, freed->channel, freed->ticket);
  if (uplink_greeted()) tell(*uplink_, *freed);
  return {};
}

Result<> HostRouter::on_open(LocalProcess& process, ByteView payload) {
  const auto open = decode<Open>(payload);
  if (!open) return open.error();
  if (!check_channel_name(open->channel_name)) {
    return Error{Errc::bad_bytes, "open of what is no channel name"};
  }
  if (!process.role->restricted()) return {};
  const ChannelId channel = channel_id(open->channel_name);
  if (channel.high == kProcessTag) return {};
  if (!process.role->may_send(open->channel_name)) {
    return deny(process, "send to " + open->channel_name);
  }
  if (process.opened_count == kMaxOpened) {
    return Error{Errc::overloaded, "65536 channels opened: the session starts afresh"};
  }
  if (process.opened[static_cast<std::size_t>(open->lane)].insert(channel).second) {
    ++process.opened_count;
  }
  return {};
}

Result<> HostRouter::deny(const LocalProcess& process, const std::string& what) {
  ++host_counters_.denied;
  return Error{Errc::denied, "role \"" + process.role->name + "\" may not " + what};
}

Result<> HostRouter::on_attached(ByteView payload) {
  const auto attached = decode<Attached>(payload);
  if (!attached) return attached.error();
  LocalProcess* process = table_.by_id(attached->process);
  Link* link = process ? session_of(*process) : nullptr;
  if (!link) return {};  // without a session there: the process asks again
  const ChannelId channel = channel_id(attached->name);
  const LocalName* present = table_.find(channel);
  const bool held = present && present->owner == process;
  if (!held && process->names.size() >= process->role->max_names) {
    // Binds were under way when the quota was reached.
    tell(*uplink_, Freed{process->id, channel, attached->ticket});
    refuse(*link, {process->id, attached->ticket, attached->name, Errc::too_many_names,
                   std::to_string(process->names.size()) + " are held"});
    return {};
  }
  table_.grant(*process, {attached->name, process, attached->epoch, attached->lineage,
                          attached->ticket, false});
  tell(*link, *attached);
  return {};
}

Result<> HostRouter::on_refused(ByteView payload) {
  const auto refused = decode<Refused>(payload);
  if (!refused) return refused.error();
  const ChannelId channel = channel_id(refused->name);
  const LocalName* name = table_.find(channel);
  // A late answer to a repeated attach may come after the name was granted: it says nothing then.
  if (refused->ticket.is_bind() && name && name->owner->id == refused->process &&
      name->ticket == refused->ticket) {
    table_.release(channel);
  }
  if (LocalProcess* process = table_.by_id(refused->process)) {
    HostTable::forget_copy(*process, channel, refused->ticket);
  }
  note_failure(channel, refused->process, Error{refused->reason, refused->detail}.to_string());
  tell_process(*refused);
  return {};
}
Result<> HostRouter::on_unbound(ByteView payload) {
  const auto unbound = decode<Unbound>(payload);
  if (!unbound) return unbound.error();
  const LocalName* name = table_.find(unbound->channel);
  // A repeated answer may come after the name was bound anew.
  if (name && name->owner->id == unbound->process && name->epoch <= unbound->epoch) {
    table_.release(unbound->channel);
  }
  tell_process(*unbound);
  return {};
}

template <class Record>
Result<> HostRouter::pass_down(ByteView payload) {
  const auto record = decode<Record>(payload);
  if (!record) return record.error();
  tell_process(*record);
  return {};
}
template Result<> HostRouter::pass_down<ActiveOk>(ByteView);
template Result<> HostRouter::pass_down<FreedOk>(ByteView);
template Result<> HostRouter::pass_down<NoMove>(ByteView);

// The table follows what passes; an answer for a process without a session changes nothing, since
// its next hello says what it holds.

Result<> HostRouter::on_move_ok(ByteView payload) {
  const auto ok = decode<MoveOk>(payload);
  if (!ok) return ok.error();
  LocalProcess* process = table_.by_id(ok->process);
  Link* link = process ? session_of(*process) : nullptr;
  if (!link) return {};
  const LocalName* name = table_.find(ok->channel);
  if (name && name->owner == process && name->epoch == ok->epoch) {
    table_.freeze(*process, ok->channel, ok->ticket);
  }
  tell(*link, *ok);
  return {};
}

Result<> HostRouter::on_reclaimed(ByteView payload) {
  const auto reclaimed = decode<Reclaimed>(payload);
  if (!reclaimed) return reclaimed.error();
  LocalProcess* process = table_.by_id(reclaimed->process);
  Link* link = process ? session_of(*process) : nullptr;
  if (!link) return {};
  const auto copy = process->moving.find(reclaimed->channel);
  if (copy != process->moving.end() && copy->second.ticket == reclaimed->ticket) {
    const std::string name = copy->second.name;
    table_.grant(*process,
                 {name, process, reclaimed->epoch, reclaimed->lineage, reclaimed->ticket, false});
  }
  tell(*link, *reclaimed);
  return {};
}

Result<> HostRouter::on_moved(ByteView payload) {
  const auto moved = decode<Moved>(payload);
  if (!moved) return moved.error();
  // The row stays until the process says FREED: this may be lost on its link, and a restarted
  // busroot that does not hear of the copy would let the name move on and come back to it.
  if (sabotaged(Sabotage::copy_forgotten_early)) {
    if (LocalProcess* process = table_.by_id(moved->process)) {
      HostTable::forget_copy(*process, moved->channel, moved->ticket);
    }
  }
  tell_process(*moved);
  return {};
}

}  // namespace starbus::bus
