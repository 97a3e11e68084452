/// Navmeshes: queries through Ground, and the same called of Detour directly, over the same Detour
/// mesh, from the same polygons and points. Times are processor times of this thread.
#pragma once

#include <cstdint>

namespace starbus::bench::nav {

/// Whether this program was built with navmeshes.
bool has_mesh();

/// us by query, over 200 pairs of places.
struct MeshCosts {
  double way = 0;      ///< a way, straightened
  double nearest = 0;  ///< the place nearest to a point, 2 m around
  double ray = 0;      ///< a straight line of 15 m
  double length = 0;   ///< m, of a way in the mean
};
/// Through our interface. A node is a way between polygons.
MeshCosts mesh_queries(int rounds);
/// findPath and findStraightPath, findNearestPoly, raycast. A node is a polygon; the first way to
/// one that it finds may not be the cheapest.
MeshCosts detour_queries(int rounds);

}  // namespace starbus::bench::nav
