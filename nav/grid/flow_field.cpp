#include "nav/grid/flow_field.hpp"

#include <algorithm>
#include <bit>

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
  queue_.start(std::ranges::min(goals, {}, &Goal::cost).cost);
  // The last one is on top: in their order, the first of equals is looked at first.
  for (std::size_t i = goals.size(); i-- > 0;) {
    const std::uint32_t index = layout_.index(goals[i].cell);
    if (goals[i].cost >= unreached_ || goals[i].cost >= costs_[index]) continue;
    costs_[index] = goals[i].cost;
    queue_.push(goals[i].cost, spot_of(goals[i].cell));
  }
  simple ? spread<true>(layer) : spread<false>(layer);
  return {};
}

template <bool kUniform>
void FlowField::spread(const Layer& layer) {
  const Layout layout = layout_;
  const Mask* const moves = layer.moves();
  const std::uint8_t* const dear = layer.costs();
  std::uint32_t* const costs = costs_.data();
  Direction* const directions = directions_.data();
  const Rules& rules = layer.rules();
  const Mask* const around = layer.around();
  const bool diagonals = layer.options().diagonals != Diagonals::none;
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
    const std::uint32_t factor = kUniform ? 1 : dear[index];
    unsigned left = moves[index];
    if constexpr (kUniform) {
      // Over equal costs only moves that no way around makes needless.
      if (diagonals && directions[index] != kNoDirection) {
        left = rules.successors[opposite(directions[index])][around[index]];
      }
    }
    for (; left != 0; left &= left - 1) {
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
