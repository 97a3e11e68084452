#include "aoi/region.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace starbus::aoi {
namespace {

// Regions are computed in double: their borders are exactly where the numbers say, and backends
// need not agree about them.
struct Vector {
  double x;
  double y;
};

Vector between(const Position& from, const Position& to) {
  return {double{to.x} - double{from.x}, double{to.y} - double{from.y}};
}
double dot(const Vector& a, const Vector& b) {
  return a.x * b.x + a.y * b.y;
}
double cross(const Vector& a, const Vector& b) {
  return a.x * b.y - a.y * b.x;
}

bool finite_in_plane(const Position& at) {
  return std::isfinite(at.x) && std::isfinite(at.y);
}
bool length(float value) {
  return std::isfinite(value) && value >= 0;
}

bool inside(const Circle& shape, const Position& at) {
  const Vector away = between(shape.center, at);
  return dot(away, away) <= double{shape.radius} * double{shape.radius};
}

bool inside(const Rectangle& shape, const Position& at) {
  return at.x >= shape.min.x && at.x <= shape.max.x && at.y >= shape.min.y && at.y <= shape.max.y;
}

bool inside(const Sector& shape, const Position& at) {
  const Vector away = between(shape.apex, at);
  const double squared = dot(away, away);
  if (squared > double{shape.radius} * double{shape.radius}) return false;
  if (squared == 0) return true;
  const double turned = std::atan2(away.y, away.x) - double{shape.direction};
  const double off = std::fabs(std::remainder(turned, 2 * std::numbers::pi));
  return off <= double{shape.angle} / 2 + 1e-7;  // both angles are float
}

bool on_edge(const Position& a, const Position& b, const Position& at) {
  const Vector edge = between(a, b);
  const Vector to = between(a, at);
  return cross(edge, to) == 0 && dot(edge, to) >= 0 && dot(to, to) <= dot(edge, edge);
}

// Counts the edges that a ray to the right crosses.
bool inside(const Polygon& shape, const Position& at) {
  bool odd = false;
  for (std::size_t i = 0; i < shape.count; ++i) {
    const Position& a = shape.corners.at(i);
    const Position& b = shape.corners.at((i + 1) % shape.count);
    if (on_edge(a, b, at)) return true;
    if ((a.y > at.y) == (b.y > at.y)) continue;
    const bool left_of_edge = (cross(between(a, b), between(a, at)) > 0) == (b.y > a.y);
    odd ^= left_of_edge;
  }
  return odd;
}

bool inside(const RayBand& shape, const Position& at) {
  const Vector along = between(shape.from, shape.to);
  const Vector to = between(shape.from, at);
  const double squared = dot(along, along);
  const double reached = dot(along, to);
  if (reached < 0 || reached > squared) return false;
  const double width = double{shape.half_width};
  if (squared == 0) return dot(to, to) <= width * width;
  const double beside = cross(along, to);
  return beside * beside <= width * width * squared;
}

Box around(const Position& at, float radius) {
  return {{at.x - radius, at.y - radius, 0}, {at.x + radius, at.y + radius, 0}};
}
Box bounds_of(const Circle& shape) {
  return around(shape.center, shape.radius);
}
Box bounds_of(const Rectangle& shape) {
  return {shape.min, shape.max};
}
Box bounds_of(const Sector& shape) {
  return around(shape.apex, shape.radius);
}
Box bounds_of(const Polygon& shape) {
  Box box{shape.corners[0], shape.corners[0]};
  for (std::size_t i = 1; i < shape.count; ++i) {
    const Position& at = shape.corners.at(i);
    box.min = {std::min(box.min.x, at.x), std::min(box.min.y, at.y), 0};
    box.max = {std::max(box.max.x, at.x), std::max(box.max.y, at.y), 0};
  }
  return box;
}
Box bounds_of(const RayBand& shape) {
  const Box box = around(shape.from, shape.half_width);
  const Box other = around(shape.to, shape.half_width);
  return {{std::min(box.min.x, other.min.x), std::min(box.min.y, other.min.y), 0},
          {std::max(box.max.x, other.max.x), std::max(box.max.y, other.max.y), 0}};
}

bool good(const Circle& shape) {
  return finite_in_plane(shape.center) && length(shape.radius);
}
bool good(const Rectangle& shape) {
  return finite_in_plane(shape.min) && finite_in_plane(shape.max) && shape.min.x <= shape.max.x &&
         shape.min.y <= shape.max.y;
}
bool good(const Sector& shape) {
  return finite_in_plane(shape.apex) && length(shape.radius) && std::isfinite(shape.direction) &&
         length(shape.angle);
}
bool good(const Polygon& shape) {
  return shape.count >= 3 && shape.count <= kMaxPolygon &&
         std::all_of(shape.corners.begin(),
                     shape.corners.begin() + static_cast<std::ptrdiff_t>(shape.count),
                     finite_in_plane);
}
bool good(const RayBand& shape) {
  return finite_in_plane(shape.from) && finite_in_plane(shape.to) && length(shape.half_width);
}

}  // namespace

bool Region::contains(const Position& at) const {
  if (!(at.z >= height.min && at.z <= height.max)) return false;
  return std::visit([&](const auto& of) { return inside(of, at); }, shape);
}

Box Region::bounds() const {
  return std::visit([](const auto& of) { return bounds_of(of); }, shape);
}

Result<> Region::check() const {
  if (!std::visit([](const auto& of) { return good(of); }, shape)) {
    return Error(Errc::bad_option, "region");
  }
  if (!(height.min <= height.max)) return Error(Errc::bad_option, "height band");
  return {};
}

Result<Polygon> make_polygon(std::span<const Position> corners) {
  if (corners.size() > kMaxPolygon) return Error(Errc::too_large, "kMaxPolygon");
  if (corners.size() < 3) return Error(Errc::bad_option, "a polygon has three corners or more");
  Polygon polygon;
  std::copy(corners.begin(), corners.end(), polygon.corners.begin());
  polygon.count = corners.size();
  return polygon;
}

}  // namespace starbus::aoi
