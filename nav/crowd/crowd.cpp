#include "nav/crowd/crowd.hpp"

#include <algorithm>
#include <cmath>

namespace starbus::nav::crowd {
namespace {

// Of its radius a walker goes so much at once in a crowd, in so many parts of a step at most.
constexpr float kRadiiAtOnce = 0.75F;
constexpr int kMostParts = 4;

bool above_zero(float value) {
  return std::isfinite(value) && value > 0;
}

Result<void> check(const CrowdOptions& options) {
  if (options.walkers == 0) return Error(Errc::bad_option, "walkers");
  if (options.walkers > kMaxWalkers) return Error(Errc::too_large, "kMaxWalkers");
  if (options.searches == 0) return Error(Errc::bad_option, "searches");
  if (options.searches > kMaxSearches) return Error(Errc::too_large, "kMaxSearches");
  if (options.neighbours > kMaxNeighbours) return Error(Errc::too_large, "kMaxNeighbours");
  if (options.nodes_per_step == 0 || options.nodes_per_turn == 0 || options.nodes_per_way == 0) {
    return Error(Errc::bad_option, "nodes");
  }
  if (!std::isfinite(options.snap) || options.snap < 0) return Error(Errc::bad_option, "snap");
  for (const float value : {options.range, options.horizon, options.wall_horizon,
                            options.stuck_distance, options.stuck_time, options.link_time}) {
    if (!above_zero(value)) return Error(Errc::bad_option, "a distance or a time");
  }
  return {};
}

Result<void> check(const Walker& walker) {
  if (!above_zero(walker.radius) || !above_zero(walker.height) || !above_zero(walker.speed) ||
      !above_zero(walker.acceleration)) {
    return Error(Errc::bad_option, "radius, height, speed or acceleration");
  }
  if (walker.priority > kMaxPriority) return Error(Errc::too_large, "kMaxPriority");
  return {};
}

}  // namespace

Result<std::unique_ptr<Crowd>> Crowd::create(const Ground& ground, const CrowdOptions& options) {
  if (auto fits = check(options); !fits) return fits.error();
  return std::unique_ptr<Crowd>(new Crowd(ground, options));
}

Crowd::Crowd(const Ground& ground, const CrowdOptions& options)
    : ground_(ground),
      options_(options),
      planner_(ground, options),
      avoidance_(ground, options),
      ground_version_(ground.version()) {
  members_.reserve(options.walkers);
  free_.reserve(options.walkers);
  moved_.reserve(options.walkers);
  reports_.reserve(std::size_t{options.walkers} * kMaxReportsPerWalker);
}

// -- Walkers

Member* Crowd::find(WalkerId id) {
  return const_cast<Member*>(std::as_const(*this).find(id));
}

const Member* Crowd::find(WalkerId id) const {
  if (!id || id.slot > members_.size()) return nullptr;
  const Member& member = members_[id.slot - 1];
  return member.alive && member.generation == id.generation ? &member : nullptr;
}

bool Crowd::may_stand(const Place& place, AgentId agent) const {
  return ground_.reachable(place, place, agent);
}

Result<WalkerId> Crowd::add(const Walker& walker, const Place& at) {
  if (auto fits = check(walker); !fits) return fits.error();
  if (!finite(at.point)) return Errc::bad_position;
  // The ground says which of the two it is.
  if (auto stands = ground_.move_along_surface(at, at.point, walker.agent); !stands) {
    return stands.error();
  }
  if (free_.empty()) {
    if (members_.size() == options_.walkers) return Error(Errc::too_many, "walkers");
    members_.emplace_back();
    free_.push_back(static_cast<std::uint32_t>(members_.size() - 1));
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  Member& old = members_[slot];
  // What outlives its walker: queues hold the slot, and searches the plan.
  const Member kept = old;
  old = Member{};
  old.generation = kept.generation + 1;
  old.plan = kept.plan + 1;
  old.queued = kept.queued;
  old.queued_late = kept.queued_late;
  old.of = walker;
  old.alive = true;
  old.place = at;
  old.anchor = flat(at.point);
  old.look_at = now_;
  return id_of(slot);
}

Result<void> Crowd::remove(WalkerId id) {
  Member* const member = find(id);
  if (member == nullptr) return Errc::unknown_walker;
  if (member->task != Task::none) {
    if (!room_for_a_call()) return Error(Errc::too_many, "kMaxReportsPerWalker");
    finish(*member, End::cancelled);
  }
  Planner::forget(*member);
  member->alive = false;
  free_.push_back(slot_of(*member));
  return {};
}

Result<void> Crowd::teleport(WalkerId id, const Place& to) {
  Member* const member = find(id);
  if (member == nullptr) return Errc::unknown_walker;
  if (!finite(to.point)) return Errc::bad_position;
  if (!may_stand(to, member->of.agent)) return Errc::bad_start;
  if (auto done = cancel(id); !done) return done.error();
  member->crossing = {};
  member->place = to;
  member->velocity = {};
  member->doing = Doing::idle;
  return {};
}

Result<void> Crowd::move(WalkerId id, const Place& to, Point velocity) {
  Member* const member = find(id);
  if (member == nullptr) return Errc::unknown_walker;
  if (!member->of.passive) return Error(Errc::bad_option, "not passive");
  if (!finite(to.point) || !finite(velocity)) return Errc::bad_position;
  if (!may_stand(to, member->of.agent)) return Errc::bad_start;
  member->moved = member->moved || member->place != to;
  member->place = to;
  member->velocity = flat(velocity);
  return {};
}

// -- Requests

Result<Member*> Crowd::accept(WalkerId id, const Request& request) {
  Member* const member = find(id);
  if (member == nullptr) return Errc::unknown_walker;
  if (member->of.passive) return Error(Errc::bad_option, "passive");
  if (!std::isfinite(request.distance) || request.distance < 0) {
    return Error(Errc::bad_option, "distance");
  }
  if (member->task != Task::none && !room_for_a_call()) {
    return Error(Errc::too_many, "kMaxReportsPerWalker");
  }
  return member;
}

Result<void> Crowd::go_to(WalkerId id, const Place& goal, const Request& request) {
  auto member = accept(id, request);
  if (!member) return member.error();
  Member& of = **member;
  if (!finite(goal.point)) return Errc::bad_position;
  if (!may_stand(goal, of.of.agent)) return Errc::bad_goal;
  if (of.task != Task::none) finish(of, End::cancelled);
  forget(of);
  of.task = Task::go;
  of.request = request;
  of.goal = goal;
  of.doing = Doing::planning;
  want(of, false);
  return {};
}

Result<void> Crowd::chase(WalkerId id, WalkerId target, const Request& request, Task task) {
  auto member = accept(id, request);
  if (!member) return member.error();
  const Member* const other = find(target);
  if (other == nullptr) return Error(Errc::unknown_walker, "target");
  Member& of = **member;
  if (other == &of) return Error(Errc::bad_option, "target");
  if (of.task != Task::none) finish(of, End::cancelled);
  forget(of);
  of.task = task;
  of.request = request;
  of.target = target;
  of.doing = Doing::planning;
  of.look_at = now_;  // it may see the target, and need no search
  return {};
}

Result<void> Crowd::approach(WalkerId id, WalkerId target, const Request& request) {
  return chase(id, target, request, Task::approach);
}

Result<void> Crowd::follow(WalkerId id, WalkerId target, const Request& request) {
  return chase(id, target, request, Task::follow);
}

Result<bool> Crowd::cancel(WalkerId id) {
  Member* const member = find(id);
  if (member == nullptr) return Errc::unknown_walker;
  if (member->task == Task::none) return false;
  if (!room_for_a_call()) return Error(Errc::too_many, "kMaxReportsPerWalker");
  finish(*member, End::cancelled);
  return true;
}

// -- Ends

// Calls leave room for one report of each walker, which steps may need.
bool Crowd::room_for_a_call() const {
  return reports_.size() < std::size_t{options_.walkers} * (kMaxReportsPerWalker - 1);
}

void Crowd::forget(Member& member) {
  Planner::forget(member);
  member.corridor.clear();
  member.straight = false;
  member.short_of = false;
  member.retried = false;
  member.anchor = flat(member.place.point);
  member.anchored_at = now_;
}

// An end that waits for room has happened already: what comes after it does not change it.
void Crowd::finish(Member& member, End end, bool stuck) {
  if (!member.ended) {
    member.end = end;
    member.stuck = stuck;
    member.ended = true;
  }
  forget(member);
  member.doing = Doing::idle;
  report(member);
}

void Crowd::report(Member& member) {
  if (reports_.size() == std::size_t{options_.walkers} * kMaxReportsPerWalker) return;
  reports_.push_back({id_of(slot_of(member)), member.request.version, member.end, member.stuck});
  member.ended = false;
  member.task = Task::none;
}

void Crowd::take_reports(std::vector<Report>& out) {
  out.assign(reports_.begin(), reports_.end());
  reports_.clear();
}

// -- What there is

Result<WalkerState> Crowd::state(WalkerId id) const {
  const Member* const member = find(id);
  if (member == nullptr) return Errc::unknown_walker;
  const bool crossing = member->crossing.takes != 0;
  return WalkerState{.place = member->place,
                     .velocity = {member->velocity.x, member->velocity.y, 0},
                     .doing = crossing ? Doing::on_link : member->doing,
                     .version = member->request.version};
}

Result<std::span<const Point>> Crowd::corners(WalkerId id) const {
  const Member* const member = find(id);
  if (member == nullptr) return Errc::unknown_walker;
  const Corridor& corridor = member->corridor;
  return std::span(corridor.corners).first(corridor.count).subspan(corridor.at);
}

CrowdCounts Crowd::counts() const {
  const PlannerCounts& plans = planner_.counts();
  return {.searches = plans.begun,
          .nodes = plans.expanded,
          .dropped = plans.dropped,
          .walkers = static_cast<std::uint32_t>(members_.size() - free_.size()),
          .waiting = static_cast<std::uint32_t>(planner_.waiting()),
          .crowded = avoidance_.crowded(),
          .snapped = snapped_};
}

// -- Time

// Where walkers are in each other's way, nobody may go so far at once that it is on the other side
// of somebody.
int Crowd::parts_of(float seconds) const {
  if (avoidance_.crowded() == 0) return 1;
  float farthest = 0;  // in radii
  for (const Member& member : members_) {
    if (member.alive && !member.of.passive) {
      farthest = std::max(farthest, member.of.speed * seconds / member.of.radius);
    }
  }
  return std::clamp(static_cast<int>(std::ceil(farthest / kRadiiAtOnce)), 1, kMostParts);
}

Result<void> Crowd::step(float seconds) {
  if (!above_zero(seconds)) return Error(Errc::bad_option, "seconds");
  seconds = std::min(seconds, static_cast<float>(kMaxStep) / 1000);
  now_ += std::max<std::int64_t>(std::llround(static_cast<double>(seconds) * 1e6), 1);
  check_ground();
  for (Member& member : members_) {
    if (member.alive) pursue(member);
  }
  plan();
  const int parts = parts_of(seconds);
  const float part = seconds / static_cast<float>(parts);
  for (int i = 0; i < parts; ++i) {
    for (Member& member : members_) {
      if (member.alive) steer(member, part);
      member.looks = false;
    }
    avoidance_.step(members_, part);
  }
  moved_.clear();
  for (Member& member : members_) {
    if (!member.alive) continue;
    settle(member);
    if (member.moved) moved_.push_back(id_of(slot_of(member)));
    member.moved = false;
  }
  return {};
}

}  // namespace starbus::nav::crowd
