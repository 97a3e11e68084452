#include "bus/core/routers/root/ownership.hpp"

#include <cassert>
#include <utility>

#include "bus/core/wire/record_moves.hpp"

namespace starbus::bus {

using Change = WatchPublisher::Change;

Directory::Entry& Ownership::add(const ChannelId& id, std::string_view name, RootProcess& owner,
                                 Epoch epoch, Lineage lineage, std::uint64_t number) {
  assert(epoch && lineage && lineage <= epoch);
  Directory::Entry& entry = root_.directory.insert(id, name, owner);
  entry.epoch = epoch;
  entry.lineage = lineage;
  entry.number = number;
  watches_.publish(entry, Change::added);
  return entry;
}

Result<> Ownership::check_rights(const RootHost& host, std::string_view name) {
  if (!host.rights.may_bind(host.name, name)) {
    return Error{Errc::denied, "host " + host.name + " may not hold " + std::string(name)};
  }
  if (host.names() >= host.rights.max_names) {
    return Error{Errc::too_many_names, "host " + host.name + " may hold " +
                                           std::to_string(host.rights.max_names) + " names"};
  }
  return {};
}

void Ownership::give(Directory::Entry& entry, RootProcess& owner, Epoch epoch, Lineage lineage) {
  assert(epoch && lineage);
  const std::uint32_t from = host_of(entry).id;
  if (&entry.owner() != &owner) root_.directory.change_owner(entry, owner);
  entry.epoch = epoch;
  entry.lineage = lineage;
  entry.number = 0;
  entry.confirmed = false;
  watches_.publish(entry, Change::changed, from);
}

void Ownership::drop(Directory::Entry& entry) {
  const ChannelId id = entry.id();
  root_.moves.erase(id);
  watches_.publish(entry, Change::removed);
  root_.former.add(id, owner_of(entry).host.id, root_.links.now());
  root_.directory.erase(entry);
  routes_.release_held(id);
}

void Ownership::owner_died(Directory::Entry& entry) {
  const RootMove move = root_.move_of(entry);
  RootProcess* const heir = move.source ? root_.find_process(move.source->process) : nullptr;
  if (heir == nullptr) return drop(entry);
  give(entry, *heir, move.source->epoch, move.source->lineage);
  entry.confirmed = true;
  RootMove fallback;
  fallback.moving = move.source->ticket;
  fallback.rollback = true;
  set_move(entry, std::move(fallback));
}

void Ownership::process_died(RootProcess& process) {
  forget_sources([&](const ChannelId&, const RootMove::Source& source) {
    return source.process == process.process();
  });
  root_.directory.for_each_of(process, [&](Directory::Entry& entry) { owner_died(entry); });
  assert(process.names() == 0);
  process.host.processes.erase(process.process());
}

void Ownership::set_move(Directory::Entry& entry, RootMove move) {
  entry.moving = static_cast<bool>(move.moving);
  if (move.idle()) {
    root_.moves.erase(entry.id());
  } else {
    root_.moves[entry.id()] = std::move(move);
  }
}

void Ownership::settle_move(const Directory::Entry& entry) {
  const auto found = root_.moves.find(entry.id());
  if (found == root_.moves.end()) return;
  const RootMove& move = found->second;
  if (entry.confirmed && !move.moving && !move.source) root_.moves.erase(found);
}

void Ownership::tell_moved(const Directory::Entry& entry) {
  const RootMove move = root_.move_of(entry);
  if (!move.source) return;
  if (!entry.confirmed) return;
  RootProcess* const source = root_.find_process(move.source->process);
  if (source) root_.reply(*source, Moved{source->process(), entry.id(), move.source->ticket});
}

void Ownership::forget_sources(const SourceGone& gone) {
  for (auto at = root_.moves.begin(); at != root_.moves.end();) {
    const auto present = at++;  // settle_move may erase it
    RootMove& move = present->second;
    if (!move.source || !gone(present->first, *move.source)) continue;
    move.source.reset();
    settle_move(*root_.directory.find(present->first));
  }
}

}  // namespace starbus::bus
