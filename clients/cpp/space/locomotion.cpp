#include "clients/cpp/space/locomotion.hpp"

#include <algorithm>
#include <cmath>

namespace starbus::game {

double distance(const Place& a, const Place& b) {
  return std::hypot(static_cast<double>(a.x) - b.x, static_cast<double>(a.y) - b.y,
                    static_cast<double>(a.z) - b.z);
}

bool is_finite(const Locomotion& move) {
  const Place& p = move.position;
  const Place& v = move.velocity;
  const float all[] = {p.x, p.y, p.z, v.x, v.y, v.z, move.heading, move.pitch};
  return std::ranges::all_of(all, [](float each) { return std::isfinite(each); });
}

}  // namespace starbus::game
