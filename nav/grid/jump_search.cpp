// Jump point search: only cells at which a cheapest path may turn are opened.
#include <bit>

#include "nav/grid/cell_search.hpp"
#include "nav/grid/jump_scan.hpp"

namespace starbus::nav::grid {
namespace {

constexpr std::uint32_t kNowhere = 0;  // of jumps

// How far a target lies on the ray of a straight direction; 0 if it does not.
std::uint32_t straight_distance(Spot from, Spot to, Direction direction) {
  const int dx = static_cast<int>(to & 0xffff) - static_cast<int>(from & 0xffff);
  const int dy = static_cast<int>(to >> 16) - static_cast<int>(from >> 16);
  const int along = dx * kStepX[direction] + dy * kStepY[direction];
  const int across = kStepX[direction] != 0 ? dy : dx;
  return across == 0 && along > 0 ? static_cast<std::uint32_t>(along) : 0;
}

}  // namespace

template <Diagonals kRule>
std::uint32_t CellSearch::jump_straight(Spot from, Direction direction) const {
  const int scanned = scan<kRule>(layer_->rows(), layer_->columns(), from, direction);
  const auto free = static_cast<std::uint32_t>(scanned < 0 ? -scanned : scanned);
  const std::uint32_t target = straight_distance(from, target_, direction);
  if (target != 0 && target <= free) return target;
  return scanned > 0 ? free : kNowhere;
}

// Opens a cell that a jump leads to, unless a way as cheap is known.
inline void CellSearch::reach(Spot origin, std::uint32_t cost, Spot at, Direction arrival) {
  const std::uint32_t index = layer_->layout().index(at);
  Node& node = memory_.nodes()[index];
  const std::uint16_t open = memory_.stamp();
  if (node.stamp > open || (node.stamp == open && node.cost <= cost)) return;
  node = {cost, open, arrival};
  memory_.origins()[index] = origin;
  memory_.buckets.push(cost + estimate_.between(at, target_), at);
}

// Along a diagonal the cells from which a straight jump leads on are not opened themselves: what
// those jumps lead to is (Harabor and Grastien 2014).
template <Diagonals kRule>
void CellSearch::jump_diagonally(Spot from, std::uint32_t cost, Direction direction) {
  const Mask* const moves = layer_->moves();
  const auto offset = static_cast<std::uint32_t>(layer_->layout().offset(direction));
  const Direction parts[] = {part_x(direction), part_y(direction)};
  std::uint32_t index = layer_->layout().index(from);
  Spot at = from;
  while ((moves[index] >> direction & 1) != 0) {
    index += offset;
    at = stepped(at, direction);
    cost += kDiagonal;
    bool opened = at == target_;
    if constexpr (kRule != Diagonals::no_cut) {
      opened = opened || layer_->rules().forced[direction][layer_->around()[index]] != 0;
    }
    if (opened) return reach(from, cost, at, direction);
    for (const Direction part : parts) {
      const std::uint32_t count = jump_straight<kRule>(at, part);
      if (count != kNowhere) reach(from, cost + kStraight * count, stepped(at, part, count), part);
    }
  }
}

template <class Jump>
bool CellSearch::run_jump_with(std::uint32_t budget, Jump&& jump) {
  const Layout layout = layer_->layout();
  const Rules& rules = layer_->rules();
  Node* const nodes = memory_.nodes();
  const auto closed = static_cast<std::uint16_t>(memory_.stamp() + 1);
  std::uint32_t rank;
  Spot spot;
  for (std::uint32_t done = 0; done < budget;) {
    if (!memory_.buckets.pop(rank, spot)) {
      state_ = State::failed;
      return true;
    }
    const std::uint32_t index = layout.index(spot);
    Node& node = nodes[index];
    if (node.stamp == closed) continue;
    node.stamp = closed;
    ++done;
    ++expanded_;
    settle(rank - node.cost, spot);
    if (spot == target_) {
      state_ = State::found;
      return true;
    }
    const std::uint32_t cost = node.cost;
    unsigned left = node.arrival == kNoDirection
                        ? layer_->moves()[index]
                        : rules.successors[node.arrival][layer_->around()[index]];
    for (; left != 0; left &= left - 1) {
      jump(spot, index, cost, static_cast<Direction>(std::countr_zero(left)));
    }
  }
  return false;
}

template <Diagonals kRule>
bool CellSearch::run_jump(std::uint32_t budget) {
  return run_jump_with(budget, [this](Spot spot, std::uint32_t, std::uint32_t cost, Direction d) {
    if (diagonal(d)) return jump_diagonally<kRule>(spot, cost, d);
    const std::uint32_t count = jump_straight<kRule>(spot, d);
    if (count != kNowhere) reach(spot, cost + kStraight * count, stepped(spot, d, count), d);
  });
}

template bool CellSearch::run_jump<Diagonals::no_cut>(std::uint32_t);
template bool CellSearch::run_jump<Diagonals::one_side>(std::uint32_t);
template bool CellSearch::run_jump<Diagonals::cut>(std::uint32_t);

// The same from the table, of which `from` is at `index`.
void CellSearch::jump_by_table(Spot from, std::uint32_t index, std::uint32_t cost,
                               Direction direction) {
  const JumpTable& table = *table_;
  const int dx = static_cast<int>(target_ & 0xffff) - static_cast<int>(from & 0xffff);
  const int dy = static_cast<int>(target_ >> 16) - static_cast<int>(from >> 16);
  const int distance = table.at(index)[direction];
  if (!diagonal(direction)) {
    const int ahead = dx * kStepX[direction] + dy * kStepY[direction];
    const int across = kStepX[direction] != 0 ? dy : dx;
    const bool met = across == 0 && ahead > 0 && ahead <= std::abs(distance);
    const int count = met ? ahead : distance;
    if (count <= 0) return;
    const auto steps = static_cast<std::uint32_t>(count);
    return reach(from, cost + kStraight * steps, stepped(from, direction, steps), direction);
  }
  jump_diagonally_by_table(from, index, cost, direction, dx * kStepX[direction],
                           dy * kStepY[direction]);
}

// `ahead_x` and `ahead_y`: how far the target lies along the parts of the direction.
void CellSearch::jump_diagonally_by_table(Spot from, std::uint32_t index, std::uint32_t cost,
                                          Direction direction, int ahead_x, int ahead_y) {
  const JumpTable& table = *table_;
  const auto offset = static_cast<std::uint32_t>(layer_->layout().offset(direction));
  const Direction parts[] = {part_x(direction), part_y(direction)};
  const bool cuts = layer_->options().diagonals != Diagonals::no_cut;
  int met = std::min(ahead_x, ahead_y);  // steps to the target's row or column
  Spot at = from;
  for (;;) {
    const int distance = table.at(index)[direction];
    if (met > 0 && met <= std::abs(distance)) {
      const auto steps = static_cast<std::uint32_t>(met);
      const Direction part = ahead_x > ahead_y ? parts[0] : parts[1];
      const int rest = std::abs(ahead_x - ahead_y);
      if (rest == 0) return reach(from, cost + kDiagonal * steps, target_, direction);
      if (rest <= std::abs(int{table.at(index + offset * steps)[part]})) {
        reach(from, cost + kDiagonal * steps + kStraight * static_cast<std::uint32_t>(rest),
              target_, part);
      }
    }
    if (distance <= 0) return;
    const auto steps = static_cast<std::uint32_t>(distance);
    index += offset * steps;
    at = stepped(at, direction, steps);
    cost += kDiagonal * steps;
    met -= distance;
    if (cuts && layer_->rules().forced[direction][layer_->around()[index]] != 0) {
      return reach(from, cost, at, direction);
    }
    for (const Direction part : parts) {
      const int count = table.at(index)[part];
      if (count <= 0) continue;
      const auto straight = static_cast<std::uint32_t>(count);
      reach(from, cost + kStraight * straight, stepped(at, part, straight), part);
    }
  }
}

bool CellSearch::run_jump_by_table(std::uint32_t budget) {
  return run_jump_with(budget, [this](Spot spot, std::uint32_t index, std::uint32_t cost,
                                      Direction d) { jump_by_table(spot, index, cost, d); });
}

}  // namespace starbus::nav::grid
