// The place of a mesh that is nearest to a point.
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "nav/mesh/stand.hpp"

namespace starbus::nav::mesh {
namespace {

// The spot of a polygon that is nearest in the plane. Detour's closestPointOnPoly answers with one
// that is nearest in space, which on a slope lies elsewhere.
Spot on_polygon(const dtNavMeshQuery& query, dtPolyRef ref, const Spot& at) {
  Spot spot = at;
  query.closestPointOnPolyBoundary(ref, at.data(), spot.data());
  if (dtStatusSucceed(query.getPolyHeight(ref, spot.data(), &spot[1]))) return spot;
  // On the border itself: rounding has put it outside.
  Spot beside = spot;
  query.closestPointOnPoly(ref, spot.data(), beside.data(), nullptr);
  spot[1] = beside[1];
  return spot;
}

// Goes through polygons that a box may touch.
class Nearest final : public dtPolyQuery {
 public:
  Nearest(const Tiles& tiles, const dtNavMeshQuery& query, const Spot& at, const Spot& reach)
      : tiles_(tiles), query_(query), at_(at), reach_(reach) {}

  void process(const dtMeshTile* tile, dtPoly** polygons, dtPolyRef* refs, int count) override {
    for (int i = 0; i < count; ++i) {
      if (may_be_nearest(*tile, *polygons[i])) look(refs[i]);
    }
  }
  const Found& found() const { return found_; }

 private:
  // By the box around the polygon, of which most are so far away that they need no better look.
  bool may_be_nearest(const dtMeshTile& tile, const dtPoly& polygon) const {
    float far = 0;
    for (const std::size_t axis : {0u, 2u}) {
      float low = std::numeric_limits<float>::max();
      float high = std::numeric_limits<float>::lowest();
      for (std::size_t i = 0; i < polygon.vertCount; ++i) {
        const float corner = tile.verts[std::size_t{polygon.verts[i]} * 3 + axis];
        low = std::min(low, corner);
        high = std::max(high, corner);
      }
      const float beside = std::max({low - at_[axis] - kTouch, at_[axis] - high - kTouch, 0.0F});
      if (beside > reach_[axis]) return false;
      far += beside * beside;
    }
    return found_.polygon == kNoPolygon || far <= far_;
  }

  void look(dtPolyRef ref) {
    const Spot spot = on_polygon(query_, ref, at_);
    const float x = spot[0] - at_[0];
    const float y = spot[2] - at_[2];
    const float height = std::fabs(spot[1] - at_[1]);
    if (std::fabs(x) > reach_[0] || std::fabs(y) > reach_[2] || height > reach_[1]) return;
    const float far = x * x + y * y;
    const Polygon of = tiles_.polygon(ref);
    if (found_.polygon != kNoPolygon &&
        std::tie(far_, height_, found_.polygon) <= std::tie(far, height, of)) {
      return;
    }
    far_ = far;
    height_ = height;
    found_ = {of, spot};
  }

  const Tiles& tiles_;
  const dtNavMeshQuery& query_;
  Spot at_;
  Spot reach_;
  Found found_;
  float far_ = 0;
  float height_ = 0;
};

// Detour squares distances.
Spot clamped(const Point& point) {
  constexpr float kFar = 4.0F * kMaxCoordinate;
  return {std::clamp(point.x, -kFar, kFar), std::clamp(point.z, -kFar, kFar),
          std::clamp(point.y, -kFar, kFar)};
}

}  // namespace

Found nearest_of(const Tiles& tiles, const dtQueryFilter& filter, Point at, Point reach) {
  const Layout& layout = tiles.layout();
  const Spot centre = clamped(at);
  const auto axis = [&](float far, float more) {
    return std::clamp(far, 0.0F, 8.0F * kMaxCoordinate) + more;
  };
  const Spot far = {axis(reach.x, kTouch), axis(reach.z, layout.options.agent_climb + kTouch),
                    axis(reach.y, kTouch)};
  // The part of the box where there may be ground.
  const TileBox first = layout.box(0);
  const TileBox last = layout.box(layout.tiles() - 1);
  Spot middle;
  Spot half;
  for (std::size_t i = 0; i < 3; ++i) {
    const float low = std::max(centre[i] - far[i], first.low[i] - 2 * kSlack);
    const float high = std::min(centre[i] + far[i], last.high[i] + 2 * kSlack);
    if (low > high) return {};
    middle[i] = (low + high) / 2;
    half[i] = (high - low) / 2;
  }
  Nearest nearest(tiles, tiles.query(), centre, far);
  tiles.query().queryPolygons(middle.data(), half.data(), &filter, &nearest);
  return nearest.found();
}

Spot spot_within(const Tiles& tiles, dtPolyRef ref, const Point& point) {
  return on_polygon(tiles.query(), ref, clamped(point));
}

}  // namespace starbus::nav::mesh
