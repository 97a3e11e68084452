#include "entity/rpc/endpoint/local_calls.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cassert>

#include "bus/client/bus.hpp"
#include "entity/rpc/endpoint/endpoint_core.hpp"
#include "entity/rpc/loop_time.hpp"

namespace starbus::entity::rpc {
namespace {

std::size_t place_of(bus::Lane lane) {
  assert(lane != bus::Lane::control);  // the bus' own
  return static_cast<std::size_t>(lane) - 1;
}

/// The error of messages that a failed fence held: they did not run, even if the fence's own
/// outcome is unknown.
Error not_run(const bus::Error& fence) {
  Error error = from_bus(fence);
  const bool definite = error == bus::Errc::no_owner || error == bus::Errc::denied;
  if (definite || error.code.is_of<Errc>()) return error;
  return {bus::Errc::no_owner, "did not run: " + fence.to_string()};
}

}  // namespace

LocalCalls::LocalCalls(detail::EndpointCore& core) : core_(core) {}

LocalCalls::~LocalCalls() {
  *self_ = nullptr;
}

LocalQueue* LocalCalls::route(Slot& slot, bus::Lane lane) {
  thread_.check();
  if (lane == bus::Lane::control) return nullptr;
  LocalLane& way = slot.lanes[place_of(lane)];
  if (way.state == LocalLane::State::open) return &ready_;
  if (way.state == LocalLane::State::unfenced) {
    if (slot.moving) return nullptr;
    start_fence(slot.ref, lane);
  }
  return &way.held;
}

void LocalCalls::push(LocalQueue& queue, std::unique_ptr<LocalMessage> message) {
  assert(takes(1));
  if (Slot* const slot = core_.bindings.find(message->slot)) ++slot->queued;
  queue.push(std::move(message));
  ++queued_;
  if (runs_soon(queue) && !scheduled_) schedule();
}

void LocalCalls::released(Slot& slot) {
  for (LocalLane& lane : slot.lanes) {
    lane.state = LocalLane::State::unfenced;
    ready_.append(lane.held);
  }
  schedule();
}

void LocalCalls::require_fences(Slot& slot) {
  for (LocalLane& lane : slot.lanes) lane.state = LocalLane::State::unfenced;
}

bool LocalCalls::fencing(const Slot& slot) const {
  return std::ranges::any_of(
      slot.lanes, [](const LocalLane& lane) { return lane.state == LocalLane::State::fencing; });
}

void LocalCalls::run_ready(SlotRef slot) {
  thread_.check();
  // Most objects that move have none, and the queue may be long: it is not walked for them.
  const Slot* const there = core_.bindings.find(slot);
  if (there == nullptr || there->queued == 0) return;
  LocalQueue last;
  ready_.extract(slot, last, there->queued);
  while (!last.empty()) {
    const auto message = last.pop();
    --queued_;
    run(*message);
  }
}

void LocalCalls::close() {
  while (!ready_.empty()) ready_.pop()->fail(core_, Error(Errc::closed));
}

void LocalCalls::schedule() {
  if (scheduled_ || ready_.empty()) return;
  scheduled_ = true;
  boost::asio::post(core_.loop, [self = self_] {
    if (*self != nullptr) (*self)->drain();
  });
}

/// Links and timers wait meanwhile. If methods are measured, their sum stands in for the clock,
/// which is then not read.
void LocalCalls::drain() {
  const bool measured = core_.meter.measuring();
  const auto now = [measured] { return measured ? loop_time.charged : ticks(); };
  const std::uint64_t begun = now();
  const auto self = self_;
  for (std::size_t handled = 0; handled < kLocalPass && !ready_.empty(); ++handled) {
    const auto message = ready_.pop();
    --queued_;
    run(*message);
    if (*self == nullptr) return;  // a method, or what its answer woke, has ended the endpoint
    if (longer_than(now() - begun, kLocalPassTime)) break;
  }
  scheduled_ = false;
  schedule();
}

void LocalCalls::run(LocalMessage& message) {
  const MethodInfo& method = *message.method;
  Slot* const slot = core_.bindings.find(message.slot);
  Errc error = Errc::no_such_entity;
  if (slot != nullptr) {
    --slot->queued;
    Caller caller;
    caller.process = core_.bus.self();
    CallableBase* object = nullptr;
    error = core_.dispatcher.admit(*slot, method, caller.process, message.behalf, message.client,
                                   object, caller.from);
    if (error == Errc::ok) {
      caller.endpoint = &core_.endpoint;
      caller.client = message.client;
      caller.channel = *slot->name;
      caller.trace = message.trace;
      // The object may end within its method, and its name with it.
      const std::shared_ptr<const std::string> name =
          method.coroutine ? nullptr : std::shared_ptr<const std::string>(slot->name);
      ++core_.counters.local;
      ++core_.meter.of(method).calls;
      if (method.coroutine) {  // it measures its frames itself
        message.run(core_, *object, caller);
        return;
      }
      WorkFrame frame(core_.meter, CurrentWork::method(method), core_.meter.of(method),
                      message.slot);
      frame.end(message.run(core_, *object, caller));
      return;
    }
  }
  ++core_.meter.of(method).refused;
  std::string why = method.full_name();
  if (error == Errc::not_permitted) {
    why = core_.dispatcher.refusal(method, core_.bus.self(), message.behalf);
  }
  message.fail(core_, Error(error, std::move(why)));
}

// --- fences --------------------------------------------------------------------------------------

void LocalCalls::start_fence(SlotRef ref, bus::Lane lane) {
  Slot& slot = *core_.bindings.find(ref);
  slot.lanes[place_of(lane)].state = LocalLane::State::fencing;
  ++core_.counters.fences;
  bus::SendOptions options;
  options.lane = lane;
  const Bytes fence{static_cast<std::byte>(kFenceForm)};
  core_.bus.send_acknowledged(*slot.name, fence, options,
                              [self = self_, ref, lane](const bus::Result<>& result) {
                                if (*self != nullptr) (*self)->fence_ended(ref, lane, result);
                              });
}

void LocalCalls::fence_ended(SlotRef ref, bus::Lane lane, const bus::Result<>& result) {
  Slot* slot = core_.bindings.find(ref);
  if (slot == nullptr) return;
  LocalLane& way = slot->lanes[place_of(lane)];
  if (!result && result.error() == bus::Errc::would_block) {
    // The window is full of earlier messages; new ones are held meanwhile.
    core_.bus.room(*slot->name, lane, [self = self_, ref, lane](const bus::Result<>& room) {
      if (*self == nullptr || (*self)->core_.bindings.find(ref) == nullptr) return;
      if (room) return (*self)->start_fence(ref, lane);
      (*self)->fence_ended(ref, lane, room);
    });
    return;
  }
  // It went to a former life of the name, as did all that was sent before it: that has ended, too.
  // Of the present life, which is here, the bus knows now.
  if (!result && result.error() == bus::Errc::owner_lost) return start_fence(ref, lane);
  if (result) {
    way.state = LocalLane::State::open;
    ready_.append(way.held);
    schedule();
  } else {
    way.state = LocalLane::State::unfenced;
    LocalQueue failed;
    failed.append(way.held);
    while (!failed.empty()) {
      const auto message = failed.pop();
      --queued_;
      if (Slot* const there = core_.bindings.find(ref)) --there->queued;
      message->fail(core_, not_run(result.error()));
    }
  }
  core_.binder.begin_moves();
}

}  // namespace starbus::entity::rpc
