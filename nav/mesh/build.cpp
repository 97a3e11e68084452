#include "nav/mesh/build.hpp"

#include <algorithm>
#include <cmath>

#include "nav/mesh/limits.hpp"
#include "nav/mesh/recast.hpp"

namespace starbus::nav::mesh {
namespace {

template <class Value>
Value* allocate(std::size_t count) {
  return static_cast<Value*>(
      rcAlloc(std::max<std::size_t>(count, 1) * sizeof(Value), RC_ALLOC_PERM));
}

// Which span of the column beside it a span leads to, as rcBuildCompactHeightfield says.
int neighbour_of(const rcCompactHeightfield& field, const rcCompactSpan& span, int column) {
  const rcCompactCell& cell = field.cells[column];
  for (int i = 0; i < static_cast<int>(cell.count); ++i) {
    const rcCompactSpan& other = field.spans[static_cast<int>(cell.index) + i];
    const int low = std::max<int>(span.y, other.y);
    const int high =
        std::min<int>(span.y + static_cast<int>(span.h), other.y + static_cast<int>(other.h));
    if (high - low >= field.walkableHeight &&
        std::abs(static_cast<int>(other.y) - static_cast<int>(span.y)) <= field.walkableClimb) {
      return i;
    }
  }
  return RC_NOT_CONNECTED;
}

void join(rcCompactHeightfield& field) {
  for (int y = 0; y < field.height; ++y) {
    for (int x = 0; x < field.width; ++x) {
      const rcCompactCell& cell = field.cells[x + y * field.width];
      for (int i = static_cast<int>(cell.index); i < static_cast<int>(cell.index + cell.count);
           ++i) {
        for (int side = 0; side < 4; ++side) {
          const int nx = x + rcGetDirOffsetX(side);
          const int ny = y + rcGetDirOffsetY(side);
          const bool inside = nx >= 0 && ny >= 0 && nx < field.width && ny < field.height;
          rcSetCon(field.spans[i], side,
                   inside ? neighbour_of(field, field.spans[i], nx + ny * field.width)
                          : RC_NOT_CONNECTED);
        }
      }
    }
  }
}

OwnedField field_of(const Voxels& voxels, const Layout& layout, const TileBox& box) {
  const BakeOptions& options = layout.options;
  const Steps steps = steps_of(options);
  OwnedField field(rcAllocCompactHeightfield());
  const std::size_t spans = voxels.floors.size();
  field->width = field->height = steps.side;
  field->spanCount = static_cast<int>(spans);
  field->walkableHeight = steps.height;
  field->walkableClimb = steps.climb;
  field->borderSize = steps.border;
  field->cs = options.cell_size;
  field->ch = options.cell_height;
  const float around = static_cast<float>(steps.border) * options.cell_size;
  for (int axis = 0; axis < 3; ++axis) {
    const float by = axis == 1 ? 0 : around;
    field->bmin[axis] = box.low[axis] - by;
    field->bmax[axis] = box.high[axis] + by;
  }
  field->cells = allocate<rcCompactCell>(voxels.counts.size());
  field->spans = allocate<rcCompactSpan>(spans);
  field->areas = allocate<unsigned char>(spans);
  std::uint32_t first = 0;
  for (std::size_t i = 0; i < voxels.counts.size(); ++i) {
    field->cells[i].index = first & 0xff'ffff;
    field->cells[i].count = voxels.counts[i];
    first += voxels.counts[i];
  }
  for (std::size_t i = 0; i < spans; ++i) {
    field->spans[i].y = voxels.floors[i];
    field->spans[i].h = voxels.rooms[i];
    field->spans[i].reg = 0;
    field->spans[i].con = 0;
    field->areas[i] = voxels.areas[i];
  }
  join(*field);
  return field;
}

bool build_regions(rcContext& context, rcCompactHeightfield& field, const BakeOptions& options) {
  const double cell =
      static_cast<double>(options.cell_size) * static_cast<double>(options.cell_size);
  const auto cells = [&](float area) { return static_cast<int>(static_cast<double>(area) / cell); };
  const int least = cells(options.min_region);
  const int merged = cells(options.merge_region);
  switch (options.regions) {
    case Regions::watershed:
      return rcBuildDistanceField(&context, field) &&
             rcBuildRegions(&context, field, field.borderSize, least, merged);
    case Regions::monotone:
      return rcBuildRegionsMonotone(&context, field, field.borderSize, least, merged);
    case Regions::layers:
      return rcBuildLayerRegions(&context, field, field.borderSize, least);
  }
  return false;
}

TileMesh tile_of(const rcPolyMesh& mesh) {
  TileMesh tile;
  tile.corners.assign(mesh.verts, mesh.verts + mesh.nverts * 3);
  tile.polygons.assign(mesh.polys, mesh.polys + mesh.npolys * 2 * kCorners);
  tile.areas.assign(mesh.areas, mesh.areas + mesh.npolys);
  return tile;
}

void add_details(TileMesh& tile, const rcPolyMeshDetail& details) {
  tile.details.assign(details.meshes, details.meshes + details.nmeshes * 4);
  tile.points.assign(details.verts, details.verts + details.nverts * 3);
  tile.triangles.assign(details.tris, details.tris + details.ntris * 4);
}

}  // namespace

Result<TileMesh> polygons_of(const Voxels& voxels, const Layout& layout, std::uint32_t tile) {
  const BakeOptions& options = layout.options;
  const TileBox box = layout.box(tile);
  const Error too_many(Errc::too_many, "regions, corners or polygons of a tile");
  if (voxels.floors.empty()) return TileMesh{};
  rcContext context(false);
  const OwnedField field = field_of(voxels, layout, box);
  if (!build_regions(context, *field, options)) return too_many;
  const Owned<rcContourSet, rcFreeContourSet> outlines(rcAllocContourSet());
  const int edge = static_cast<int>(options.edge_length / options.cell_size);
  if (!rcBuildContours(&context, *field, options.edge_error, edge, *outlines)) return too_many;
  if (outlines->nconts == 0) return TileMesh{};
  const Owned<rcPolyMesh, rcFreePolyMesh> mesh(rcAllocPolyMesh());
  if (!rcBuildPolyMesh(&context, *outlines, kCorners, *mesh)) return too_many;
  if (mesh->npolys == 0) return TileMesh{};
  TileMesh made = tile_of(*mesh);
  // Recast's own 0 does not end: it triangulates outlines that it has not sampled.
  if (options.detail_distance > 0) {
    const Owned<rcPolyMeshDetail, rcFreePolyMeshDetail> details(rcAllocPolyMeshDetail());
    if (!rcBuildPolyMeshDetail(&context, *mesh, *field, options.detail_distance,
                               options.detail_error, *details)) {
      return too_many;
    }
    add_details(made, *details);
  }
  drop_twisted(made);
  if (auto fine = check(made, box); !fine) return fine.error();
  return made;
}

}  // namespace starbus::nav::mesh
