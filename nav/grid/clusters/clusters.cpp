#include "nav/grid/clusters/clusters.hpp"

#include <algorithm>
#include <limits>

namespace starbus::nav::grid {

Clusters::Clusters(const Layer& layer)
    : layer_(layer),
      level_(layer.layout(), kSide),
      regions_(layer, level_, kRegionSide),
      marked_(level_.count()) {
  touch({0, 0, layer.layout().width, layer.layout().height});
  for (const LayerLinks::Pair& pair : layer.links().pairs()) {
    touch_link_at(pair.from);
    touch_link_at(pair.to);
  }
}

void Clusters::touch(const CellBox& cells) {
  if (cells.empty()) return;
  for (std::uint32_t y = cells.y0 / kSide; y <= (cells.y1 - 1) / kSide; ++y) {
    for (std::uint32_t x = cells.x0 / kSide; x <= (cells.x1 - 1) / kSide; ++x) {
      mark_borders(y * level_.across() + x);
      mark_costs(y * level_.across() + x);
    }
  }
}

void Clusters::touch_link_at(Spot cell) {
  ready_ = false;
  const std::uint32_t number = level_.number_of(cell);
  if (std::ranges::find(linked_, number) == linked_.end()) linked_.push_back(number);
}

// All its borders: its parts may be joined in another way.
void Clusters::mark_borders(std::uint32_t number) {
  ready_ = false;
  const bool cuts = layer_.options().diagonals == Diagonals::cut;
  for (Direction d = 0; d < (cuts ? 8 : 4); ++d) {
    const std::uint32_t other = level_.neighbour(number, d);
    if (other == Level::kNone) continue;
    const bool ours = kStepY[d] > 0 || d == 0;
    const Border border{ours ? number : other, ours ? d : opposite(d)};
    if ((marked_[border.cluster] >> border.direction & 1) != 0) continue;
    marked_[border.cluster] = static_cast<Mask>(marked_[border.cluster] | 1u << border.direction);
    borders_.push_back(border);
  }
}

void Clusters::mark_costs(std::uint32_t number) {
  ready_ = false;
  if (level_.at(number).stale) return;
  level_.square(number).stale = true;
  stale_.push_back(number);
}

bool Clusters::work(std::uint32_t pieces) {
  if (ready_) return true;
  // Entrances first: costs are between them.
  for (; pieces > 0 && !borders_.empty(); --pieces) {
    choose(borders_.back());
    borders_.pop_back();
  }
  for (; pieces > 0 && borders_.empty() && !linked_.empty(); --pieces) {
    choose_links(linked_.back());
    linked_.pop_back();
  }
  if (!borders_.empty() || !linked_.empty()) return false;
  for (; pieces > 0 && !stale_.empty(); --pieces) {
    compute(stale_.back());
    stale_.pop_back();
  }
  if (!stale_.empty()) return false;
  if (!changed_.empty()) {
    level_.join(changed_);
    for (const std::uint32_t number : changed_) regions_.touch(number);
    changed_.clear();
  }
  return ready_ = regions_.work(pieces);
}

void Clusters::choose(const Border& border) {
  const std::uint32_t from = border.cluster;
  const std::uint32_t to = level_.neighbour(from, border.direction);
  marked_[from] = static_cast<Mask>(marked_[from] & ~(1u << border.direction));
  const auto cost = [&](Spot left, Spot entered) {
    const Spot apart = left ^ entered;
    const bool slanted = (apart & 0xffff) != 0 && apart >> 16 != 0;
    return (slanted ? kDiagonal : kStraight) * layer_.costs()[layer_.layout().index(entered)];
  };
  forth_.clear();
  back_.clear();
  for (const Crossing& one :
       chooser_.choose(layer_, level_.box(from), level_.box(to), border.direction)) {
    forth_.push_back({one.from, one.to, cost(one.from, one.to), {}});
    back_.push_back({one.to, one.from, cost(one.to, one.from), {}});
  }
  replace(from, border.direction, forth_);
  replace(to, opposite(border.direction), back_);
}

// Both ends of a link are entrances, so that a way may go through it in both directions or in one.
void Clusters::choose_links(std::uint32_t number) {
  forth_.clear();
  for (const LayerLinks::Pair& pair : layer_.links().pairs()) {
    if (level_.number_of(pair.from) == number) {
      forth_.push_back({pair.from, pair.to, pair.cost, {}});
    }
    if (level_.number_of(pair.to) == number) {
      forth_.push_back({pair.to, pair.from, pair.cost_back, {}});
    }
  }
  replace(number, Level::kLinks, forth_);
}

void Clusters::replace(std::uint32_t number, std::uint32_t group,
                       const std::vector<Entrance>& entrances) {
  changed_.push_back(number);
  if (level_.replace(number, group, entrances)) mark_costs(number);
}

void Clusters::compute(std::uint32_t number) {
  Level::Square& cluster = level_.square(number);
  cluster.stale = false;
  ++computed_;
  changed_.push_back(number);
  const std::size_t count = cluster.entrances.size();
  costs_.clear();
  search_.load(layer_, level_.box(number));
  for (std::size_t from = 0; from < count; ++from) {
    search_.spread(cluster.entrances[from].cell, false);
    std::uint32_t budget = std::numeric_limits<std::uint32_t>::max();
    search_.run(budget);
    for (const Entrance& to : cluster.entrances) costs_.push_back(search_.cost(to.cell));
  }
  cluster.set_costs(costs_);
}

}  // namespace starbus::nav::grid
