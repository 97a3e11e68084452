#include "nav/mesh/bake.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "nav/mesh/build.hpp"
#include "nav/mesh/islands.hpp"
#include "nav/mesh/limits.hpp"
#include "nav/mesh/recast.hpp"
#include "nav/mesh/space.hpp"

namespace starbus::nav::mesh {
namespace {

constexpr std::size_t kMaxTouching = 16 * std::size_t{kMaxTriangles};

struct Normal {
  double z = 0;     ///< of a length of 1
  double area = 0;  ///< m2
};

Normal normal_of(const Point& a, const Point& b, const Point& c) {
  const double ux = static_cast<double>(b.x) - a.x;
  const double uy = static_cast<double>(b.y) - a.y;
  const double uz = static_cast<double>(b.z) - a.z;
  const double vx = static_cast<double>(c.x) - a.x;
  const double vy = static_cast<double>(c.y) - a.y;
  const double vz = static_cast<double>(c.z) - a.z;
  const double x = uy * vz - uz * vy;
  const double y = uz * vx - ux * vz;
  const double z = ux * vy - uy * vx;
  const double length = std::sqrt(x * x + y * y + z * z);
  return {length > 0 ? z / length : 0, length / 2};
}

// Of a terrain whose every number is right.
Result<void> check_terrain(const Terrain& terrain) {
  if (terrain.triangles.size() > kMaxTriangles) return Error(Errc::too_many, "kMaxTriangles");
  if (terrain.materials.size() > kMaxMaterials) return Error(Errc::too_many, "kMaxMaterials");
  if (terrain.triangles.empty()) return Error(Errc::bad_option, "a terrain without triangles");
  for (const Point& point : terrain.points) {
    if (!on_map(point)) return Error(Errc::bad_position, "kMaxCoordinate");
  }
  for (const Triangle& one : terrain.triangles) {
    if (std::ranges::any_of(one.corners, [&](auto at) { return at >= terrain.points.size(); })) {
      return Error(Errc::corrupt, "a triangle without its point");
    }
    if (one.material >= terrain.materials.size()) {
      return Error(Errc::corrupt, "a triangle without its material");
    }
  }
  return {};
}

Area area_of(const Paint& paint, const std::string& material) {
  const auto found =
      std::ranges::find(paint.materials, material, &std::pair<std::string, Area>::first);
  return found == paint.materials.end() ? kPlain : found->second;
}

void paint_volumes(rcContext& context, const Paint& paint, bool walls,
                   rcCompactHeightfield& field) {
  for (const Volume& one : paint.volumes) {
    if ((one.area == kWall) != walls) continue;
    std::vector<float> outline;
    for (const Point& corner : one.outline) {
      const Spot spot = spot_of(corner);
      outline.insert(outline.end(), spot.begin(), spot.end());
    }
    rcMarkConvexPolyArea(&context, outline.data(), static_cast<int>(one.outline.size()), one.low,
                         one.high, one.area, field);
  }
}

// Fails where a field of Recast could not hold them.
Result<void> check_spans(const rcHeightfield& solid) {
  std::size_t all = 0;
  for (int i = 0; i < solid.width * solid.height; ++i) {
    std::size_t count = 0;
    for (const rcSpan* span = solid.spans[i]; span != nullptr; span = span->next) {
      count += span->area != RC_NULL_AREA ? 1 : 0;
    }
    if (count > kMaxColumnSpans) return Error(Errc::too_many, "kMaxColumnSpans");
    all += count;
  }
  if (all > kMaxTileSpans) return Error(Errc::too_many, "kMaxTileSpans");
  return {};
}

// What is ground of the field; all else is in no one's way.
Voxels voxels_of(const rcCompactHeightfield& field) {
  Voxels voxels;
  for (int i = 0; i < field.width * field.height; ++i) {
    const rcCompactCell& cell = field.cells[i];
    std::uint8_t count = 0;
    const auto first = static_cast<std::uint32_t>(cell.index);
    for (std::uint32_t at = first; at < first + cell.count; ++at) {
      if (field.areas[at] == RC_NULL_AREA || field.spans[at].h == 0) continue;
      voxels.floors.push_back(field.spans[at].y);
      voxels.rooms.push_back(static_cast<std::uint8_t>(field.spans[at].h));
      voxels.areas.push_back(field.areas[at]);
      ++count;
    }
    voxels.counts.push_back(count);
  }
  return voxels;
}

}  // namespace

Result<Bake> Bake::create(Terrain terrain, const BakeOptions& options, const Paint& paint) {
  if (auto fine = check_terrain(terrain); !fine) return fine.error();
  if (auto fine = check(paint); !fine) return fine.error();
  Point low = terrain.points[terrain.triangles.front().corners[0]];
  Point high = low;
  for (const Triangle& one : terrain.triangles) {
    for (const std::uint32_t at : one.corners) {
      const Point& point = terrain.points[at];
      low = {std::min(low.x, point.x), std::min(low.y, point.y), std::min(low.z, point.z)};
      high = {std::max(high.x, point.x), std::max(high.y, point.y), std::max(high.z, point.z)};
    }
  }
  auto layout = layout_of(options, low, high);
  if (!layout) return layout.error();
  Bake bake;
  bake.terrain_ = std::move(terrain);
  bake.paint_ = paint;
  bake.layout_ = *layout;
  std::vector<Area> of_material;
  for (const std::string& name : bake.terrain_.materials) {
    of_material.push_back(area_of(paint, name));
  }
  const double least = std::cos(static_cast<double>(options.agent_slope) * std::numbers::pi / 180);
  for (const Triangle& one : bake.terrain_.triangles) {
    const auto& points = bake.terrain_.points;
    const Normal normal =
        normal_of(points[one.corners[0]], points[one.corners[1]], points[one.corners[2]]);
    const bool steep = normal.z <= least;
    const Area area = of_material[one.material];
    bake.areas_.push_back(steep ? kWall : area);
    if (!steep || area == kWall) continue;
    ++bake.steep_;
    bake.steep_area_ += normal.area;
  }
  bake.sort();
  if (bake.touching_.size() > kMaxTouching) return Error(Errc::too_many, "kMaxTriangles");
  return bake;
}

// Which triangles each tile is made of. Stops where there are too many.
void Bake::sort() {
  const double side = static_cast<double>(layout_.options.cell_size) * layout_.options.tile_cells;
  const double around =
      static_cast<double>(layout_.options.cell_size) * (steps_of(layout_.options).border + 1);
  struct Range {
    std::uint32_t low;
    std::uint32_t high;
  };
  const auto range = [&](float from, float low, float high, std::uint32_t count) -> Range {
    const double origin = static_cast<double>(from);
    const auto clamped = [&](double tile) {
      return static_cast<std::uint32_t>(std::clamp(std::floor(tile), 0.0, count - 1.0));
    };
    return {clamped((static_cast<double>(low) - around - origin) / side),
            clamped((static_cast<double>(high) + around - origin) / side)};
  };
  const auto each = [&](auto&& use) {
    for (std::uint32_t i = 0; i < terrain_.triangles.size(); ++i) {
      const auto& corners = terrain_.triangles[i].corners;
      const Point& a = terrain_.points[corners[0]];
      const Point& b = terrain_.points[corners[1]];
      const Point& c = terrain_.points[corners[2]];
      const auto x = std::minmax({a.x, b.x, c.x});
      const auto y = std::minmax({a.y, b.y, c.y});
      const Range columns = range(layout_.low.x, x.first, x.second, layout_.columns);
      const Range rows = range(layout_.low.y, y.first, y.second, layout_.rows);
      for (std::uint32_t row = rows.low; row <= rows.high; ++row) {
        for (std::uint32_t column = columns.low; column <= columns.high; ++column) {
          use(column + row * layout_.columns, i);
        }
      }
    }
  };
  std::vector<std::size_t> counts(layout_.tiles() + 1, 0);
  each([&](std::uint32_t tile, std::uint32_t) { ++counts[tile + 1]; });
  for (std::size_t i = 1; i < counts.size(); ++i) counts[i] += counts[i - 1];
  if (counts.back() > kMaxTouching) {
    touching_.resize(kMaxTouching + 1);
    return;
  }
  first_.assign(counts.begin(), counts.end());
  touching_.resize(counts.back());
  each([&](std::uint32_t tile, std::uint32_t i) { touching_[counts[tile]++] = i; });
}

Result<BakedTile> Bake::tile(std::uint32_t number) const {
  const BakeOptions& options = layout_.options;
  const Steps steps = steps_of(options);
  TileBox box = layout_.box(number);
  const float around = static_cast<float>(steps.border) * options.cell_size;
  for (const int axis : {0, 2}) {
    box.low[axis] -= around;
    box.high[axis] += around;
  }
  std::vector<float> corners;
  std::vector<unsigned char> areas;
  for (std::uint32_t i = first_[number]; i < first_[number + 1]; ++i) {
    const Triangle& one = terrain_.triangles[touching_[i]];
    for (const int at : {0, 2, 1}) {  // the other way round: see space.hpp
      const Spot spot = spot_of(terrain_.points[one.corners[at]]);
      corners.insert(corners.end(), spot.begin(), spot.end());
    }
    areas.push_back(areas_[touching_[i]]);
  }
  rcContext context(false);
  const Owned<rcHeightfield, rcFreeHeightField> solid(rcAllocHeightfield());
  const OwnedField field(rcAllocCompactHeightfield());
  const Error too_many(Errc::too_many, "voxels of a tile");
  if (!rcCreateHeightfield(&context, *solid, steps.side, steps.side, box.low, box.high,
                           options.cell_size, options.cell_height) ||
      !rcRasterizeTriangles(&context, corners.data(), areas.data(), static_cast<int>(areas.size()),
                            *solid, steps.climb)) {
    return too_many;
  }
  rcFilterLowHangingWalkableObstacles(&context, steps.climb, *solid);
  rcFilterLedgeSpans(&context, steps.height, steps.climb, *solid);
  rcFilterWalkableLowHeightSpans(&context, steps.height, *solid);
  if (auto fine = check_spans(*solid); !fine) return fine.error();
  if (!rcBuildCompactHeightfield(&context, steps.height, steps.climb, *solid, *field)) {
    return too_many;
  }
  paint_volumes(context, paint_, true, *field);
  if (!rcErodeWalkableArea(&context, steps.radius, *field)) return too_many;
  paint_volumes(context, paint_, false, *field);
  const Voxels voxels = voxels_of(*field);
  auto mesh = polygons_of(voxels, layout_, number);
  if (!mesh) return mesh.error();
  return BakedTile{std::move(*mesh), options.dynamic ? pack(voxels) : std::string()};
}

Result<Baked> Bake::run(const Progress& progress) const {
  Baked baked{layout_, {}};
  for (std::uint32_t i = 0; i < layout_.tiles(); ++i) {
    auto made = tile(i);
    if (!made) {
      return Error(made.error().code,
                   "tile " + std::to_string(i) + ": " + std::string(made.error().detail));
    }
    baked.tiles.push_back(std::move(*made));
    if (progress && !progress(i + 1, layout_.tiles())) {
      return Error(Errc::not_ready, "ended by its caller");
    }
  }
  if (auto fine = check(baked); !fine) return fine.error();
  return baked;
}

BakeReport Bake::report(const Baked& baked) const {
  BakeReport report;
  for (const BakedTile& tile : baked.tiles) {
    report.tiles += tile.mesh.count() != 0 ? 1 : 0;
    report.polygons += static_cast<std::uint32_t>(tile.mesh.count());
  }
  report.islands = islands_of(baked);
  report.triangles = static_cast<std::uint32_t>(terrain_.triangles.size());
  report.steep = steep_;
  report.steep_area = steep_area_;
  report.slopes = lost_slopes();
  return report;
}

std::vector<Slope> Bake::lost_slopes() const {
  constexpr double kDegrees = 180 / std::numbers::pi;
  std::vector<Slope> slopes;
  for (std::size_t i = 0; i < terrain_.triangles.size(); ++i) {
    const Triangle& one = terrain_.triangles[i];
    if (areas_[i] != kWall || area_of(paint_, terrain_.materials[one.material]) == kWall) continue;
    const Point& a = terrain_.points[one.corners[0]];
    const Point& b = terrain_.points[one.corners[1]];
    const Point& c = terrain_.points[one.corners[2]];
    const Normal normal = normal_of(a, b, c);
    const double degrees = std::acos(std::clamp(normal.z, -1.0, 1.0)) * kDegrees;
    if (degrees > static_cast<double>(kSteepest)) continue;
    const Point middle{(a.x + b.x + c.x) / 3, (a.y + b.y + c.y) / 3, (a.z + b.z + c.z) / 3};
    slopes.push_back({middle, degrees, normal.area});
  }
  std::ranges::stable_sort(slopes, std::ranges::greater(), &Slope::area);
  return slopes;
}

}  // namespace starbus::nav::mesh
