#include "nav/volume/solids.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace starbus::nav::volume {
namespace {

using Corner = std::array<double, 3>;  // in voxels

// A convex polygon in space: a triangle that up to four planes have cut has seven corners at most.
struct Polygon {
  std::array<Corner, 8> corners;
  std::size_t count = 0;

  void add(const Corner& corner) { corners[count++] = corner; }
};

// What lies on one side of a plane across an axis (Sutherland and Hodgman 1974).
Polygon cut(const Polygon& of, std::size_t axis, double at, bool keep_above) {
  Polygon out;
  const auto depth = [&](const Corner& corner) {
    return keep_above ? corner[axis] - at : at - corner[axis];
  };
  for (std::size_t i = 0; i < of.count; ++i) {
    const Corner& a = of.corners[i];
    const Corner& b = of.corners[(i + 1) % of.count];
    const double from = depth(a);
    const double to = depth(b);
    if (from >= 0) out.add(a);
    if ((from < 0) == (to < 0)) continue;
    const double part = from / (from - to);
    Corner between;
    for (std::size_t k = 0; k < 3; ++k) between[k] = a[k] + (b[k] - a[k]) * part;
    between[axis] = at;
    // A corner on the plane itself is there already.
    if (from > 0 || to > 0) out.add(between);
  }
  return out;
}

struct Range {
  double low;
  double high;
};

Range range_of(const Polygon& of, std::size_t axis) {
  Range range{of.corners[0][axis], of.corners[0][axis]};
  for (std::size_t i = 1; i < of.count; ++i) {
    range.low = std::min(range.low, of.corners[i][axis]);
    range.high = std::max(range.high, of.corners[i][axis]);
  }
  return range;
}

// The numbers of voxels that a range touches, within [0, count); empty if low > high.
std::array<std::int64_t, 2> numbers_of(const Range& range, std::uint32_t count) {
  const auto one = [&](double at) {
    return static_cast<std::int64_t>(std::clamp(std::floor(at), -1.0, double{1} * count));
  };
  return {std::max<std::int64_t>(one(range.low), 0),
          std::min<std::int64_t>(one(range.high), std::int64_t{count} - 1)};
}

// The part of the triangle within each column is convex, so its heights are one range: exactly
// those voxels of the column that it touches.
Result<void> fill_triangle(Columns& columns, const Polygon& triangle, Area area) {
  const Extent& extent = columns.extent();
  const auto [x0, x1] = numbers_of(range_of(triangle, 0), extent.x);
  for (std::int64_t x = x0; x <= x1; ++x) {
    const Polygon slice =
        cut(cut(triangle, 0, static_cast<double>(x), true), 0, static_cast<double>(x + 1), false);
    if (slice.count == 0) continue;
    const auto [y0, y1] = numbers_of(range_of(slice, 1), extent.y);
    for (std::int64_t y = y0; y <= y1; ++y) {
      const Polygon part =
          cut(cut(slice, 1, static_cast<double>(y), true), 1, static_cast<double>(y + 1), false);
      if (part.count == 0) continue;
      const auto [z0, z1] = numbers_of(range_of(part, 2), extent.z);
      if (z0 > z1) continue;
      const auto number = [](std::int64_t of) { return static_cast<std::uint32_t>(of); };
      auto did = columns.set(number(x), number(y), number(z0), number(z1 + 1), area);
      if (!did) return did;
    }
  }
  return {};
}

}  // namespace

Result<void> fill_box(Columns& columns, const Frame& frame, const Box& box, Area area) {
  if (!finite(box.low) || !finite(box.high)) return Errc::bad_position;
  if (area > kMaxArea) return Error(Errc::too_large, "kMaxArea");
  return columns.set(frame.box(box), area);
}

Result<void> fill_triangles(Columns& columns, const Frame& frame, std::span<const Point> corners,
                            Area area) {
  if (corners.size() % 3 != 0) return Error(Errc::bad_option, "corners: no whole triangles");
  if (corners.size() > kMaxCorners) return Error(Errc::too_large, "kMaxCorners");
  if (area > kMaxArea) return Error(Errc::too_large, "kMaxArea");
  for (std::size_t i = 0; i < corners.size(); i += 3) {
    Polygon triangle;
    for (std::size_t k = i; k < i + 3; ++k) {
      if (!finite(corners[k])) return Errc::bad_position;
      triangle.add(frame.voxels(corners[k]));
    }
    if (auto did = fill_triangle(columns, triangle, area); !did) return did;
  }
  return {};
}

Result<void> fill_heights(Columns& columns, const Frame& frame, std::span<const float> heights,
                          Area area) {
  const Extent& extent = columns.extent();
  if (heights.size() != extent.columns())
    return Error(Errc::bad_option, "heights: not one a column");
  if (area > kMaxArea) return Error(Errc::too_large, "kMaxArea");
  for (std::size_t i = 0; i < heights.size(); ++i) {
    if (!std::isfinite(heights[i])) return Errc::bad_position;
    const double top = std::ceil(frame.along(heights[i], frame.origin.z));
    const auto end = static_cast<std::uint32_t>(std::clamp(top, 0.0, double{1} * extent.z));
    if (end == 0) continue;
    auto did = columns.set(static_cast<std::uint32_t>(i % extent.x),
                           static_cast<std::uint32_t>(i / extent.x), 0, end, area);
    if (!did) return did;
  }
  return {};
}

}  // namespace starbus::nav::volume
