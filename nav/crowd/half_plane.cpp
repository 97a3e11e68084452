#include "nav/crowd/half_plane.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace starbus::nav::crowd {
namespace {

// Below it, two borders count as parallel: they meet farther away than any velocity is.
constexpr float kParallel = 1e-5F;

// A part of a plane's border, in m/s from the point that is nearest to standing still.
struct Stretch {
  float low;
  float high;
};

// The border of `plane` within the disc and the planes before it.
std::optional<Stretch> border_within(std::span<const HalfPlane> before, const HalfPlane& plane,
                                     float speed) {
  const float room = speed * speed - plane.least * plane.least;
  if (room < 0) return std::nullopt;
  const float half = std::sqrt(room);
  Stretch stretch{-half, half};
  const Vec along = left(plane.normal);
  for (const HalfPlane& other : before) {
    const float rise = dot(other.normal, along);
    const float gap = other.least - plane.least * dot(other.normal, plane.normal);
    if (std::abs(rise) <= kParallel) {
      if (gap > kParallel) return std::nullopt;
      continue;
    }
    const float at = gap / rise;
    if (rise > 0) {
      stretch.low = std::max(stretch.low, at);
    } else {
      stretch.high = std::min(stretch.high, at);
    }
    if (stretch.low > stretch.high) return std::nullopt;
  }
  return stretch;
}

// Both programs in the plane: `velocity` is the best within the disc, and becomes the best within
// the planes, too. `place` says which point of a border is best. Returns how many planes hold.
template <class Place>
std::size_t add_planes(std::span<const HalfPlane> planes, float speed, Vec& velocity, Place place) {
  for (std::size_t i = 0; i < planes.size(); ++i) {
    const HalfPlane& plane = planes[i];
    if (plane.breach(velocity) <= 0) continue;
    const auto stretch = border_within(planes.first(i), plane, speed);
    if (!stretch) return i;
    const Vec along = left(plane.normal);
    velocity = plane.normal * plane.least + along * place(along, *stretch);
  }
  return planes.size();
}

// The velocity farthest along `direction`; false if the planes cannot all hold.
bool farthest(std::span<const HalfPlane> planes, Vec direction, float speed, Vec& velocity) {
  Vec best = direction * speed;
  const std::size_t held = add_planes(planes, speed, best, [&](Vec along, Stretch stretch) {
    return dot(direction, along) > 0 ? stretch.high : stretch.low;
  });
  if (held < planes.size()) return false;
  velocity = best;
  return true;
}

// The planes before `first` hold. Each further one that is broken by more than the worst so far is
// the worst now; then the best velocity breaks it the least, and no other one by more.
void break_least(std::span<const HalfPlane> planes, std::size_t hard, std::size_t first,
                 float speed, Vec& velocity) {
  std::array<HalfPlane, kMaxPlanes> no_worse;
  std::copy_n(planes.begin(), hard, no_worse.begin());
  float worst = 0;
  for (std::size_t i = std::max(first, hard); i < planes.size(); ++i) {
    const HalfPlane& plane = planes[i];
    if (plane.breach(velocity) <= worst) continue;
    std::size_t count = hard;
    for (std::size_t j = hard; j < i; ++j) {
      const Vec apart = planes[j].normal - plane.normal;
      const float size = length(apart);
      if (size <= kParallel) continue;  // the one that forbids more is this one
      no_worse[count++] = {apart * (1 / size), (planes[j].least - plane.least) / size};
    }
    farthest(std::span(no_worse).first(count), plane.normal, speed, velocity);
    worst = plane.breach(velocity);
  }
}

}  // namespace

Solution best_velocity(std::span<const HalfPlane> planes, std::size_t hard, Vec wish, float speed) {
  Solution found;
  found.velocity = at_most(wish, speed);
  const std::size_t held =
      add_planes(planes, speed, found.velocity, [&](Vec along, Stretch stretch) {
        return std::clamp(dot(along, wish), stretch.low, stretch.high);
      });
  if (held == planes.size()) return found;
  found.feasible = false;
  if (held < hard) found.velocity = {};  // rounding alone: standing still is within the hard ones
  break_least(planes, hard, held, speed, found.velocity);
  return found;
}

}  // namespace starbus::nav::crowd
