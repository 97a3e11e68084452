// Objects and their names: binding, unbinding, moving; who gates are.
#include "entity/rpc/endpoint.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cassert>

namespace starbus::entity::rpc {

Endpoint::Endpoint(bus::Bus& bus)
    : bus_(bus),
      loop_(bus.loop()),
      self_(std::make_shared<Endpoint*>(this)),
      dictionary_(&Dictionary::of_process()),
      deadline_timer_(loop_),
      retry_timer_(loop_),
      methods_(dictionary_->methods().size()) {
  bus_.on_lease_lost([self = self_] {
    if (*self != nullptr) (*self)->lease_lost();
  });
  watch_gates();
}

Endpoint::~Endpoint() {
  *self_ = nullptr;
  for (Slot& slot : slots_) {
    if (slot.host == nullptr) continue;
    std::erase_if(slot.host->ties_->bindings,
                  [this](const HostBase::Binding& binding) { return binding.endpoint == this; });
    release(slot);
  }
  for (Turn* turn = innermost_; turn != nullptr; turn = turn->outer_) turn->endpoint_ = nullptr;
  while (first_running_ != nullptr) first_running_->kill();
  while (!ready_.empty()) {
    const std::unique_ptr<LocalMessage> message(ready_.pop());
    message->fail(*this, Errc::closed);
  }
  while (first_call_ != nullptr) first_call_->endpoint_ended();
}

// --- places --------------------------------------------------------------------------------------

SlotRef Endpoint::take_slot(HostBase& host) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back().ref = {free_slots_.back(), 0};
  }
  Slot& slot = slots_[free_slots_.back()];
  free_slots_.pop_back();
  slot.host = &host;
  slot.ticks = 0;
  slot.load = &loads_[&host.rpc_class()];
  ++slot.load->objects;
  host.ties().bindings.push_back({this, slot.ref.index});
  return slot.ref;
}

Slot* Endpoint::find(SlotRef ref) {
  if (ref.index >= slots_.size()) return nullptr;
  Slot& slot = slots_[ref.index];
  return slot.ref.generation == ref.generation && slot.host != nullptr ? &slot : nullptr;
}

SlotRef Endpoint::slot_of(const HostBase& host) const {
  const HostBase& bound = host.ties_ && host.ties_->owner != nullptr ? *host.ties_->owner : host;
  if (bound.ties_) {
    for (const HostBase::Binding& binding : bound.ties_->bindings) {
      if (binding.endpoint == this) return slots_[binding.slot].ref;
    }
  }
  return kNowhere;
}

void Endpoint::charge(SlotRef slot, std::uint64_t passed) {
  Slot* const charged = find(slot);
  if (charged == nullptr) return;
  charged->ticks += passed;
  charged->load->ticks += passed;
  ++charged->load->turns;
  charged->host->ties_->busy.add(passed);  // it is bound, so it has ties
}

WorkTicks& Endpoint::work_of(const HostBase& host, const MethodInfo* method) {
  if (method != nullptr) return methods_[method->index];
  SpawnedLoad& load = spawned_[&host.rpc_class()];
  ++load.coroutines;
  return load;
}

void Endpoint::activate(Slot& slot, std::string name) {
  slot.channel = bus::channel_id(name);
  slot.name = std::make_shared<const std::string>(std::move(name));
  by_id_[slot.channel] = slot.ref.index;
  by_name_[*slot.name] = slot.ref.index;
}

void Endpoint::release(Slot& slot) {
  if (slot.name) {
    by_name_.erase(*slot.name);
    by_id_.erase(slot.channel);
  }
  slot.host = nullptr;
  --slot.load->objects;
  slot.name = nullptr;
  slot.moving = false;
  ++slot.ref.generation;
  free_slots_.push_back(slot.ref.index);
  for (LocalLane& lane : slot.lanes) {
    lane.state = LocalLane::State::unfenced;
    ready_.append(lane.held);  // where they find nobody, in order
  }
  schedule();
}

