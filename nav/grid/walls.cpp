#include "nav/grid/walls.hpp"

#include <algorithm>
#include <cmath>

namespace starbus::nav::grid {
namespace {

// In the plane, squared.
float distance2(Point at, const Wall& wall) {
  const float x = wall.to.x - wall.from.x;
  const float y = wall.to.y - wall.from.y;
  const float length2 = x * x + y * y;
  const float ahead = (at.x - wall.from.x) * x + (at.y - wall.from.y) * y;
  const float part = std::clamp(ahead / length2, 0.0F, 1.0F);
  const float dx = at.x - (wall.from.x + x * part);
  const float dy = at.y - (wall.from.y + y * part);
  return dx * dx + dy * dy;
}

// The nearest walls so far, in their order.
class NearestWalls {
 public:
  NearestWalls(Point at, float range, std::span<Wall> out)
      : at_(at), range2_(range * range), out_(out) {}

  void offer(const Wall& wall) {
    const float facing = (wall.to.x - wall.from.x) * (at_.y - wall.from.y) -
                         (wall.to.y - wall.from.y) * (at_.x - wall.from.x);
    const float distance = distance2(at_, wall);
    if (facing < 0 || distance > range2_ || out_.empty()) return;
    if (count_ == out_.size()) {
      if (distance2(at_, out_[count_ - 1]) <= distance) return;
      --count_;
    }
    std::size_t place = count_++;
    for (; place > 0 && distance2(at_, out_[place - 1]) > distance; --place) {
      out_[place] = out_[place - 1];
    }
    out_[place] = wall;
  }

  std::size_t count() const { return count_; }

 private:
  Point at_;
  float range2_;
  std::span<Wall> out_;
  std::size_t count_ = 0;
};

}  // namespace

std::size_t find_walls(const Layer& layer, const Frame& frame, Cell cell, Point at, float range,
                       std::span<Wall> out) {
  const double cells = std::ceil(static_cast<double>(range) / static_cast<double>(frame.size));
  const auto around = static_cast<int>(std::clamp(cells, 0.0, double{kMaxAround}));
  const Layout& layout = layer.layout();
  const int x0 = std::max(cell.x - around, 0);
  const int y0 = std::max(cell.y - around, 0);
  const int x1 = std::min(cell.x + around + 1, static_cast<int>(layout.width));
  const int y1 = std::min(cell.y + around + 1, static_cast<int>(layout.height));
  const auto stops = [&](int x, int y, Direction side) {
    const Cell of{static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y)};
    return layer.passable(of) && (layer.moves()[layout.index(of)] >> side & 1) == 0;
  };
  // Mostly there are none.
  unsigned missing = 0;
  for (int y = y0; y < y1; ++y) {
    const Mask* const row = layer.moves() + layout.index(Cell{0, static_cast<std::uint16_t>(y)});
    for (int x = x0; x < x1; ++x) missing |= static_cast<unsigned>(~row[x]);
  }
  NearestWalls nearest(at, range, out);
  const auto point = [&](int x, int y) {
    const auto one = [&](float from, int number) {
      return static_cast<float>(static_cast<double>(from) +
                                static_cast<double>(frame.size) * number);
    };
    return Point{one(frame.origin.x, x), one(frame.origin.y, y), at.z};
  };
  for (const Direction side : {Direction{1}, Direction{3}}) {
    if ((missing >> side & 1) == 0) continue;
    for (int y = y0; y < y1; ++y) {
      for (int x = x0; x < x1; ++x) {
        if (!stops(x, y, side)) continue;
        const int first = x;
        while (x < x1 && stops(x, y, side)) ++x;
        if (side == 1) {
          nearest.offer({point(x, y + 1), point(first, y + 1)});
        } else {
          nearest.offer({point(first, y), point(x, y)});
        }
      }
    }
  }
  for (const Direction side : {Direction{0}, Direction{2}}) {
    if ((missing >> side & 1) == 0) continue;
    for (int x = x0; x < x1; ++x) {
      for (int y = y0; y < y1; ++y) {
        if (!stops(x, y, side)) continue;
        const int first = y;
        while (y < y1 && stops(x, y, side)) ++y;
        if (side == 0) {
          nearest.offer({point(x + 1, first), point(x + 1, y)});
        } else {
          nearest.offer({point(x, y), point(x, first)});
        }
      }
    }
  }
  return nearest.count();
}

}  // namespace starbus::nav::grid
