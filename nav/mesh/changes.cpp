#include "nav/mesh/changes.hpp"

#include <algorithm>
#include <cmath>

#include "nav/limits.hpp"
#include "nav/mesh/build.hpp"
#include "nav/mesh/limits.hpp"

namespace starbus::nav::mesh {
namespace {

constexpr Area kNothing = 0xff;

std::int64_t whole(double number) {
  return static_cast<std::int64_t>(std::clamp(number, -1e9, 1e9));
}

}  // namespace

Changes::Changes(const Layout& layout, std::vector<BakedTile>& tiles)
    : layout_(layout), steps_(steps_of(layout.options)), built_(tiles.size()) {
  for (BakedTile& tile : tiles) voxels_.push_back(std::move(tile.voxels));
}

Result<std::uint32_t> Changes::place() {
  const auto free = std::ranges::find(standing_, false, &Standing::used);
  const auto index = static_cast<std::uint32_t>(free - standing_.begin());
  if (free == standing_.end()) {
    if (standing_.size() == kMaxObstacles) return Error(Errc::too_many, "kMaxObstacles");
    standing_.emplace_back();
  }
  return index;
}

Changes::Standing* Changes::find(ObstacleId id) {
  if (!id || id.index() >= standing_.size()) return nullptr;
  Standing& one = standing_[id.index()];
  return one.used && one.generation == id.generation() ? &one : nullptr;
}

ObstacleId Changes::id(std::uint32_t index) const {
  return ObstacleId::of(index, standing_[index].generation);
}

// Tiles whose cells, with those of their borders, a box may touch.
Changes::Range Changes::tiles_of(const Box& box, double around) const {
  const double cell = static_cast<double>(layout_.options.cell_size);
  const double side = cell * layout_.options.tile_cells;
  const double more = around + cell * steps_.border;
  const auto from = [&](float low, float origin) {
    return std::max<std::int64_t>(
        whole(std::floor((static_cast<double>(low) - more - static_cast<double>(origin)) / side)),
        0);
  };
  const auto to = [&](float high, float origin, std::uint32_t count) {
    return std::min<std::int64_t>(
        whole(std::ceil((static_cast<double>(high) + more - static_cast<double>(origin)) / side)),
        count);
  };
  const Point& low = layout_.low;
  return {from(box.low.x, low.x), from(box.low.y, low.y), to(box.high.x, low.x, layout_.columns),
          to(box.high.y, low.y, layout_.rows)};
}

// Spans on whose floor somebody would touch the box, `around` metres nearer than it is.
template <class Use>
void Changes::each_span(std::uint32_t tile, const Voxels& voxels, const Box& box, double around,
                        Use&& use) const {
  const TileBox at = layout_.box(tile);
  const double cell = static_cast<double>(layout_.options.cell_size);
  const double step = static_cast<double>(layout_.options.cell_height);
  const auto cells = [&](float low, float high, float origin) {
    const double from = static_cast<double>(origin) - cell * steps_.border;
    return std::pair(
        std::max<std::int64_t>(whole(std::floor((static_cast<double>(low) - around - from) / cell)),
                               0),
        std::min<std::int64_t>(whole(std::ceil((static_cast<double>(high) + around - from) / cell)),
                               steps_.side));
  };
  const auto [x0, x1] = cells(box.low.x, box.high.x, at.low[0]);
  const auto [y0, y1] = cells(box.low.y, box.high.y, at.low[2]);
  // A floor lies up to a step above what it was made of.
  const double base = static_cast<double>(layout_.low.z);
  const double highest = static_cast<double>(box.high.z) + step;
  const double lowest =
      static_cast<double>(box.low.z) - static_cast<double>(layout_.options.agent_height);
  std::size_t first = 0;
  for (std::int64_t i = 0; i < std::int64_t{steps_.side} * steps_.side; ++i) {
    const std::size_t count = voxels.counts[static_cast<std::size_t>(i)];
    const std::int64_t x = i % steps_.side;
    const std::int64_t y = i / steps_.side;
    if (x >= x0 && x < x1 && y >= y0 && y < y1) {
      for (std::size_t span = first; span < first + count; ++span) {
        const double floor = base + step * voxels.floors[span];
        if (floor <= highest && floor > lowest) use(span);
      }
    }
    first += count;
  }
}

// What the spans are like with all that stands there.
std::vector<Area> Changes::covered(std::uint32_t tile, const Voxels& voxels) const {
  const double radius = static_cast<double>(layout_.options.agent_radius);
  const std::int64_t column = tile % layout_.columns;
  const std::int64_t row = tile / layout_.columns;
  std::vector<Area> cover;
  for (const Standing& one : standing_) {
    if (!one.used || !one.present) continue;
    const Range of = tiles_of(one.box, radius);
    if (column < of.x0 || column >= of.x1 || row < of.y0 || row >= of.y1) continue;
    if (cover.empty()) cover.assign(voxels.areas.size(), kNothing);
    each_span(tile, voxels, one.box, radius,
              [&](std::size_t span) { cover[span] = std::min(cover[span], one.area); });
  }
  std::vector<Area> areas = voxels.areas;
  for (std::size_t i = 0; i < cover.size(); ++i) {
    if (cover[i] != kNothing && areas[i] != kWall) areas[i] = cover[i];
  }
  return areas;
}

Result<std::vector<Changes::Tile>> Changes::stage(const Box& box, const Area* paint) const {
  if (!layout_.options.dynamic) return Error(Errc::bad_option, "a mesh without voxels: dynamic");
  // Painted ground is where it is; from walls one keeps one's distance.
  const bool keeps_away = paint == nullptr || *paint == kWall;
  const double around = keeps_away ? static_cast<double>(layout_.options.agent_radius) : 0.0;
  const Range range = tiles_of(box, around);
  std::vector<Tile> changed;
  for (std::int64_t y = range.y0; y < range.y1; ++y) {
    for (std::int64_t x = range.x0; x < range.x1; ++x) {
      Tile one;
      one.number = static_cast<std::uint32_t>(x + y * layout_.columns);
      // They have passed check.
      Voxels voxels = *unpack(voxels_[one.number], steps_.side);
      const std::vector<Area> painted_before = voxels.areas;
      if (paint != nullptr) {
        each_span(one.number, voxels, box, around,
                  [&](std::size_t span) { voxels.areas[span] = *paint; });
        one.voxels = pack(voxels);
      }
      one.areas = covered(one.number, voxels);
      const auto& built = built_[one.number].empty() ? painted_before : built_[one.number];
      one.same = one.areas == built;
      if (one.same && voxels.areas == painted_before) continue;
      if (!one.same) {
        voxels.areas = one.areas;
        auto mesh = polygons_of(voxels, layout_, one.number);
        if (!mesh) return mesh.error();
        one.mesh = std::move(*mesh);
      }
      changed.push_back(std::move(one));
    }
  }
  return changed;
}

void Changes::keep(std::vector<Tile>& tiles) {
  for (Tile& one : tiles) {
    built_[one.number] = std::move(one.areas);
    if (!one.voxels.empty()) voxels_[one.number] = std::move(one.voxels);
  }
}

}  // namespace starbus::nav::mesh
