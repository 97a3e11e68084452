/// What Recast does for us: polygons of voxels. A bake and an obstacle go the same way, so that a
/// tile whose obstacles are gone is what it was. Pure functions; any thread.
#pragma once

#include "nav/mesh/baked.hpp"
#include "nav/mesh/voxels.hpp"

namespace starbus::nav::mesh {

/// The polygons of a tile, checked. too_many if a tile cannot have so many; corrupt if Recast makes
/// of the voxels what check refuses.
Result<TileMesh> polygons_of(const Voxels& voxels, const Layout& layout, std::uint32_t tile);

}  // namespace starbus::nav::mesh
