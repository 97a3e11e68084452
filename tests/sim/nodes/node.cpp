#include "tests/sim/nodes/node.hpp"

#include "tests/sim/world.hpp"

namespace starbus::sim {

void Node::start() {
  if (up_) return;
  up_ = true;
  ++life_;
  world_.note(name_, "starts");
  on_start();
  after(world_.random.micros(1, 20'000), [this] { tick(); });
}

void Node::crash() {
  if (!up_) return;
  world_.note(name_, "is killed");
  up_ = false;
  paused_ = false;
  ++life_;
  deferred_.clear();
  on_crash();
  world_.network.crashed(*this);
}

void Node::pause() {
  if (!up_ || paused_) return;
  world_.note(name_, "is stopped");
  paused_ = true;
}

void Node::resume() {
  if (!paused_) return;
  world_.note(name_, "continues");
  paused_ = false;
  for (auto& action : std::exchange(deferred_, {})) {
    after(Time{}, std::move(action));
  }
  world_.network.resumed(*this);
}

void Node::after(Time delay, std::function<void()> action) {
  world_.timeline.after(delay, [this, life = life_, action = std::move(action)]() mutable {
    if (life != life_ || !up_) return;
    if (paused_) {
      deferred_.push_back(std::move(action));
    } else {
      action();
    }
  });
}

void Node::tick() {
  on_tick();
  if (up_) after(tick_period(), [this] { tick(); });
}

// --- Dial ----------------------------------------------------------------------------------------

Dial::Dial(World& world, Node& from, Node& to, OnLink on_link)
    : world_(world),
      from_(from),
      to_(to),
      on_link_(std::move(on_link)),
      pause_(bus::kReconnectFirst) {}

void Dial::start() {
  pause_ = bus::kReconnectFirst;
  const std::uint64_t attempt = ++attempt_;
  from_.after(Time{}, [this, attempt] {
    if (attempt == attempt_) try_now();
  });
}

void Dial::again() {
  if (world_.now() - connected_at_ >= bus::kReconnectLongest) {
    pause_ = bus::kReconnectFirst;
  }
  wait();
}

void Dial::wait() {
  const std::uint64_t attempt = ++attempt_;
  const auto pause = static_cast<std::uint64_t>(pause_ / std::chrono::microseconds(1));
  const Time delay = world_.random.micros(pause, pause + pause / 2);
  pause_ = std::min<Time>(2 * pause_, bus::kReconnectLongest);
  from_.after(delay, [this, attempt] {
    if (attempt == attempt_) try_now();
  });
}

void Dial::try_now() {
  if (!to_.listens() || world_.isolated(from_, to_)) return wait();
  connected_at_ = world_.now();
  on_link_(world_.network.connect(from_, to_));
}

}  // namespace starbus::sim
