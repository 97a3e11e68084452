#include "nav/mesh/islands.hpp"

#include "nav/graph/graph.hpp"
#include "nav/mesh/tiles.hpp"

namespace starbus::nav::mesh {

std::uint32_t islands_of(const Baked& baked) {
  Tiles tiles(baked.layout, {});
  for (std::uint32_t i = 0; i < baked.tiles.size(); ++i) tiles.put(i, baked.tiles[i].mesh);
  tiles.finish();
  std::vector<graph::Edge> edges;
  for (std::uint32_t i = 0; i < tiles.count(); ++i) {
    for (const Way& way : tiles.ways(tiles.at(i))) edges.push_back({i, tiles.index(way.to)});
  }
  // Within its limits, as kMaxPolygons is.
  return graph::joined_parts(*graph::Graph::create(tiles.count(), edges)).count;
}

}  // namespace starbus::nav::mesh
