#include "bus/core/routers/root/root_tables.hpp"

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cassert>
#include <utility>
#include <vector>

#include "bus/core/wire/name.hpp"

namespace starbus::bus {
namespace {

Error bad_table(const std::string& what) {
  return {Errc::bad_bytes, "table: " + what};
}

}  // namespace

Result<> RootTables::on_process_up(HostEntry& host, ByteView payload) {
  auto up = decode<ProcessUp>(payload);
  if (!up) return up.error();
  if (up->process.host != host.id) return bad_table("process of another host");
  if (!check_node_name(up->node)) return bad_table("bad node name");
  if (up->process.slot != slot_id(up->node)) return bad_table("slot is not that of the node");
  const auto beyond_limit = [&](const auto& processes) {
    return processes.size() >= host.rights.max_processes && !processes.contains(up->process);
  };
  if (host.pending ? beyond_limit(host.pending->processes) : beyond_limit(host.processes)) {
    return Error{Errc::too_many_processes, "host " + host.name + " has too many processes"};
  }
  if (host.pending) {
    host.pending->processes.insert_or_assign(up->process, std::move(*up));
  } else {
    RootProcess& process = take_process(host, *up);
    if (!process.pending) answer_report(process);
    grace_.end_if_due();
  }
  return {};
}

RootProcess& RootTables::take_process(HostEntry& host, const ProcessUp& up) {
  auto& slot = host.processes[up.process];
  if (!slot) slot = std::make_unique<RootProcess>(up.process, host);
  slot->node = up.node;
  slot->role = up.role;
  slot->pid = up.pid;
  slot->pending = up.pending;
  slot->witness = slot->witness || !up.pending;
  return *slot;
}

Result<> RootTables::check_row(const HostEntry& host, std::string_view node, const Row& row) const {
  if (!check_channel_name(row.name)) return bad_table("bad channel name");
  if (is_own_name(row.name) && !is_own_name_of(row.name, host.name, node)) {
    return bad_table("own name of another process");
  }
  if (row.state == RowState::attaching) return {};  // it has no epoch yet
  if (!row.epoch || !row.lineage || row.lineage > row.epoch) return bad_table("impossible epoch");
  if (row.state != RowState::active && !row.ticket) return bad_table("no ticket");
  return {};
}

/// Only busroot grants, so no row has an epoch that it has not granted in this term, or could not
/// have in an earlier one. A busd that has restarted passes on its processes' rows and cannot judge
/// that: such a row is left out, and the session goes on.
bool RootTables::ever_granted(const Row& row) const {
  if (row.state == RowState::attaching) return true;  // it has no epoch yet
  if (row.epoch.term() != root_.config.term) {
    return row.epoch < root_.latest_epoch() && root_.bounds.plausible(row.epoch);
  }
  return row.epoch <= root_.latest_epoch();
}

/// All rows of the process have come: its busd learns which of them count.
void RootTables::answer_report(RootProcess& process) {
  RowsTaken taken{process.process(), std::exchange(process.left_out, {})};
  const RouterLink* const session = static_cast<HostEntry&>(process.host).session;
  if (session && session->minor >= kRowsTakenMinor) root_.reply(process, taken);
}

Result<> RootTables::on_table(HostEntry& host, ByteView payload) {
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
  // What is not counted while it comes would fill the memory before its end.
  const std::size_t kept = process != nullptr
                               ? process->left_out.size()
                               : host.pending->rows.size() + host.pending->impossible.size();
  if (kept + table->rows.size() > host.rights.max_names + kMaxMoves) {
    return Error{Errc::too_many_names, "host " + host.name + " lists more than the " +
                                           std::to_string(host.rights.max_names) +
                                           " names that it may hold"};
  }
  for (Row& row : table->rows) {
    if (auto checked = check_row(host, node, row); !checked) return checked;
    const ChannelId id = channel_id(row.name);
    const bool possible = ever_granted(row);
    if (process == nullptr) {
      auto& rows = possible ? host.pending->rows : host.pending->impossible;
      rows.push_back({table->process, std::move(row), id});
    } else if (possible) {
      claims_.claim(*process, row, id);
    } else {
      claims_.leave_out(*process, row, id);
    }
  }
  return {};
}

Result<> RootTables::on_table_end(HostEntry& host, ByteView payload) {
  if (const auto end = decode<TableEnd>(payload); !end) return end.error();
  if (!host.pending) return bad_table("ended twice");
  // The end of grace may have removed it from the journal since its hello.
  if (auto noted = grace_.admit(host.name); !noted) return noted;
  const std::unique_ptr<PendingTable> table = std::move(host.pending);
  forget_omitted_sources(host, *table);
  end_omitted_processes(host, *table);
  for (const auto& [id, up] : table->processes) take_process(host, up);
  drop_omitted(host, *table);
  for (const PendingTable::PendingRow& pending : table->rows) {
    claims_.claim(*host.processes.at(pending.process), pending.row, pending.id);
  }
  for (const PendingTable::PendingRow& refused : table->impossible) {
    claims_.leave_out(*host.processes.at(refused.process), refused.row, refused.id);
  }
  for (const auto& [id, up] : table->processes) {
    if (!up.pending) answer_report(*host.processes.at(id));
  }
  host.complete = true;
  host.announced = true;
  grace_.announced(host.name);
  root_.links.log(RouterShell::Level::info,
                  "host " + host.name + ": announced " + std::to_string(host.processes.size()) +
                      " processes, " + std::to_string(host.names()) + " names");
  if (!grace_.end_if_due()) routes_.release_all_held();
  return {};
}

Result<> RootTables::on_process_dead(HostEntry& host, ByteView payload) {
  const auto dead = decode<ProcessDead>(payload);
  if (!dead) return dead.error();
  if (dead->process.host != host.id) return bad_table("process of another host");
  if (host.pending) {
    host.pending->processes.erase(dead->process);
    const auto of_dead = [&](const PendingTable::PendingRow& row) {
      return row.process == dead->process;
    };
    std::erase_if(host.pending->rows, of_dead);
    std::erase_if(host.pending->impossible, of_dead);
  } else if (const auto found = host.processes.find(dead->process); found != host.processes.end()) {
    names_.process_died(*found->second);
  }
  return {};
}

void RootTables::end_omitted_processes(HostEntry& host, const PendingTable& table) {
  std::vector<RootProcess*> dead;
  for (const auto& [id, process] : host.processes) {
    if (!table.processes.contains(id)) dead.push_back(process.get());
  }
  for (RootProcess* process : dead) names_.process_died(*process);
}

/// A frozen copy that its host does not list does not exist any more. This comes first, so that no
/// name falls back to it.
void RootTables::forget_omitted_sources(const HostEntry& host, const PendingTable& table) {
  boost::unordered_flat_set<std::pair<ChannelId, Process>> listed;  // made for the first source
  names_.forget_sources([&](const ChannelId& channel, const RootMove::Source& source) {
    if (source.process.host != host.id) return false;
    const auto up = table.processes.find(source.process);
    if (up != table.processes.end() && up->second.pending) return false;
    if (listed.empty()) {
      for (const PendingTable::PendingRow& row : table.rows) listed.emplace(row.id, row.process);
    }
    return !listed.contains({channel, source.process});
  });
}

/// A name that its living process does not list is free, unless the grant may still be on its way:
/// an unconfirmed one is erased only with its process.
void RootTables::drop_omitted(HostEntry& host, const PendingTable& table) {
  for (const PendingTable::PendingRow& pending : table.rows) {
    Directory::Entry* const entry = root_.directory.find(pending.id);
    if (entry != nullptr && entry->owner().process() == pending.process) entry->listed = true;
  }
  for (const auto& [id, process] : host.processes) {
    if (process->pending) continue;
    root_.directory.for_each_of(*process, [&](Directory::Entry& entry) {
      if (entry.listed || !entry.confirmed) {
        entry.listed = false;
      } else {
        names_.drop(entry);
      }
    });
  }
}

}  // namespace starbus::bus
