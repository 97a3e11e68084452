#include "nav/mesh/tiles.hpp"

#include <DetourNavMeshBuilder.h>

#include <algorithm>
#include <new>

namespace starbus::nav::mesh {
namespace {

struct FreeQuery {
  void operator()(dtNavMeshQuery* query) const { dtFreeNavMeshQuery(query); }
};

// Of nodes that searches of Detour would use: no call of ours makes one.
constexpr int kNodes = 16;

void require(bool done) {
  // With what check has let pass, only memory can be missing.
  if (!done) throw std::bad_alloc();
}

}  // namespace

Tiles::Tiles(const Layout& layout, const Areas& areas)
    : layout_(layout),
      areas_(areas),
      mesh_(dtAllocNavMesh()),
      generations_(layout.tiles()),
      ways_(layout.tiles()),
      out_of_date_(layout.tiles()),
      first_polygon_(layout.tiles() + 1),
      first_way_(layout.tiles() + 1) {
  dtNavMeshParams params{};
  const Spot low = spot_of(layout.low);
  std::ranges::copy(low, params.orig);
  params.tileWidth = params.tileHeight =
      layout.options.cell_size * static_cast<float>(layout.options.tile_cells);
  params.maxTiles = static_cast<int>(layout.tiles());
  params.maxPolys = kMaxTilePolygons;
  require(mesh_ != nullptr && dtStatusSucceed(mesh_->init(&params)));
}

const dtNavMeshQuery& Tiles::query() const {
  thread_local const std::unique_ptr<dtNavMeshQuery, FreeQuery> query(dtAllocNavMeshQuery());
  if (query->getAttachedNavMesh() != mesh_.get()) {
    require(dtStatusSucceed(query->init(mesh_.get(), kNodes)));
  }
  return *query;
}

void Tiles::put(std::uint32_t tile, const TileMesh& mesh) {
  const auto column = static_cast<int>(tile % layout_.columns);
  const auto row = static_cast<int>(tile / layout_.columns);
  const dtNavMesh& before = *mesh_;
  if (before.getTile(static_cast<int>(tile))->header != nullptr) {
    mesh_->removeTile(before.getTileRef(before.getTile(static_cast<int>(tile))), nullptr, nullptr);
  }
  const std::uint32_t generation = ++generations_[tile];
  for (int y = std::max(row - 1, 0); y <= row + 1; ++y) {
    for (int x = std::max(column - 1, 0); x <= column + 1; ++x) {
      if (x >= static_cast<int>(layout_.columns) || y >= static_cast<int>(layout_.rows)) continue;
      out_of_date_[static_cast<std::size_t>(x) + static_cast<std::size_t>(y) * layout_.columns] =
          true;
    }
  }
  if (mesh.count() == 0) return;
  std::vector<std::uint16_t> flags;
  for (const Area area : mesh.areas) flags.push_back(areas_.flags[area]);
  const TileBox box = layout_.box(tile);
  dtNavMeshCreateParams params{};
  params.verts = mesh.corners.data();
  params.vertCount = static_cast<int>(mesh.corners.size() / 3);
  params.polys = mesh.polygons.data();
  params.polyFlags = flags.data();
  params.polyAreas = mesh.areas.data();
  params.polyCount = static_cast<int>(mesh.count());
  params.nvp = kCorners;
  if (!mesh.details.empty()) {
    params.detailMeshes = mesh.details.data();
    params.detailVerts = mesh.points.data();
    params.detailVertsCount = static_cast<int>(mesh.points.size() / 3);
    params.detailTris = mesh.triangles.data();
    params.detailTriCount = static_cast<int>(mesh.triangles.size() / 4);
  }
  params.tileX = column;
  params.tileY = row;
  std::ranges::copy(box.low, params.bmin);
  std::ranges::copy(box.high, params.bmax);
  params.walkableHeight = layout_.options.agent_height;
  params.walkableRadius = layout_.options.agent_radius;
  params.walkableClimb = layout_.options.agent_climb;
  params.cs = layout_.options.cell_size;
  params.ch = layout_.options.cell_height;
  params.buildBvTree = true;
  unsigned char* data = nullptr;
  int size = 0;
  require(dtCreateNavMeshData(&params, &data, &size));
  // Detour lets a tile that comes back have its old name; so we choose the names.
  const std::uint32_t salt = 1 + generation % 1'023;
  const dtTileRef name = mesh_->encodePolyId(salt, tile, 0);
  if (dtStatusFailed(mesh_->addTile(data, size, DT_TILE_FREE_DATA, name, nullptr))) {
    dtFree(data);
    throw std::bad_alloc();
  }
}

void Tiles::finish() {
  for (std::uint32_t tile = 0; tile < layout_.tiles(); ++tile) {
    if (out_of_date_[tile]) find_ways(tile);
    out_of_date_[tile] = false;
    const auto polygons = static_cast<std::uint32_t>(ways_[tile].first.size() - 1);
    first_polygon_[tile + 1] = first_polygon_[tile] + polygons;
    first_way_[tile + 1] = first_way_[tile] + static_cast<std::uint32_t>(ways_[tile].ways.size());
  }
}

void Tiles::find_ways(std::uint32_t number) {
  TileWays& all = ways_[number];
  all.first.assign(1, 0);
  all.ways.clear();
  const dtNavMesh& mesh = *mesh_;
  const dtMeshTile& tile = *mesh.getTile(static_cast<int>(number));
  if (tile.header == nullptr) return;
  for (int i = 0; i < tile.header->polyCount; ++i) {
    const dtPoly& one = tile.polys[i];
    for (unsigned int at = one.firstLink; at != DT_NULL_LINK; at = tile.links[at].next) {
      const dtLink& link = tile.links[at];
      const float* const a = &tile.verts[one.verts[link.edge] * 3];
      const float* const b = &tile.verts[one.verts[(link.edge + 1) % one.vertCount] * 3];
      // Across a border only a part of the edge may be shared, in parts of 255.
      const bool whole = link.side == 0xff;
      const float from = whole ? 0 : static_cast<float>(link.bmin) / 255;
      const float to = whole ? 1 : static_cast<float>(link.bmax) / 255;
      Way way;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        way.middle[axis] = a[axis] + (b[axis] - a[axis]) * ((from + to) / 2);
      }
      way.to = polygon(link.ref);
      way.area = area(way.to);
      all.ways.push_back(way);
    }
    all.first.push_back(static_cast<std::uint32_t>(all.ways.size()));
  }
}

