#include "entity/rpc/endpoint/binding_table.hpp"

#include <algorithm>
#include <cassert>

#include "entity/rpc/callable.hpp"

namespace starbus::entity::rpc {

SlotRef BindingTable::take(CallableBase& host) {
  thread_.check();
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back().ref = {free_.back(), 0};
  }
  Slot& slot = slots_[free_.back()];
  assert(slot.host == nullptr);
  free_.pop_back();
  slot.host = &host;
  slot.ticks = 0;
  slot.queued = 0;
  slot.load = &loads_[&host.rpc_class()];
  ++slot.load->objects;
  host.ties().bindings.push_back({this, slot.ref.index});
  return slot.ref;
}

void BindingTable::name(Slot& slot, std::string name) {
  thread_.check();
  assert(slot.host != nullptr && !slot.name);
  slot.channel = bus::channel_id(name);
  slot.name = std::make_shared<const std::string>(std::move(name));
  by_id_[slot.channel] = slot.ref.index;
  by_name_[*slot.name] = slot.ref.index;
}

void BindingTable::release(Slot& slot) {
  thread_.check();
  assert(slot.host != nullptr);
  std::erase_if(slot.host->ties().bindings, [&](const CallableBase::Binding& binding) {
    return binding.table == this && binding.slot == slot.ref.index;
  });
  if (slot.name) {
    by_name_.erase(*slot.name);
    by_id_.erase(slot.channel);
  }
  slot.host = nullptr;
  --slot.load->objects;
  slot.name = nullptr;
  slot.moving = false;
  slot.packed = false;
  ++slot.ref.generation;
  free_.push_back(slot.ref.index);
}

Slot* BindingTable::find(SlotRef ref) {
  if (ref.index >= slots_.size()) return nullptr;
  Slot& slot = slots_[ref.index];
  return slot.ref.generation == ref.generation && slot.host != nullptr ? &slot : nullptr;
}

Slot* BindingTable::find(const Address& to) {
  if (to.name() != nullptr) {
    const auto found = by_id_.find(to.name()->id());
    return found == by_id_.end() ? nullptr : &slots_[found->second];
  }
  const auto found = by_name_.find(to.text());
  return found == by_name_.end() ? nullptr : &slots_[found->second];
}

SlotRef BindingTable::slot_of(const CallableBase& host) const {
  const CallableBase& bound =
      host.ties_ && host.ties_->owner != nullptr ? *host.ties_->owner : host;
  if (bound.ties_) {
    for (const CallableBase::Binding& binding : bound.ties_->bindings) {
      if (binding.table == this) return slots_[binding.slot].ref;
    }
  }
  return kNowhere;
}

std::vector<SlotRef> BindingTable::named_slots_of(const CallableBase& host) const {
  std::vector<SlotRef> named;
  if (!host.ties_) return named;
  for (const CallableBase::Binding& binding : host.ties_->bindings) {
    if (binding.table == this && slots_[binding.slot].name) {
      named.push_back(slots_[binding.slot].ref);
    }
  }
  return named;
}

std::string_view BindingTable::channel_of(const CallableBase& host) const {
  if (!host.ties_) return {};
  for (const CallableBase::Binding& binding : host.ties_->bindings) {
    if (binding.table == this && slots_[binding.slot].name) return *slots_[binding.slot].name;
  }
  return {};
}

bus::ChannelId BindingTable::channel_id_of(const CallableBase& host) const {
  if (!host.ties_) return {};
  if (host.ties_->owner != nullptr) return channel_id_of(*host.ties_->owner);
  for (const CallableBase::Binding& binding : host.ties_->bindings) {
    if (binding.table == this && slots_[binding.slot].name) return slots_[binding.slot].channel;
  }
  return {};
}

const CallableBase* BindingTable::bound_at(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : slots_[found->second].host;
}

void BindingTable::charge(SlotRef slot, std::uint64_t passed) {
  Slot* const charged = find(slot);
  if (charged == nullptr) return;
  charged->ticks += passed;
  charged->load->ticks += passed;
  ++charged->load->turns;
  charged->host->ties_->busy.add(passed);  // it is bound, so it has ties
}

}  // namespace starbus::entity::rpc
