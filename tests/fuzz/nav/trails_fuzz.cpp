/// Trails of agents that others have recorded, for pages of starbus-nav.
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "tools/nav/limits.hpp"
#include "tools/nav/trails.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace starbus::nav_tool {
namespace {

void must_be(bool promise) {
  if (!promise) std::abort();
}

void read_some_trails(std::string_view text) {
  const auto trails = read_trails(text);
  if (!trails) {
    return must_be(trails.error() == nav::Errc::corrupt || trails.error() == nav::Errc::too_large);
  }
  std::size_t points = 0;
  for (const Trail& trail : *trails) {
    must_be(!trail.points.empty());
    points += trail.points.size();
    for (std::size_t i = 0; i < trail.points.size(); ++i) {
      must_be(std::isfinite(trail.points[i].t) && std::isfinite(trail.points[i].at.x));
      must_be(i == 0 || trail.points[i - 1].t <= trail.points[i].t);
    }
  }
  must_be(points <= kMaxTrailPoints);
}

}  // namespace
}  // namespace starbus::nav_tool

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  starbus::nav_tool::read_some_trails({reinterpret_cast<const char*>(data), size});
  return 0;
}
