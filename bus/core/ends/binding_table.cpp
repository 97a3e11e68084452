#include "bus/core/ends/binding_table.hpp"

#include <cassert>

namespace starbus::bus {

Binding* BindingTable::find(const ChannelId& channel) const {
  const auto found = bindings_.find(channel);
  return found == bindings_.end() ? nullptr : found->second.get();
}

Binding& BindingTable::add(Name name) {
  const ChannelId channel = name.id();
  auto& slot = bindings_[channel];
  assert(!slot);
  slot = std::make_unique<Binding>(Binding{next_id(), std::move(name)});
  return *slot;
}

void BindingTable::erase(const ChannelId& channel) {
  unanswered.erase(channel);
  moving.erase(channel);
  waiting.erase(channel);
  bindings_.erase(channel);
}

std::vector<std::unique_ptr<Binding>> BindingTable::take_all() {
  std::vector<std::unique_ptr<Binding>> taken;
  taken.reserve(bindings_.size());
  for (auto& [channel, binding] : bindings_) taken.push_back(std::move(binding));
  bindings_.clear();
  unanswered.clear();
  moving.clear();
  waiting.clear();
  return taken;
}

}  // namespace starbus::bus
