#include "entity/rpc/endpoint/held_messages.hpp"

#include <utility>

#include "entity/rpc/endpoint/endpoint_core.hpp"
#include "entity/rpc/limits.hpp"

namespace starbus::entity::rpc {

void HeldMessages::hold(SlotRef to, const bus::Message& message, bus::Call* call) {
  if (size_ >= kMaxHeldMoving) {
    const Error full(Errc::would_block, "the object moves, and too many messages wait for it");
    core_.counters.count(full.code);
    if (call != nullptr) core_.replies.send(call->responder(), full);
    return;
  }
  auto& messages = places_[{to.index, to.generation}];
  if (call != nullptr) {
    messages.emplace_back(call->detach());
  } else {
    messages.emplace_back(message.detach());
  }
  ++size_;
}

void HeldMessages::hand_over(SlotRef to) {
  if (Slot* const slot = core_.bindings.find(to)) slot->packed = false;
  const auto found = places_.find({to.index, to.generation});
  if (found == places_.end()) return;
  std::deque<Held> messages = std::move(found->second);
  places_.erase(found);
  size_ -= messages.size();
  for (Held& each : messages) {
    auto* const call = std::get_if<bus::Call>(&each);
    const bus::Message& message = call != nullptr ? *call : std::get<bus::Message>(each);
    core_.dispatcher.dispatch(to, message, call);
  }
}

}  // namespace starbus::entity::rpc
