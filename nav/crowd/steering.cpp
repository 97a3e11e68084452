// Where walkers want to go: along their ways, straight to targets, over links.
#include <algorithm>
#include <cmath>

#include "nav/crowd/crowd.hpp"

namespace starbus::nav::crowd {
namespace {

// m; a walker so near to a corner may leave it out if it sees the next one. Not from farther away:
// the straight line may lead over ground that the way goes around since it is dear.
constexpr float kSight = 4;
// So near to a corner, in radii, it has reached it.
constexpr float kAtCorner = 0.25F;
// m; so far towards a corner its way must be clear.
constexpr float kAhead = 4;
// Off its way, a walker looks for another one after this time at the least.
constexpr std::int64_t kOffWay = 500'000;  // us
// It stops a little nearer than it must: a part of what was asked for, and at most so many m.
constexpr float kInside = 0.05F;
constexpr float kMostInside = 0.1F;
// Nobody goes exactly straight, so that no crowd is exactly even: a part of the speed, sideways.
constexpr float kSway = 0.02F;

// Who cannot go on keeps to the right, all of them: so those who meet in a jam go around each
// other. s, in which it forgets how it went; and how far to the right, where it stands still.
constexpr float kHeldUp = 1;
constexpr float kAside = 0.6F;

// The same for a slot in every step: -1..1.
float sway(std::uint32_t slot) {
  const std::uint32_t mixed = (slot + 1) * 2'654'435'761u;
  return static_cast<float>(mixed >> 16) / 32'767.5F - 1;
}

// As fast as it may be to stop after `left` m.
float brake(const Walker& of, float left, float seconds) {
  if (left <= 0) return 0;
  return std::min({of.speed, std::sqrt(2 * of.acceleration * left), left / seconds});
}

float inside(float distance) {
  return distance - std::min(distance * kInside, kMostInside);
}

}  // namespace

bool Crowd::sees(const Member& member, Point to) const {
  const auto ray = ground_.raycast(member.place, to, member.of.agent);
  return ray && !ray->hit;
}

void Crowd::begin_link(Member& member) {
  Planner::forget(member);  // a way from here is of no use over there
  const Point& to = member.corridor.corners[member.corridor.at + 1];
  Crossing& crossing = member.crossing;
  crossing.from = member.place.point;
  crossing.to = to;
  crossing.took = 0;
  const Vec there = flat(to) - flat(crossing.from);
  const float up = to.z - crossing.from.z;
  const float takes = std::sqrt(square(there) + up * up) / member.of.speed;
  crossing.takes = std::max<std::int64_t>(
      std::llround(static_cast<double>(std::min(takes, options_.link_time)) * 1e6), 1);
  member.wish = {};
}

void Crowd::cross(Member& member, float seconds) {
  Crossing& crossing = member.crossing;
  crossing.took += std::llround(static_cast<double>(seconds) * 1e6);
  member.moved = true;
  const Vec whole = flat(crossing.to) - flat(crossing.from);
  if (crossing.took < crossing.takes) {
    const double part = static_cast<double>(crossing.took) / static_cast<double>(crossing.takes);
    const auto done = static_cast<float>(part);
    member.place.point = {crossing.from.x + whole.x * done, crossing.from.y + whole.y * done,
                          crossing.from.z + (crossing.to.z - crossing.from.z) * done};
    member.velocity = whole * static_cast<float>(1e6 / static_cast<double>(crossing.takes));
    return;
  }
  const float reach = member.of.radius * 2;
  const auto place =
      ground_.nearest(crossing.to, {reach, reach, member.of.height}, member.of.agent);
  member.velocity = {};
  if (place) {
    member.place = *place;
    if (member.corridor.count > 0) ++member.corridor.at;
  } else {  // nobody can stand there any more: back
    member.place.point = crossing.from;
    member.corridor.clear();
  }
  if (member.corridor.count == 0) {
    if (member.task != Task::none && !member.ended) member.doing = Doing::planning;
  } else if (member.corridor.version != ground_version_) {
    want(member, true);
  }
  crossing = {};
  if (!may_stand(member.place, member.of.agent)) snap(member);
}

Vec Crowd::along_corridor(Member& member, float seconds) {
  Corridor& corridor = member.corridor;
  const Vec at = flat(member.place.point);
  const float stride = member.of.speed * seconds;
  const auto away = [&] { return length(flat(corridor.corners[corridor.at]) - at); };
  while (!corridor.last()) {
    const float distance = away();
    if (corridor.begins_link()) {
      if (distance <= std::max(stride, member.of.radius)) {
        begin_link(member);
        return {};
      }
      break;
    }
    const bool near = distance <= std::max(stride * 2, member.of.radius);
    if (!near && !(member.looks && distance <= kSight)) break;
    if (distance > member.of.radius * kAtCorner &&
        !sees(member, corridor.corners[corridor.at + 1])) {
      break;
    }
    ++corridor.at;
  }
  const float distance = away();
  if (member.looks && member.deflected && now_ - member.planned_at >= kOffWay && !member.wanted) {
    member.deflected = false;
    // What is farther away is looked at when it is nearer: rays cost their length.
    const Vec there = flat(corridor.corners[corridor.at]) - at;
    const Vec ahead = at + there * std::min(1.0F, kAhead / std::max(distance, kAhead));
    if (!sees(member, {ahead.x, ahead.y, member.place.point.z})) want(member, false);
  }
  if (distance <= 0) return {};
  float speed = member.of.speed;
  if (corridor.last() && !corridor.cut) {
    float stop = 0;
    if (corridor.complete && member.task == Task::go) stop = inside(member.request.distance);
    speed = brake(member.of, distance - stop, seconds);
  }
  return (flat(corridor.corners[corridor.at]) - at) * (speed / distance);
}

void Crowd::steer(Member& member, float seconds) {
  if (member.of.passive) return;
  if (member.crossing.takes != 0) {
    cross(member, seconds);
    return;
  }
  Vec wish;
  if (member.doing == Doing::walking && !member.ended) {
    if (member.straight) {
      const Member& target = *find(member.target);
      const Vec there = flat(target.place.point) - flat(member.place.point);
      const float distance = length(there);
      const float stop = inside(stop_distance(member, target));
      if (distance > 0) {  // as fast as the target, and to it
        const float speed = brake(member.of, distance - stop, seconds);
        wish = at_most(there * (speed / distance) + target.velocity, member.of.speed);
      }
    } else if (member.corridor.count > 0) {
      wish = along_corridor(member, seconds);
    }
  }
  const float wanted = length(wish);
  if (wanted > 0) {
    const float gone = std::clamp(dot(member.velocity, wish) / (wanted * wanted), 0.0F, 1.0F);
    member.held_up += (1 - gone - member.held_up) * std::min(seconds / kHeldUp, 1.0F);
    const float aside = kSway * sway(slot_of(member)) - kAside * member.held_up;
    const Vec turned = wish + left(wish) * aside;
    wish = turned * (wanted / length(turned));
  } else {
    member.held_up = 0;
  }
  member.wish = member.velocity + at_most(wish - member.velocity, member.of.acceleration * seconds);
}

}  // namespace starbus::nav::crowd
