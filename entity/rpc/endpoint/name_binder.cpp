#include "entity/rpc/endpoint/name_binder.hpp"

#include <boost/asio/post.hpp>
#include <utility>

#include "bus/client/bus.hpp"
#include "entity/rpc/endpoint/endpoint_core.hpp"

namespace starbus::entity::rpc {

void NameBinder::release(Slot& slot) {
  core_.bindings.release(slot);
  core_.local.released(slot);
}

bus::Handlers NameBinder::handlers(SlotRef slot) {
  bus::Handlers made;
  made.on_message = [self = self_, slot](bus::Message& message) {
    if (*self != nullptr) (*self)->core_.dispatcher.dispatch(slot, message, nullptr);
  };
  made.on_call = [self = self_, slot](bus::Call& call) {
    if (*self != nullptr) (*self)->core_.dispatcher.dispatch(slot, call, &call);
  };
  return made;
}

// --- binding -------------------------------------------------------------------------------------

void NameBinder::bind(std::string name, CallableBase& host, BoundDone done) {
  const SlotRef slot = core_.bindings.take(host);
  core_.gates.when_known([this, slot, name = std::move(name),
                          done = std::move(done)](const bus::Result<>& known) mutable {
    if (known) return bind_now(slot, std::move(name), std::move(done));
    if (Slot* taken = core_.bindings.find(slot)) release(*taken);
    done(known.error());
  });
}

void NameBinder::bind_now(SlotRef ref, std::string name, BoundDone done) {
  core_.bus.bind(std::move(name), handlers(ref),
                 [this, self = self_, ref, done = std::move(done)](bus::Result<bus::Bound> bound) {
                   if (*self == nullptr) return done(bus::Error(bus::Errc::closed));
                   Slot* slot = core_.bindings.find(ref);
                   if (slot == nullptr) {
                     if (bound) core_.bus.unbind(bound->name, [](const bus::Result<>&) {});
                     return done(bound ? bus::Error(bus::Errc::not_bound, "its object has ended")
                                       : bound.error());
                   }
                   if (bound) {
                     core_.bindings.name(*slot, bound->name);
                   } else {
                     release(*slot);
                   }
                   done(std::move(bound));
                 });
}

bus::Handlers NameBinder::adopt(std::string name, CallableBase& host) {
  const SlotRef slot = core_.bindings.take(host);
  core_.bindings.name(*core_.bindings.find(slot), std::move(name));
  core_.gates.start();
  return handlers(slot);
}

void NameBinder::unbind(const std::string& name, Done done) {
  if (Slot* slot = core_.bindings.find(name)) release(*slot);
  core_.bus.unbind(name, std::move(done));
}

/// The bus goes on to call the handlers of the place, which find no object.
std::vector<std::string> NameBinder::retire(CallableBase& host) {
  std::vector<std::string> names;
  for (const SlotRef ref : core_.bindings.named_slots_of(host)) {
    Slot& slot = *core_.bindings.find(ref);
    names.push_back(*slot.name);
    release(slot);
  }
  return names;
}

void NameBinder::host_ended(Slot& slot) {
  const auto name = slot.name;
  release(slot);
  if (!name) return;  // not granted yet: bind_now gives it up
  core_.bus.unbind(*name, [](const bus::Result<>&) {});
}

void NameBinder::lease_lost() {
  for (Slot& slot : core_.bindings.slots()) {
    if (slot.host == nullptr || !slot.name) continue;  // the bus ends the binds under way
    release(slot);
  }
}

// --- moving --------------------------------------------------------------------------------------

/// The move begins when no message is held by a fence; new messages then need no fence.
void NameBinder::move(const std::string& name, std::string target, Freeze freeze, Done done) {
  Slot* slot = core_.bindings.find(name);
  if (slot == nullptr || slot->moving) {
    // Not bound at this endpoint, or moving already: the bus refuses it.
    core_.bus.move(name, std::move(target), std::move(freeze), std::move(done));
    return;
  }
  slot->moving = true;
  moves_.push_back({slot->ref, std::move(target), std::move(freeze), std::move(done)});
  begin_moves();
}

void NameBinder::begin_moves() {
  for (std::size_t i = 0; i < moves_.size();) {
    Slot* slot = core_.bindings.find(moves_[i].slot);
    if (slot != nullptr && core_.local.fencing(*slot)) {
      ++i;
      continue;
    }
    Move move = std::move(moves_[i]);
    moves_.erase(moves_.begin() + static_cast<std::ptrdiff_t>(i));
    if (slot != nullptr) {
      begin(*slot, std::move(move));
      continue;
    }
    boost::asio::post(core_.loop, [done = std::move(move.done)] {
      done(bus::Error(bus::Errc::not_bound, "its object has ended"));
    });
  }
}

void NameBinder::begin(Slot& slot, Move move) {
  const SlotRef ref = move.slot;
  core_.bus.move(
      *slot.name, std::move(move.target),
      [self = self_, ref, pack = std::move(move.freeze)] {
        return *self == nullptr ? pack() : (*self)->freeze(ref, pack);
      },
      [self = self_, ref, done = std::move(move.done)](bus::Result<> result) {
        if (*self != nullptr) (*self)->moved(ref, result.has_value());
        done(std::move(result));
      });
}

void NameBinder::moved(SlotRef ref, bool gone) {
  Slot* slot = core_.bindings.find(ref);
  if (slot == nullptr) return;
  slot->moving = slot->packed = false;
  core_.local.require_fences(*slot);
  if (gone) release(*slot);
}

/// The object sees what this process has sent before it ends here; what is sent from now on takes
/// the bus, which holds it for the new owner.
bus::Bytes NameBinder::freeze(SlotRef ref, const Freeze& pack) {
  if (Slot* slot = core_.bindings.find(ref)) {
    core_.local.require_fences(*slot);
    core_.local.run_ready(ref);
    slot = core_.bindings.find(ref);
    if (slot != nullptr) slot->packed = true;
  }
  return pack();
}

}  // namespace starbus::entity::rpc
