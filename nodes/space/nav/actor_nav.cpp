#include "nodes/space/nav/actor_nav.hpp"

#include <cmath>

#include "nav/crowd/limits.hpp"
#include "nodes/space/nav/space_nav.hpp"

namespace starbus::nodes::crowds {
namespace {

bool good(float value) {
  return std::isfinite(value) && value >= 0;
}

}  // namespace

std::string_view name_of(NavTask task) {
  constexpr std::string_view kNames[] = {"none", "go_to", "approach", "follow"};
  return kNames[static_cast<std::size_t>(task)];
}

std::string_view name_of(NavOutcome outcome) {
  if (outcome == NavOutcome::refused) return "refused";
  return nav::crowd::name_of(static_cast<nav::crowd::End>(outcome));
}

Result<> ActorNav::set(const NavWalker& walker) {
  const bool sizes = walker.radius > 0 && good(walker.radius) && good(walker.height) &&
                     good(walker.speed) && walker.acceleration > 0 && good(walker.acceleration);
  if (!sizes || walker.priority > nav::crowd::kMaxPriority) {
    return Error(Errc::bad_request,
                 "a walker's radius and acceleration are above 0, its height and speed not below, "
                 "its priority at most " +
                     std::to_string(nav::crowd::kMaxPriority));
  }
  walker_ = walker;
  if (space_ != nullptr) space_->comes_anew(*this);
  return {};
}

bool ActorNav::stands_passive() const {
  return walker_.passive || (mover_ != nullptr && mover_->client_moves());
}

bool ActorNav::walks() const {
  return space_ != nullptr && !stands_passive() && space_->is_there(*this);
}

bool ActorNav::was_placed() const {
  const movement::Locomotion& now = mover_->state();
  return now.teleports != teleports_ || !(now.position == placed_);
}

// --- commands ------------------------------------------------------------------------------------

Result<std::uint32_t> ActorNav::go_to(const Point& goal, const NavWish& wish) {
  if (!nav::finite(goal)) return Error(Errc::bad_request, "a goal's coordinate is no number");
  return command(NavTask::go_to, goal, 0, wish);
}

Result<std::uint32_t> ActorNav::approach(const entity::Entity& target, const NavWish& wish) {
  return chase(NavTask::approach, target, wish);
}

Result<std::uint32_t> ActorNav::follow(const entity::Entity& target, const NavWish& wish) {
  return chase(NavTask::follow, target, wish);
}

Result<std::uint32_t> ActorNav::chase(NavTask task, const entity::Entity& target,
                                      const NavWish& wish) {
  if (&target == &entity()) return Errc::same_walker;
  return command(task, {}, static_cast<std::uint64_t>(target.online_id()), wish);
}

Result<std::uint32_t> ActorNav::command(NavTask task, const Point& goal, std::uint64_t target,
                                        const NavWish& wish) {
  if (space_ == nullptr) return Errc::no_crowd;
  if (stands_passive()) return Errc::passive;
  if (!good(wish.distance)) return Error(Errc::bad_request, "a distance is a number, from 0");
  const NavEnd former = begin(task);
  State& now = state();
  now.x = goal.x;
  now.y = goal.y;
  now.z = goal.z;
  now.target = target;
  now.distance = wish.distance;
  now.partial = wish.partial;
  const std::uint32_t version = now.version.get();
  space_->commanded(*this);
  tell(former);
  return version;
}

bool ActorNav::cancel() {
  if (task() == NavTask::none) return false;
  const NavEnd former = begin(NavTask::none);
  if (space_ != nullptr) space_->commanded(*this);
  tell(former);
  return true;
}

Result<> ActorNav::teleport(const Point& to) {
  auto* const mover = entity().component<sight::Mover>();
  if (mover == nullptr) return Error(Errc::no_crowd, "the entity has no Mover");
  if (const auto moved = mover->teleport({to.x, to.y, to.z}); !moved) return moved.error();
  if (space_ != nullptr) space_->placed(*this);
  return {};
}

NavEnd ActorNav::begin(NavTask task) {
  const NavEnd former{this->task(), version(), NavOutcome::cancelled};
  state().task = task;
  state().version = former.version + 1;
  return former;
}

void ActorNav::finish(NavOutcome outcome, bool stuck, const Error& why) {
  const NavEnd end{task(), version(), outcome, stuck, why};
  state().task = NavTask::none;
  tell(end);
}

void ActorNav::tell(const NavEnd& end) {
  if (end.task != NavTask::none) static_cast<void>(ends_.dispatch(end));
}

// --- moves ---------------------------------------------------------------------------------------

entity::EntityResult<> ActorNav::on_before_move(entity::Encoder& out) {
  out.text(walker_.kind);
  out.number(walker_.radius);
  out.number(walker_.height);
  out.number(walker_.speed);
  out.number(walker_.acceleration);
  out.number(walker_.priority);
  out.byte(walker_.passive ? 1 : 0);
  return {};
}

entity::EntityResult<> ActorNav::on_after_move(entity::Decoder* arrived) {
  if (arrived == nullptr) return {};
  NavWalker walker;
  walker.kind = std::string(arrived->text());
  walker.radius = arrived->number<float>();
  walker.height = arrived->number<float>();
  walker.speed = arrived->number<float>();
  walker.acceleration = arrived->number<float>();
  walker.priority = arrived->number<std::uint32_t>();
  walker.passive = arrived->byte() != 0;
  if (!arrived->ok() || !set(walker)) return entity::EntityErrc::bad_state;
  return {};
}

}  // namespace starbus::nodes::crowds
