#include "nav/grid/clusters/way_search.hpp"

#include <algorithm>
#include <bit>

namespace starbus::nav::grid {
namespace {

// Moves that do not leave a box, from a cell of it.
Mask inside(const CellBox& box, Spot at) {
  const std::uint32_t x = at & 0xffff;
  const std::uint32_t y = at >> 16;
  unsigned out = 0;
  if (x + 1 == box.x1) out |= 1u << 0 | 1u << 4 | 1u << 7;
  if (y + 1 == box.y1) out |= 1u << 1 | 1u << 4 | 1u << 5;
  if (x == box.x0) out |= 1u << 2 | 1u << 5 | 1u << 6;
  if (y == box.y0) out |= 1u << 3 | 1u << 6 | 1u << 7;
  return static_cast<Mask>(~out);
}

}  // namespace

void WaySearch::start(const Layer& layer, const CellBox& box, Spot from, Spot to) {
  layer_ = &layer;
  box_ = box;
  corner_ = box.y0 << 16 | box.x0;
  shift_ = static_cast<unsigned>(std::bit_width(box.x1 - box.x0 - 1));
  from_ = from;
  to_ = to;
  cost_ = kNoWay;
  estimate_ = Estimate(layer.options().diagonals, layer.least_cost());
  const std::size_t places = std::size_t{box.y1 - box.y0} << shift_;
  if (nodes_.size() < places) nodes_.resize(places);
  if (stamp_ >= (1u << 24) - 4) {
    for (Node& node : nodes_) node.tag = 0;
    stamp_ = 0;
  }
  stamp_ += 2;
  nodes_[index(from)] = {0, Node::tag_of(stamp_, kNoDirection)};
  const std::uint32_t least = leaning(estimate_.between(from, to));
  queue_.start(least);
  queue_.push(least, from);
}

bool WaySearch::run(std::uint32_t& budget) {
  return layer_->uniform() ? run_as<true>(budget) : run_as<false>(budget);
}

template <bool kUniform>
bool WaySearch::run_as(std::uint32_t& budget) {
  const Layout layout = layer_->layout();
  const Mask* const moves = layer_->moves();
  const Mask* const around = layer_->around();
  const std::uint8_t* const factors = layer_->costs();
  const Rules& rules = layer_->rules();
  Node* const nodes = nodes_.data();
  const std::uint32_t open = stamp_;
  const Spot target = to_;
  const bool prunes = kUniform && layer_->options().diagonals != Diagonals::none;
  std::int32_t offsets[8];
  std::uint32_t steps[8];
  for (Direction d = 0; d < 8; ++d) {
    offsets[d] = kStepY[d] * (1 << shift_) + kStepX[d];
    steps[d] = kStepCost[d] * (kUniform ? layer_->least_cost() : 1);
  }
  std::uint32_t rank;
  Spot spot;
  while (budget > 0) {
    if (!queue_.pop(rank, spot)) return true;
    const std::uint32_t at = index(spot);
    Node& node = nodes[at];
    if (node.stamp() > open) continue;  // closed since
    node.close();
    --budget;
    if (spot == target) {
      cost_ = node.cost;
      return true;
    }
    const std::uint32_t in_layer = layout.index(spot);
    const Mask within = inside(box_, spot);
    unsigned left;
    if (prunes) {
      // What lies beyond the box is no way around.
      const auto beside = static_cast<Mask>(around[in_layer] & within);
      left = node.arrival() == kNoDirection ? rules.moves[beside]
                                            : rules.successors[node.arrival()][beside];
    } else {
      left = moves[in_layer] & within;
    }
    for (; left != 0; left &= left - 1) {
      const auto d = static_cast<Direction>(std::countr_zero(left));
      Node& there = nodes[at + static_cast<std::uint32_t>(offsets[d])];
      std::uint32_t cost = node.cost + steps[d];
      if constexpr (!kUniform) {
        const std::uint32_t next = in_layer + static_cast<std::uint32_t>(layout.offset(d));
        cost = node.cost + steps[d] * factors[next];
      }
      if (there.knows(open, cost)) continue;
      there = {cost, Node::tag_of(open, d)};
      const Spot next = stepped(spot, d);
      queue_.push(std::max(rank, cost + leaning(estimate_.between(next, target))), next);
    }
  }
  return false;
}

void WaySearch::append_way(std::vector<Cell>& out) const {
  const std::size_t first = out.size();
  for (Spot at = to_; at != from_;) {
    out.push_back(cell_of(at));
    at = stepped(at, opposite(nodes_[index(at)].arrival()));
  }
  std::reverse(out.begin() + static_cast<std::ptrdiff_t>(first), out.end());
}

}  // namespace starbus::nav::grid
