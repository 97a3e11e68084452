// Jump point search: only cells at which a cheapest path may turn are opened.
#include <bit>

#include "nav/grid/cell_search.hpp"
#include "nav/grid/jump_scan.hpp"

namespace starbus::nav::grid {
namespace {

constexpr std::uint32_t kNowhere = 0;  // of jumps

}  // namespace

// How far a straight jump goes; kNowhere if it leads to nothing.
template <Diagonals kRule, Direction kDirection>
inline std::uint32_t CellSearch::straight_jump(Spot from) const {
  constexpr bool kAlongX = kStepX[kDirection] != 0;
  const int scanned = scan<kRule, kDirection>(layer_->rows(), layer_->columns(), from);
  const bool in_line = kAlongX ? from >> 16 == target_ >> 16 : ((from ^ target_) & 0xffff) == 0;
  if (in_line) [[unlikely]] {
    const int there = kAlongX ? static_cast<int>(target_ & 0xffff) - static_cast<int>(from & 0xffff)
                              : static_cast<int>(target_ >> 16) - static_cast<int>(from >> 16);
    const int ahead = there * (kAlongX ? kStepX[kDirection] : kStepY[kDirection]);
    if (ahead > 0 && ahead <= std::abs(scanned)) return static_cast<std::uint32_t>(ahead);
  }
  return static_cast<std::uint32_t>(std::max(scanned, 0));
}

// Opens a cell that a jump leads to, unless a way as cheap is known.
inline void CellSearch::reach(Spot origin, std::uint32_t cost, Spot at, Direction arrival) {
  JumpNode& node = memory_.jump_nodes()[layer_->layout().index(at)];
  const std::uint32_t open = memory_.stamp();
  const std::uint32_t to_go = estimate_.between(at, target_);
  // A jump is too short for a sum of 32 bits to come around unseen.
  if (node.knows(open, cost) || std::uint64_t{cost} + to_go > kMaxPathCost) return;
  node = {{cost, Node::tag_of(open, arrival)}, origin};
  memory_.buckets.push(cost + to_go, at);
}

// Along a diagonal the cells from which a straight jump leads on are not opened themselves: what
// those jumps lead to is (Harabor and Grastien 2014).
template <Diagonals kRule, Direction kDirection>
void CellSearch::jump(Spot from, std::uint32_t cost) {
  if constexpr (!diagonal(kDirection)) {
    const std::uint32_t count = straight_jump<kRule, kDirection>(from);
    if (count == kNowhere) return;
    reach(from, cost + kStraight * count, stepped(from, kDirection, count), kDirection);
  } else {
    constexpr Direction kX = part_x(kDirection);
    constexpr Direction kY = part_y(kDirection);
    const Mask* const moves = layer_->moves();
    const auto offset = static_cast<std::uint32_t>(layer_->layout().offset(kDirection));
    std::uint32_t index = layer_->layout().index(from);
    Spot at = from;
    while ((moves[index] >> kDirection & 1) != 0) {
      index += offset;
      at = stepped(at, kDirection);
      cost += kDiagonal;
      bool opened = at == target_;
      if constexpr (kRule != Diagonals::no_cut) {
        opened = opened || layer_->rules().forced[kDirection][layer_->around()[index]] != 0;
      }
      if (opened) return reach(from, cost, at, kDirection);
      const std::uint32_t x = straight_jump<kRule, kX>(at);
      if (x != kNowhere) reach(from, cost + kStraight * x, stepped(at, kX, x), kX);
      const std::uint32_t y = straight_jump<kRule, kY>(at);
      if (y != kNowhere) reach(from, cost + kStraight * y, stepped(at, kY, y), kY);
    }
  }
}

template <class Jump>
bool CellSearch::run_jump_with(std::uint32_t budget, Jump&& jump_on) {
  const Layout layout = layer_->layout();
  const Rules& rules = layer_->rules();
  JumpNode* const nodes = memory_.jump_nodes();
  const std::uint32_t open = memory_.stamp();
  std::uint32_t rank;
  Spot spot;
  for (std::uint32_t done = 0; done < budget;) {
    if (!memory_.buckets.pop(rank, spot)) {
      state_ = State::failed;
      return true;
    }
    const std::uint32_t index = layout.index(spot);
    JumpNode& node = nodes[index];
    if (node.stamp() > open) continue;  // closed since
    node.close();
    ++done;
    ++expanded_;
    settle(rank - node.cost, spot);
    if (spot == target_) {
      state_ = State::found;
      return true;
    }
    const std::uint32_t cost = node.cost;
    unsigned left = node.arrival() == kNoDirection
                        ? layer_->moves()[index]
                        : rules.successors[node.arrival()][layer_->around()[index]];
    for (; left != 0; left &= left - 1) {
      jump_on(spot, index, cost, static_cast<Direction>(std::countr_zero(left)));
    }
  }
  return false;
}

template <Diagonals kRule>
bool CellSearch::run_jump(std::uint32_t budget) {
  return run_jump_with(budget, [this](Spot spot, std::uint32_t, std::uint32_t cost, Direction d) {
    switch (d) {
      case 0:
        return jump<kRule, 0>(spot, cost);
      case 1:
        return jump<kRule, 1>(spot, cost);
      case 2:
        return jump<kRule, 2>(spot, cost);
      case 3:
        return jump<kRule, 3>(spot, cost);
      case 4:
        return jump<kRule, 4>(spot, cost);
      case 5:
        return jump<kRule, 5>(spot, cost);
      case 6:
        return jump<kRule, 6>(spot, cost);
      default:
        return jump<kRule, 7>(spot, cost);
    }
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
  const auto offset = static_cast<std::uint32_t>(layer_->layout().offset(direction));
  const int distance = table.distance(index, direction, offset);
  if (!diagonal(direction)) {
    const int ahead = dx * kStepX[direction] + dy * kStepY[direction];
    const int across = kStepX[direction] != 0 ? dy : dx;
    const bool met = across == 0 && ahead > 0 && ahead <= std::abs(distance);
    const int count = met ? ahead : distance;
    if (count <= 0) return;
    const auto steps = static_cast<std::uint32_t>(count);
    return reach(from, cost + kStraight * steps, stepped(from, direction, steps), direction);
  }
  if (distance != 0) {
    jump_diagonally_by_table(from, index, cost, direction, dx * kStepX[direction],
                             dy * kStepY[direction]);
  }
}

// `ahead_x` and `ahead_y`: how far the target lies along the parts of the direction.
void CellSearch::jump_diagonally_by_table(Spot from, std::uint32_t index, std::uint32_t cost,
                                          Direction direction, int ahead_x, int ahead_y) {
  const JumpTable& table = *table_;
  const auto offset = static_cast<std::uint32_t>(layer_->layout().offset(direction));
  const Direction parts[] = {part_x(direction), part_y(direction)};
  const bool cuts = layer_->options().diagonals != Diagonals::no_cut;
  const auto straight = [&](std::uint32_t from_index, Direction part) {
    return table.distance(from_index, part,
                          static_cast<std::uint32_t>(layer_->layout().offset(part)));
  };
  int met = std::min(ahead_x, ahead_y);  // steps to the target's row or column
  Spot at = from;
  for (;;) {
    const int distance = table.distance(index, direction, offset);
    if (met > 0 && met <= std::abs(distance)) {
      const auto steps = static_cast<std::uint32_t>(met);
      const Direction part = ahead_x > ahead_y ? parts[0] : parts[1];
      const int rest = std::abs(ahead_x - ahead_y);
      if (rest == 0) return reach(from, cost + kDiagonal * steps, target_, direction);
      if (rest <= std::abs(straight(index + offset * steps, part))) {
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
      const int count = straight(index, part);
      if (count <= 0) continue;
      const auto far = static_cast<std::uint32_t>(count);
      reach(from, cost + kStraight * far, stepped(at, part, far), part);
    }
  }
}

bool CellSearch::run_jump_by_table(std::uint32_t budget) {
  return run_jump_with(budget, [this](Spot spot, std::uint32_t index, std::uint32_t cost,
                                      Direction d) { jump_by_table(spot, index, cost, d); });
}

}  // namespace starbus::nav::grid
