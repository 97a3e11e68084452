#include "nav/mesh/islands.hpp"

#include <algorithm>

#include "nav/graph/graph.hpp"

namespace starbus::nav::mesh {
namespace {

// By polygon. Those that `passes` refuses are alone.
template <class Passes>
graph::Parts parts_of(const Tiles& tiles, Passes&& passes) {
  std::vector<graph::Edge> edges;
  for (std::uint32_t i = 0; i < tiles.count(); ++i) {
    if (!passes(tiles.area(tiles.at(i)))) continue;
    for (const Way& way : tiles.ways(tiles.at(i))) {
      if (passes(way.area)) edges.push_back({i, tiles.index(way.to)});
    }
  }
  // Within its limits, as kMaxPolygons is.
  return graph::joined_parts(*graph::Graph::create(tiles.count(), edges));
}

Place middle_of(const Tiles& tiles, Polygon of) {
  const int count = tiles.data(of).vertCount;
  Point sum;
  for (int i = 0; i < count; ++i) {
    const Point corner = point_of(tiles.corner(of, i));
    sum = {sum.x + corner.x, sum.y + corner.y, sum.z + corner.z};
  }
  const auto corners = static_cast<float>(count);
  return {{sum.x / corners, sum.y / corners, sum.z / corners}, tiles.piece(of)};
}

}  // namespace

std::uint32_t islands_of(const Baked& baked) {
  Tiles tiles(baked.layout, {});
  for (std::uint32_t i = 0; i < baked.tiles.size(); ++i) tiles.put(i, baked.tiles[i].mesh);
  tiles.finish();
  return parts_of(tiles, [](Area) { return true; }).count;
}

std::vector<Island> islands_of(const Tiles& tiles, const Kind& kind) {
  const graph::Parts parts = parts_of(tiles, [&](Area area) { return kind.passes(area); });
  std::vector<Island> islands(parts.count);
  std::vector<double> largest(parts.count);
  for (std::uint32_t i = 0; i < tiles.count(); ++i) {
    const Polygon polygon = tiles.at(i);
    if (!kind.passes(tiles.area(polygon))) continue;
    const std::uint32_t part = parts.of[i];
    const double size = size_of(tiles, polygon);
    Island& island = islands[part];
    if (island.polygons == 0 || size > largest[part]) {
      island.place = middle_of(tiles, polygon);
      largest[part] = size;
    }
    ++island.polygons;
    island.area += size;
  }
  std::erase_if(islands, [](const Island& one) { return one.polygons == 0; });
  std::ranges::stable_sort(islands, std::ranges::greater(), &Island::area);
  return islands;
}

}  // namespace starbus::nav::mesh
