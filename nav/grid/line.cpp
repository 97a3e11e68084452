#include "nav/grid/line.hpp"

#include <algorithm>
#include <cmath>

namespace starbus::nav::grid {
namespace {

std::int32_t floor_cell(std::int32_t fine) {
  return fine >= 0 ? fine / kFine : -((-fine + kFine - 1) / kFine);
}

// One line on its way from cell to cell.
class Walk {
 public:
  Walk(const Layer& layer, FinePoint from, FinePoint to)
      : layer_(layer),
        from_(from),
        dx_(std::int64_t{to.x} - from.x),
        dy_(std::int64_t{to.y} - from.y),
        cell_(cell_of(from)),
        left_x_(std::abs(floor_cell(to.x) - cell_.x)),
        left_y_(std::abs(floor_cell(to.y) - cell_.y)),
        sign_x_(grid::sign(static_cast<int>(std::clamp<std::int64_t>(dx_, -1, 1)))),
        sign_y_(grid::sign(static_cast<int>(std::clamp<std::int64_t>(dy_, -1, 1)))),
        next_x_(way_x() * std::abs(dy_)),
        next_y_(way_y() * std::abs(dx_)) {}

  bool ended() const { return left_x_ == 0 && left_y_ == 0; }
  Cell cell() const { return cell_; }

  // The next step: -1, 0 or 1 along each axis. Over the border that comes first.
  void aim() {
    step_x_ = left_x_ > 0 ? sign_x_ : 0;
    step_y_ = left_y_ > 0 ? sign_y_ : 0;
    if (step_x_ == 0 || step_y_ == 0) return;
    if (next_x_ < next_y_) step_y_ = 0;
    if (next_y_ < next_x_) step_x_ = 0;
  }

  bool step() {
    const Direction direction = direction_of(step_x_, step_y_);
    if (!legal(direction)) return false;
    cell_ = beside(cell_, direction);
    if (step_x_ != 0) {
      --left_x_;
      next_x_ += kFine * std::abs(dy_);
    }
    if (step_y_ != 0) {
      --left_y_;
      next_y_ += kFine * std::abs(dx_);
    }
    return true;
  }

  // Of the step that was refused.
  LineEnd hit() const {
    LineEnd end;
    end.hit = true;
    end.normal_x = -step_x_;
    end.normal_y = -step_y_;
    const bool by_x = step_x_ != 0;
    const std::int64_t way = by_x ? way_x() : way_y();
    const std::int64_t whole = std::abs(by_x ? dx_ : dy_);
    const auto within = [](std::int64_t value, std::int32_t cell) {
      return static_cast<std::int32_t>(std::clamp<std::int64_t>(
          value, std::int64_t{cell} * kFine, std::int64_t{cell} * kFine + kFine - 1));
    };
    end.at.x = within(from_.x + dx_ * way / whole, cell_.x);
    end.at.y = within(from_.y + dy_ * way / whole, cell_.y);
    return end;
  }

 private:
  std::int64_t way_x() const { return way(dx_, cell_.x, from_.x); }
  std::int64_t way_y() const { return way(dy_, cell_.y, from_.y); }
  // From the start to the border of the cell that the line leaves through.
  static std::int64_t way(std::int64_t d, std::int32_t cell, std::int32_t from) {
    const std::int64_t border = std::int64_t{cell + (d > 0 ? 1 : 0)} * kFine;
    return std::abs(border - from);
  }

  bool legal(Direction direction) const {
    const Mask* const moves = layer_.moves();
    const Layout& layout = layer_.layout();
    const std::uint32_t index = layout.index(cell_);
    if ((moves[index] >> direction & 1) != 0) return true;
    if (layer_.options().diagonals != Diagonals::none || !diagonal(direction)) return false;
    // Without diagonal moves a line passes a corner if both ways around it are free.
    const auto around = [&](Direction first, Direction second) {
      const std::uint32_t by = index + static_cast<std::uint32_t>(layout.offset(first));
      return (moves[index] >> first & 1) != 0 && (moves[by] >> second & 1) != 0;
    };
    const Direction x = part_x(direction);
    const Direction y = part_y(direction);
    return around(x, y) && around(y, x);
  }

  const Layer& layer_;
  FinePoint from_;
  std::int64_t dx_;
  std::int64_t dy_;
  Cell cell_;
  std::int32_t left_x_;  ///< borders that are still to be crossed
  std::int32_t left_y_;
  int sign_x_;
  int sign_y_;
  // The way to the next border, |d| of the other axis times as long, so that both can be compared.
  std::int64_t next_x_;
  std::int64_t next_y_;
  int step_x_ = 0;
  int step_y_ = 0;
};

}  // namespace

LineEnd follow_line(const Layer& layer, FinePoint from, FinePoint to) {
  Walk walk(layer, from, to);
  while (!walk.ended()) {
    walk.aim();
    if (!walk.step()) return walk.hit();
  }
  return {to, false, 0, 0};
}

bool sees(const Layer& layer, Cell from, Cell to) {
  const bool uniform = layer.uniform();
  const std::uint8_t* const costs = layer.costs();
  const std::uint8_t cost = costs[layer.layout().index(from)];
  Walk walk(layer, middle_of(from), middle_of(to));
  while (!walk.ended()) {
    walk.aim();
    if (!walk.step()) return false;
    if (!uniform && costs[layer.layout().index(walk.cell())] != cost) return false;
  }
  return true;
}

void keep_corners(std::vector<Cell>& path) {
  if (path.size() < 3) return;
  std::size_t kept = 1;
  for (std::size_t i = 1; i + 1 < path.size(); ++i) {
    const Cell a = path[i - 1];
    const Cell b = path[i];
    const Cell c = path[i + 1];
    if (b.x - a.x == c.x - b.x && b.y - a.y == c.y - b.y) continue;
    path[kept++] = b;
  }
  path[kept++] = path.back();
  path.resize(kept);
}

// From each point to the furthest one that is seen, which is looked for in steps that double, and
// then halve: a line of a thousand cells is not walked a thousand times.
void keep_sight(const Layer& layer, std::vector<Cell>& path) {
  if (path.size() < 3) return;
  const auto cost = [&](std::size_t i) { return layer.costs()[layer.layout().index(path[i])]; };
  const std::size_t end = path.size() - 1;
  std::size_t kept = 1;
  std::size_t even = 0;  // all cells from the anchor to this one cost the same
  for (std::size_t at = 0; at < end;) {
    const Cell anchor = path[at];
    even = std::max(even, at);
    while (even < end && cost(even + 1) == cost(at)) ++even;
    std::size_t seen = at + 1;
    std::size_t hidden = even + 1;
    for (std::size_t step = 2; at + step < hidden; step *= 2) {
      if (sees(layer, anchor, path[at + step])) {
        seen = at + step;
      } else {
        hidden = at + step;
      }
    }
    while (hidden > seen + 1) {
      const std::size_t middle = seen + (hidden - seen) / 2;
      (sees(layer, anchor, path[middle]) ? seen : hidden) = middle;
    }
    at = seen;
    if (at < end) path[kept++] = path[at];
  }
  path[kept++] = path[end];
  path.resize(kept);
}

}  // namespace starbus::nav::grid
