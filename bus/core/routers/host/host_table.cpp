#include "bus/core/routers/host/host_table.hpp"

#include <algorithm>

#include "bus/core/wire/name.hpp"

namespace starbus::bus {

Result<Returner> judge_arrival(const LocalProcess& present, std::string_view node,
                               std::uint64_t incarnation, std::int64_t pid, std::uint32_t uid) {
  const std::string who =
      present.name + " (pid " + (present.pid == 0 ? "unknown" : std::to_string(present.pid)) + ")";
  if (present.node != node) {
    return Error{Errc::name_taken, who + " has the same 32-bit slot: choose another node name"};
  }
  // An incarnation is no secret: only the user that has the name may come back under it. kNobody:
  // of a journal that did not keep users.
  if (present.user.uid != uid && present.user.uid != User::kNobody) {
    return Error{Errc::name_taken,
                 who + " of user " + std::to_string(present.user.uid) + " uses this node name"};
  }
  const bool same_pid = present.pid == pid && pid != 0;
  const bool unknown_pid = present.pid == 0 || pid == 0;
  if (incarnation == present.id.incarnation && (same_pid || unknown_pid)) return Returner::same;
  // A newer incarnation with an unknown pid may be a restart or a second process: undecidable
  // before the lease of the present one has ended.
  if (same_pid && incarnation > present.id.incarnation) return Returner::successor;
  if (same_pid) return Error{Errc::name_taken, who + " has a newer bus object under this name"};
  return Error{Errc::name_taken, who + " uses this node name"};
}

HostTable::HostTable(std::string host) : host_(std::move(host)), host_id_(bus::host_id(host_)) {}

LocalProcess& HostTable::add(const Hello& hello, std::int64_t pid) {
  auto process = std::make_unique<LocalProcess>();
  process->id = {host_id_, slot_id(hello.name), hello.incarnation};
  process->node = hello.name;
  process->name = host_ + "." + hello.name;
  process->pid = pid;
  LocalProcess& added = *process;
  processes_[added.id.slot] = std::move(process);
  ++held_[added.user.uid].processes;
  return added;
}

void HostTable::set_user(LocalProcess& process, User user) {
  const std::uint32_t before = process.user.uid;
  const std::size_t names = process.counted;
  count(process, 0);
  process.user = std::move(user);
  ++held_[process.user.uid].processes;
  leave(before);
  count(process, names);
}

void HostTable::leave(std::uint32_t uid) {
  Held& held = held_[uid];
  if (--held.processes == 0) held_.erase(uid);
}

void HostTable::count(LocalProcess& process, std::size_t names) {
  Held& held = held_[process.user.uid];
  held.names += names - process.counted;
  all_names_ += names - process.counted;
  process.counted = names;
}

void HostTable::recount(LocalProcess& process) {
  count(process, process.names.size() + process.claimed.size() + process.moving.size());
}

HostTable::Held HostTable::held_by(std::uint32_t uid) const {
  const auto found = held_.find(uid);
  return found == held_.end() ? Held{} : found->second;
}

void HostTable::count_over_rate(LocalProcess& process) {
  ++process.over_rate;
  count_over_rate(process.user.uid);
}

void HostTable::count_over_rate(std::uint32_t uid) {
  const auto found = held_.find(uid);
  if (found != held_.end()) ++found->second.over_rate;
}

void HostTable::remove(LocalProcess& process) {
  detach(process);
  const auto names = std::exchange(process.names, {});
  for (const ChannelId& channel : names) names_.erase(channel);
  count(process, 0);
  leave(process.user.uid);
  processes_.erase(process.id.slot);
}

LocalProcess* HostTable::by_slot(std::uint32_t slot) {
  const auto found = processes_.find(slot);
  return found == processes_.end() ? nullptr : found->second.get();
}

LocalProcess* HostTable::by_id(const Process& id) {
  LocalProcess* process = by_slot(id.slot);
  return process && process->id == id ? process : nullptr;
}

LocalProcess* HostTable::by_link(LinkId link) {
  const auto found = links_.find(link);
  return found == links_.end() ? nullptr : found->second;
}

void HostTable::attach(LocalProcess& process, LinkId link) {
  process.link = link;
  links_[link] = &process;
}

void HostTable::detach(LocalProcess& process) {
  if (process.link != 0) links_.erase(process.link);
  process.link = 0;
  process.ready = false;
  process.vitals = {};
  process.incoming = {};
  for (auto& lane : process.opened) lane = {};
  process.opened_count = 0;
}

std::vector<LocalProcess*> HostTable::with_pid(std::int64_t pid) {
  std::vector<LocalProcess*> found;
  for_each_process([&](LocalProcess& process) {
    if (process.pid == pid) found.push_back(&process);
  });
  return found;
}

LocalName* HostTable::find(const ChannelId& channel) {
  const auto found = names_.find(channel);
  return found == names_.end() ? nullptr : &found->second;
}

LocalProcess* HostTable::owner_of(const ChannelId& channel) {
  if (channel.high == kProcessTag) {
    if (channel.low >> 32 != host_id_) return nullptr;
    return by_slot(static_cast<std::uint32_t>(channel.low));
  }
  const auto found = names_.find(channel);
  return found == names_.end() ? nullptr : found->second.owner;
}

void HostTable::grant(LocalProcess& process, LocalName name) {
  const ChannelId channel = channel_id(name.name);
  release(channel);
  process.moving.erase(channel);
  process.claimed.erase(channel);
  name.owner = &process;
  names_[channel] = std::move(name);
  process.names.insert(channel);
  recount(process);
}

void HostTable::release(const ChannelId& channel) {
  const auto found = names_.find(channel);
  if (found == names_.end()) return;
  LocalProcess& owner = *found->second.owner;
  owner.names.erase(channel);
  names_.erase(found);
  recount(owner);
}

void HostTable::freeze(LocalProcess& process, const ChannelId& channel, const Ticket& ticket) {
  const auto found = names_.find(channel);
  if (found == names_.end() || found->second.owner != &process) return;
  const LocalName& name = found->second;
  Copy copy{{name.name, name.epoch, name.lineage, RowState::frozen, ticket}, true};
  release(channel);
  process.moving.insert_or_assign(channel, std::move(copy));
  recount(process);
}

void HostTable::forget_copy(LocalProcess& process, const ChannelId& channel, const Ticket& ticket) {
  const auto found = process.moving.find(channel);
  if (found != process.moving.end() && found->second.ticket == ticket) process.moving.erase(found);
  recount(process);
}

void HostTable::replace_names(LocalProcess& process, const std::vector<Row>& rows) {
  boost::unordered_flat_map<ChannelId, LocalName> known;
  for (const ChannelId& channel : std::exchange(process.names, {})) {
    const auto name = names_.find(channel);
    known.emplace(channel, std::move(name->second));
    names_.erase(name);
  }
  const auto copies = std::exchange(process.moving, {});
  process.claimed.clear();
  for (const Row& row : rows) {
    const ChannelId channel = channel_id(row.name);
    if (row.state != RowState::active) {
      const auto copy = copies.find(channel);
      const bool seen = copy != copies.end() && copy->second.seen &&
                        copy->second.ticket == row.ticket && row.state == RowState::frozen;
      process.moving.insert_or_assign(channel, Copy{row, seen});
      continue;
    }
    const auto name = known.find(channel);
    const bool same = name != known.end() && name->second.epoch == row.epoch &&
                      name->second.lineage == row.lineage;
    if (same) {
      grant(process, {row.name, &process, row.epoch, row.lineage, {}, true});
    } else {
      process.claimed.insert_or_assign(channel, row);
    }
  }
  recount(process);
}

void HostTable::confirm_claims(LocalProcess& process) {
  for (const auto& [channel, row] : std::exchange(process.claimed, {})) confirm(process, row);
  recount(process);
}

void HostTable::confirm_claim(LocalProcess& process, const ChannelId& channel, Epoch epoch) {
  const auto claim = process.claimed.find(channel);
  if (claim == process.claimed.end() || claim->second.epoch != epoch) return;
  const Row row = std::move(claim->second);
  process.claimed.erase(claim);
  confirm(process, row);
  recount(process);
}

/// A grant that passed this busd is newer than any table.
void HostTable::confirm(LocalProcess& process, const Row& row) {
  const LocalName* const present = find(channel_id(row.name));
  const bool newer = present && (present->ticket || present->epoch >= row.epoch);
  if (newer && present->owner != &process) return;
  grant(process, {row.name, &process, row.epoch, row.lineage, {}, true});
}

void HostTable::drop_claim(LocalProcess& process, const ChannelId& channel, Epoch epoch) {
  const auto claim = process.claimed.find(channel);
  if (claim != process.claimed.end() && claim->second.epoch <= epoch) process.claimed.erase(claim);
  recount(process);
}

void HostTable::leave_out(LocalProcess& process, const ChannelId& channel) {
  process.claimed.erase(channel);
  const auto copy = process.moving.find(channel);
  if (copy != process.moving.end() && !copy->second.seen) process.moving.erase(copy);
  recount(process);
}

std::vector<Row> HostTable::rows_of(const LocalProcess& process) const {
  std::vector<Row> rows;
  rows.reserve(process.names.size() + process.claimed.size() + process.moving.size());
  for (const ChannelId& channel : process.names) {
    const LocalName& name = names_.at(channel);
    const bool sure = name.confirmed || !name.ticket;
    rows.push_back({name.name, name.epoch, name.lineage,
                    sure ? RowState::active : RowState::granted, name.ticket});
  }
  for (const auto& [channel, row] : process.claimed) rows.push_back(row);
  for (const auto& [channel, copy] : process.moving) rows.push_back(copy);
  return rows;
}

std::vector<const LocalName*> HostTable::page(std::string_view prefix, std::string_view after,
                                              std::size_t limit) const {
  const auto earlier = [](const LocalName* a, const LocalName* b) { return a->name < b->name; };
  std::vector<const LocalName*> best;  // a heap, the last of the page on top
  if (limit == 0) return best;
  for (const auto& [channel, name] : names_) {
    if (!name.name.starts_with(prefix) || name.name <= after) continue;
    if (best.size() == limit) {
      if (!earlier(&name, best.front())) continue;
      std::ranges::pop_heap(best, earlier);
      best.pop_back();
    }
    best.push_back(&name);
    std::ranges::push_heap(best, earlier);
  }
  std::ranges::sort_heap(best, earlier);
  return best;
}

std::size_t HostTable::count(std::string_view prefix) const {
  if (prefix.empty()) return names_.size();
  return static_cast<std::size_t>(std::ranges::count_if(
      names_, [&](const auto& entry) { return entry.second.name.starts_with(prefix); }));
}

}  // namespace starbus::bus
