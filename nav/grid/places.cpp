// Places of a GridGround: the nearest one, and any.
#include <bit>
#include <cmath>
#include <limits>

#include "nav/grid/grid_ground.hpp"
#include "nav/random.hpp"

namespace starbus::nav::grid {
namespace {

std::uint32_t chosen(std::uint64_t seed, std::uint32_t bound) {
  return static_cast<std::uint32_t>((Random(seed).next() >> 32) * bound >> 32);
}

// How far a coordinate lies from a cell's side, in cells.
double gap(double at, std::uint32_t cell) {
  if (at < cell) return cell - at;
  return at > cell + 1.0 ? at - (cell + 1.0) : 0;
}

// Looks for the cell nearest to a point, ring after ring.
class Nearest {
 public:
  Nearest(const Frame& frame, const Layer& layer, const Terrain& terrain, Point at, Point reach)
      : layer_(layer),
        terrain_(terrain),
        x_(frame.along(at.x, frame.origin.x)),
        y_(frame.along(at.y, frame.origin.y)),
        z_(static_cast<double>(at.z) - static_cast<double>(frame.origin.z)),
        reach_x_(static_cast<double>(reach.x) / static_cast<double>(frame.size)),
        reach_y_(static_cast<double>(reach.y) / static_cast<double>(frame.size)),
        reach_z_(static_cast<double>(reach.z)) {}

  std::optional<Cell> find() {
    const Layout& layout = layer_.layout();
    // The cell of the grid nearest to the point. No cell of a ring around it is nearer than that.
    const auto centre = [](double at, std::uint32_t count) {
      return static_cast<int>(std::clamp(std::floor(at), 0.0, count - 1.0));
    };
    const int cx = centre(x_, layout.width);
    const int cy = centre(y_, layout.height);
    const auto last =
        static_cast<int>(std::min(std::max(reach_x_, reach_y_) + 2,
                                  static_cast<double>(std::max(layout.width, layout.height))));
    for (int radius = 0; radius <= last; ++radius) {
      const double least = std::max(radius - 1, 0);
      if (least * least > best_) break;
      for (int i = -radius; i <= radius; ++i) {
        look(cx + i, cy - radius);
        look(cx + i, cy + radius);
        look(cx - radius, cy + i);
        look(cx + radius, cy + i);
      }
    }
    return found_;
  }

 private:
  void look(int x, int y) {
    if (x < 0 || y < 0) return;
    const Cell cell{static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y)};
    if (!layer_.passable(cell)) return;
    const double dx = gap(x_, cell.x);
    const double dy = gap(y_, cell.y);
    if (dx > reach_x_ || dy > reach_y_) return;
    const bool flat = terrain_.levels.empty();
    if (!flat && std::fabs(static_cast<double>(terrain_.level(cell)) - z_) > reach_z_) return;
    const double distance = dx * dx + dy * dy;
    const auto number = spot_of(cell);
    if (distance > best_ || (distance == best_ && found_ && number >= spot_of(*found_))) return;
    best_ = distance;
    found_ = cell;
  }

  const Layer& layer_;
  const Terrain& terrain_;
  double x_;
  double y_;
  double z_;
  double reach_x_;
  double reach_y_;
  double reach_z_;
  double best_ = std::numeric_limits<double>::infinity();
  std::optional<Cell> found_;
};

}  // namespace

Result<Place> GridGround::nearest(Point at, Point reach, AgentId agent) const {
  const Layer* const of = layer(agent);
  if (of == nullptr) return Errc::unknown_agent;
  if (!finite(at) || !finite(reach)) return Errc::bad_position;
  const auto found = Nearest(frame_, *of, terrain_, at, reach).find();
  if (!found) return Errc::bad_start;
  return place_in(*found, at);
}

Result<Place> GridGround::random_point(AgentId agent, std::uint64_t seed) const {
  const Layer* const of = layer(agent);
  if (of == nullptr) return Errc::unknown_agent;
  if (of->passable_count() == 0) return Errc::bad_start;
  std::uint32_t left = chosen(seed, of->passable_count());
  std::uint16_t y = 0;
  for (; left >= of->passable_in_row(y); ++y) left -= of->passable_in_row(y);
  for (std::uint16_t x = 0;; ++x) {
    if (!of->passable({x, y})) continue;
    if (left-- == 0) return place({x, y});
  }
}

Result<Place> GridGround::random_point_near(const Place& near, float radius, AgentId agent,
                                            std::uint64_t seed) const {
  if (!std::isfinite(radius) || radius < 0) return Errc::bad_position;
  const auto start = stand(near, agent);
  if (!start) return start.error();
  const double cells = static_cast<double>(radius) / static_cast<double>(frame_.size);
  if (cells > kMaxAround) return Error(Errc::too_large, "kMaxAround");
  const Layer& of = *start->layer;
  const std::uint32_t component = of.component(start->cell);
  const auto by = static_cast<std::uint32_t>(std::ceil(cells));
  const Cell at = start->cell;
  const CellBox box = CellBox{at.x, at.y, at.x + 1u, at.y + 1u}.grown(by, of.layout());
  const auto each = [&](auto&& use) {
    for (std::uint32_t y = box.y0; y < box.y1; ++y) {
      for (std::uint32_t x = box.x0; x < box.x1; ++x) {
        const Cell cell{static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y)};
        const double dx = static_cast<double>(x) - at.x;
        const double dy = static_cast<double>(y) - at.y;
        if (dx * dx + dy * dy > cells * cells || !of.passable(cell) ||
            !of.reaches(component, of.component(cell))) {
          continue;
        }
        if (!use(cell)) return;
      }
    }
  };
  std::uint32_t count = 0;
  each([&](Cell) { return ++count != 0; });
  std::uint32_t left = chosen(seed, count);
  Cell picked = at;
  each([&](Cell cell) {
    picked = cell;
    return left-- != 0;
  });
  return place(picked);
}

}  // namespace starbus::nav::grid
