#include "bus/core/routers/root/move_requests.hpp"

#include <cassert>
#include <utility>

#include "bus/core/wire/name.hpp"

namespace starbus::bus {

/// Whether the target of this move certainly never was the owner. A living process that has listed
/// all its rows to this busroot without this name could get it from this busroot only.
bool MoveRequests::never_ran(const RootMove& move) const {
  if (move.rollback) return false;
  if (move.remembered) return true;
  const RootProcess* const target = root_.find_process(move.moving.target);
  return target != nullptr && target->witness;
}

void MoveRequests::on_move(RootProcess& process, const Move& request) {
  const auto refuse = [&](Errc reason, const std::string& detail) {
    root_.reply(process, NoMove{request.process, request.channel, request.ticket, reason, detail});
  };
  Directory::Entry* const entry = root_.directory.find(request.channel);
  if (request.ticket.source != request.process || !request.ticket) {
    return refuse(Errc::denied, "the ticket names another source");
  }
  if (request.channel.high == kProcessTag) {
    return refuse(Errc::denied, "the channel of a process ends with it");
  }
  if (entry == nullptr || &entry->owner() != &process || entry->epoch != request.epoch) {
    return refuse(Errc::not_bound, "the process does not own the channel at this epoch");
  }
  entry->confirmed = true;
  names_.tell_moved(*entry);
  RootMove move = root_.move_of(*entry);
  // While the copy of an earlier move is not freed, no answer is sent: a refusal could be overtaken
  // by the grant to a repeated request, and the name would stay held for ever.
  if (move.source) return;
  if (move.moving && move.moving != request.ticket) {
    return refuse(Errc::busy, "another move of the channel is under way");
  }
  if (!move.moving) {  // only the request that starts the move is remembered
    move = {};
    move.moving = request.ticket;
    move.remembered = true;
    names_.set_move(*entry, std::move(move));
  }
  root_.reply(process, MoveOk{request.process, request.channel, entry->epoch, entry->lineage,
                              request.ticket});
}

void MoveRequests::on_attach(RootProcess& process, const Attach& request) {
  const ChannelId id = channel_id(request.name);
  Directory::Entry* const entry = root_.directory.find(id);
  const auto refuse_as = [&](const Error& why) {
    root_.reply(process,
                Refused{request.process, request.ticket, request.name, errc_of(why), why.detail});
  };
  const auto refuse = [&] { refuse_as({Errc::busy, "the move has ended"}); };
  if (entry == nullptr || !request.ticket || request.ticket.target != request.process) {
    return refuse();
  }
  const RootMove move = root_.move_of(*entry);
  if (move.moving == request.ticket && !move.rollback) {
    const auto allowed = Ownership::check_rights(process.host, request.name);
    if (!allowed) return refuse_as(allowed.error());
    RootMove granted;
    granted.granted = request.ticket;
    granted.source = {entry->owner().process(), entry->epoch, entry->lineage, request.ticket};
    names_.give(*entry, process, root_.fresh_epoch(), entry->lineage);
    names_.set_move(*entry, std::move(granted));
  }
  if (&entry->owner() != &process || root_.move_of(*entry).granted != request.ticket)
    return refuse();
  root_.reply(process, Attached{request.process, request.ticket, request.name, entry->epoch,
                                entry->lineage});
  routes_.release_held(id);
}

void MoveRequests::on_reclaim(RootProcess& process, const Reclaim& request) {
  if (request.ticket.source != request.process || !request.ticket) return;
  if (!check_channel_name(request.name)) return;
  const ChannelId id = channel_id(request.name);
  if (id.high == kProcessTag) return;  // never moves
  Directory::Entry* entry = root_.directory.find(id);
  const Ticket& ticket = request.ticket;
  if (entry == nullptr) {
    if (!Ownership::check_rights(process.host, request.name)) return;
    // The name has no owner, and no trace of an earlier one: it restarts from the frozen copy.
    const Epoch epoch = root_.fresh_epoch();
    entry = &names_.add(id, request.name, process, epoch, epoch);
    RootMove restarted;
    restarted.granted = ticket;
    names_.set_move(*entry, std::move(restarted));
  }
  RootMove move = root_.move_of(*entry);
  const bool owns = &entry->owner() == &process;
  if (owns && move.moving == ticket) {
    const Epoch epoch = root_.fresh_epoch();
    // Unconfirmed until its ACTIVE: until then the request may be repeated, and is answered.
    names_.give(*entry, process, epoch, never_ran(move) ? entry->lineage : epoch);
    move = {};
    move.granted = ticket;
    names_.set_move(*entry, move);
  }
  if (owns && move.granted == ticket) {
    root_.reply(process, Reclaimed{request.process, id, entry->epoch, entry->lineage, ticket});
    routes_.release_held(id);
  } else if (!owns && entry->confirmed) {
    root_.reply(process, Moved{request.process, id, ticket});
  } else if (!owns && move.granted) {
    RootProcess& owner = owner_of(*entry);
    root_.reply(
        owner, Attached{owner.process(), move.granted, request.name, entry->epoch, entry->lineage});
  }
}

void MoveRequests::on_freed(RootProcess& process, const Freed& freed) {
  Directory::Entry* const entry = root_.directory.find(freed.channel);
  if (entry != nullptr) {
    RootMove move = root_.move_of(*entry);
    const bool owns = &entry->owner() == &process;
    // A claim has number 0: an earlier busroot granted it, so no bind ticket refers to it.
    const bool by_bind =
        entry->number != 0 && freed.ticket == Ticket::of_bind(process.process(), entry->number);
    const bool by_move =
        freed.ticket && (freed.ticket == move.moving || freed.ticket == move.granted);
    if (move.source && move.source->process == process.process() &&
        move.source->ticket == freed.ticket) {
      move.source.reset();
      names_.set_move(*entry, std::move(move));
      names_.settle_move(*entry);
    } else if (owns && (by_bind || by_move)) {
      names_.owner_died(*entry);
    }
  }
  root_.reply(process, FreedOk{freed.process, freed.channel, freed.ticket});
}

}  // namespace starbus::bus
