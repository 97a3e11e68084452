#include "nav/crowd/avoidance.hpp"

#include <algorithm>
#include <cmath>

namespace starbus::nav::crowd {
namespace {

// Those who overlap are pushed apart so often, or until none overlaps by more than a part of what
// it must keep. Who is a little farther apart may come to be pushed.
constexpr int kPasses = 24;
constexpr float kEnough = 0.01F;
// And again, where the ground did not let them go.
constexpr int kRounds = 3;
constexpr float kMargin = 0.3F;
constexpr float kSteps = 2;  // ahead, where there is no more room
// Walls are looked for farther than they matter, and again after a part of that way.
constexpr float kWallsAhead = 1.5F;
constexpr float kWallsAgain = 0.25F;
constexpr float kLeastWallRange = 1;  // m
// m: as far from where it was to go, the ground or others have stopped a walker.
constexpr float kStopped = 1e-3F;

// Which way `self` goes from one that stands in the same place.
Vec apart_from(const Body& self, const Body& other) {
  return {self.slot < other.slot ? -1.0F : 1.0F, 0};
}

// A place that a push has brought behind a wall that faces the member.
void keep_before_walls(const Member& member, Vec& at) {
  if (member.of.passive) return;
  for (std::size_t i = 0; i < member.wall_count; ++i) {
    const Vec from = flat(member.walls[i].from);
    const Vec wall = flat(member.walls[i].to) - from;
    const Vec there = at - from;
    const float behind = -det(wall, there);
    const float ahead = dot(wall, there);
    const float size2 = square(wall);
    if (behind <= 0 || ahead < 0 || ahead > size2) continue;
    // A wall that it has passed long ago faces others.
    const float depth2 = behind * behind / size2;
    if (depth2 <= member.of.radius * member.of.radius) at = at + left(wall) * (behind / size2);
  }
}

}  // namespace

float share_of(const Body& self, const Body& other) {
  if (other.passive) return 1;
  return static_cast<float>(1 + other.priority) /
         static_cast<float>(2 + self.priority + other.priority);
}

Avoidance::Avoidance(const Ground& ground, const CrowdOptions& options)
    : ground_(ground),
      options_(options),
      neighbours_(options.walkers),
      near_(options.walkers),
      velocities_(options.walkers),
      places_(options.walkers) {
  contacts_.reserve(std::size_t{options.walkers} * kMaxNeighbours);
}

void Avoidance::look_for_walls(Member& member) const {
  const float range =
      std::max(options_.wall_horizon * member.of.speed * kWallsAhead, kLeastWallRange);
  const Vec at = flat(member.place.point);
  const std::uint64_t version = ground_.version();
  const float again = range * kWallsAgain;
  if (member.walls_version == version && square(at - member.walls_at) <= again * again) return;
  member.walls_version = version;
  member.walls_at = at;
  member.wall_count = static_cast<std::uint8_t>(
      ground_.walls_near(member.place, range, member.of.agent, member.walls));
}

Vec Avoidance::choose(std::size_t index, Member& member, float seconds) {
  const std::span<const Body> bodies = neighbours_.bodies();
  const Body& self = bodies[index];
  Near& near = near_[index];
  near.count = static_cast<std::uint32_t>(
      neighbours_.nearest(index, std::span(near.bodies).first(options_.neighbours)));
  std::array<HalfPlane, kMaxPlanes> planes;
  std::size_t count = 0;
  if (member.wish != Vec{} || near.count > 0) look_for_walls(member);
  for (std::size_t i = 0; i < member.wall_count; ++i) {
    const Wall& wall = member.walls[i];
    const auto plane = keep_off(self.disc.velocity, flat(wall.from) - self.disc.at,
                                flat(wall.to) - self.disc.at, options_.wall_horizon);
    if (plane) planes[count++] = *plane;
  }
  // Where nothing avoids all of them for as long as it should, it is looked for what avoids them
  // for a few steps: they are the ones that touch.
  Solution best;
  for (const float horizon : {options_.horizon, std::min(options_.horizon, seconds * kSteps)}) {
    std::size_t all = count;
    for (std::size_t i = 0; i < near.count; ++i) {
      const Body& other = bodies[near.bodies[i]];
      planes[all++] = avoid(self.disc, other.disc, share_of(self, other), horizon, seconds,
                            apart_from(self, other));
    }
    best = best_velocity(std::span(planes).first(all), count, member.wish, member.of.speed);
    if (best.velocity != member.wish) member.deflected = true;
    if (best.feasible) return best.velocity;
  }
  ++crowded_;
  return best.velocity;
}

// Pairs that may touch in this step, each once.
void Avoidance::find_contacts(std::span<const Member> members) {
  const std::span<const Body> bodies = neighbours_.bodies();
  contacts_.clear();
  const auto knows = [&](std::uint32_t of, std::uint32_t other) {
    const auto known = std::span(near_[of].bodies).first(near_[of].count);
    return std::ranges::find(known, other) != known.end();
  };
  for (std::uint32_t i = 0; i < bodies.size(); ++i) {
    for (std::size_t k = 0; k < near_[i].count; ++k) {
      const std::uint32_t j = near_[i].bodies[k];
      const float reach = bodies[i].disc.radius + bodies[j].disc.radius;
      // Others may push them, too: as far as a step, and more.
      const float within = reach * (1 + kMargin);
      if (square(places_[i] - places_[j]) >= within * within) continue;
      if (j < i && knows(j, i)) continue;
      contacts_.push_back(
          {.one = i,
           .other = j,
           .reach = reach,
           .share = bodies[i].passive ? 0 : share_of(bodies[i], bodies[j]),
           .other_share = bodies[j].passive ? 0 : share_of(bodies[j], bodies[i]),
           .walls = members[bodies[i].slot].wall_count + members[bodies[j].slot].wall_count > 0});
    }
  }
}

// Pair after pair, again and again: what one push spoils the next repairs. True if it changed much.
bool Avoidance::push_apart(std::span<Member> members) {
  const std::span<const Body> bodies = neighbours_.bodies();
  for (int pass = 0; pass < kPasses; ++pass) {
    bool any = false;
    for (const Contact& contact : contacts_) {
      Vec& one = places_[contact.one];
      Vec& other = places_[contact.other];
      const Vec away = one - other;
      const float distance2 = square(away);
      if (distance2 >= contact.reach * contact.reach) continue;
      const float distance = std::sqrt(distance2);
      const float deep = contact.reach - distance;
      const Vec direction = distance > 0 ? away * (1 / distance)
                                         : apart_from(bodies[contact.one], bodies[contact.other]);
      one = one + direction * (deep * contact.share);
      other = other - direction * (deep * contact.other_share);
      any = any || deep > contact.reach * kEnough;
    }
    if (!any) return pass > 0;
    for (const Contact& contact : contacts_) {
      if (!contact.walls) continue;
      for (const std::uint32_t i : {contact.one, contact.other}) {
        keep_before_walls(members[bodies[i].slot], places_[i]);
      }
    }
  }
  return true;
}

// To where it was pushed, as far as the ground goes.
void Avoidance::land(Member& member, Vec& to) const {
  if (to == flat(member.place.point)) return;
  const Point goal{to.x, to.y, member.place.point.z};
  const Result<Place> place = ground_.move_along_surface(member.place, goal, member.of.agent);
  if (place) {  // otherwise its ground is gone; the crowd sees to that
    member.moved = member.moved || member.place != *place;
    member.place = *place;
  }
  to = flat(member.place.point);
}

// Others are to know how it really goes on.
void Avoidance::note_velocity(const Body& body, Member& member, Vec chosen, float seconds) {
  const Vec at = flat(member.place.point);
  const Vec planned = body.disc.at + chosen * seconds;
  const bool stopped = square(at - planned) > kStopped * kStopped;
  member.velocity =
      stopped ? at_most((at - body.disc.at) * (1 / seconds), member.of.speed) : chosen;
}

void Avoidance::step(std::span<Member> members, float seconds) {
  crowded_ = 0;
  neighbours_.clear(options_.range);
  for (std::size_t slot = 0; slot < members.size(); ++slot) {
    const Member& member = members[slot];
    if (!member.alive || member.crossing.takes != 0) continue;
    Body body;
    body.disc = {flat(member.place.point), member.velocity, member.of.radius};
    body.z = member.place.point.z;
    body.height = member.of.height;
    body.slot = static_cast<std::uint32_t>(slot);
    body.priority = member.of.priority;
    body.passive = member.of.passive;
    neighbours_.add(body);
  }
  neighbours_.sort();
  const std::span<const Body> bodies = neighbours_.bodies();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Body& body = bodies[i];
    places_[i] = body.disc.at;
    near_[i].count = 0;
    if (body.passive) continue;
    velocities_[i] = choose(i, members[body.slot], seconds);
    places_[i] = body.disc.at + velocities_[i] * seconds;
  }
  find_contacts(members);
  for (int round = 0; round < kRounds && (push_apart(members) || round == 0); ++round) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      if (!bodies[i].passive) land(members[bodies[i].slot], places_[i]);
    }
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Body& body = bodies[i];
    if (!body.passive) note_velocity(body, members[body.slot], velocities_[i], seconds);
  }
}

}  // namespace starbus::nav::crowd
