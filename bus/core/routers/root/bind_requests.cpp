#include "bus/core/routers/root/bind_requests.hpp"

#include <cassert>
#include <string>

#include "bus/core/wire/name.hpp"

namespace starbus::bus {

void BindRequests::on_resume(RootProcess& process, const Resume& resume) {
  bind_name(process, {resume.process, resume.number, resume.name}, resume.lineage);
}

void BindRequests::on_bind(RootProcess& process, const Bind& bind) {
  bind_name(process, bind, {});
}

void BindRequests::bind_name(RootProcess& process, const Bind& bind, Lineage lineage) {
  const ChannelId id = channel_id(bind.name);
  const Ticket ticket = Ticket::of_bind(process.process(), bind.number);
  const auto entry = grant(process, bind, id, lineage);
  if (entry) {
    const Directory::Entry& granted = **entry;
    root_.reply(process,
                Attached{process.process(), ticket, bind.name, granted.epoch, granted.lineage});
    routes_.release_held(id);
    return;
  }
  const Error& why = entry.error();
  root_.forwarding.note_failure(id, process.process(), why.to_string());
  root_.reply(process, Refused{process.process(), ticket, bind.name, errc_of(why), why.detail});
}

/// The entry that this very attempt holds, granted now or before. `lineage` continues unless it is
/// 0.
Result<Directory::Entry*> BindRequests::grant(RootProcess& process, const Bind& bind,
                                              const ChannelId& id, Lineage lineage) {
  if (auto checked = check_channel_name(bind.name); !checked) return checked.error();
  if (is_own_name(bind.name) && !is_own_name_of(bind.name, process.host.name, process.node)) {
    return Error{Errc::denied, bind.name + " belongs to the process of that name"};
  }
  if (lineage > root_.latest_epoch()) {
    return Error{Errc::denied, "its lineage " + lineage.to_string() + " was never granted"};
  }
  const auto found = root_.directory.find(id, bind.name);
  if (!found) return Error{Errc::already_bound, found.error().detail};
  Directory::Entry* entry = *found;
  if (entry == nullptr) {
    if (auto allowed = Ownership::check_rights(process.host, bind.name); !allowed) {
      return allowed.error();
    }
    if (auto room = names_.room_for(bind.name, process); !room) return room.error();
    const Epoch epoch = root_.fresh_epoch();
    entry = &names_.add(id, bind.name, process, epoch, lineage ? lineage : epoch, bind.number);
  }
  const bool holds = &entry->owner() == &process && entry->number == bind.number;
  if (!holds) return Error{Errc::already_bound, owner_of(*entry).full_name()};
  return entry;
}

void BindRequests::on_active(RootProcess& process, const Active& active) {
  Directory::Entry* const entry = root_.directory.find(active.channel);
  if (entry != nullptr && &entry->owner() == &process && entry->epoch == active.epoch) {
    entry->confirmed = true;
    if (!root_.moves.empty()) {
      names_.tell_moved(*entry);
      names_.settle_move(*entry);
    }
  }
  root_.reply(process, ActiveOk{active.process, active.channel, active.epoch});
}

void BindRequests::on_unbind(RootProcess& process, const Unbind& unbind) {
  Directory::Entry* const entry = root_.directory.find(unbind.channel);
  if (entry != nullptr && &entry->owner() == &process && entry->epoch == unbind.epoch) {
    // While an older frozen copy exists, it could come back: the name is free only after it is
    // freed.
    if (root_.move_of(*entry).source) return names_.tell_moved(*entry);
    names_.drop(*entry);
  }
  root_.reply(process, Unbound{unbind.process, unbind.channel, unbind.epoch});
}

}  // namespace starbus::bus
