/// RootRouter: requests of processes (bind, active, unbind, freed) and of administrators. All are
/// idempotent and repeated by who asks, so each is answered from the state alone.
#include <cassert>

#include "bus/core/routers/root_router.hpp"
#include "bus/core/wire/name.hpp"

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

Result<> RootRouter::on_request(Host& host, Kind kind, ByteView payload) {
  const auto serve = [&]<class Record>(void (RootRouter::*handle)(RootProcess&, const Record&)) {
    const auto request = decode_request<Record>(host.id, payload);
    if (!request) return Result<>(request.error());
    // In grace nothing is granted and nothing taken back; who is not known yet asks again.
    if (grace_ || !host.complete) return Result<>();
    const auto found = host.processes.find(request->process);
    if (found != host.processes.end()) (this->*handle)(*found->second, *request);
    return Result<>();
  };
  switch (kind) {
    case Kind::bind:
      return serve(&RootRouter::on_bind);
    case Kind::resume:
      return serve(&RootRouter::on_resume);
    case Kind::active:
      return serve(&RootRouter::on_active);
    case Kind::unbind:
      return serve(&RootRouter::on_unbind);
    case Kind::move:
      return serve(&RootRouter::on_move);
    case Kind::attach:
      return serve(&RootRouter::on_attach);
    case Kind::reclaim:
      return serve(&RootRouter::on_reclaim);
    default:
      assert(kind == Kind::freed);
      return serve(&RootRouter::on_freed);
  }
}

void RootRouter::on_resume(RootProcess& process, const Resume& resume) {
  bind_name(process, {resume.process, resume.number, resume.name}, resume.lineage);
}

void RootRouter::on_bind(RootProcess& process, const Bind& bind) {
  bind_name(process, bind, {});
}

void RootRouter::bind_name(RootProcess& process, const Bind& bind, Lineage lineage) {
  const ChannelId id = channel_id(bind.name);
  const Ticket ticket = Ticket::of_bind(process.process(), bind.number);
  const auto entry = grant(process, bind, id, lineage);
  if (entry) {
    const Directory::Entry& granted = **entry;
    reply(process, Attached{process.process(), ticket, bind.name, granted.epoch, granted.lineage});
    release_held(id);
    return;
  }
  const Error& why = entry.error();
  note_failure(id, process.process(), why.to_string());
  reply(process, Refused{process.process(), ticket, bind.name, errc_of(why), why.detail});
}

/// The entry that this very attempt holds, granted now or before. `lineage` goes on, if there is
/// one.
Result<Directory::Entry*> RootRouter::grant(RootProcess& process, const Bind& bind,
                                            const ChannelId& id, Lineage lineage) {
  if (auto checked = check_channel_name(bind.name); !checked) return checked.error();
  if (bind.name.starts_with("process/") &&
      bind.name != process_channel_name(process.host.name, process.node)) {
    return Error{Errc::denied, bind.name + " belongs to the process of that name"};
  }
  if (lineage > Epoch::of(config_.term, granted_)) {
    return Error{Errc::denied, "its lineage " + lineage.to_string() + " was never granted"};
  }
  const auto found = directory_.find(id, bind.name);
  if (!found) return Error{Errc::already_bound, found.error().detail};
  Directory::Entry* entry = *found;
  if (entry == nullptr) {
    entry = &directory_.insert(id, bind.name, process);
    entry->epoch = Epoch::of(config_.term, ++granted_);
    entry->lineage = lineage ? lineage : entry->epoch;
    entry->number = bind.number;
    publish(*entry, Change::added);
  }
  const bool holds = &entry->owner() == &process && entry->number == bind.number;
  if (!holds) return Error{Errc::already_bound, process_of(*entry).full_name()};
  return entry;
}

void RootRouter::on_active(RootProcess& process, const Active& active) {
  Directory::Entry* const entry = directory_.find(active.channel);
  if (entry != nullptr && &entry->owner() == &process && entry->epoch == active.epoch) {
    entry->confirmed = true;
    if (!moves_.empty()) {
      tell_moved(*entry);
      settle_move(*entry);
    }
  }
  reply(process, ActiveOk{active.process, active.channel, active.epoch});
}

void RootRouter::on_unbind(RootProcess& process, const Unbind& unbind) {
  Directory::Entry* const entry = directory_.find(unbind.channel);
  if (entry != nullptr && &entry->owner() == &process && entry->epoch == unbind.epoch) {
    // While an older frozen copy exists, it could come back: the name is free only after that.
    if (move_of(*entry).source) return tell_moved(*entry);
    drop_name(*entry);
  }
  reply(process, Unbound{unbind.process, unbind.channel, unbind.epoch});
}

// --- administration ------------------------------------------------------------------------------

Result<> RootRouter::on_query(Host& host, ByteView payload) {
  auto query = decode<Query>(payload);
  if (!query) return query.error();
  query->from_host = host.name;
  if (query->target == kRootName) {
    root_shell_.answer_query(*query);
  } else if (const Host* target = find_host(query->target); target && target->session) {
    tell(*target->session, *query);
  } else {
    constexpr std::string_view kBody =
        R"({"error":"unreachable","detail":"no host of that name is connected to busroot"})";
    const ByteView body = as_bytes(kBody);
    answer({host.name, query->number, 404, Bytes(body.begin(), body.end())});
  }
  return {};
}

Result<> RootRouter::on_answer(ByteView payload) {
  const auto answered = decode<Answer>(payload);
  if (!answered) return answered.error();
  if (answered->to_host == kRootName) {
    root_shell_.on_answer(*answered);
  } else {
    answer(*answered);
  }
  return {};
}

bool RootRouter::ask(Query query) {
  const Host* const target = find_host(query.target);
  if (target == nullptr || target->session == nullptr) return false;
  query.from_host = kRootName;
  tell(*target->session, query);
  return true;
}

void RootRouter::answer(const Answer& answered) {
  const Host* const host = find_host(answered.to_host);
  if (host != nullptr && host->session != nullptr) {
    tell(*host->session, fit_to_send(answered));
  }
}

}  // namespace starbus::bus
