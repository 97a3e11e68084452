// Messages for objects of this process.
#include <boost/asio/post.hpp>

#include "entity/rpc/endpoint.hpp"

namespace starbus::entity::rpc {
namespace {

std::size_t place_of(bus::Lane lane) {
  return static_cast<std::size_t>(lane) - 1;  // control is the bus' own
}

/// The error of a held call that did not run, however its fence ended.
Error not_run(const bus::Error& fence) {
  Error error = from_bus(fence);
  const bool definite = error == bus::Errc::no_owner || error == bus::Errc::denied;
  if (definite || error.code.is_of<Errc>()) return error;
  return {bus::Errc::no_owner, "did not run: " + fence.to_string()};
}

}  // namespace

Slot* Endpoint::local(const Address& to) {
  if (to.name() != nullptr) {
    const auto found = by_id_.find(to.name()->id());
    return found == by_id_.end() ? nullptr : &slots_[found->second];
  }
  const auto found = by_name_.find(to.text());
  return found == by_name_.end() ? nullptr : &slots_[found->second];
}

LocalQueue* Endpoint::route(Slot& slot, bus::Lane lane) {
  if (lane == bus::Lane::control) return nullptr;
  LocalLane& way = slot.lanes[place_of(lane)];
  if (way.state == LocalLane::State::open) return &ready_;
  if (way.state == LocalLane::State::unfenced) {
    if (slot.moving) return nullptr;
    start_fence(slot.ref, lane);
  }
  return &way.held;
}

void Endpoint::push(LocalQueue& queue, LocalMessage* message) {
  queue.push(message);
  ++local_messages_;
  if (&queue == &ready_ && !scheduled_) schedule();
}

void Endpoint::schedule() {
  if (scheduled_ || ready_.empty()) return;
  scheduled_ = true;
  boost::asio::post(loop_, [self = self_] {
    if (*self != nullptr) (*self)->drain();
  });
}

/// Links and timers wait meanwhile. What methods have taken is counted anyway, so that the clock
/// is not looked at for it.
void Endpoint::drain() {
  const bool measured = measuring_;
  const auto now = [measured] { return measured ? loop_time.charged : ticks(); };
  const std::uint64_t begun = now();
  const std::chrono::milliseconds enough(kLocalPassTime);
  for (std::size_t handled = 0; handled < kLocalPass && !ready_.empty(); ++handled) {
    const std::unique_ptr<LocalMessage> message(ready_.pop());
    --local_messages_;
    run(*message);
    if (longer_than(now() - begun, enough)) break;
  }
  scheduled_ = false;
  schedule();
}

void Endpoint::run(LocalMessage& message) {
  Slot* slot = find(message.slot);
  Errc error = Errc::no_such_entity;
  const MethodInfo& method = *message.method;
  if (slot != nullptr) {
    Caller caller;
    caller.process = bus_.self();
    HostBase* object = nullptr;
    error = admit(*slot, method, caller.process, message.behalf, object, caller.from);
    if (error == Errc::ok) {
      caller.endpoint = this;
      caller.client = message.client;
      caller.channel = *slot->name;
      caller.trace = message.trace;
      // The object may end within its method, and its name with it.
      const std::shared_ptr<const std::string> name =
          method.coroutine ? nullptr : std::shared_ptr<const std::string>(slot->name);
      ++counters_.local;
      entered(method);
      if (method.coroutine) {  // it measures its turns itself
        static_cast<void>(message.run(*object, caller));
        return;
      }
      Turn turn(*this, ShownWork::method(method), methods_[method.index], message.slot);
      static_cast<void>(turn.end(message.run(*object, caller)));
      return;
    }
  }
  ++methods_[method.index].refused;
  message.fail(*this, error);
}

Errc Endpoint::admit(const Slot& slot, const MethodInfo& method, const bus::Process& origin,
                     Behalf behalf, HostBase*& object, From& from) const {
  Errc why = Errc::ok;
  object = slot.host->object_for(method.owner, why);
  if (object == nullptr) return why;
  if (gates_.is_gate(origin)) {
    from = behalf == Behalf::none ? From::gate : static_cast<From>(behalf);
  } else if (behalf != Behalf::none || !gates_.known()) {
    return Errc::not_permitted;
  } else {
    from = From::server;
  }
  return permits(method.allow, from) ? Errc::ok : Errc::not_permitted;
}

// --- fences --------------------------------------------------------------------------------------

void Endpoint::start_fence(SlotRef ref, bus::Lane lane) {
  Slot& slot = *find(ref);
  slot.lanes[place_of(lane)].state = LocalLane::State::fencing;
  ++counters_.fences;
  bus::SendOptions options;
  options.lane = lane;
  const Bytes fence{static_cast<std::byte>(kFenceForm)};
  bus_.send_acknowledged(*slot.name, fence, options,
                         [self = self_, ref, lane](const bus::Result<>& result) {
                           if (*self != nullptr) (*self)->fence_ended(ref, lane, result);
                         });
}

void Endpoint::fence_ended(SlotRef ref, bus::Lane lane, const bus::Result<>& result) {
  Slot* slot = find(ref);
  if (slot == nullptr) return;
  LocalLane& way = slot->lanes[place_of(lane)];
  if (!result && result.error() == bus::Errc::would_block) {
    // Its window is full of what was sent before; everything else is held meanwhile.
    bus_.room(*slot->name, lane, [self = self_, ref, lane](const bus::Result<>& room) {
      if (*self == nullptr || (*self)->find(ref) == nullptr) return;
      if (room) return (*self)->start_fence(ref, lane);
      (*self)->fence_ended(ref, lane, room);
    });
    return;
  }
  if (result) {
    way.state = LocalLane::State::open;
    ready_.append(way.held);
    schedule();
  } else {
    way.state = LocalLane::State::unfenced;
    LocalQueue failed;
    failed.append(way.held);
    while (!failed.empty()) {
      const std::unique_ptr<LocalMessage> message(failed.pop());
      --local_messages_;
      message->fail(*this, not_run(result.error()));
    }
  }
  if (!moves_.empty()) begin_moves();
}

}  // namespace starbus::entity::rpc
