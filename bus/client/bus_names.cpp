// Owning names: exact ones, instances of shared names, members of groups.
#include "bus/client/bus_core.hpp"

namespace starbus::bus {

void BusCore::bind(std::string name, Handlers handlers, Done<Bound> done) {
  if (closed_ || closing_) return complete<Bound>(std::move(done), Error{Errc::closed});
  if (auto checked = check_channel_name(name); !checked) {
    return complete<Bound>(std::move(done), checked.error());
  }
  if (name.starts_with("process/")) {
    return complete<Bound>(std::move(done),
                           Error{Errc::denied, "process/ names belong to the bus"});
  }
  link_.start_clock();
  if (is_group_name(name)) {
    const Done<> when_connected = [this, name, handlers = std::move(handlers),
                                   done = std::move(done)](Result<> connected) mutable {
      if (!connected) return complete<Bound>(std::move(done), connected.error());
      bind_exact(name + "#" + process_.host() + "." + process_.node(), name, 0, std::move(handlers),
                 std::move(done));
    };
    return connect(when_connected);  // the member's name holds the host's, which busd tells
  }
  if (!is_shared_name(name)) {
    return bind_exact(std::move(name), {}, 0, std::move(handlers), std::move(done));
  }
  auto watched = watch_internally(name + "#");
  if (!watched) return complete<Bound>(std::move(done), watched.error());
  auto begin = [this, name, handlers = std::move(handlers), done = std::move(done)]() mutable {
    bind_next_instance(name, 0, std::move(handlers), std::move(done));
  };
  const RowSet* rows = process_.rows(name + "#");
  if (rows && rows->complete()) return begin();
  (*watched)->when_complete.emplace_back(std::move(begin));
}

/// The lowest number above `after` that the watch does not show as taken.
void BusCore::bind_next_instance(std::string shared, unsigned after, Handlers handlers,
                                 Done<Bound> done) {
  const RowSet* rows = process_.rows(shared + "#");
  for (unsigned instance = after + 1; instance <= kMaxInstances; ++instance) {
    std::string name = shared + "#" + std::to_string(instance);
    if ((rows && rows->rows().contains(name)) || bond_by_name_.contains(name)) continue;
    return bind_exact(std::move(name), std::move(shared), instance, std::move(handlers),
                      std::move(done));
  }
  complete<Bound>(std::move(done), Error{Errc::too_many_names, shared + " has 4096 instances"});
}

void BusCore::bind_exact(std::string name, std::string asked, unsigned instance, Handlers handlers,
                         Done<Bound> done) {
  if (closed_) return complete<Bound>(std::move(done), Error{Errc::closed});
  const auto binding = process_.bind(name);
  if (!binding) return complete<Bound>(std::move(done), binding.error());
  auto bond = std::make_shared<Bond>();
  bond->name = std::make_shared<const std::string>(name);
  bond->channel = channel_id(name);
  bond->handlers = std::move(handlers);
  bond->bound = std::move(done);
  bond->asked = asked;
  bond->instance = instance;
  bonds_.emplace(*binding, std::move(bond));
  bond_by_name_[name] = *binding;
  if (!asked.empty()) bond_by_name_[asked] = *binding;
  link_.want_pump(0);
}

void BusCore::on_bound(BindingId binding, Epoch epoch) {
  if (binding == process_.process_binding()) {
    for (auto& done : std::exchange(connecting_, {})) complete<void>(std::move(done), {});
    return;
  }
  const auto found = bonds_.find(binding);
  if (found == bonds_.end()) return;
  complete<Bound>(std::exchange(found->second->bound, {}), Bound{*found->second->name, epoch});
}

void BusCore::on_bind_refused(BindingId binding, const Error& reason) {
  if (binding == process_.process_binding()) return shut({Errc::name_taken, reason.detail});
  const auto bond = forget_bond(binding);
  if (!bond) return;
  if (bond->instance != 0 && reason == Errc::already_bound) {
    // Somebody else took this number first.
    bind_next_instance(bond->asked, bond->instance, std::move(bond->handlers),
                       std::move(bond->bound));
  } else {
    complete<Bound>(std::move(bond->bound), reason);
  }
}

void BusCore::unbind(const std::string& name, Done<> done) {
  if (closed_) return complete<void>(std::move(done), Error{Errc::closed});
  const auto found = bond_by_name_.find(name);
  if (found == bond_by_name_.end()) return complete<void>(std::move(done), Error{Errc::not_bound});
  Bond& bond = *bonds_.at(found->second);
  const auto begun = process_.unbind(bond.channel);
  if (!begun && begun.error() == Errc::busy) return complete<void>(std::move(done), begun.error());
  // A second unbind while the first is under way waits for the same answer.
  bond.unbound.push_back(std::move(done));
  link_.want_pump(0);
}

void BusCore::on_unbound(BindingId binding) {
  const auto bond = forget_bond(binding);
  if (!bond) return;
  complete<Bound>(std::move(bond->bound), Error{Errc::not_bound, "unbound before it was granted"});
  for (auto& done : bond->unbound) complete<void>(std::move(done), {});
}

}  // namespace starbus::bus
