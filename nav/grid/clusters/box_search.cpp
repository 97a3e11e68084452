#include "nav/grid/clusters/box_search.hpp"

#include <algorithm>
#include <bit>

namespace starbus::nav::grid {
namespace {

constexpr Mask kEast = 1 << 0 | 1 << 4 | 1 << 7;
constexpr Mask kSouth = 1 << 1 | 1 << 4 | 1 << 5;
constexpr Mask kWest = 1 << 2 | 1 << 5 | 1 << 6;
constexpr Mask kNorth = 1 << 3 | 1 << 6 | 1 << 7;

}  // namespace

void BoxSearch::load(const Layer& layer, const CellBox& box) {
  layer_ = &layer;
  box_ = box;
  corner_ = box.y0 << 16 | box.x0;
  const std::uint32_t width = box.x1 - box.x0;
  const std::uint32_t height = box.y1 - box.y0;
  shift_ = static_cast<unsigned>(std::bit_width(width - 1));
  uniform_ = layer.uniform();
  const std::size_t places = std::size_t{height} << shift_;
  if (moves_.size() < places) {
    moves_.resize(places);
    around_.resize(places);
    factors_.resize(places);
    costs_.resize(places);
    arrivals_.resize(places);
    labels_.resize(places);
  }
  for (std::uint32_t y = 0; y < height; ++y) {
    const std::uint32_t from = layer.layout().index(corner_ + (y << 16));
    Mask out = 0;  // moves that leave the box
    if (y == 0) out |= kNorth;
    if (y + 1 == height) out |= kSouth;
    const auto copy = [&](const Mask* source, Mask* to) {
      std::copy_n(source, width, to);
      for (std::uint32_t x = 0; out != 0 && x < width; ++x) to[x] = static_cast<Mask>(to[x] & ~out);
      to[0] = static_cast<Mask>(to[0] & ~kWest);
      to[width - 1] = static_cast<Mask>(to[width - 1] & ~kEast);
    };
    const std::size_t row = std::size_t{y} << shift_;
    copy(layer.moves() + from, moves_.data() + row);
    if (uniform_) {
      copy(layer.around() + from, around_.data() + row);
    } else {
      std::copy_n(layer.costs() + from, width, factors_.data() + row);
    }
  }
}

void BoxSearch::spread(Spot from, bool backwards) {
  backwards_ = backwards;
  const std::size_t places = std::size_t{box_.y1 - box_.y0} << shift_;
  std::fill_n(costs_.begin(), places, kNoWay);
  costs_[index(from)] = 0;
  arrivals_[index(from)] = kNoDirection;
  queue_.start(0);
  queue_.push(0, index(from));
}

bool BoxSearch::run(std::uint32_t& budget) {
  if (uniform_) return run_as<true, false>(budget);
  return backwards_ ? run_as<false, true>(budget) : run_as<false, false>(budget);
}

template <bool kUniform, bool kBackwards>
bool BoxSearch::run_as(std::uint32_t& budget) {
  const Mask* const moves = moves_.data();
  const Mask* const around = around_.data();
  const std::uint8_t* const factors = factors_.data();
  std::uint32_t* const costs = costs_.data();
  Direction* const arrivals = arrivals_.data();
  const Rules& rules = layer_->rules();
  // Over equal costs only moves that no way around makes needless.
  const bool prunes = kUniform && layer_->options().diagonals != Diagonals::none;
  std::int32_t offsets[8];
  std::uint32_t steps[8];
  for (Direction d = 0; d < 8; ++d) {
    offsets[d] = kStepY[d] * (1 << shift_) + kStepX[d];
    steps[d] = kStepCost[d] * (kUniform ? layer_->least_cost() : 1);
  }
  std::uint32_t cost;
  std::uint32_t at;
  while (budget > 0) {
    if (!queue_.pop(cost, at)) return true;
    if (costs[at] != cost) continue;  // a cheaper way was found since
    --budget;
    unsigned left = moves[at];
    if (prunes && arrivals[at] != kNoDirection) left = rules.successors[arrivals[at]][around[at]];
    for (; left != 0; left &= left - 1) {
      const auto d = static_cast<Direction>(std::countr_zero(left));
      const std::uint32_t next = at + static_cast<std::uint32_t>(offsets[d]);
      // A move costs what the cell does that it enters: backwards, the one that was there before.
      const std::uint32_t factor = kUniform ? 1 : factors[kBackwards ? at : next];
      const std::uint32_t there = cost + steps[d] * factor;
      if (there >= costs[next]) continue;
      costs[next] = there;
      arrivals[next] = d;
      queue_.push(there, next);
    }
  }
  return false;
}

void BoxSearch::label() {
  const std::uint32_t width = box_.x1 - box_.x0;
  const std::uint32_t height = box_.y1 - box_.y0;
  std::fill_n(labels_.begin(), std::size_t{height} << shift_, std::uint16_t{0});
  std::uint16_t last = 0;
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      const std::uint32_t first = y << shift_ | x;
      if (labels_[first] != 0 || !layer_->passable(cell_of(corner_ + (y << 16 | x)))) continue;
      labels_[first] = ++last;
      pending_.assign(1, first);
      while (!pending_.empty()) {
        const std::uint32_t at = pending_.back();
        pending_.pop_back();
        for (unsigned left = moves_[at]; left != 0; left &= left - 1) {
          const auto d = static_cast<Direction>(std::countr_zero(left));
          const std::uint32_t next =
              at + static_cast<std::uint32_t>(kStepY[d] * (1 << shift_) + kStepX[d]);
          if (labels_[next] != 0) continue;
          labels_[next] = last;
          pending_.push_back(next);
        }
      }
    }
  }
}

}  // namespace starbus::nav::grid
