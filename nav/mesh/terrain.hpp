/// Terrain that a navmesh is baked from: triangles with materials. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nav/types.hpp"

namespace starbus::nav::mesh {

/// Three corners, counter-clockwise as seen from the side that can be walked on.
struct Triangle {
  std::uint32_t corners[3] = {};  ///< numbers of points
  std::uint32_t material = 0;     ///< number of its name
  friend bool operator==(const Triangle&, const Triangle&) = default;
};

struct Terrain {
  std::vector<Point> points;  ///< metres, z up
  std::vector<Triangle> triangles;
  std::vector<std::string> materials = {""};  ///< the first: of triangles that name none
  friend bool operator==(const Terrain&, const Terrain&) = default;
};

}  // namespace starbus::nav::mesh
