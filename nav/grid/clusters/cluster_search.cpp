#include "nav/grid/clusters/cluster_search.hpp"

#include <algorithm>
#include <limits>

namespace starbus::nav::grid {
namespace {

constexpr std::uint64_t kNoWay = EntranceSearch::kNoWay;

std::uint32_t apart(std::uint32_t a, std::uint32_t b) {
  return a > b ? a - b : b - a;
}
// Along the longer axis.
std::uint32_t apart_on_grid(Spot a, Spot b) {
  return std::max(apart(a & 0xffff, b & 0xffff), apart(a >> 16, b >> 16));
}

// What a way at least costs, in moves, that begins and ends in a box but leaves it.
std::uint32_t least_outside(const CellBox& box, const Layout& layout, Spot from, Spot to) {
  std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
  const auto border = [&](bool open, std::uint32_t a, std::uint32_t b) {
    if (open) least = std::min(least, a + b + 2);
  };
  border(box.x0 > 0, (from & 0xffff) - box.x0, (to & 0xffff) - box.x0);
  border(box.y0 > 0, (from >> 16) - box.y0, (to >> 16) - box.y0);
  border(box.x1 < layout.width, box.x1 - 1 - (from & 0xffff), box.x1 - 1 - (to & 0xffff));
  border(box.y1 < layout.height, box.y1 - 1 - (from >> 16), box.y1 - 1 - (to >> 16));
  return least;
}

CellBox both(const CellBox& a, const CellBox& b) {
  return {std::min(a.x0, b.x0), std::min(a.y0, b.y0), std::max(a.x1, b.x1), std::max(a.y1, b.y1)};
}

}  // namespace

void ClusterSearch::begin(const Layer& layer, const Clusters& clusters, Spot from, Spot to) {
  layer_ = &layer;
  clusters_ = &clusters;
  level_ = &clusters.level();
  from_ = from;
  to_ = to;
  from_cluster_ = level_->number_of(from);
  to_cluster_ = level_->number_of(to);
  estimate_ = layer.links().short_cut() ? Estimate()
                                        : Estimate(layer.options().diagonals, layer.least_cost());
  expanded_ = 0;
  cost_ = 0;
  near_cost_ = kNoWay;
  part_ = 0;
  cells_.assign(1, cell_of(from));
  links_.clear();
  regions_.clear();
  entered_.clear();
  if (apart_on_grid(from, to) > kNear) return begin_ends();
  const auto [x0, x1] = std::minmax({from & 0xffff, to & 0xffff});
  const auto [y0, y1] = std::minmax({from >> 16, to >> 16});
  phase_ = Phase::near;
  way_.start(layer, CellBox{x0, y0, x1 + 1, y1 + 1}.grown(kAround, layer.layout()), from, to);
}

bool ClusterSearch::run(std::uint32_t budget) {
  while (step(budget)) {
  }
  return phase_ == Phase::found || phase_ == Phase::failed;
}

// False if the budget is used up or the search has ended.
bool ClusterSearch::step(std::uint32_t& budget) {
  const std::uint32_t before = budget;
  bool done = false;
  switch (phase_) {
    case Phase::near:
    case Phase::cells:
      done = way_.run(budget);
      break;
    case Phase::start:
    case Phase::goal:
      done = box_.run(budget);
      break;
    case Phase::regions:
      done = far_.run(budget);
      break;
    case Phase::found:
    case Phase::failed:
      break;
    default:
      done = search_.run(budget);
  }
  expanded_ += before - budget;
  if (!done) return false;
  go_on();
  return phase_ != Phase::found && phase_ != Phase::failed;
}

void ClusterSearch::go_on() {
  switch (phase_) {
    case Phase::near:
      return end_near();
    case Phase::start:
      for (const Entrance& one : level_->at(from_cluster_).entrances) {
        start_costs_.push_back(box_.cost(one.cell));
      }
      phase_ = Phase::goal;
      box_.load(*layer_, level_->box(to_cluster_));
      return box_.spread(to_, true);
    case Phase::goal:
      for (const Entrance& one : level_->at(to_cluster_).entrances) {
        goal_costs_.push_back(box_.cost(one.cell));
      }
      return apart_on_grid(from_, to_) > kFar ? begin_start_region() : begin_clusters();
    case Phase::clusters:
      if (search_.goal_cost() == kNoWay) {
        phase_ = near_cost_ == kNoWay ? Phase::failed : Phase::found;
        return;
      }
      search_.append_way(entered_);
      return begin_cells();
    case Phase::start_region:
      return begin_goal_region();
    case Phase::goal_region:
      return begin_regions();
    case Phase::regions:
      if (far_.goal_cost() == kNoWay) {
        phase_ = Phase::failed;
        return;
      }
      far_.append_way(regions_);
      phase_ = Phase::parts;
      return begin_part();
    case Phase::parts:
      return end_part();
    case Phase::cells:
      return end_way();
    default:
      return;
  }
}

void ClusterSearch::end_near() {
  if (way_.cost() == WaySearch::kNoWay) return begin_ends();
  way_.append_way(cells_);
  cost_ = near_cost_ = way_.cost();
  const auto [x0, x1] = std::minmax({from_ & 0xffff, to_ & 0xffff});
  const auto [y0, y1] = std::minmax({from_ >> 16, to_ >> 16});
  const CellBox box = CellBox{x0, y0, x1 + 1, y1 + 1}.grown(kAround, layer_->layout());
  const std::uint64_t outside = least_outside(box, layer_->layout(), from_, to_);
  if (!layer_->links().short_cut() && outside * kStraight * layer_->least_cost() >= cost_) {
    phase_ = Phase::found;
    return;
  }
  begin_ends();
}

void ClusterSearch::begin_ends() {
  start_costs_.clear();
  goal_costs_.clear();
  phase_ = Phase::start;
  box_.load(*layer_, level_->box(from_cluster_));
  box_.spread(from_, false);
}

// Ways leave the cluster of the start by its entrances.
void ClusterSearch::seed_start() {
  const Level::Square& cluster = level_->at(from_cluster_);
  for (std::size_t i = 0; i < cluster.entrances.size(); ++i) {
    const Entrance& one = cluster.entrances[i];
    if (start_costs_[i] == BoxSearch::kNoWay || one.out == Entrance::kClosed) continue;
    search_.add_seed(one.other, std::uint64_t{start_costs_[i]} + one.out);
  }
}

void ClusterSearch::begin_clusters() {
  phase_ = Phase::clusters;
  search_.start(*level_);
  search_.aim(to_, estimate_, true);
  search_.set_goal(to_cluster_, goal_costs_, near_cost_);
  seed_start();
}

void ClusterSearch::begin_start_region() {
  phase_ = Phase::start_region;
  const Regions& regions = clusters_->regions();
  search_.start(*level_, regions.clusters(regions.level().number_of(from_)));
  seed_start();
}

void ClusterSearch::begin_goal_region() {
  const Regions& regions = clusters_->regions();
  const std::uint32_t from = regions.level().number_of(from_);
  const Level::Square& square = regions.level().at(from);
  far_.start(regions.level());
  far_.aim(to_, estimate_);
  for (std::uint32_t i = 0; i < square.entrances.size(); ++i) {
    const Entrance& one = square.entrances[i];
    const EntranceId at = base(EntranceId(from, i));
    std::uint64_t cost = search_.cost_at(at);
    if (at.square() == from_cluster_ && start_costs_[at.place()] != BoxSearch::kNoWay) {
      cost = std::min<std::uint64_t>(cost, start_costs_[at.place()]);
    }
    if (cost != kNoWay && one.out != Entrance::kClosed) far_.add_seed(one.other, cost + one.out);
  }
  phase_ = Phase::goal_region;
  search_.start(*level_, regions.clusters(regions.level().number_of(to_)));
  search_.turn_around();
  for (std::uint32_t i = 0; i < goal_costs_.size(); ++i) {
    if (goal_costs_[i] != BoxSearch::kNoWay) {
      search_.add_seed(EntranceId(to_cluster_, i), goal_costs_[i]);
    }
  }
}

void ClusterSearch::begin_regions() {
  const Level& regions = clusters_->regions().level();
  const std::uint32_t to = regions.number_of(to_);
  part_costs_.clear();
  for (std::uint32_t i = 0; i < regions.at(to).entrances.size(); ++i) {
    const std::uint64_t cost = search_.cost(base(EntranceId(to, i)));
    part_costs_.push_back(cost == kNoWay ? Level::kNone : static_cast<std::uint32_t>(cost));
  }
  far_.set_goal(to, part_costs_);
  phase_ = Phase::regions;
}

EntranceId ClusterSearch::base(EntranceId region_entrance) const {
  return clusters_->regions().base(region_entrance);
}

// From where the way enters a region to where it leaves the next one: free to cross between them
// where it is best, and not by the entrance.
void ClusterSearch::begin_part() {
  const Regions& regions = clusters_->regions();
  const bool first = part_ == 0;
  const std::uint32_t region =
      first ? regions.level().number_of(from_) : regions_[part_ - 1].square();
  CellBox box = regions.clusters(region);
  const EntranceId entered = first ? EntranceId() : base(regions_[part_ - 1]);
  if (part_ < regions_.size() && !regions.level().is_link(regions_[part_])) {
    box = both(box, regions.clusters(regions_[part_].square()));
    ++part_;
  }
  search_.start(*level_, box);
  if (part_ == regions_.size()) {
    search_.aim(to_, estimate_, true);
    search_.set_goal(to_cluster_, goal_costs_);
  } else {
    const EntranceId exit = base(regions.level().entrance(regions_[part_]).other);
    const Level::Square& cluster = level_->at(exit.square());
    part_costs_.clear();
    for (std::size_t i = 0; i < cluster.entrances.size(); ++i) {
      part_costs_.push_back(cluster.cost(i, exit.place()));
    }
    // The start may lie in the cluster where the way leaves the region.
    const bool direct =
        first && exit.square() == from_cluster_ && start_costs_[exit.place()] != BoxSearch::kNoWay;
    search_.aim(level_->entrance(exit).cell, estimate_, true);
    search_.set_goal(exit.square(), part_costs_, direct ? start_costs_[exit.place()] : kNoWay);
  }
  first ? seed_start() : search_.add_seed(entered, 0);
}

void ClusterSearch::end_part() {
  if (search_.goal_cost() != kNoWay) search_.append_way(entered_);
  if (part_ == regions_.size()) return begin_cells();
  ++part_;
  begin_part();
}

void ClusterSearch::begin_cells() {
  cells_.resize(1);
  cost_ = 0;
  part_ = 0;
  phase_ = Phase::cells;
  begin_way();
}

// From where the way enters a cluster to where it leaves the next one: free to cross between them
// where it is best, and not by the entrance.
void ClusterSearch::begin_way() {
  const Spot from = spot_of(cells_.back());
  const auto exit = [&] {
    return part_ == entered_.size()
               ? to_
               : level_->entrance(level_->entrance(entered_[part_]).other).cell;
  };
  CellBox box = level_->box(level_->number_of(from));
  if (part_ < entered_.size() && !level_->is_link(entered_[part_])) {
    box = both(box, level_->box(entered_[part_].square()));
    ++part_;
  }
  way_.start(*layer_, box, from, exit());
}

void ClusterSearch::end_way() {
  cost_ += way_.cost();
  way_.append_way(cells_);
  if (part_ == entered_.size()) {
    phase_ = Phase::found;
    return;
  }
  const Entrance& in = level_->entrance(entered_[part_]);
  const Entrance& out = level_->entrance(in.other);
  if (level_->is_link(in.other)) {
    const LayerLinks::Leg* const leg = layer_->links().between(out.cell, in.cell);
    links_.push_back({static_cast<std::uint32_t>(cells_.size() - 1), leg->number});
    cost_ += leg->cost;
  } else {
    cost_ += out.out;
  }
  cells_.push_back(cell_of(in.cell));
  ++part_;
  begin_way();
}

}  // namespace starbus::nav::grid
