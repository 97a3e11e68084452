// What a space asks its crowd: one batch of all that is new.
#include <algorithm>
#include <utility>

#include "nodes/space/nav/space_nav.hpp"

namespace starbus::nodes::crowds {
namespace {

using std::chrono::microseconds;

Point point_of(const movement::Position& at) {
  return {at.x, at.y, at.z};
}

}  // namespace

/// Who comes, goes or is elsewhere stands before all commands: those may be about any of them.
void SpaceNav::send() {
  Batch batch;
  batch.crowd = crowd_;
  batch.number = ++number_;
  constexpr auto kMost = microseconds(std::chrono::minutes(1));
  batch.passed_us = static_cast<std::uint32_t>(
      std::min(std::chrono::duration_cast<microseconds>(passed_), kMost).count());
  sent_passed_ = std::exchange(passed_, {});
  batch.requests = std::exchange(held_, {});
  batch.ways = ways_.wanted(now_);
  obstacles_.ask(batch);
  const std::vector<std::uint32_t> dirty = std::exchange(dirty_, {});
  for (const std::uint32_t at : dirty) {
    slots_[at - 1].dirty = false;
    show(at, batch);
  }
  push_passive(batch);
  for (const std::uint32_t at : std::exchange(commands_, {})) {
    slots_[at - 1].queued = false;
    command(at, batch);
  }
  sent_ = batch.requests;
  under_way_ = true;
  ++counts_.batches;
  port_.step(std::move(batch),
             [this, weak = std::weak_ptr(alive_), number = number_](Result<Answer> answer) {
               if (!weak.expired()) answered(number, std::move(answer));
             });
}

void SpaceNav::show(std::uint32_t at, Batch& batch) {
  Slot& slot = slots_[at - 1];
  if (slot.actor == nullptr) {
    if (slot.sent != 0) batch.requests.push_back(Remove{{at, slot.sent}});
    slot.sent = 0;
    return;
  }
  const ActorNav& actor = *slot.actor;
  const WalkerName name{at, slot.generation};
  const Point here = point_of(actor.mover_->state().position);
  if (slot.sent != slot.generation) {
    if (slot.add_at > now_) return;
    const NavWalker& like = actor.walker();
    batch.requests.push_back(Add{name, actor.version(), kind_of(actor), here, like.radius,
                                 like.height, like.speed, like.acceleration, like.priority,
                                 actor.stands_passive()});
    slot.sent = slot.generation;
    slot.pushed = actor.mover_->state().position;
  } else if (slot.teleport) {
    batch.requests.push_back(Teleport{name, actor.version(), here});
  }
  slot.teleport = false;
}

void SpaceNav::command(std::uint32_t at, Batch& batch) {
  Slot& slot = slots_[at - 1];
  if (slot.actor == nullptr || !slot.command) return;
  slot.command = false;
  ActorNav& actor = *slot.actor;
  const ActorNav::State& ask = actor.state();
  const WalkerName name{at, slot.generation};
  if (ask.task == NavTask::none || slot.frozen) {
    batch.requests.push_back(Cancel{name, ask.version});
  } else if (ask.task == NavTask::go_to) {
    batch.requests.push_back(
        GoTo{name, ask.version, {ask.x, ask.y, ask.z}, ask.distance, ask.partial});
  } else {
    const auto found = slot_of_.find(static_cast<entity::OnlineId>(ask.target.get()));
    const WalkerName target = found == slot_of_.end()
                                  ? WalkerName{}
                                  : WalkerName{found->second, slots_[found->second - 1].generation};
    batch.requests.push_back(
        Chase{name, ask.version, target, ask.distance, ask.partial, ask.task == NavTask::follow});
  }
}

/// Where players are, and whether those without ground have some by now.
void SpaceNav::push_passive(Batch& batch) {
  for (std::uint32_t at = 1; at <= slots_.size(); ++at) {
    Slot& slot = slots_[at - 1];
    if (slot.actor == nullptr) continue;
    if (slot.sent != slot.generation && slot.add_at <= now_) mark(at);
    if (slot.sent != slot.generation || !slot.actor->stands_passive()) continue;
    const movement::Locomotion& now = slot.actor->mover_->state();
    const bool moves = now.velocity != movement::Velocity{};
    if (!moves && now.position == slot.pushed) continue;
    slot.pushed = now.position;
    batch.requests.push_back(Push{{at, slot.generation},
                                  point_of(now.position),
                                  {now.velocity.x, now.velocity.y, now.velocity.z}});
  }
}

}  // namespace starbus::nodes::crowds
