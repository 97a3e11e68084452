/// Islands of a navmesh: parts that no ground joins. Pure; any thread.
#pragma once

#include <cstdint>

#include "nav/mesh/baked.hpp"

namespace starbus::nav::mesh {

/// Of a mesh that has passed check.
std::uint32_t islands_of(const Baked& baked);

}  // namespace starbus::nav::mesh