void Endpoint::host_ended(std::uint32_t index) {
  Slot& slot = slots_[index];
  const auto name = slot.name;
  release(slot);
  if (!name) return;  // not granted yet: gives it back when it is
  bus_.unbind(*name, [](const bus::Result<>&) {});
}

// --- binding -------------------------------------------------------------------------------------

bus::Handlers Endpoint::handlers(SlotRef slot) {
  bus::Handlers made;
  made.on_message = [self = self_, slot](bus::Message& message) {
    if (*self != nullptr) (*self)->dispatch(slot, message, nullptr);
  };
  made.on_call = [self = self_, slot](bus::Call& call) {
    if (*self != nullptr) (*self)->dispatch(slot, call, &call);
  };
  return made;
}

void Endpoint::start_bind(std::string name, HostBase& host, Done<bus::Bound> done) {
  const SlotRef slot = take_slot(host);
  if (gates_.known()) return bind_now(slot, std::move(name), std::move(done));
  until_gates_.emplace_back([this, slot, name = std::move(name),
                             done = std::move(done)](const bus::Result<>& known) mutable {
    if (known) return bind_now(slot, std::move(name), std::move(done));
    if (Slot* taken = find(slot)) {
      std::erase_if(taken->host->ties().bindings, [&](const HostBase::Binding& binding) {
        return binding.endpoint == this && binding.slot == slot.index;
      });
      release(*taken);
    }
    done(known.error());
  });
  watch_gates();
}

void Endpoint::bind_now(SlotRef ref, std::string name, Done<bus::Bound> done) {
  bus_.bind(std::move(name), handlers(ref),
            [this, self = self_, ref, done = std::move(done)](bus::Result<bus::Bound> bound) {
              if (*self == nullptr) return done(bus::Error(bus::Errc::closed));
              Slot* slot = find(ref);
              if (slot == nullptr) {
                if (bound) bus_.unbind(bound->name, [](const bus::Result<>&) {});
                return done(bound ? bus::Error(bus::Errc::not_bound, "its object has ended")
                                  : bound.error());
              }
              if (bound) {
                activate(*slot, bound->name);
              } else {
                std::erase_if(slot->host->ties().bindings, [&](const HostBase::Binding& binding) {
                  return binding.endpoint == this && binding.slot == ref.index;
                });
                release(*slot);
              }
              done(std::move(bound));
            });
}

bus::Handlers Endpoint::adopt(std::string name, HostBase& host) {
  const SlotRef slot = take_slot(host);
  activate(*find(slot), std::move(name));
  watch_gates();
  return handlers(slot);
}

void Endpoint::start_unbind(const std::string& name, Done<void> done) {
  if (Slot* slot = local(name)) {
    std::erase_if(slot->host->ties().bindings, [&](const HostBase::Binding& binding) {
      return binding.endpoint == this && binding.slot == slot->ref.index;
    });
    release(*slot);
  }
  bus_.unbind(name, std::move(done));
}

/// The bus goes on to call handlers() of the place, which find nobody.
std::vector<std::string> Endpoint::retire(HostBase& host) {
  std::vector<std::string> names;
  if (!host.ties_) return names;
  std::erase_if(host.ties_->bindings, [&](const HostBase::Binding& binding) {
    if (binding.endpoint != this || !slots_[binding.slot].name) return false;
    names.push_back(*slots_[binding.slot].name);
    release(slots_[binding.slot]);
    return true;
  });
  return names;
}

void Endpoint::lease_lost() {
  for (Slot& slot : slots_) {
    if (slot.host == nullptr || !slot.name) continue;  // what is being bound is told by the bus
    std::erase_if(slot.host->ties().bindings, [&](const HostBase::Binding& binding) {
      return binding.endpoint == this && binding.slot == slot.ref.index;
    });
    release(slot);
  }
  if (on_lease_lost_) on_lease_lost_();
}

// --- moving --------------------------------------------------------------------------------------

