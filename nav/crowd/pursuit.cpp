// What walkers do about their requests, step by step: targets, ways, arrivals.
#include <algorithm>
#include <cmath>

#include "nav/crowd/crowd.hpp"

namespace starbus::nav::crowd {
namespace {

constexpr std::int64_t kSecond = 1'000'000;  // us
// A walker looks ahead so often, each at times of its own.
constexpr std::int64_t kLook = kSecond / 4;
constexpr std::int64_t kLookSpread = kSecond / 16;
// A way that leads to where the target was is looked for again after this time at the least, and
// only if the target has gone as far as these parts of the distances allow.
constexpr std::int64_t kChaseAgain = kSecond;
constexpr float kChaseMoved = 0.25F;
// At the end of such a way, or off it.
constexpr std::int64_t kAgain = kSecond / 4;
// m; nearer than this, or than twice what is asked for, a target that is seen needs no way.
constexpr float kNear = 4;
constexpr float kAway = 2;  // times as far, and it needs one again
// Touching, with some room: who avoids others never touches them exactly.
constexpr float kTouch = 1.1F;
constexpr float kLeastReach = 0.1F;  // m, from the end of a way
// A new way is asked for before so many corners are left of one that was cut.
constexpr int kCornersLeft = 4;

}  // namespace

float Crowd::stop_distance(const Member& member, const Member& target) const {
  return std::max(member.request.distance, (member.of.radius + target.of.radius) * kTouch);
}

bool Crowd::reached(const Member& member, Point goal, float distance) const {
  const Point& at = member.place.point;
  return square(flat(goal) - flat(at)) <= distance * distance &&
         std::abs(goal.z - at.z) <= member.of.height;
}

void Crowd::want(Member& member, bool late) {
  planner_.want(members_, slot_of(member), late);
}

// -- The ground

bool Crowd::snap(Member& member) {
  const float reach = options_.snap;
  const auto place = ground_.nearest(
      member.place.point, {reach, reach, std::max(reach, member.of.height)}, member.of.agent);
  if (!place) return false;
  member.place = *place;
  member.velocity = {};
  member.moved = true;
  ++snapped_;
  return true;
}

// Ways over changed ground are looked for again; meanwhile the old ones are gone on with.
void Crowd::check_ground() {
  if (ground_.version() == ground_version_) return;
  ground_version_ = ground_.version();
  for (Member& member : members_) {
    if (!member.alive || member.of.passive || member.crossing.takes != 0) continue;
    if (!may_stand(member.place, member.of.agent) && !snap(member)) {
      if (member.task != Task::none) finish(member, End::unreachable);
      continue;
    }
    member.look_at = std::min(member.look_at, now_);
    member.deflected = true;
    if (member.task != Task::none && member.corridor.count > 0) want(member, true);
  }
}

// -- Targets

// Whether a follower goes on waiting.
bool Crowd::waits(Member& member, const Member& target, float distance) {
  if (member.doing != Doing::waiting) return false;
  const float resume = stop_distance(member, target) + member.of.radius + target.of.radius;
  const bool stays =
      member.short_of ? member.corridor.version == ground_version_ &&
                            length(flat(target.place.point) - flat(member.corridor.goal)) <= resume
                      : distance <= resume;
  if (stays) return true;
  forget(member);
  member.doing = Doing::planning;
  member.looks = true;
  return false;
}

// Whether it needs no way, since the target is near and in sight.
bool Crowd::goes_straight(Member& member, const Member& target, float distance) {
  const float asked = member.of.radius + member.request.distance + target.of.radius;
  const float near = std::max(2 * asked, kNear) * (member.straight ? kAway : 1);
  if (distance > near) {
    member.straight = false;
  } else if (member.looks) {
    const bool level = std::abs(target.place.point.z - member.place.point.z) <= member.of.height;
    const bool sees_it = level && sees(member, target.place.point);
    if (sees_it && !member.straight) {
      forget(member);
      member.doing = Doing::walking;
    }
    member.straight = sees_it;
  }
  return member.straight;
}

void Crowd::pursue(Member& member) {
  if (member.ended) {
    report(member);
    return;
  }
  member.looks = now_ >= member.look_at;
  if (member.looks) {
    const std::int64_t spread = slot_of(member) * 7919 % kLookSpread;
    member.look_at = now_ + kLook - spread;
  }
  if (member.task == Task::none) return;
  const Member* const target = find(member.target);
  if (member.task != Task::go && target == nullptr) {
    finish(member, End::target_lost);
    return;
  }
  if (member.crossing.takes != 0) return;
  const bool has_way = member.corridor.count > 0;
  if (member.task != Task::go) {
    const Vec there = flat(target->place.point);
    const float distance = length(there - flat(member.place.point));
    if (waits(member, *target, distance) || goes_straight(member, *target, distance)) return;
    if (member.corridor.count > 0) {
      const float moved = length(there - flat(member.corridor.goal));
      const float most = std::max(kNear / 2, distance * kChaseMoved);
      if (member.looks && moved > most && now_ - member.planned_at >= kChaseAgain) {
        want(member, true);
      }
      return;
    }
    member.doing = Doing::planning;
  }
  if (!has_way && !member.wanted && !member.searching) want(member, false);
}

// -- Ways

// Where a search is to lead. The target of one kind may stand where another kind cannot.
Result<Place> Crowd::aim(const Member& member) const {
  const bool chases = member.task != Task::go;
  const Member* const target = chases ? find(member.target) : nullptr;
  if (chases && target == nullptr) return Errc::bad_goal;  // the next step says so
  const Place& goal = chases ? target->place : member.goal;
  if (may_stand(goal, member.of.agent)) return goal;
  if (!chases && !member.request.partial) return Errc::bad_goal;
  const float reach = options_.snap;
  return ground_.nearest(goal.point, {reach, reach, std::max(reach, member.of.height)},
                         member.of.agent);
}

void Crowd::start_search(std::uint32_t slot) {
  Member& member = members_[slot];
  member.wanted = false;
  if (member.crossing.takes != 0) return;
  const auto goal = aim(member);
  Result<void> begun = goal ? Result<void>() : Result<void>(goal.error());
  if (goal) {
    begun = planner_.start(members_, slot,
                           {.from = member.place,
                            .to = *goal,
                            .agent = member.of.agent,
                            .algorithm = options_.algorithm,
                            .partial = member.request.partial});
  }
  if (!begun) finish(member, End::unreachable);
}

void Crowd::plan() {
  planner_.begin_step();
  for (;;) {
    while (const auto slot = planner_.next(members_)) start_search(*slot);
    const auto done = planner_.advance(members_);
    if (!done) return;
    take_way(members_[done->slot], *done);
  }
}

void Crowd::take_way(Member& member, const Planner::Done& done) {
  member.planned_at = now_;
  if (done.path == nullptr) {
    if (done.error != Errc::changed) {
      finish(member, End::unreachable);
    } else {
      want(member, member.corridor.count > 0);
    }
    return;
  }
  const Path& path = *done.path;
  Corridor& corridor = member.corridor;
  const std::size_t count = std::min<std::size_t>(path.points.size(), kMaxCorners);
  std::copy_n(path.points.begin(), count, corridor.corners.begin());
  corridor.links = 0;
  for (const PathLink& link : path.links) {
    if (link.point + 1 < count) corridor.links |= 1u << link.point;
  }
  corridor.count = static_cast<std::uint8_t>(count);
  corridor.cut = count < path.points.size();
  corridor.complete = path.complete && !corridor.cut;
  corridor.version = path.version;
  corridor.goal = done.goal;
  corridor.at = 0;
  if (count > 1 && !corridor.begins_link() && sees(member, corridor.corners[1])) corridor.at = 1;
  if (member.doing != Doing::walking) {
    member.anchor = flat(member.place.point);
    member.anchored_at = now_;
  }
  member.doing = Doing::walking;
}

// -- Arrivals

void Crowd::settle(Member& member) {
  if (member.task == Task::none || member.ended || member.crossing.takes != 0) return;
  if (member.task == Task::go) {
    const float asked = member.request.distance;
    if (reached(member, member.goal.point, asked > 0 ? asked : member.of.radius / 2)) {
      finish(member, End::arrived);
      return;
    }
  } else {
    const Member* const target = find(member.target);
    if (target == nullptr || member.doing == Doing::waiting) return;
    if (reached(member, target->place.point, stop_distance(member, *target))) {
      if (member.task == Task::approach) {
        finish(member, End::arrived);
      } else {
        forget(member);
        member.doing = Doing::waiting;
      }
      return;
    }
  }
  if (member.doing != Doing::walking) return;
  settle_end(member);
  if (!member.ended && member.doing == Doing::walking) check_progress(member);
}

// At the end of a way that was not all of it.
void Crowd::settle_end(Member& member) {
  const Corridor& corridor = member.corridor;
  if (member.straight || corridor.count == 0) return;
  if (corridor.cut) {
    if (corridor.at + kCornersLeft >= corridor.count && !member.wanted) want(member, false);
    return;
  }
  const float reach = std::max(member.of.radius / 2, kLeastReach);
  if (!corridor.last() || !reached(member, corridor.corners[corridor.at], reach)) return;
  if (corridor.complete) {
    if (member.task != Task::go && !member.wanted && now_ - member.planned_at >= kAgain) {
      want(member, false);  // the target has gone elsewhere
    }
  } else if (member.wanted || member.searching) {
    return;  // there may be more of a way by now
  } else if (member.task == Task::follow) {
    Planner::forget(member);
    member.doing = Doing::waiting;
    member.short_of = true;
  } else {
    finish(member, End::partial);
  }
}

void Crowd::check_progress(Member& member) {
  const Vec at = flat(member.place.point);
  if (square(at - member.anchor) >= options_.stuck_distance * options_.stuck_distance) {
    member.anchor = at;
    member.anchored_at = now_;
    member.retried = false;
    return;
  }
  const auto patience = static_cast<std::int64_t>(static_cast<double>(options_.stuck_time) * 1e6);
  if (now_ - member.anchored_at < patience) return;
  member.anchored_at = now_;
  if (!member.retried || member.task == Task::follow) {
    member.retried = true;
    if (!member.straight) want(member, false);
  } else {
    finish(member, End::partial, true);
  }
}

}  // namespace starbus::nav::crowd
