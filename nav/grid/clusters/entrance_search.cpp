#include "nav/grid/clusters/entrance_search.hpp"

#include <algorithm>
#include <limits>

#include "nav/limits.hpp"

namespace starbus::nav::grid {
namespace {

constexpr std::uint32_t kGoal = std::numeric_limits<std::uint32_t>::max() - 1;  // in the queue

}  // namespace

void EntranceSearch::start(const Level& level) {
  start(level, {0, 0, level.across(), level.down()});
  whole_ = true;
}

void EntranceSearch::start(const Level& level, const CellBox& squares) {
  level_ = &level;
  squares_ = squares;
  whole_ = leans_ = backwards_ = found_ = started_ = false;
  goal_square_ = Level::kNone;
  goal_cost_ = kNoWay;
  estimate_ = {};
  seeds_.clear();
  if (nodes_.size() < level.entrances()) nodes_.resize(level.entrances());
  if (stamp_ >= std::numeric_limits<std::uint32_t>::max() - 4) {
    for (Node& node : nodes_) node.stamp = 0;
    stamp_ = 0;
  }
  stamp_ += 2;
}

void EntranceSearch::aim(Spot target, const Estimate& estimate, bool leans) {
  target_ = target;
  leans_ = leans;
  estimate_ = estimate;
}

void EntranceSearch::set_goal(std::uint32_t square, std::span<const std::uint32_t> costs,
                              std::uint64_t known) {
  goal_square_ = square;
  goal_costs_.assign(costs.begin(), costs.end());
  goal_cost_ = known;
}

bool EntranceSearch::within(std::uint32_t square) const {
  if (whole_) return true;
  const std::uint32_t x = square % level_->across();
  const std::uint32_t y = square / level_->across();
  return x >= squares_.x0 && x < squares_.x1 && y >= squares_.y0 && y < squares_.y1;
}

// Opens an entrance, unless a way as cheap is known.
void EntranceSearch::reach(EntranceId entered, Spot cell, std::uint64_t cost, EntranceId before) {
  Node& node = nodes_[level_->index(entered)];
  if (node.stamp > stamp_ || (node.stamp == stamp_ && node.cost <= cost)) return;
  const std::uint64_t least = cost + estimate_.between(cell, target_);
  if (least > kMaxPathCost || least >= goal_cost_) return;
  node = {static_cast<std::uint32_t>(cost), stamp_, before};
  if (started_) return queue_.push(std::max(floor_, rank(cell, cost)), entered.value);
  seeds_.push_back(entered);
}

void EntranceSearch::add_seed(EntranceId entered, std::uint64_t cost) {
  reach(entered, level_->entrance(entered).cell, cost, seed());
}

std::uint32_t EntranceSearch::rank(Spot cell, std::uint64_t cost) const {
  const std::uint32_t to_go = estimate_.between(cell, target_);
  return static_cast<std::uint32_t>(cost) + (leans_ ? leaning(to_go) : to_go);
}

bool EntranceSearch::run(std::uint32_t& budget) {
  if (!started_) {
    started_ = true;
    const auto of = [&](EntranceId one) {
      return rank(level_->entrance(one).cell, nodes_[level_->index(one)].cost);
    };
    std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
    for (const EntranceId one : seeds_) least = std::min(least, of(one));
    queue_.start(least);
    for (const EntranceId one : seeds_) queue_.push(of(one), one.value);
  }
  Spot value;
  while (budget > 0) {
    // What was known is cheaper than all that is left.
    if (!queue_.pop(floor_, value)) return true;
    if (value == kGoal) {
      if (floor_ < goal_cost_) continue;
      found_ = true;
      return true;
    }
    EntranceId at;
    at.value = value;
    Node& node = nodes_[level_->index(at)];
    if (node.stamp > stamp_) continue;  // closed since
    ++node.stamp;
    --budget;
    backwards_ ? expand_backwards(at, node.cost) : expand(at, node.cost);
  }
  return false;
}

void EntranceSearch::expand(EntranceId at, std::uint32_t cost) {
  const Level::Square& square = level_->at(at.square());
  const std::size_t count = square.entrances.size();
  if (at.square() == goal_square_ && goal_costs_[at.place()] != Level::kNone) {
    const std::uint64_t all = std::uint64_t{cost} + goal_costs_[at.place()];
    if (all < goal_cost_ && all <= kMaxPathCost) {
      goal_cost_ = all;
      goal_before_ = at;
      queue_.push(std::max(floor_, static_cast<std::uint32_t>(all)), kGoal);
    }
  }
  const std::size_t end = whole_ ? count : square.first[Level::kLinks];
  for (std::size_t i = 0; i < end; ++i) {
    const Entrance& one = square.entrances[i];
    const std::uint32_t way = square.cost(at.place(), i);
    if (way == Level::kNone || one.out == Entrance::kClosed || i == at.place()) continue;
    if (!within(one.other.square())) continue;
    reach(one.other, one.across, std::uint64_t{cost} + way + one.out, at);
  }
}

// Who enters by it was in the square before, at any of the entrances there.
void EntranceSearch::expand_backwards(EntranceId at, std::uint32_t cost) {
  if (level_->is_link(at)) return;
  const EntranceId through = level_->entrance(at).other;
  if (!within(through.square())) return;
  const Level::Square& square = level_->at(through.square());
  const std::size_t count = square.entrances.size();
  const std::uint32_t out = square.entrances[through.place()].out;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t way = square.cost(i, through.place());
    if (way == Level::kNone || i == through.place()) continue;
    reach(EntranceId(through.square(), i), square.entrances[i].cell,
          std::uint64_t{cost} + way + out, at);
  }
}

void EntranceSearch::append_way(std::vector<EntranceId>& out) const {
  const std::size_t first = out.size();
  for (EntranceId at = goal_before_; at != seed(); at = nodes_[level_->index(at)].before) {
    out.push_back(at);
  }
  std::reverse(out.begin() + static_cast<std::ptrdiff_t>(first), out.end());
}

std::uint64_t EntranceSearch::cost(EntranceId entered) const {
  const Node& node = nodes_[level_->index(entered)];
  return node.stamp >= stamp_ ? node.cost : kNoWay;
}

std::uint64_t EntranceSearch::cost_at(EntranceId at) const {
  const Level::Square& square = level_->at(at.square());
  const std::size_t count = square.entrances.size();
  std::uint64_t least = kNoWay;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t entered = cost(EntranceId(at.square(), i));
    const std::uint32_t way = square.cost(i, at.place());
    if (entered != kNoWay && way != Level::kNone) least = std::min(least, entered + way);
  }
  return least;
}

}  // namespace starbus::nav::grid