Polygon Tiles::at(std::uint32_t index) const {
  const auto after = std::ranges::upper_bound(first_polygon_, index);
  const auto tile = static_cast<std::uint32_t>(after - first_polygon_.begin() - 1);
  return tile << kPolygonBits | (index - first_polygon_[tile]);
}

const float* Tiles::corner(Polygon of, int number) const {
  const dtMeshTile& tile = *mesh().getTile(static_cast<int>(of >> kPolygonBits));
  return &tile.verts[data(of).verts[number] * 3];
}

dtPolyRef Tiles::ref(Polygon of) const {
  const dtNavMesh& mesh = *mesh_;
  return mesh.getPolyRefBase(mesh.getTile(static_cast<int>(of >> kPolygonBits))) |
         (of & (kMaxTilePolygons - 1));
}

Polygon Tiles::polygon(dtPolyRef ref) const {
  return mesh_->decodePolyIdTile(ref) << kPolygonBits | mesh_->decodePolyIdPoly(ref);
}

std::uint64_t Tiles::piece(Polygon of) const {
  return std::uint64_t{generations_[of >> kPolygonBits]} << 32 | ref(of);
}

std::optional<Polygon> Tiles::find(std::uint64_t piece) const {
  const auto ref = static_cast<dtPolyRef>(piece);
  if (!mesh_->isValidPolyRef(ref)) return std::nullopt;
  const Polygon of = polygon(ref);
  if (generations_[of >> kPolygonBits] != piece >> 32) return std::nullopt;
  return of;
}

}  // namespace starbus::nav::mesh
