#include "nav/grid/flow_field.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace starbus::nav::grid {

Result<void> FlowField::build(const Layer& layer, Cell goal) {
  const Goal one{goal, 0};
  return build(layer, {&one, 1});
}

Result<void> FlowField::build(const Layer& layer, std::span<const Goal> goals,
                              std::uint32_t reach) {
  if (goals.empty()) return Errc::bad_goal;
  if (goals.size() > kMaxFieldGoals) return Error(Errc::too_many, "kMaxFieldGoals");
  if (reach > kMaxPathCost) return Error(Errc::too_large, "kMaxPathCost");
  for (const Goal& goal : goals) {
    if (!layer.passable(goal.cell)) return Errc::bad_goal;
    if (goal.cost > kMaxPathCost) return Error(Errc::too_large, "kMaxPathCost");
  }
  layout_ = layer.layout();
  version_ = layer.version();
  reached_ = 0;
  // One comparison tells what is dearer, and what is beyond reach.
  unreached_ = reach + 1;
  costs_.assign(layout_.count(), unreached_);
  directions_.assign(layout_.count(), kNoDirection);
  // Equal costs of more than 1 are multiplied in the end, if that loses nothing of the goals' own.
  const bool plain = layer.uniform() && goals.size() == 1 && goals[0].cost == 0 &&
                     (layer.least_cost() == 1 || reach == kMaxPathCost);
  const bool simple = layer.uniform() && (plain || layer.least_cost() == 1);
  factor_ = simple ? layer.least_cost() : 1;
  open(goals, simple);
  simple ? spread_evenly(layer) : spread(layer);
  return {};
}

void FlowField::open(std::span<const Goal> goals, bool simple) {
  queue_.start(std::ranges::min(goals, {}, &Goal::cost).cost);
  goals_.clear();
  // The last one is on top: in their order, the first of equals is looked at first.
  for (std::size_t i = goals.size(); i-- > 0;) {
    const std::uint32_t index = layout_.index(goals[i].cell);
    if (goals[i].cost >= unreached_ || goals[i].cost >= costs_[index]) continue;
    costs_[index] = goals[i].cost;
    if (!simple) {
      queue_.push(goals[i].cost, spot_of(goals[i].cell));
      continue;
    }
    goals_.reserve_for_a_cell();
    goals_.push(goals[i].cost, static_cast<std::uint32_t>(i));
  }
  const auto opened = std::span(goals_.entries).first(goals_.end);
  std::ranges::sort(opened, [](const Line::Entry& a, const Line::Entry& b) {
    return a.cost != b.cost ? a.cost < b.cost : a.index < b.index;
  });
  for (Line::Entry& entry : opened) entry.index = layout_.index(goals[entry.index].cell);
}

void FlowField::Line::clear() {
  head = end = 0;
  reserve_for_a_cell();
}

// Room for the moves from one cell, and for an entry after the last that is never the least.
void FlowField::Line::reserve_for_a_cell() {
  if (end + 8 >= entries.size()) entries.resize(entries.size() * 2 + 1024);
}

// Moves cost one of two sums, and cells are looked at in the order of their costs: so the moves of
// each sum are found in that order, too, and the least open cost is at the head of a line.
void FlowField::spread_evenly(const Layer& layer) {
  constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();
  const Mask* const moves = layer.moves();
  const Mask* const around = layer.around();
  std::uint32_t* const costs = costs_.data();
  Direction* const directions = directions_.data();
  const Rules& rules = layer.rules();
  const bool diagonals = layer.options().diagonals != Diagonals::none;
  std::uint32_t offsets[8];
  for (Direction d = 0; d < 8; ++d) offsets[d] = static_cast<std::uint32_t>(layout_.offset(d));
  straight_.clear();
  diagonal_.clear();
  goals_.reserve_for_a_cell();
  goals_.entries[goals_.end].cost = kNever;
  std::uint32_t reached = 0;
  for (;;) {
    straight_.entries[straight_.end].cost = kNever;
    diagonal_.entries[diagonal_.end].cost = kNever;
    Line* least = &straight_;
    if (diagonal_.entries[diagonal_.head].cost < least->entries[least->head].cost) {
      least = &diagonal_;
    }
    if (goals_.entries[goals_.head].cost <= least->entries[least->head].cost) least = &goals_;
    const auto [cost, index] = least->entries[least->head];
    if (cost == kNever) break;
    ++least->head;
    if (costs[index] != cost) continue;  // a cheaper way was found since
    ++reached;
    // Only moves that no way around makes needless.
    unsigned left = moves[index];
    if (diagonals && directions[index] != kNoDirection) {
      left = rules.successors[opposite(directions[index])][around[index]];
    }
    straight_.reserve_for_a_cell();
    diagonal_.reserve_for_a_cell();
    const auto try_moves = [&, index = index, cost = cost](unsigned some, std::uint32_t step,
                                                           Line& line) {
      for (; some != 0; some &= some - 1) {
        const auto d = static_cast<Direction>(std::countr_zero(some));
        const std::uint32_t next = index + offsets[d];
        const std::uint32_t there = cost + step;
        if (there >= costs[next]) continue;
        costs[next] = there;
        directions[next] = opposite(d);
        line.push(there, next);
      }
    };
    try_moves(left & 0x0fu, kStraight, straight_);
    try_moves(left & 0xf0u, kDiagonal, diagonal_);
  }
  reached_ = reached;
}

void FlowField::spread(const Layer& layer) {
  const Layout layout = layout_;
  const Mask* const moves = layer.moves();
  const std::uint8_t* const dear = layer.costs();
  std::uint32_t* const costs = costs_.data();
  Direction* const directions = directions_.data();
  std::int32_t offsets[8];
  for (Direction d = 0; d < 8; ++d) offsets[d] = layout.offset(d);
  std::uint32_t cost;
  std::uint32_t reached = 0;
  Spot spot;
  while (queue_.pop(cost, spot)) {
    const std::uint32_t index = layout.index(spot);
    if (costs[index] != cost) continue;  // a cheaper way was found since
    ++reached;
    // Whoever comes from a neighbour enters this cell.
    const std::uint32_t factor = dear[index];
    for (unsigned left = moves[index]; left != 0; left &= left - 1) {
      const auto d = static_cast<Direction>(std::countr_zero(left));
      const std::uint32_t next = index + static_cast<std::uint32_t>(offsets[d]);
      const std::uint32_t there = cost + kStepCost[d] * factor;
      if (there >= costs[next]) continue;
      costs[next] = there;
      directions[next] = opposite(d);
      queue_.push(there, stepped(spot, d));
    }
  }
  reached_ = reached;
}

std::optional<std::uint64_t> FlowField::cost(Cell cell) const {
  if (!layout_.contains(cell)) return std::nullopt;
  const std::uint32_t cost = costs_[layout_.index(cell)];
  if (cost == unreached_) return std::nullopt;
  return std::uint64_t{cost} * factor_;
}

Direction FlowField::direction(Cell cell) const {
  return layout_.contains(cell) ? directions_[layout_.index(cell)] : kNoDirection;
}

}  // namespace starbus::nav::grid
