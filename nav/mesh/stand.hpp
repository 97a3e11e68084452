/// Where somebody stands on a mesh, for the files of MeshGround.
#pragma once

#include "nav/mesh/kind.hpp"
#include "nav/mesh/mesh_ground.hpp"
#include "nav/mesh/space.hpp"
#include "nav/mesh/tiles.hpp"

namespace starbus::nav::mesh {

/// Metres for one unit of a path's cost.
inline constexpr double kUnit = 0.001;

/// A float's rounding at the borders of polygons, m.
inline constexpr float kTouch = 0.001F;

struct MeshGround::Stand {
  const Kind* kind;
  Polygon polygon;
  dtPolyRef ref;
  Spot spot;  ///< within the polygon
};

struct MeshGround::HeldLink {
  Link link;
  bool used = false;
  std::uint16_t generation = 0;
};

/// Nearest of all polygons that a filter lets pass, as MeshGround::nearest.
struct Found {
  Polygon polygon = kNoPolygon;
  Spot spot;
};
Found nearest_of(const Tiles& tiles, const dtQueryFilter& filter, Point at, Point reach);

/// The spot of a polygon that lies at a point, or nearest to it in the plane.
Spot spot_within(const Tiles& tiles, dtPolyRef ref, const Point& point);

}  // namespace starbus::nav::mesh
