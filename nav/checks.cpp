#include "nav/checks.hpp"

#include <cmath>

#include "nav/limits.hpp"

namespace starbus::nav {

Result<void> check(const Agent& agent) {
  if (!std::isfinite(agent.radius) || agent.radius < 0) return Error(Errc::bad_option, "radius");
  if (std::isnan(agent.climb) || agent.climb < 0) return Error(Errc::bad_option, "climb");
  for (std::size_t area = kPlain; area <= kMaxArea; ++area) {
    if (agent.costs[area] == 0) return Error(Errc::bad_option, "costs: 0");
    if (agent.costs[area] > kMaxAreaCost) return Error(Errc::too_large, "kMaxAreaCost");
  }
  return {};
}

Result<void> check(const Box& box, Area area) {
  if (!finite(box.low) || !finite(box.high)) return Errc::bad_position;
  if (area > kMaxArea) return Error(Errc::too_large, "kMaxArea");
  return {};
}

Result<void> check(const PathRequest& request) {
  if (request.smoothing > Smoothing::line_of_sight) return Errc::bad_option;
  if (!finite(request.from.point) || !finite(request.to.point)) return Errc::bad_position;
  return {};
}

}  // namespace starbus::nav
