/// Islands of a navmesh: parts that no ground joins. Pure; any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "nav/mesh/baked.hpp"
#include "nav/mesh/kind.hpp"
#include "nav/mesh/mesh_ground.hpp"

namespace starbus::nav::mesh {

/// Of a mesh that has passed check.
std::uint32_t islands_of(const Baked& baked);
/// As MeshGround::islands. Takes time in proportion to the mesh.
std::vector<Island> islands_of(const Tiles& tiles, const Kind& kind);

}  // namespace starbus::nav::mesh
