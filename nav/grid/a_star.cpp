// A*, Dijkstra (with no estimate) and breadth-first search.
#include <bit>

#include "nav/grid/cell_search.hpp"

namespace starbus::nav::grid {

// The expanded cell nearest to the target, for partial paths.
void CellSearch::settle(std::uint32_t estimate, Spot spot) {
  if (estimate >= least_estimate_) return;
  least_estimate_ = estimate;
  nearest_ = spot;
}

template <class Queue, bool kUniform, bool kLinks>
bool CellSearch::run_a_star(Queue& queue, std::uint32_t budget) {
  constexpr bool kHeap = std::is_same_v<Queue, HeapQueue>;
  const Layout layout = layer_->layout();
  const Mask* const moves = layer_->moves();
  const std::uint8_t* const costs = layer_->costs();
  Node* const nodes = memory_.nodes();
  const std::uint32_t open = memory_.stamp();
  const Estimate estimate = estimate_;
  const Spot target = target_;
  std::int32_t offsets[8];
  for (Direction d = 0; d < 8; ++d) offsets[d] = layout.offset(d);
  std::conditional_t<kHeap, std::uint64_t, std::uint32_t> rank;
  Spot spot;
  for (std::uint32_t done = 0; done < budget;) {
    if (!queue.pop(rank, spot)) {
      state_ = State::failed;
      return true;
    }
    const std::uint32_t index = layout.index(spot);
    Node& node = nodes[index];
    if (node.stamp() > open) continue;  // closed since
    node.close();
    ++done;
    ++expanded_;
    settle(kHeap ? estimate.between(spot, target) : static_cast<std::uint32_t>(rank) - node.cost,
           spot);
    if (spot == target) {
      state_ = State::found;
      return true;
    }
    for (unsigned left = moves[index]; left != 0; left &= left - 1) {
      const auto d = static_cast<Direction>(std::countr_zero(left));
      const std::uint32_t next = index + static_cast<std::uint32_t>(offsets[d]);
      Node& there = nodes[next];
      const std::uint32_t cost =
          node.cost + (kUniform ? kStepCost[d] : kStepCost[d] * std::uint32_t{costs[next]});
      if (there.knows(open, cost)) continue;
      const Spot at = stepped(spot, d);
      const std::uint32_t to_go = estimate.between(at, target);
      if (std::uint64_t{cost} + to_go > kMaxPathCost) continue;
      there = {cost, Node::tag_of(open, d)};
      if constexpr (kHeap) {
        queue.push(cost + std::uint64_t{to_go} * weight_ / 100, at);
      } else {
        queue.push(cost + to_go, at);
      }
    }
    if constexpr (kLinks) {
      for (const LayerLinks::Leg& leg : layer_->links().from(spot)) {
        Node& there = nodes[layout.index(leg.to)];
        const std::uint64_t cost = std::uint64_t{node.cost} + leg.cost;
        const std::uint32_t to_go = estimate.between(leg.to, target);
        if (cost + to_go > kMaxPathCost) continue;
        if (there.knows(open, static_cast<std::uint32_t>(cost))) continue;
        there = {static_cast<std::uint32_t>(cost), Node::tag_of(open, kByLink)};
        memory_.legs.push_back(layer_->links().number_of(leg));
        if constexpr (kHeap) {
          queue.push(cost + std::uint64_t{to_go} * weight_ / 100, leg.to);
        } else {
          queue.push(static_cast<std::uint32_t>(cost) + to_go, leg.to);
        }
      }
    }
  }
  return false;
}

template <class Queue>
bool CellSearch::run_a_star_with(Queue& queue, std::uint32_t budget) {
  if (uniform_) return run_a_star<Queue, true, false>(queue, budget);
  return layer_->links().empty() ? run_a_star<Queue, false, false>(queue, budget)
                                 : run_a_star<Queue, false, true>(queue, budget);
}

template bool CellSearch::run_a_star_with(BucketQueue&, std::uint32_t);
template bool CellSearch::run_a_star_with(HeapQueue&, std::uint32_t);

bool CellSearch::run_breadth_first(std::uint32_t budget) {
  const Layout& layout = layer_->layout();
  Node* const nodes = memory_.nodes();
  const std::uint32_t open = memory_.stamp();
  for (std::uint32_t done = 0; done < budget; ++done) {
    if (memory_.head == memory_.line.size()) {
      state_ = State::failed;
      return true;
    }
    const Spot spot = memory_.line[memory_.head++];
    const std::uint32_t index = layout.index(spot);
    ++expanded_;
    settle(estimate_.between(spot, target_), spot);
    if (spot == target_) {
      state_ = State::found;
      return true;
    }
    for (unsigned left = layer_->moves()[index]; left != 0; left &= left - 1) {
      const auto d = static_cast<Direction>(std::countr_zero(left));
      const std::uint32_t next = index + static_cast<std::uint32_t>(layout.offset(d));
      if (nodes[next].stamp() == open) continue;
      const std::uint64_t cost =
          nodes[index].cost + kStepCost[d] * std::uint64_t{uniform_ ? 1u : layer_->costs()[next]};
      if (cost > kMaxPathCost) continue;
      nodes[next] = {static_cast<std::uint32_t>(cost), Node::tag_of(open, d)};
      memory_.line.push_back(stepped(spot, d));
    }
    for (const LayerLinks::Leg& leg : layer_->links().from(spot)) {
      const std::uint32_t next = layout.index(leg.to);
      const std::uint64_t cost = std::uint64_t{nodes[index].cost} + leg.cost;
      if (nodes[next].stamp() == open || cost > kMaxPathCost) continue;
      nodes[next] = {static_cast<std::uint32_t>(cost), Node::tag_of(open, kByLink)};
      memory_.legs.push_back(layer_->links().number_of(leg));
      memory_.line.push_back(leg.to);
    }
  }
  return false;
}

}  // namespace starbus::nav::grid