/// The move begins when no message is held behind a fence; then new ones need none any more.
void Endpoint::start_move(const std::string& name, std::string target,
                          std::function<bus::Bytes()> pack, Done<void> done) {
  Slot* slot = local(name);
  if (slot == nullptr || slot->moving) {
    // Not of this endpoint, or moving already: the bus says so.
    bus_.move(name, std::move(target), std::move(pack), std::move(done));
    return;
  }
  slot->moving = true;
  moves_.push_back({slot->ref, std::move(target), std::move(pack), std::move(done)});
  begin_moves();
}

void Endpoint::begin_moves() {
  for (std::size_t i = 0; i < moves_.size();) {
    Slot* slot = find(moves_[i].slot);
    const bool fencing =
        slot != nullptr && std::ranges::any_of(slot->lanes, [](const LocalLane& lane) {
          return lane.state == LocalLane::State::fencing;
        });
    if (fencing) {
      ++i;
      continue;
    }
    Move move = std::move(moves_[i]);
    moves_.erase(moves_.begin() + static_cast<std::ptrdiff_t>(i));
    if (slot == nullptr) {
      boost::asio::post(loop_, [done = std::move(move.done)] {
        done(bus::Error(bus::Errc::not_bound, "its object has ended"));
      });
      continue;
    }
    const SlotRef ref = move.slot;
    bus_.move(
        *slot->name, std::move(move.target),
        [this, self = self_, ref, pack = std::move(move.freeze)] {
          return *self == nullptr ? pack() : freeze(ref, pack);
        },
        [this, self = self_, ref, done = std::move(move.done)](bus::Result<> moved) {
          if (Slot* left = *self != nullptr ? find(ref) : nullptr) {
            left->moving = false;
            for (LocalLane& lane : left->lanes) lane.state = LocalLane::State::unfenced;
            if (moved) {
              std::erase_if(left->host->ties().bindings, [&](const HostBase::Binding& binding) {
                return binding.endpoint == this && binding.slot == ref.index;
              });
              release(*left);
            }
          }
          done(std::move(moved));
        });
  }
}

/// What this process has sent and the object has not seen comes before its end here; what it sends
/// from now on takes the bus, which holds it for the new owner.
bus::Bytes Endpoint::freeze(SlotRef ref, const std::function<bus::Bytes()>& pack) {
  if (Slot* slot = find(ref)) {
    for (LocalLane& lane : slot->lanes) lane.state = LocalLane::State::unfenced;
    LocalQueue last;
    ready_.extract(ref, last);
    while (!last.empty()) {
      const std::unique_ptr<LocalMessage> message(last.pop());
      --local_messages_;
      run(*message);
    }
  }
  return pack();
}

// --- gates ---------------------------------------------------------------------------------------

void Endpoint::watch_gates() {
  if (gates_.known() || watching_gates_) return;
  watching_gates_ = true;
  auto watch = bus_.watch(
      std::string(Gates::kPrefix),
      [this, self = self_](const bus::WatchUpdate& update) {
        if (*self != nullptr) update_gates(update.changes, update.complete);
      },
      [this, self = self_](const bus::Error& error) {
        if (*self != nullptr) gates_known(error);
      });
  if (watch) {
    gates_watch_ = std::move(*watch);
  } else {
    boost::asio::post(loop_, [this, self = self_, error = watch.error()] {
      if (*self != nullptr) gates_known(error);
    });
  }
}

void Endpoint::update_gates(const std::vector<bus::WatchRow>& changes, bool complete) {
  const bool before = gates_.known();
  gates_.update(changes, complete);
  if (!before && gates_.known()) gates_known({});
}

void Endpoint::start_ready(Done<void> done) {
  if (gates_.known()) {
    boost::asio::post(loop_, [done = std::move(done)] { done({}); });
    return;
  }
  until_gates_.push_back(std::move(done));
  watch_gates();
}

void Endpoint::gates_known(const bus::Result<>& result) {
  if (!result) watching_gates_ = false;  // the next who needs it tries again
  for (auto& waiting : std::exchange(until_gates_, {})) waiting(result);
}

}  // namespace starbus::entity::rpc
