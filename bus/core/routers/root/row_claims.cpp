#include "bus/core/routers/root/row_claims.hpp"

#include <cassert>
#include <string>
#include <utility>

#include "bus/core/wire/name.hpp"
#include "bus/core/wire/record_moves.hpp"

namespace starbus::bus {

void RowClaims::claim(RootProcess& process, const Row& row, const ChannelId& id) {
  if (row.state == RowState::attaching) return;
  const auto found = root_.directory.find(id, row.name);
  if (!found) {
    root_.forwarding.note_failure(id, process.process(), found.error().to_string());
    root_.links.log(RouterShell::Level::error, "claim of " + process.full_name() + " refused: " +
                                                   row.name + ": " + found.error().to_string());
    process.left_out.push_back(id);
    return;
  }
  Directory::Entry* const entry = *found;
  // This busroot remembers its own grants: an epoch of its term that is higher than that of the
  // present owner was granted for another name.
  const bool ours = row.epoch.term() == root_.config.term;
  if (entry != nullptr && ours && row.epoch > entry->epoch && &entry->owner() != &process) {
    return leave_out(process, row, id);
  }
  const bool held = entry != nullptr && &host_of(*entry) == &process.host;
  const bool copy = entry != nullptr && row.state == RowState::frozen;
  if (!held && !copy && !Ownership::check_rights(process.host, row.name)) {
    return leave_out(process, row, id);
  }
  if (entry == nullptr || row.epoch > entry->epoch) {
    return take(process, row, id, entry);  // the higher epoch wins
  }
  const bool owns = &entry->owner() == &process;
  const bool frozen = row.state == RowState::frozen;
  if (owns && row.epoch == entry->epoch) {
    if (row.state == RowState::granted) return;
    entry->confirmed = true;
    if (!frozen || entry->moving) return;
    RootMove move = root_.move_of(*entry);
    move.moving = row.ticket;
    names_.set_move(*entry, std::move(move));
  } else if (frozen && !owns) {
    RootMove move = root_.move_of(*entry);
    // A copy of this term that this busroot has not seen freeze, or one of an earlier lineage, must
    // not ask for the name later.
    const bool known = move.source && move.source->process == process.process();
    const bool earlier_life = row.lineage < entry->lineage;
    if ((ours && !known) || earlier_life) return leave_out(process, row, id);
    move.source = {process.process(), row.epoch, row.lineage, row.ticket};
    names_.set_move(*entry, std::move(move));
    if (entry->confirmed) names_.tell_moved(*entry);
  } else if (!owns && row.state == RowState::active) {
    leave_out(process, row, id);
  }
}

/// There is no room for the name. One line of the log for each process: it may claim many.
void RowClaims::give_back(RootProcess& process, const Row& row, const ChannelId& id,
                          const Error& why) {
  tell_ended(process, row, id);
  root_.forwarding.note_failure(id, process.process(), why.to_string());
  if (std::exchange(process.over_share, true)) return;
  root_.links.log(RouterShell::Level::warning,
                  process.full_name() + " (pid " + std::to_string(process.pid) + ") claims " +
                      row.name + " and maybe more: left out: " + why.to_string());
}

void RowClaims::tell_ended(RootProcess& process, const Row& row, const ChannelId& id) {
  process.left_out.push_back(id);
  if (row.state == RowState::frozen) {
    root_.reply(process, Moved{process.process(), id, row.ticket});
  } else {
    root_.reply(process, Unbound{process.process(), id, row.epoch});
  }
}

void RowClaims::leave_out(RootProcess& process, const Row& row, const ChannelId& id) {
  tell_ended(process, row, id);
  Directory::Entry* const entry = root_.directory.find(id);
  const RouterLink* const session = static_cast<HostEntry&>(process.host).session;
  const bool routed_by_it = session && session->minor < kRowsTakenMinor;
  // An owner that has frozen the name must not look like an active one again.
  if (routed_by_it && entry != nullptr && !entry->moving && row.state != RowState::frozen &&
      &entry->owner() != &process && &host_of(*entry) == &process.host) {
    const RootProcess& owner = owner_of(*entry);
    root_.reply(owner, Attached{owner.process(), Ticket::of_bind(owner.process(), entry->number),
                                std::string(entry->name()), entry->epoch, entry->lineage});
  }
  root_.forwarding.note_failure(id, process.process(), "a claim that was never granted");
  if (process.left_out.size() > 1) return;  // one line of the log for each report
  root_.links.log(RouterShell::Level::warning, process.full_name() + " claims " + row.name +
                                                   " by epoch " + row.epoch.to_string() +
                                                   ", which was not granted to it: left out, and "
                                                   "maybe more of its claims");
}

void RowClaims::take(RootProcess& process, const Row& row, const ChannelId& id,
                     Directory::Entry* entry) {
  if (entry == nullptr) {
    if (const auto room = names_.room_for(row.name, process); !room) {
      return give_back(process, row, id, room.error());
    }
  }
  RootMove move;
  if (row.state == RowState::frozen) move.moving = row.ticket;
  const bool granted = row.state == RowState::granted;
  if (granted && !row.ticket.is_bind()) move.granted = row.ticket;
  if (entry == nullptr) {
    entry = &names_.add(id, row.name, process, row.epoch, row.lineage);
  } else {
    // The owner that gives way had frozen the name, under the ticket by which it came here.
    if (entry->moving && &entry->owner() != &process) {
      move.source = {entry->owner().process(), entry->epoch, entry->lineage,
                     root_.move_of(*entry).moving};
    }
    names_.give(*entry, process, row.epoch, row.lineage);
  }
  // A grant that may not have reached its process is answered again when the request is repeated.
  entry->confirmed = !granted;
  entry->number = granted && row.ticket.is_bind() ? row.ticket.number : 0;
  names_.set_move(*entry, std::move(move));
  names_.tell_moved(*entry);
  routes_.release_held(id);
}

}  // namespace starbus::bus
