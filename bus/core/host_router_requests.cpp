// Names, watches and the access list: what processes ask, and what busroot answers.
#include "bus/core/host_router.hpp"
#include "bus/core/name.hpp"

namespace starbus::bus {
namespace {

constexpr std::size_t kMaxOpened = 65'536;  // per session

Result<> foreign_process(Kind kind) {
  return Error{Errc::bad_bytes, std::string(name_of(kind)) + " in the name of another process"};
}

}  // namespace

Result<> HostRouter::from_process(Link& link, LocalProcess& process, Kind kind, ByteView payload) {
  switch (kind) {
    case Kind::data:
      return data_from_process(link, process, payload);
    case Kind::probe:
      return probe_from_process(link, process, payload);
    case Kind::multicast:
      return multicast_from_process(link, process, payload);
    case Kind::ack:
      return reply_from_process<Ack>(payload);
    case Kind::nack:
      return reply_from_process<Nack>(payload);
    case Kind::open:
      return on_open(process, payload);
    case Kind::bind:
      return on_bind(link, process, payload);
    case Kind::active:
      return pass_up<Active>(process, payload);
    case Kind::unbind:
      return pass_up<Unbind>(process, payload);
    case Kind::freed:
      return on_freed(process, payload);
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
    case Kind::bye:
      end_process(process, {Errc::closed, "bye"});
      return {};
    default:
      return Error{Errc::bad_bytes, std::string(name_of(kind)) + " from a process"};
  }
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

Result<> HostRouter::on_bind(Link& link, LocalProcess& process, ByteView payload) {
  const auto bind = decode<Bind>(payload);
  if (!bind) return bind.error();
  if (bind->process != process.id) return foreign_process(Kind::bind);
  if (const auto checked = check_channel_name(bind->name); !checked) {
    refuse(link, *bind, checked.error());
    return {};
  }
  const LocalName* present = table_.find(channel_id(bind->name));
  if (!may_hold(process, bind->name)) {
    refuse(link, *bind, {Errc::denied, "role \"" + process.role->name + "\" may not bind it"});
  } else if (present && present->owner != &process) {
    refuse(link, *bind, {Errc::already_bound, present->owner->name});
  } else if (!present && process.names.size() >= process.role->max_names) {
    refuse(link, *bind, {Errc::too_many_names, std::to_string(process.names.size()) + " are held"});
  } else if (uplink_greeted()) {
    tell(*uplink_, *bind);
  }
  return {};
}

void HostRouter::refuse(Link& link, const Bind& bind, const Error& why) {
  note_failure(channel_id(bind.name), bind.process, why.to_string());
  tell(link, Refused{bind.process, bind.number, bind.name, why.code, why.detail});
}

/// The process does not want a grant that passed here.
Result<> HostRouter::on_freed(LocalProcess& process, ByteView payload) {
  const auto freed = decode<Freed>(payload);
  if (!freed) return freed.error();
  if (freed->process != process.id) return foreign_process(Kind::freed);
  const LocalName* name = table_.find(freed->channel);
  if (name && name->owner == &process && name->number == freed->number) {
    table_.release(freed->channel);
  }
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
    tell(*uplink_, Freed{process->id, channel, attached->number});
    refuse(*link, {process->id, attached->number, attached->name},
           {Errc::too_many_names, std::to_string(process->names.size()) + " are held"});
    return {};
  }
  table_.grant(*process, {attached->name, process, attached->epoch, attached->lineage,
                          attached->number, RowState::active, false});
  tell(*link, *attached);
  return {};
}

Result<> HostRouter::on_refused(ByteView payload) {
  const auto refused = decode<Refused>(payload);
  if (!refused) return refused.error();
  const ChannelId channel = channel_id(refused->name);
  const LocalName* name = table_.find(channel);
  if (name && name->owner->id == refused->process) table_.release(channel);
  note_failure(channel, refused->process, Error{refused->reason, refused->detail}.to_string());
  tell_process(*refused);
  return {};
}

Result<> HostRouter::on_active_ok(ByteView payload) {
  const auto ok = decode<ActiveOk>(payload);
  if (!ok) return ok.error();
  LocalName* name = table_.find(ok->channel);
  if (name && name->owner->id == ok->process && name->epoch == ok->epoch) name->confirmed = true;
  tell_process(*ok);
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

}  // namespace starbus::bus
