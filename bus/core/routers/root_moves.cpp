/// RootRouter: moves. Only busroot changes owners, and only from a frozen source, a free name or a
/// dead process. Every request is idempotent; docs/design/protocol.md, "Moves", has the whole
/// exchange.
#include <cassert>

#include "bus/core/routers/root_router.hpp"
#include "bus/core/sabotage.hpp"
#include "bus/core/wire/name.hpp"

namespace starbus::bus {

// --- state ---------------------------------------------------------------------------------------

RootMove RootRouter::move_of(const Directory::Entry& entry) const {
  if (moves_.empty()) return {};
  const auto found = moves_.find(entry.id());
  return found == moves_.end() ? RootMove{} : found->second;
}

void RootRouter::set_move(Directory::Entry& entry, RootMove move) {
  entry.moving = static_cast<bool>(move.moving);
  if (move.idle()) {
    moves_.erase(entry.id());
  } else {
    moves_[entry.id()] = std::move(move);
  }
}

/// Confirmed by its owner, with nothing frozen elsewhere: nobody will ask about the move any more.
void RootRouter::settle_move(const Directory::Entry& entry) {
  const auto found = moves_.find(entry.id());
  if (found == moves_.end()) return;
  const RootMove& move = found->second;
  if (entry.confirmed && !move.moving && !move.source) moves_.erase(found);
}

/// Another owner, or the same one anew.
void RootRouter::give(Directory::Entry& entry, RootProcess& owner, Epoch epoch, Lineage lineage) {
  if (&entry.owner() != &owner) directory_.change_owner(entry, owner);
  entry.epoch = epoch;
  entry.lineage = lineage;
  entry.number = 0;
  entry.confirmed = false;
  publish(entry, Change::changed);
}

RootProcess* RootRouter::find_process(const Process& id) const {
  const auto host = hosts_.find(id.host);
  if (host == hosts_.end()) return nullptr;
  const auto found = host->second->processes.find(id);
  return found == host->second->processes.end() ? nullptr : found->second.get();
}

/// To the holder of the frozen copy, once the owner has confirmed.
void RootRouter::tell_moved(const Directory::Entry& entry) {
  const RootMove move = move_of(entry);
  if (!move.source) return;
  if (!entry.confirmed && !sabotaged(Sabotage::moved_before_active)) return;
  RootProcess* const source = find_process(move.source->process);
  if (source) reply(*source, Moved{source->process(), entry.id(), move.source->ticket});
}

void RootRouter::forget_sources(const SourceGone& gone) {
  for (auto at = moves_.begin(); at != moves_.end();) {
    const auto present = at++;  // settle_move may erase it
    RootMove& move = present->second;
    if (!move.source || !gone(present->first, *move.source)) continue;
    move.source.reset();
    settle_move(*directory_.find(present->first));
  }
}

/// The name falls back to the frozen copy of the previous owner, if there is one, or is free.
void RootRouter::owner_died(Directory::Entry& entry) {
  const RootMove move = move_of(entry);
  RootProcess* const heir = move.source ? find_process(move.source->process) : nullptr;
  if (heir == nullptr) return drop_name(entry);
  give(entry, *heir, move.source->epoch, move.source->lineage);
  entry.confirmed = true;
  RootMove fallback;
  fallback.moving = move.source->ticket;
  fallback.rollback = true;
  set_move(entry, std::move(fallback));
}

/// Whether the target of this move certainly never was the owner. A process that is alive, and has
/// told all its rows to this busroot without claiming the name, could have got it from it only.
bool RootRouter::never_ran(const RootMove& move) const {
  if (sabotaged(Sabotage::rollback_keeps_lineage)) return true;
  if (move.rollback) return false;
  if (move.remembered) return true;
  const RootProcess* const target = find_process(move.moving.target);
  if (sabotaged(Sabotage::target_once_alive) && target == nullptr) return true;
  return target != nullptr && target->witness;
}

// --- requests ------------------------------------------------------------------------------------

void RootRouter::on_move(RootProcess& process, const Move& request) {
  const auto refuse = [&](Errc reason, const std::string& detail) {
    reply(process, NoMove{request.process, request.channel, request.ticket, reason, detail});
  };
  Directory::Entry* const entry = directory_.find(request.channel);
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
  tell_moved(*entry);
  RootMove move = move_of(*entry);
  // While the copy of an earlier move is not freed there is no answer: a refusal could be overtaken
  // by the grant to a repeated request, and the name would be held for ever.
  if (move.source && !sabotaged(Sabotage::move_before_freed)) return;
  if (move.moving && move.moving != request.ticket) {
    return refuse(Errc::busy, "another move of the channel is under way");
  }
  if (!move.moving) {  // only the request that starts the move counts as memory of it
    move = {};
    move.moving = request.ticket;
    move.remembered = true;
    set_move(*entry, std::move(move));
  }
  reply(process,
        MoveOk{request.process, request.channel, entry->epoch, entry->lineage, request.ticket});
}

void RootRouter::on_attach(RootProcess& process, const Attach& request) {
  const ChannelId id = channel_id(request.name);
  Directory::Entry* const entry = directory_.find(id);
  const auto refuse = [&] {
    reply(process,
          Refused{request.process, request.ticket, request.name, Errc::busy, "the move has ended"});
  };
  if (entry == nullptr || !request.ticket || request.ticket.target != request.process) {
    return refuse();
  }
  const RootMove move = move_of(*entry);
  if (move.moving == request.ticket && !move.rollback) {
    RootMove granted;
    granted.granted = request.ticket;
    granted.source = {entry->owner().process(), entry->epoch, entry->lineage, request.ticket};
    give(*entry, process, Epoch::of(config_.term, ++granted_), entry->lineage);
    set_move(*entry, std::move(granted));
    if (sabotaged(Sabotage::moved_before_active)) tell_moved(*entry);
  }
  if (&entry->owner() != &process || move_of(*entry).granted != request.ticket) return refuse();
  reply(process,
        Attached{request.process, request.ticket, request.name, entry->epoch, entry->lineage});
  release_held(id);
}

void RootRouter::on_reclaim(RootProcess& process, const Reclaim& request) {
  if (request.ticket.source != request.process || !request.ticket) return;
  if (!check_channel_name(request.name)) return;
  const ChannelId id = channel_id(request.name);
  if (id.high == kProcessTag) return;  // never moves
  Directory::Entry* entry = directory_.find(id);
  const Ticket& ticket = request.ticket;
  if (entry == nullptr) {
    // Nobody owns it, and who could have is gone without a trace: it goes on from the frozen copy.
    entry = &directory_.insert(id, request.name, process);
    entry->epoch = entry->lineage = Epoch::of(config_.term, ++granted_);
    RootMove restarted;
    restarted.granted = ticket;
    set_move(*entry, std::move(restarted));
    publish(*entry, Change::added);
  }
  RootMove move = move_of(*entry);
  const bool owns = &entry->owner() == &process;
  if (owns && move.moving == ticket) {
    const Epoch epoch = Epoch::of(config_.term, ++granted_);
    // Unconfirmed until its ACTIVE: so long the request may come again, and is to be answered.
    give(*entry, process, epoch, never_ran(move) ? entry->lineage : epoch);
    move = {};
    move.granted = ticket;
    set_move(*entry, move);
  }
  if (owns && move.granted == ticket) {
    reply(process, Reclaimed{request.process, id, entry->epoch, entry->lineage, ticket});
    release_held(id);
  } else if (!owns && entry->confirmed) {
    reply(process, Moved{request.process, id, ticket});
  } else if (!owns && move.granted) {
    auto& owner = static_cast<RootProcess&>(entry->owner());
    reply(owner,
          Attached{owner.process(), move.granted, request.name, entry->epoch, entry->lineage});
  }
}

void RootRouter::on_freed(RootProcess& process, const Freed& freed) {
  Directory::Entry* const entry = directory_.find(freed.channel);
  if (entry != nullptr) {
    RootMove move = move_of(*entry);
    const bool owns = &entry->owner() == &process;
    // A claim has number 0: it was granted by an earlier busroot, so no bind ticket is about it.
    const bool by_bind =
        entry->number != 0 && freed.ticket == Ticket::of_bind(process.process(), entry->number);
    const bool by_move =
        freed.ticket && (freed.ticket == move.moving || freed.ticket == move.granted);
    if (move.source && move.source->process == process.process() &&
        move.source->ticket == freed.ticket) {
      move.source.reset();
      set_move(*entry, std::move(move));
      settle_move(*entry);
    } else if (owns && (by_bind || by_move)) {
      owner_died(*entry);
    }
  }
  reply(process, FreedOk{freed.process, freed.channel, freed.ticket});
}

}  // namespace starbus::bus
