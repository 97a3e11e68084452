// Places of a MeshGround: random ones, and where straight and small moves end.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "nav/mesh/stand.hpp"
#include "nav/random.hpp"

namespace starbus::nav::mesh {
namespace {

// A ray looks on where its list of polygons is full.
constexpr int kRayPolygons = 32;
// As many as Detour looks at in moveAlongSurface.
constexpr int kMovePolygons = 64;
// Of points in a square: how many do not lie in its circle is one in 50 at worst, on the smallest
// piece of a corner.
constexpr int kTries = 256;

// Pieces of ground within a square, with their sizes.
class Around final : public dtPolyQuery {
 public:
  struct Piece {
    dtPolyRef ref;
    double up_to;  ///< m2 of it and all before
  };

  Around(const Tiles& tiles, const Kind& kind, Polygon from, const Spot& low, const Spot& high)
      : tiles_(tiles), kind_(kind), from_(tiles.index(from)), low_(low), high_(high) {}

  void process(const dtMeshTile*, dtPoly**, dtPolyRef* refs, int count) override {
    for (int i = 0; i < count; ++i) {
      if (!kind_.reaches(from_, tiles_.index(tiles_.polygon(refs[i])))) continue;
      const double size = cut(refs[i]).size();
      if (size <= 0) continue;
      pieces_.push_back({refs[i], (pieces_.empty() ? 0 : pieces_.back().up_to) + size});
    }
  }
  const std::vector<Piece>& pieces() const { return pieces_; }

  struct Shape {
    std::array<std::array<float, 2>, kCorners + 4> corners;
    std::size_t count = 0;

    double triangle(std::size_t i) const {
      const auto& [a, b, c] = std::tie(corners[0], corners[i - 1], corners[i]);
      return std::fabs(static_cast<double>((b[0] - a[0]) * (c[1] - a[1]) -
                                           (b[1] - a[1]) * (c[0] - a[0]))) /
             2;
    }
    double size() const {
      double sum = 0;
      for (std::size_t i = 2; i < count; ++i) sum += triangle(i);
      return sum;
    }
  };

  // The part of a polygon that lies in the square.
  Shape cut(dtPolyRef ref) const {
    const Polygon of = tiles_.polygon(ref);
    Shape shape;
    for (int i = 0; i < tiles_.data(of).vertCount; ++i) {
      const float* const at = tiles_.corner(of, i);
      shape.corners[shape.count++] = {at[0], at[2]};
    }
    for (const std::size_t axis : {0u, 1u}) {
      shape = beyond(shape, axis, low_[axis * 2], 1);
      shape = beyond(shape, axis, high_[axis * 2], -1);
    }
    return shape;
  }

 private:
  // What lies on one side of a line along an axis (Sutherland, Hodgman 1974).
  static Shape beyond(const Shape& of, std::size_t axis, float line, float side) {
    Shape kept;
    for (std::size_t i = 0; i < of.count; ++i) {
      const auto& a = of.corners[i];
      const auto& b = of.corners[(i + 1) % of.count];
      const float from = (a[axis] - line) * side;
      const float to = (b[axis] - line) * side;
      if (from >= 0) kept.corners[kept.count++] = a;
      if ((from < 0) == (to < 0)) continue;
      const float part = from / (from - to);
      kept.corners[kept.count++] = {a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part};
    }
    return kept;
  }

