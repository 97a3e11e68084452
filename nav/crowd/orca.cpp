#include "nav/crowd/orca.hpp"

#include <algorithm>
#include <cmath>

namespace starbus::nav::crowd {
namespace {

// m/s: below it, a velocity lies on the border itself, whose normal says where to go.
constexpr float kOnBorder = 1e-4F;
// m: as near to a wall, one stands at it.
constexpr float kAtWall = 1e-3F;

// The relative velocities that lead into the other disc within `horizon` are a cone without its
// tip: a smaller disc, and the two lines from the origin that touch it.
HalfPlane outside_disc(const Disc& self, Vec from_centre, float radius, float share, Vec apart) {
  const float size = length(from_centre);
  const Vec normal = size > 0 ? from_centre * (1 / size) : apart;
  return {normal, dot(normal, self.velocity) + share * (radius - size)};
}

}  // namespace

HalfPlane avoid(const Disc& self, const Disc& other, float share, float horizon, float step,
                Vec apart) {
  const Vec there = other.at - self.at;
  const Vec velocity = self.velocity - other.velocity;
  const float radius = self.radius + other.radius;
  const float distance2 = square(there);
  const float radius2 = radius * radius;
  if (distance2 <= radius2) {
    return outside_disc(self, velocity - there * (1 / step), radius / step, share, apart);
  }
  const Vec from_centre = velocity - there * (1 / horizon);
  const float ahead = dot(from_centre, there);
  if (ahead < 0 && ahead * ahead > radius2 * square(from_centre)) {
    return outside_disc(self, from_centre, radius / horizon, share, apart);
  }
  // The line that touches the disc on the side where the velocity is: `there` turned by the angle
  // whose sine is radius / distance.
  const float along = std::sqrt(distance2 - radius2);
  const float side = det(there, from_centre) > 0 ? radius : -radius;
  const Vec leg =
      Vec{there.x * along - there.y * side, there.x * side + there.y * along} * (1 / distance2);
  const Vec normal = side > 0 ? left(leg) : left(leg) * -1;
  return {normal, dot(normal, self.velocity) - share * dot(normal, velocity)};
}

std::optional<HalfPlane> keep_off(Vec velocity, Vec from, Vec to, float horizon) {
  const Vec wall = to - from;
  const float size = length(wall);
  if (size <= 0) return std::nullopt;
  const Vec off = left(wall) * (1 / size);
  const float distance = -dot(off, from);
  if (distance < -kAtWall) return std::nullopt;
  if (distance < kAtWall) {
    if (dot(wall, from) > 0 || dot(wall, to) < 0) return std::nullopt;  // beside it
    return HalfPlane{off, 0};
  }
  // The velocities that lead to it in time are convex: what lies beyond the wall's image, between
  // the rays from the origin to its ends. It is seen from `from` on the right to `to` on the left.
  const Vec first = from * (1 / horizon);
  const Vec last = to * (1 / horizon);
  const Vec right_ray = from * (1 / length(from));
  const Vec left_ray = to * (1 / length(to));
  const Vec along = wall * (1 / size);
  const HalfPlane front{off, dot(off, first)};
  const HalfPlane right{left(right_ray) * -1, 0};
  const HalfPlane beside{left(left_ray), 0};
  const float depth =
      std::max({-front.breach(velocity), -right.breach(velocity), -beside.breach(velocity)});
  if (depth <= kOnBorder) {  // within, or on the border: to the nearest side
    if (depth == -front.breach(velocity)) return front;
    return depth == -right.breach(velocity) ? right : beside;
  }
  // Outside: the nearest point of the border, and what lies on this side of it.
  Vec nearest =
      first + along * std::clamp(dot(along, velocity - first), 0.0F, length(last - first));
  const auto offer = [&](Vec tip, Vec ray) {
    const Vec on = tip + ray * std::max(dot(ray, velocity - tip), 0.0F);
    if (square(velocity - on) < square(velocity - nearest)) nearest = on;
  };
  offer(first, right_ray);
  offer(last, left_ray);
  const Vec out = velocity - nearest;
  const float apart = length(out);
  if (apart <= kOnBorder) return front;
  const Vec normal = out * (1 / apart);
  // Never above 0 but by rounding: the origin is outside, too.
  return HalfPlane{normal, std::min(dot(normal, nearest), 0.0F)};
}

}  // namespace starbus::nav::crowd
