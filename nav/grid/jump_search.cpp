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

template <Diagonals kRule>
std::uint32_t CellSearch::jump_diagonal(Spot from, Direction direction) const {
  const Layout& layout = layer_->layout();
  const Mask* const moves = layer_->moves();
  const auto offset = static_cast<std::uint32_t>(layout.offset(direction));
  std::uint32_t index = layout.index(from);
  Spot at = from;
  for (std::uint32_t count = 1; (moves[index] >> direction & 1) != 0; ++count) {
    index += offset;
    at = stepped(at, direction);
    if (at == target_) return count;
    if constexpr (kRule != Diagonals::no_cut) {
      if (layer_->rules().forced[direction][layer_->around()[index]] != 0) return count;
    }
    if (jump_straight<kRule>(at, part_x(direction)) != kNowhere) return count;
    if (jump_straight<kRule>(at, part_y(direction)) != kNowhere) return count;
  }
  return kNowhere;
}

// Opens the cell that a jump leads to, unless a way as cheap is known.
inline void CellSearch::reach(Spot from, std::uint32_t cost, Direction direction,
                              std::uint32_t count) {
  const Spot at = stepped(from, direction, count);
  const std::uint32_t index = layer_->layout().index(at);
  const std::uint32_t there = cost + kStepCost[direction] * count;
  Node& node = memory_.nodes()[index];
  const std::uint16_t open = memory_.stamp();
  if (node.stamp > open || (node.stamp == open && node.cost <= there)) return;
  node = {there, open, direction};
  memory_.origins()[index] = from;
  memory_.buckets.push(there + estimate_.between(at, target_), at);
}

template <Diagonals kRule>
bool CellSearch::run_jump(std::uint32_t budget) {
  const Layout& layout = layer_->layout();
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
    const Direction arrival = node.arrival;
    unsigned left = arrival == kNoDirection ? layer_->moves()[index]
                                            : rules.successors[arrival][layer_->around()[index]];
    for (; left != 0; left &= left - 1) {
      const auto d = static_cast<Direction>(std::countr_zero(left));
      const std::uint32_t count =
          diagonal(d) ? jump_diagonal<kRule>(spot, d) : jump_straight<kRule>(spot, d);
      if (count != kNowhere) reach(spot, node.cost, d, count);
    }
  }
  return false;
}

template bool CellSearch::run_jump<Diagonals::no_cut>(std::uint32_t);
template bool CellSearch::run_jump<Diagonals::one_side>(std::uint32_t);
template bool CellSearch::run_jump<Diagonals::cut>(std::uint32_t);

bool CellSearch::run_jump_by_table(std::uint32_t budget) {
  const Layout& layout = layer_->layout();
  const Rules& rules = layer_->rules();
  const JumpTable& table = *layer_->jump_table();
  Node* const nodes = memory_.nodes();
  const auto closed = static_cast<std::uint16_t>(memory_.stamp() + 1);
  const int target_x = static_cast<int>(target_ & 0xffff);
  const int target_y = static_cast<int>(target_ >> 16);
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
    const int dx = target_x - static_cast<int>(spot & 0xffff);
    const int dy = target_y - static_cast<int>(spot >> 16);
    const std::int16_t* const distances = table.at(index);
    const Direction arrival = node.arrival;
    unsigned left = arrival == kNoDirection ? layer_->moves()[index]
                                            : rules.successors[arrival][layer_->around()[index]];
    for (; left != 0; left &= left - 1) {
      const auto d = static_cast<Direction>(std::countr_zero(left));
      const int distance = distances[d];
      const int free = std::abs(distance);
      const int along_x = dx * kStepX[d];
      const int along_y = dy * kStepY[d];
      int count = distance;
      if (diagonal(d)) {
        // Where the target's row or column is met, too: from there it may lie straight ahead.
        const int met = std::min(along_x, along_y);
        if (met > 0 && met <= free) count = met;
      } else {
        const int met = along_x + along_y;
        const bool ahead = (kStepX[d] != 0 ? dy : dx) == 0 && met > 0;
        if (ahead && met <= free) count = met;
      }
      if (count > 0) reach(spot, node.cost, d, static_cast<std::uint32_t>(count));
    }
  }
  return false;
}

}  // namespace starbus::nav::grid