  const Tiles& tiles_;
  const Kind& kind_;
  std::uint32_t from_;
  Spot low_;
  Spot high_;
  std::vector<Piece> pieces_;
};

// The goal of a straight move; if it is far beyond all ground, a nearer one on the same line.
Spot aim(const Spot& from, const Point& to) {
  constexpr double kFar = 4.0 * kMaxCoordinate;
  const double x = static_cast<double>(to.x) - static_cast<double>(from[0]);
  const double y = static_cast<double>(to.y) - static_cast<double>(from[2]);
  const double length = std::max(std::fabs(x), std::fabs(y));
  if (length <= kFar) return {to.x, from[1], to.y};
  const double part = kFar / length;
  return {static_cast<float>(static_cast<double>(from[0]) + x * part), from[1],
          static_cast<float>(static_cast<double>(from[2]) + y * part)};
}

// Where a small move ends.
struct Moved {
  dtPolyRef ref;
  Spot spot;
  float far;  ///< m, from where it should
};

Moved moved(const dtNavMeshQuery& query, const dtQueryFilter& filter, dtPolyRef from,
            const Spot& start, const Spot& goal) {
  Spot end = start;
  dtPolyRef visited[kMovePolygons];
  int count = 0;
  query.moveAlongSurface(from, start.data(), goal.data(), &filter, end.data(), visited, &count,
                         kMovePolygons);
  return {count > 0 ? visited[count - 1] : from, end, 0};
}

// A point of a triangle, each as likely.
Spot point_of_triangle(const std::array<float, 2>& a, const std::array<float, 2>& b,
                       const std::array<float, 2>& c, double u, double v) {
  if (u + v > 1) {
    u = 1 - u;
    v = 1 - v;
  }
  const auto along = [&](std::size_t axis) {
    return static_cast<float>(static_cast<double>(a[axis]) +
                              u * static_cast<double>(b[axis] - a[axis]) +
                              v * static_cast<double>(c[axis] - a[axis]));
  };
  return {along(0), 0, along(1)};
}

Spot point_of_shape(const Around::Shape& shape, Random& random) {
  double left = random.fraction() * shape.size();
  std::size_t i = 2;
  while (i + 1 < shape.count && left >= shape.triangle(i)) left -= shape.triangle(i++);
  const double u = random.fraction();
  const double v = random.fraction();
  return point_of_triangle(shape.corners[0], shape.corners[i - 1], shape.corners[i], u, v);
}

}  // namespace

Place MeshGround::place(std::uint32_t polygon, const float* spot) const {
  return {point_of(spot), tiles_->piece(polygon)};
}

Result<MeshGround::Stand> MeshGround::stand(const Place& at, AgentId agent) const {
  const Kind* const of = kind(agent);
  if (of == nullptr) return Errc::unknown_agent;
  if (!finite(at.point)) return Errc::bad_position;
  const auto polygon = tiles_->find(at.piece);
  if (!polygon || !of->passes(tiles_->area(*polygon))) return Errc::bad_start;
  const dtPolyRef ref = tiles_->ref(*polygon);
  return Stand{of, *polygon, ref, spot_within(*tiles_, ref, at.point)};
}

Result<Place> MeshGround::nearest(Point at, Point reach, AgentId agent) const {
  const Kind* const of = kind(agent);
  if (of == nullptr) return Errc::unknown_agent;
  if (!finite(at) || !finite(reach)) return Errc::bad_position;
  const Found found = nearest_of(*tiles_, of->filter(), at, reach);
  if (found.polygon == kNoPolygon) return Errc::bad_start;
  return place(found.polygon, found.spot.data());
}

bool MeshGround::reachable(const Place& from, const Place& to, AgentId agent) const {
  const Kind* const of = kind(agent);
  const auto a = tiles_->find(from.piece);
  const auto b = tiles_->find(to.piece);
  return of != nullptr && a && b && of->passes(tiles_->area(*a)) && of->passes(tiles_->area(*b)) &&
         of->reaches(tiles_->index(*a), tiles_->index(*b));
}

Area MeshGround::area_at(const Place& at) const {
  const auto on = tiles_->find(at.piece);
  return on ? tiles_->area(*on) : kWall;
}

Result<Ray> MeshGround::raycast(const Place& from, Point to, AgentId agent) const {
  if (!finite(to)) return Errc::bad_position;
  const auto start = stand(from, agent);
  if (!start) return start.error();
  const Spot goal = aim(start->spot, to);
  const float x = goal[0] - start->spot[0];
  const float y = goal[2] - start->spot[2];
  if (x == 0 && y == 0) return Ray{.end = place(start->polygon, start->spot.data())};
  dtPolyRef crossed[kRayPolygons];
  dtRaycastHit hit{};
  hit.path = crossed;
  hit.maxPath = kRayPolygons;
  dtPolyRef at = start->ref;
  do {  // a list that is full ends with a polygon that the same line crosses
    tiles_->query().raycast(at, start->spot.data(), goal.data(), &start->kind->filter(), 0, &hit);
    if (hit.pathCount > 0) at = crossed[hit.pathCount - 1];
  } while (hit.pathCount == kRayPolygons);
  const bool free = hit.t > 1;
  const float part = free ? 1 : hit.t;
  const Point end =
      free ? point_of(goal.data()) : Point{start->spot[0] + x * part, start->spot[2] + y * part, 0};
  Ray ray;
  ray.hit = !free;
  const Spot spot = spot_within(*tiles_, at, {end.x, end.y, start->spot[1]});
  ray.end = place(tiles_->polygon(at), spot.data());
  if (free) return ray;
  const float side = hit.hitNormal[0] * x + hit.hitNormal[2] * y > 0 ? -1.0F : 1.0F;
  ray.normal = {hit.hitNormal[0] * side, hit.hitNormal[2] * side, 0};
  return ray;
}

Result<Place> MeshGround::move_along_surface(const Place& from, Point to, AgentId agent) const {
  if (!finite(to)) return Errc::bad_position;
  const auto start = stand(from, agent);
  if (!start) return start.error();
  const Spot goal = aim(start->spot, to);
  const float x = goal[0] - start->spot[0];
  const float y = goal[2] - start->spot[2];
  const float length = std::sqrt(x * x + y * y);
  if (length == 0) return place(start->polygon, start->spot.data());
  Moved best{start->ref, start->spot, length};
  // A goal on an edge between two polygons lies in neither, for Detour, which then looks for the
  // nearest wall. No edge is along both of the other goals.
  const float by = kTouch / length;
  for (const Spot& aimed : {goal, Spot{goal[0] - y * by, goal[1], goal[2] + x * by},
                            Spot{goal[0] - x * by, goal[1], goal[2] - y * by}}) {
    const Moved one = moved(tiles_->query(), start->kind->filter(), start->ref, start->spot, aimed);
    const float ex = one.spot[0] - goal[0];
    const float ey = one.spot[2] - goal[2];
    const float far = std::sqrt(ex * ex + ey * ey);
    if (far < best.far) best = {one.ref, one.spot, far};
    if (best.far <= kTouch * 1.5F) break;
  }
  const Spot spot = spot_within(*tiles_, best.ref, point_of(best.spot.data()));
  return place(tiles_->polygon(best.ref), spot.data());
}

Result<Place> MeshGround::random_point(AgentId agent, std::uint64_t seed) const {
  const Kind* const of = kind(agent);
  if (of == nullptr) return Errc::unknown_agent;
  const auto& ground = of->ground();
  if (ground.empty() || ground.back() <= 0) return Errc::bad_start;
  Random random(seed);
  const double at = random.fraction() * ground.back();
  const auto index =
      static_cast<std::uint32_t>(std::ranges::upper_bound(ground, at) - ground.begin());
  const Polygon polygon = tiles_->at(std::min(index, tiles_->count() - 1));
  Around::Shape shape;
  for (int i = 0; i < tiles_->data(polygon).vertCount; ++i) {
    const float* const corner = tiles_->corner(polygon, i);
    shape.corners[shape.count++] = {corner[0], corner[2]};
  }
  Spot spot = point_of_shape(shape, random);
  spot[1] = tiles_->corner(polygon, 0)[1];
  const Spot on = spot_within(*tiles_, tiles_->ref(polygon), point_of(spot.data()));
  return place(polygon, on.data());
}

Result<Place> MeshGround::random_point_near(const Place& near, float radius, AgentId agent,
                                            std::uint64_t seed) const {
  if (!std::isfinite(radius) || radius < 0) return Errc::bad_position;
  const auto start = stand(near, agent);
  if (!start) return start.error();
  if (radius > kMaxNear) return Error(Errc::too_large, "kMaxNear");
  Spot low = start->spot;
  Spot high = start->spot;
  const float height = radius + layout().options.agent_climb;
  for (const std::size_t axis : {0u, 1u, 2u}) {
    low[axis] -= axis == 1 ? height : radius;
    high[axis] += axis == 1 ? height : radius;
  }
  Around around(*tiles_, *start->kind, start->polygon, low, high);
  const Spot half = {radius, height, radius};
  tiles_->query().queryPolygons(start->spot.data(), half.data(), &start->kind->filter(), &around);
  const auto& pieces = around.pieces();
  Random random(seed);
  for (int i = 0; i < kTries && !pieces.empty(); ++i) {
    const double at = random.fraction() * pieces.back().up_to;
    const auto piece = std::ranges::upper_bound(pieces, at, {}, &Around::Piece::up_to);
    const dtPolyRef ref = piece == pieces.end() ? pieces.back().ref : piece->ref;
    Spot spot = point_of_shape(around.cut(ref), random);
    spot[1] = start->spot[1];
    spot = spot_within(*tiles_, ref, point_of(spot.data()));
    if (distance(spot.data(), start->spot.data()) > radius) continue;
    return place(tiles_->polygon(ref), spot.data());
  }
  return place(start->polygon, start->spot.data());
}

}  // namespace starbus::nav::mesh
