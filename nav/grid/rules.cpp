#include "nav/grid/rules.hpp"

#include <limits>

namespace starbus::nav::grid {
namespace {

// The 3 x 3 cells around one, numbered row by row; 4 is the cell itself.
constexpr int kCentre = 4;

int neighbour(Direction direction) {
  return kCentre + kStepY[direction] * 3 + kStepX[direction];
}

constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();

struct Costs {
  std::uint32_t to[9] = {kUnknown, kUnknown, kUnknown, kUnknown, kUnknown,
                         kUnknown, kUnknown, kUnknown, kUnknown};
};

class Surroundings {
 public:
  Surroundings(Diagonals rule, unsigned around) : rule_(rule) {
    passable_[kCentre] = true;
    for (Direction d = 0; d < 8; ++d) passable_[neighbour(d)] = (around >> d & 1) != 0;
  }

  bool legal(int from, Direction direction) const {
    const int x = from % 3 + kStepX[direction];
    const int y = from / 3 + kStepY[direction];
    if (x < 0 || x > 2 || y < 0 || y > 2 || !passable_[y * 3 + x]) return false;
    if (!diagonal(direction)) return true;
    const bool beside_x = passable_[from / 3 * 3 + x];
    const bool beside_y = passable_[y * 3 + from % 3];
    switch (rule_) {
      case Diagonals::none:
        return false;
      case Diagonals::no_cut:
        return beside_x && beside_y;
      case Diagonals::one_side:
        return beside_x || beside_y;
      case Diagonals::cut:
        return true;
    }
    return false;
  }

  // The least cost from a cell to each other one, not through the centre.
  Costs costs_around_centre(int from) const {
    Costs costs;
    if (!passable_[from]) return costs;
    costs.to[from] = 0;
    for (int round = 0; round < 8; ++round) {
      for (int cell = 0; cell < 9; ++cell) {
        if (cell == kCentre || costs.to[cell] == kUnknown) continue;
        for (Direction d = 0; d < 8; ++d) {
          if (!legal(cell, d)) continue;
          const int to = cell + kStepY[d] * 3 + kStepX[d];
          costs.to[to] = std::min(costs.to[to], costs.to[cell] + kStepCost[d]);
        }
      }
    }
    return costs;
  }

 private:
  Diagonals rule_;
  bool passable_[9] = {};
};

// What leads on without any wall: straight on, and for a diagonal its parts, too.
Mask natural(Direction arrival) {
  if (!diagonal(arrival)) return static_cast<Mask>(1u << arrival);
  return static_cast<Mask>(1u << arrival | 1u << part_x(arrival) | 1u << part_y(arrival));
}

Mask successors(const Surroundings& cells, Direction arrival) {
  const Direction back = opposite(arrival);
  const auto around = cells.costs_around_centre(neighbour(back));
  Mask found = 0;
  for (Direction d = 0; d < 8; ++d) {
    if (d == back || !cells.legal(kCentre, d)) continue;
    const std::uint32_t through = kStepCost[arrival] + kStepCost[d];
    const std::uint32_t other = around.to[neighbour(d)];
    const bool pruned = diagonal(arrival) ? other < through : other <= through;
    if (!pruned) found = static_cast<Mask>(found | 1u << d);
  }
  return found;
}

Rules make(Diagonals rule) {
  Rules rules;
  for (unsigned around = 0; around < 256; ++around) {
    const Surroundings cells(rule, around);
    for (Direction d = 0; d < 8; ++d) {
      if (cells.legal(kCentre, d)) rules.moves[around] |= static_cast<Mask>(1u << d);
      const Mask next = successors(cells, d);
      rules.successors[d][around] = next;
      rules.forced[d][around] = static_cast<Mask>(next & ~natural(d));
    }
  }
  return rules;
}

}  // namespace

const Rules& rules_of(Diagonals diagonals) {
  static const std::array<Rules, 4> kRules{make(Diagonals::none), make(Diagonals::no_cut),
                                           make(Diagonals::one_side), make(Diagonals::cut)};
  return kRules[static_cast<std::size_t>(diagonals)];
}

}  // namespace starbus::nav::grid
