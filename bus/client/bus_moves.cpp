// Names that leave for another process, and arrive; and the end of the lease.
#include "bus/client/bus_core.hpp"

namespace starbus::bus {

// --- leaving -------------------------------------------------------------------------------------

/// Which incarnation the target is, a watch of its host's processes tells.
void BusCore::move(const std::string& name, const std::string& target,
                   std::function<Bytes()> freeze, Done<> done) {
  if (closed_ || closing_) return complete<void>(std::move(done), Error{Errc::closed});
  const std::size_t dot = target.find('.');
  if (dot == std::string::npos || !check_node_name(target.substr(0, dot)) ||
      !check_node_name(target.substr(dot + 1))) {
    return complete<void>(std::move(done), Error{Errc::bad_name, "'" + target + "': HOST.NODE"});
  }
  const std::string prefix = "process/" + target.substr(0, dot + 1);
  auto watched = watch_internally(prefix);
  if (!watched) return complete<void>(std::move(done), watched.error());
  auto begin = [this, name, target, freeze = std::move(freeze), done = std::move(done)]() mutable {
    start_move(name, target, std::move(freeze), std::move(done));
  };
  const RowSet* rows = process_.rows(prefix);
  if (rows && rows->complete()) return begin();
  (*watched)->when_complete.emplace_back(std::move(begin));
}

void BusCore::start_move(const std::string& name, const std::string& target,
                         std::function<Bytes()> freeze, Done<> done) {
  if (closed_) return complete<void>(std::move(done), Error{Errc::closed});
  const std::string process = "process/" + target;
  const RowSet* rows = process_.rows(process.substr(0, process.find('.') + 1));
  if (!rows || !rows->rows().contains(process)) {
    return complete<void>(std::move(done), Error{Errc::no_owner, "no process " + target});
  }
  const WatchRow& row = rows->rows().find(process)->second;
  const auto found = bond_by_name_.find(name);
  if (found == bond_by_name_.end()) return complete<void>(std::move(done), Error{Errc::not_bound});
  Bond& bond = *bonds_.at(found->second);
  if (bond.moved) return complete<void>(std::move(done), Error{Errc::busy, name + " is moving"});
  if (auto begun = process_.move(bond.channel, row.owner, row.lineage); !begun) {
    return complete<void>(std::move(done), begun.error());
  }
  bond.freeze = std::move(freeze);
  bond.moved = std::move(done);
  link_.want_pump(0);
}

Bytes BusCore::on_freeze(BindingId binding) {
  const auto found = bonds_.find(binding);
  if (found == bonds_.end()) return {};
  const auto bond = found->second;
  readers_.owned(bond->channel, Epoch{});
  const auto freeze = std::exchange(bond->freeze, nullptr);
  return freeze ? freeze() : Bytes();
}

void BusCore::on_moved(BindingId binding) {
  const auto bond = forget_bond(binding);
  if (bond) complete<void>(std::exchange(bond->moved, nullptr), {});
}

void BusCore::on_move_failed(BindingId binding, Epoch epoch, const Error& reason) {
  const auto found = bonds_.find(binding);
  if (found == bonds_.end()) return;
  readers_.owned(found->second->channel, epoch);
  found->second->freeze = nullptr;
  complete<void>(std::exchange(found->second->moved, nullptr), reason);
}

std::shared_ptr<BusCore::Bond> BusCore::forget_bond(BindingId binding) {
  const auto found = bonds_.find(binding);
  if (found == bonds_.end()) return nullptr;
  auto bond = std::move(found->second);
  bonds_.erase(found);
  bond_by_name_.erase(*bond->name);
  if (!bond->asked.empty()) bond_by_name_.erase(bond->asked);
  readers_.disowned(bond->channel, {Errc::not_bound, *bond->name});
  return bond;
}

// --- arriving ------------------------------------------------------------------------------------

void BusCore::on_arrival(std::string prefix, ArrivalHandlers handlers) {
  arrivals_.insert_or_assign(std::move(prefix), std::move(handlers));
}

const ArrivalHandlers* BusCore::arrival_handlers(std::string_view name) const {
  const ArrivalHandlers* best = nullptr;
  std::size_t longest = 0;
  for (const auto& [prefix, handlers] : arrivals_) {
    if (!name.starts_with(prefix) || (best && prefix.size() < longest)) continue;
    best = &handlers;
    longest = prefix.size();
  }
  return best;
}

Result<> BusCore::on_arriving(const std::string& name, const Process&, ByteView state) {
  const ArrivalHandlers* handlers = arrival_handlers(name);
  if (closing_ || !handlers || !handlers->arrived) {
    return Error{Errc::move_refused, options_.node + " takes in no " + name};
  }
  return handlers->accept ? handlers->accept(name, state) : Result<>();
}

void BusCore::on_arrived(BindingId binding, const std::string& name, Epoch epoch, Bytes state) {
  auto bond = std::make_shared<Bond>();
  bond->name = std::make_shared<const std::string>(name);
  bond->channel = channel_id(name);
  bonds_.emplace(binding, bond);
  bond_by_name_[name] = binding;
  Arrival arrival{name, epoch, std::move(state)};
  if (const ArrivalHandlers* handlers = arrival_handlers(name); handlers && handlers->arrived) {
    bond->handlers = handlers->arrived(arrival);
  }
}

// --- the lease -----------------------------------------------------------------------------------

void BusCore::end_bond(const Bond& bond, const Error& reason) {
  complete<Bound>(bond.bound, reason);
  complete<void>(bond.moved, reason);
  for (const auto& done : bond.unbound) complete<void>(done, {});
}

void BusCore::on_lease_lost() {
  const Error reason{Errc::lease_lost, "cut off from busroot for the length of the lease"};
  bond_by_name_.clear();
  readers_.lease_lost(reason);
  for (const auto& [id, bond] : std::exchange(bonds_, {})) end_bond(*bond, reason);
  while (!calls_.empty()) end_call(calls_.begin()->first, reason);
  if (on_lease_end) on_lease_end();
}

}  // namespace starbus::bus
