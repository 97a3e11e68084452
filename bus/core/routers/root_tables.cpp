/// RootRouter: what hosts say about their processes and names. A complete table opens a session and
/// is compared with the directory as a whole; after it, every record is a delta.
#include <algorithm>
#include <cassert>

#include "bus/core/routers/root_router.hpp"
#include "bus/core/sabotage.hpp"
#include "bus/core/wire/name.hpp"

namespace starbus::bus {
namespace {

Error bad_table(const std::string& what) {
  return {Errc::bad_bytes, "table: " + what};
}

}  // namespace

Result<> RootRouter::on_process_up(Host& host, ByteView payload) {
  auto up = decode<ProcessUp>(payload);
  if (!up) return up.error();
  if (up->process.host != host.id) return bad_table("process of another host");
  if (!check_node_name(up->node)) return bad_table("bad node name");
  if (up->process.slot != slot_id(up->node)) return bad_table("slot is not that of the node");
  const auto beyond_limit = [&](const auto& processes) {
    return processes.size() >= kMaxProcesses && !processes.contains(up->process);
  };
  if (host.pending ? beyond_limit(host.pending->processes) : beyond_limit(host.processes)) {
    return Error{Errc::too_many_processes, "host " + host.name + " has too many processes"};
  }
  if (host.pending) {
    host.pending->processes.insert_or_assign(up->process, std::move(*up));
  } else {
    take_process(host, *up);
    if (grace_ && grace_may_end()) end_grace();
  }
  return {};
}

RootProcess& RootRouter::take_process(Host& host, const ProcessUp& up) {
  auto& slot = host.processes[up.process];
  if (!slot) slot = std::make_unique<RootProcess>(up.process, host);
  slot->node = up.node;
  slot->role = up.role;
  slot->pid = up.pid;
  slot->pending = up.pending;
  slot->witness = slot->witness || !up.pending;
  return *slot;
}

Result<> RootRouter::check_row(const Host& host, std::string_view node, const Row& row) const {
  if (!check_channel_name(row.name)) return bad_table("bad channel name");
  if (row.name.starts_with("process/") && row.name != process_channel_name(host.name, node)) {
    return bad_table("the process name of another");
  }
  if (row.state == RowState::attaching) return {};  // it has no epoch yet
  if (!row.epoch || !row.lineage || row.lineage > row.epoch) return bad_table("impossible epoch");
  if (row.state != RowState::active && !row.ticket) return bad_table("no ticket");
  return {};
}

/// Only this busroot grants, so nobody can hold more than it has granted. A busd passes on what its
/// processes say and cannot judge that; such a row is left out, and its host goes on.
bool RootRouter::ever_granted(const Host& host, const Row& row) {
  if (row.state == RowState::attaching) return true;  // it has no epoch yet
  if (row.epoch <= Epoch::of(config_.term, granted_)) return true;
  shell_.log(RouterShell::Level::warning, "host " + host.name + ": claims " + row.name +
                                              " by epoch " + row.epoch.to_string() +
                                              ", which was never granted: left out");
  return false;
}

Result<> RootRouter::on_table(Host& host, ByteView payload) {
  auto table = decode<Table>(payload);
  if (!table) return table.error();
  RootProcess* process = nullptr;
  std::string_view node;
  if (host.pending) {
    const auto up = host.pending->processes.find(table->process);
    if (up != host.pending->processes.end()) node = up->second.node;
  } else if (const auto found = host.processes.find(table->process);
             found != host.processes.end()) {
    process = found->second.get();
    node = process->node;
  }
  if (node.empty()) return bad_table("unknown process");
  for (Row& row : table->rows) {
    if (auto checked = check_row(host, node, row); !checked) return checked;
    if (!ever_granted(host, row)) continue;
    const ChannelId id = channel_id(row.name);
    if (process != nullptr) {
      claim(*process, row, id);
    } else {
      host.pending->rows.push_back({table->process, std::move(row), id});
    }
  }
  return {};
}

Result<> RootRouter::on_table_end(Host& host, ByteView payload) {
  if (const auto end = decode<TableEnd>(payload); !end) return end.error();
  if (!host.pending) return bad_table("ended twice");
  // Since its hello the end of grace may have struck it off.
  if (auto noted = admit_to_journal(host.name); !noted) return noted;
  const std::unique_ptr<PendingTable> table = std::move(host.pending);
  forget_omitted_sources(host, *table);
  bury_the_dead(host, *table);
  for (const auto& [id, up] : table->processes) take_process(host, up);
  drop_omitted(host, *table);
  for (const PendingRow& pending : table->rows) {
    claim(*host.processes.at(pending.process), pending.row, pending.id);
  }
  host.complete = true;
  host.announced = true;
  awaited_.erase(host.name);
  shell_.log(RouterShell::Level::info, "host " + host.name + ": announced " +
                                           std::to_string(host.processes.size()) + " processes, " +
                                           std::to_string(host.names()) + " names");
  if (grace_ && grace_may_end()) {
    end_grace();
  } else {
    release_all_held();
  }
  return {};
}

Result<> RootRouter::on_process_dead(Host& host, ByteView payload) {
  const auto dead = decode<ProcessDead>(payload);
  if (!dead) return dead.error();
  if (dead->process.host != host.id) return bad_table("process of another host");
  if (host.pending) {
    host.pending->processes.erase(dead->process);
    std::erase_if(host.pending->rows,
                  [&](const PendingRow& row) { return row.process == dead->process; });
  } else if (const auto found = host.processes.find(dead->process); found != host.processes.end()) {
    process_died(*found->second);
  }
  return {};
}

void RootRouter::bury_the_dead(Host& host, const PendingTable& table) {
  std::vector<RootProcess*> dead;
  for (const auto& [id, process] : host.processes) {
    if (!table.processes.contains(id)) dead.push_back(process.get());
  }
  for (RootProcess* process : dead) process_died(*process);
}

/// A frozen copy that its host does not list is gone. First of all: a name must not fall back to
/// it.
void RootRouter::forget_omitted_sources(const Host& host, const PendingTable& table) {
  forget_sources([&](const ChannelId& channel, const RootMove::Source& source) {
    if (source.process.host != host.id) return false;
    const auto up = table.processes.find(source.process);
    if (up != table.processes.end() && up->second.pending) return false;
    return std::ranges::none_of(table.rows, [&](const PendingRow& row) {
      return row.id == channel && row.process == source.process;
    });
  });
}

/// A name that its living process does not list is free, unless the grant may still be on its way:
/// an unconfirmed one is erased only with its process.
void RootRouter::drop_omitted(Host& host, const PendingTable& table) {
  for (const PendingRow& pending : table.rows) {
    Directory::Entry* const entry = directory_.find(pending.id);
    if (entry != nullptr && entry->owner().process() == pending.process) entry->listed = true;
  }
  for (const auto& [id, process] : host.processes) {
    if (process->pending) continue;
    directory_.for_each_of(*process, [&](Directory::Entry& entry) {
      const bool kept = !entry.confirmed && !sabotaged(Sabotage::table_mid_session);
      if (entry.listed || kept) {
        entry.listed = false;
      } else {
        drop_name(entry);
      }
    });
  }
}

void RootRouter::claim(RootProcess& process, const Row& row, const ChannelId& id) {
  if (row.state == RowState::attaching) return;
  const auto found = directory_.find(id, row.name);
  if (!found) {
    note_failure(id, process.process(), found.error().to_string());
    shell_.log(RouterShell::Level::error, "claim of " + process.full_name() + " refused: " +
                                              row.name + ": " + found.error().to_string());
    return;
  }
  Directory::Entry* const entry = *found;
  const bool stale_wins = sabotaged(Sabotage::stale_epoch_accepted);
  // What this very busroot has granted it remembers: a higher epoch of its own for a name that
  // somebody else owns was granted for another name.
  const bool ours = row.epoch.term() == config_.term;
  if (entry != nullptr && ours && row.epoch > entry->epoch && &entry->owner() != &process) {
    return leave_out(process, row, id);
  }
  if (entry == nullptr || row.epoch > entry->epoch || (stale_wins && row.epoch < entry->epoch)) {
    return take_claim(process, row, id, entry);  // the higher epoch wins
  }
  const bool owns = &entry->owner() == &process;
  const bool frozen = row.state == RowState::frozen;
  if (owns && row.epoch == entry->epoch) {
    if (row.state == RowState::granted) return;
    entry->confirmed = true;
    if (!frozen || entry->moving) return;
    RootMove move = move_of(*entry);
    move.moving = row.ticket;
    set_move(*entry, std::move(move));
  } else if (frozen && !owns) {
    RootMove move = move_of(*entry);
    // A copy that this busroot has not seen freeze, and not from before: it may ask for the name.
    const bool known = move.source && move.source->process == process.process();
    const bool earlier_life = row.lineage < entry->lineage;
    if ((ours && !known) || earlier_life) return leave_out(process, row, id);
    move.source = {process.process(), row.epoch, row.lineage, row.ticket};
    set_move(*entry, std::move(move));
    if (entry->confirmed) tell_moved(*entry);
  } else if (!owns && row.state == RowState::active) {
    leave_out(process, row, id);
  }
}

/// Its busd, which cannot know, and the process are told: nothing more goes there. Should that busd
/// have taken the row for true, the owner's grant is said again behind it.
void RootRouter::leave_out(RootProcess& process, const Row& row, const ChannelId& id) {
  if (row.state == RowState::frozen) {
    reply(process, Moved{process.process(), id, row.ticket});
  } else {
    reply(process, Unbound{process.process(), id, row.epoch});
  }
  Directory::Entry* const entry = directory_.find(id);
  if (entry != nullptr && row.state != RowState::frozen && &entry->owner() != &process &&
      &host_of(*entry) == &process.host) {
    const RootProcess& owner = process_of(*entry);
    reply(owner, Attached{owner.process(), Ticket::of_bind(owner.process(), entry->number),
                          std::string(entry->name()), entry->epoch, entry->lineage});
  }
  note_failure(id, process.process(), "a claim that was never granted");
  shell_.log(RouterShell::Level::warning, process.full_name() + " claims " + row.name +
                                              " by epoch " + row.epoch.to_string() +
                                              ", which it was not granted for: left out");
}

void RootRouter::take_claim(RootProcess& process, const Row& row, const ChannelId& id,
                            Directory::Entry* entry) {
  RootMove move;
  if (row.state == RowState::frozen) move.moving = row.ticket;
  const bool granted = row.state == RowState::granted;
  if (granted && !row.ticket.is_bind()) move.granted = row.ticket;
  if (entry == nullptr) {
    entry = &directory_.insert(id, row.name, process);
    entry->epoch = row.epoch;
    entry->lineage = row.lineage;
    publish(*entry, Change::added);
  } else {
    // The owner that gives way had frozen it, under the ticket by which it came here.
    if (entry->moving && &entry->owner() != &process) {
      move.source = {entry->owner().process(), entry->epoch, entry->lineage,
                     move_of(*entry).moving};
    }
    give(*entry, process, row.epoch, row.lineage);
  }
  // A grant that may not have reached its process answers the request again when it is repeated.
  entry->confirmed = !granted;
  entry->number = granted && row.ticket.is_bind() ? row.ticket.number : 0;
  set_move(*entry, std::move(move));
  tell_moved(*entry);
  release_held(id);
}

void RootRouter::process_died(RootProcess& process) {
  forget_sources([&](const ChannelId&, const RootMove::Source& source) {
    return source.process == process.process();
  });
  directory_.for_each_of(process, [&](Directory::Entry& entry) { owner_died(entry); });
  process.host.processes.erase(process.process());
}

void RootRouter::drop_name(Directory::Entry& entry) {
  const ChannelId id = entry.id();
  moves_.erase(id);
  publish(entry, Change::removed);
  directory_.erase(entry);
  release_held(id);
}

}  // namespace starbus::bus
