/// Shapes for region queries. A region is a value: contains() is the exact test, bounds() a box
/// around it. Borders belong to the region.
#pragma once

#include <array>
#include <span>
#include <variant>

#include "aoi/error.hpp"
#include "aoi/limits.hpp"
#include "aoi/types.hpp"

namespace starbus::aoi {

/// An upright box; `min` is at most `max` in each coordinate.
struct Box {
  Position min = {};
  Position max = {};
};

/// Heights that a region takes; the default takes all.
struct HeightBand {
  float min = -3e38F;
  float max = 3e38F;
};

struct Circle {  ///< with a height band: a cylinder
  Position center = {};
  float radius = 0;
};

/// An upright rectangle in x and y.
struct Rectangle {
  Position min = {};  ///< z is ignored: HeightBand
  Position max = {};
};

/// A piece of a disc, as a cone of sight.
struct Sector {
  Position apex = {};
  float radius = 0;
  float direction = 0;  ///< radians, counter-clockwise from +x
  float angle = 0;      ///< the whole opening, 0..2 pi
};

/// Simple (no crossing edges), in either sense of rotation, convex or not. make_polygon() builds
/// one.
struct Polygon {
  std::array<Position, kMaxPolygon> corners = {};
  std::size_t count = 0;
};

/// All positions at most half_width beside the segment from..to: the hits of a bullet or a beam.
struct RayBand {
  Position from = {};
  Position to = {};
  float half_width = 0;
};

struct Region {
  std::variant<Circle, Rectangle, Sector, Polygon, RayBand> shape;
  HeightBand height = {};

  bool contains(const Position& at) const;
  /// A box that has all of the region in it.
  Box bounds() const;
  /// bad_option: not a number, negative, or a box that is inside out.
  Result<> check() const;
};

/// too_large beyond kMaxPolygon corners, bad_option with fewer than 3.
Result<Polygon> make_polygon(std::span<const Position> corners);

}  // namespace starbus::aoi
