#include "nav/mesh/options.hpp"

#include <cmath>

#include "nav/limits.hpp"
#include "nav/mesh/limits.hpp"
#include "nav/mesh/space.hpp"

namespace starbus::nav::mesh {
namespace {

constexpr int kMaxAgentHeightCells = 255;
constexpr int kMaxRadiusCells = 32;
// Beyond the agent's radius, so that regions end at a tile's border as its neighbour's do.
constexpr int kBorderBeyondRadius = 3;

struct Range {
  const char* name;
  float value;
  float low;
  float high;
  bool or_none = false;  ///< 0 as well
};

// Of a quotient that is a whole number but for its rounding, that number.
int whole_up(float value, float unit) {
  return static_cast<int>(std::ceil(static_cast<double>(value) / static_cast<double>(unit) - 1e-4));
}
int whole_down(float value, float unit) {
  return static_cast<int>(
      std::floor(static_cast<double>(value) / static_cast<double>(unit) + 1e-4));
}

bool convex(const std::vector<Point>& outline) {
  bool left = false;
  bool right = false;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const Point& a = outline[i];
    const Point& b = outline[(i + 1) % outline.size()];
    const Point& c = outline[(i + 2) % outline.size()];
    const double turn = (static_cast<double>(b.x) - a.x) * (static_cast<double>(c.y) - b.y) -
                        (static_cast<double>(b.y) - a.y) * (static_cast<double>(c.x) - b.x);
    left = left || turn > 0;
    right = right || turn < 0;
  }
  return left != right;
}

}  // namespace

Result<void> check(const BakeOptions& of) {
  const Range ranges[] = {
      {"cell_size", of.cell_size, 0.05F, 4},
      {"cell_height", of.cell_height, 0.01F, 2},
      {"agent_height", of.agent_height, 0.1F, 20},
      {"agent_radius", of.agent_radius, 0, 16},
      {"agent_climb", of.agent_climb, 0, 10},
      {"agent_slope", of.agent_slope, 0, kSteepest},
      {"min_region", of.min_region, 0, 10'000},
      {"merge_region", of.merge_region, 0, 10'000},
      {"edge_length", of.edge_length, 1, 1'000, true},
      {"edge_error", of.edge_error, 0.1F, 10},
      {"detail_distance", of.detail_distance, 0.5F, 100, true},
      {"detail_error", of.detail_error, 0.01F, 10},
  };
  for (const Range& one : ranges) {
    const bool within = one.value >= one.low && one.value <= one.high;  // false for no number
    if (!within && !(one.or_none && one.value == 0)) return Error(Errc::bad_option, one.name);
  }
  if (of.tile_cells < 16 || of.tile_cells > kMaxTileCells) {
    return Error(Errc::bad_option, "tile_cells");
  }
  if (of.regions > Regions::layers) return Error(Errc::bad_option, "regions");
  if (of.cell_height * 3 > of.agent_height) {
    return Error(Errc::bad_option, "cell_height: over a third of agent_height");
  }
  if (of.agent_climb >= of.agent_height) {
    return Error(Errc::bad_option, "agent_climb: not below agent_height");
  }
  if (whole_up(of.agent_height, of.cell_height) > kMaxAgentHeightCells) {
    return Error(Errc::bad_option, "agent_height: over 255 cells");
  }
  if (whole_up(of.agent_radius, of.cell_size) > kMaxRadiusCells) {
    return Error(Errc::bad_option, "agent_radius: over 32 cells");
  }
  return {};
}

Result<void> check(const Paint& paint) {
  for (const auto& [name, area] : paint.materials) {
    if (area > kMaxArea) return Error(Errc::too_large, "kMaxArea");
  }
  if (paint.volumes.size() > kMaxVolumes) return Error(Errc::too_many, "kMaxVolumes");
  for (const Volume& one : paint.volumes) {
    if (one.area > kMaxArea) return Error(Errc::too_large, "kMaxArea");
    if (one.outline.size() > kMaxVolumeCorners) return Error(Errc::too_many, "kMaxVolumeCorners");
    for (const Point& corner : one.outline) {
      if (!on_map(corner)) return Error(Errc::bad_position, "volumes");
    }
    if (!on_map({0, 0, one.low}) || !on_map({0, 0, one.high})) {
      return Error(Errc::bad_position, "volumes");
    }
    if (one.outline.size() < 3 || !convex(one.outline) || one.low > one.high) {
      return Error(Errc::bad_option, "volumes");
    }
  }
  return {};
}

Steps steps_of(const BakeOptions& options) {
  Steps steps;
  steps.height = whole_up(options.agent_height, options.cell_height);
  steps.climb = whole_down(options.agent_climb, options.cell_height);
  steps.radius = whole_up(options.agent_radius, options.cell_size);
  steps.border = steps.radius + kBorderBeyondRadius;
  steps.side = static_cast<int>(options.tile_cells) + 2 * steps.border;
  return steps;
}

}  // namespace starbus::nav::mesh
