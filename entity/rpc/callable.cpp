#include "entity/rpc/callable.hpp"

#include <algorithm>
#include <utility>

#include "entity/rpc/call_state.hpp"
#include "entity/rpc/endpoint/binding_table.hpp"
#include "entity/rpc/limits.hpp"
#include "entity/rpc/running.hpp"

namespace starbus::entity::rpc {

CallableBase::CallableBase() = default;

CallableBase::Ties& CallableBase::make_ties() {
  ties_ = std::make_unique<Ties>();
  return *ties_;
}

CallableBase::~CallableBase() {
  close_rpc();
}

namespace {

/// Whether objects of the two classes have methods in common.
bool overlap(const ClassInfo* a, const ClassInfo* b) {
  for (const ClassInfo* at = b; at != nullptr; at = at->parent) {
    if (a->is_a(at)) return true;
  }
  return false;
}

}  // namespace

Result<> CallableBase::attach(CallableBase& component) {
  const Error duplicate(Errc::duplicate, std::string(component.class_->name));
  if (overlap(class_, component.class_)) return duplicate;
  auto& all = ties().components;
  for (const Component& other : all) {
    if (other.host != nullptr && overlap(other.info, component.class_)) return duplicate;
  }
  const auto same = std::ranges::find(all, component.class_, &Component::info);
  if (component.ties().owner != nullptr) {
    return Error(Errc::duplicate, "it belongs to another object");
  }
  if (same != all.end()) {
    same->host = &component;
  } else if (all.size() >= kMaxComponents) {
    return Error(Errc::too_many_components);
  } else {
    all.push_back({component.class_, &component});
  }
  component.ties().owner = this;
  return {};
}

void CallableBase::detach(CallableBase& component) {
  if (!ties_) return;
  const auto found = std::ranges::find(ties_->components, &component, &Component::host);
  if (found == ties_->components.end()) return;
  found->host = nullptr;
  component.ties().owner = nullptr;
}

CallableBase* CallableBase::search_object(const ClassInfo* owner, Errc& why) {
  if (class_->is_a(owner)) return this;
  Errc missing = Errc::no_such_component;
  if (ties_) {
    for (const Component& component : ties_->components) {
      if (!component.info->is_a(owner)) continue;
      if (component.host != nullptr) return component.host;
      missing = Errc::rpc_not_found;
    }
  }
  why = missing;
  return nullptr;
}

void CallableBase::close_rpc() {
  if (!ties_) return;
  ties_->pause = nullptr;
  // Each end may call this again, or add more to the lists.
  while (!ties_->bindings.empty()) {
    const Binding binding = ties_->bindings.back();
    ties_->bindings.pop_back();
    binding.table->host_ended(binding.slot);
  }
  while (ties_->running != nullptr) ties_->running->kill();
  while (ties_->calls != nullptr) ties_->calls->owner_ended();
  if (ties_->owner != nullptr) ties_->owner->detach(*this);
  for (Component& component : ties_->components) {
    if (component.host != nullptr) component.host->ties().owner = nullptr;
    component.host = nullptr;
  }
}

std::vector<const CallableBase*> CallableBase::rpc_components() const {
  std::vector<const CallableBase*> all;
  if (!ties_) return all;
  for (const Component& component : ties_->components) {
    if (component.host != nullptr) all.push_back(component.host);
  }
  return all;
}

void CallableBase::add_busy(std::uint64_t ticks_passed) {
  CallableBase& object = ties_ && ties_->owner != nullptr ? *ties_->owner : *this;
  Ties& all = object.ties();
  all.busy.add(ticks_passed);
  if (all.bindings.empty()) return;
  const Binding& first = all.bindings.front();
  first.table->add_ticks(first.slot, ticks_passed);
}

std::size_t CallableBase::rpc_coroutines() const {
  return ties_ ? ties_->coroutines : 0;
}

void CallableBase::limit_coroutines(std::size_t most) {
  ties().most_coroutines =
      static_cast<std::uint32_t>(std::clamp<std::size_t>(most, 1, kMaxRunning));
}

std::size_t CallableBase::most_coroutines() const {
  return ties_ && ties_->most_coroutines != 0 ? ties_->most_coroutines : kMaxRunningPerHost;
}

// --- pauses --------------------------------------------------------------------------------------

CallableBase::Pause& CallableBase::pause() {
  if (!ties().pause) ties().pause = std::make_unique<Pause>();
  return *ties().pause;
}

namespace {

/// Without those that a coroutine waits for: it counts itself.
std::size_t own_calls(const CallState* first) {
  std::size_t count = 0;
  for (const CallState* at = first; at != nullptr; at = at->next_of_owner()) {
    if (!at->awaited()) ++count;
  }
  return count;
}

}  // namespace

void CallableBase::pause_rpc(bool admits) {
  pause().on = true;
  pause().admits = admits;
}

void CallableBase::resume_rpc() {
  if (!ties_ || !ties_->pause || !std::exchange(ties_->pause->on, false)) return;
  // One of them may end the object, or pause it again: then the rest is held again, in order.
  const auto held = std::exchange(ties_->pause->held, {});
  for (const auto& each : held) each->go_on();
}

std::size_t CallableBase::rpc_under_way() const {
  if (!ties_) return 0;
  std::size_t count = ties_->coroutines + own_calls(ties_->calls);
  for (const Component& component : ties_->components) {
    if (component.host != nullptr) count += component.host->rpc_under_way();
  }
  return count;
}

std::size_t CallableBase::rpc_owned_calls() const {
  if (!ties_) return 0;
  std::size_t count = own_calls(ties_->calls);
  for (const Component& component : ties_->components) {
    if (component.host != nullptr) count += component.host->rpc_owned_calls();
  }
  return count;
}

std::vector<std::string> CallableBase::rpc_running(std::size_t most) const {
  std::vector<std::string> names;
  if (!ties_) return names;
  for (const Running* at = ties_->running.get(); at != nullptr; at = at->next_of_object()) {
    if (names.size() < most) names.push_back(at->name());
  }
  for (const Component& component : ties_->components) {
    if (component.host == nullptr || names.size() >= most) continue;
    for (std::string& name : component.host->rpc_running(most - names.size())) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

void CallableBase::when_rpc_idle(std::function<void()> idle) {
  pause().idle = std::move(idle);
}

void CallableBase::rpc_ended() {
  if (!ties_ || !ties_->pause || !ties_->pause->idle || rpc_under_way() != 0) return;
  std::exchange(ties_->pause->idle, nullptr)();
}

}  // namespace starbus::entity::rpc
