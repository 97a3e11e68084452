// Walls around a place, for those who keep away from them.
#include <algorithm>
#include <array>
#include <cmath>

#include "nav/mesh/stand.hpp"

namespace starbus::nav::mesh {
namespace {

// Polygons that are looked at, the nearest first: those of some metres around.
constexpr int kAround = 32;
// Pieces that the sides of one polygon may have: a side on the border of a tile has several.
constexpr int kPieces = 32;

float distance_in_plane(const Wall& wall, const Spot& spot) {
  const float x = wall.to.x - wall.from.x;
  const float y = wall.to.y - wall.from.y;
  const float px = spot[0] - wall.from.x;
  const float py = spot[2] - wall.from.y;
  const float length = x * x + y * y;
  const float part = length > 0 ? std::clamp((px * x + py * y) / length, 0.0F, 1.0F) : 0.0F;
  return std::hypot(px - x * part, py - y * part);
}

// Twice the area of the triangle: above 0 if the point is on the left of the wall.
float side_of(const Wall& wall, float x, float y) {
  return (wall.to.x - wall.from.x) * (y - wall.from.y) -
         (wall.to.y - wall.from.y) * (x - wall.from.x);
}

// Keeps the nearest, in their order; of two as near the one that came first.
std::size_t keep(const Wall& wall, const Spot& spot, std::span<Wall> out, std::size_t count) {
  const float far = distance_in_plane(wall, spot);
  std::size_t at = count;
  while (at > 0 && distance_in_plane(out[at - 1], spot) > far) --at;
  if (at == out.size()) return count;
  const std::size_t kept = std::min(count, out.size() - 1);
  std::copy_backward(out.begin() + static_cast<std::ptrdiff_t>(at),
                     out.begin() + static_cast<std::ptrdiff_t>(kept),
                     out.begin() + static_cast<std::ptrdiff_t>(kept) + 1);
  out[at] = wall;
  return kept + 1;
}

}  // namespace

std::size_t MeshGround::walls_near(const Place& at, float range, AgentId agent,
                                   std::span<Wall> out) const {
  const auto start = stand(at, agent);
  if (!start || !(range > 0) || out.empty()) return 0;
  const dtNavMeshQuery& query = tiles_->query();
  const dtQueryFilter& filter = start->kind->filter();
  std::array<dtPolyRef, kAround> around;
  int polygons = 0;
  query.findLocalNeighbourhood(start->ref, start->spot.data(), range, &filter, around.data(),
                               nullptr, &polygons, kAround);
  std::size_t count = 0;
  for (int i = 0; i < polygons; ++i) {
    std::array<float, std::size_t{kPieces} * 6> pieces;
    int found = 0;
    query.getPolyWallSegments(around[static_cast<std::size_t>(i)], &filter, pieces.data(), nullptr,
                              &found, kPieces);
    for (int piece = 0; piece < found; ++piece) {
      // Sides of polygons go round them in one sense; ground is on the left of theirs.
      const float* const ends = &pieces[static_cast<std::size_t>(piece) * 6];
      const Wall wall{point_of(ends + 3), point_of(ends)};
      const bool faces = side_of(wall, start->spot[0], start->spot[2]) > 0;
      if (!faces || distance_in_plane(wall, start->spot) > range) continue;
      count = keep(wall, start->spot, out, count);
    }
  }
  return count;
}

}  // namespace starbus::nav::mesh
