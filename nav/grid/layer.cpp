#include "nav/grid/layer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "nav/grid/clusters/clusters.hpp"

namespace starbus::nav::grid {

Layer::Layer(const Terrain& terrain, const Options& options)
    : terrain_(terrain),
      options_(options),
      layout_(terrain.width, terrain.height),
      rules_(rules_of(options.diagonals)),
      passable_(layout_.count()),
      was_passable_(layout_.count()),
      around_(layout_.count()),
      moves_(layout_.count()),
      costs_(layout_.count(), 1),
      row_counts_(layout_.height),
      rows_(layout_.height, layout_.width),
      columns_(layout_.width, layout_.height) {
  std::uint32_t least = kMaxAreaCost;
  for (std::size_t area = kPlain; area <= kMaxArea; ++area) {
    if (options.agent.passes(options.areas.flags[area])) {
      least = std::min<std::uint32_t>(least, options.agent.costs[area]);
    }
  }
  least_cost_ = least;
  const CellBox all{0, 0, layout_.width, layout_.height};
  update_cells(all);
  was_passable_ = passable_;
  update_moves(all, nullptr);
  components_.label(layout_, passable_, moves_);
  update_links();
}

Layer::~Layer() = default;

void Layer::refresh(const CellBox& changed) {
  const CellBox cells = changed.grown(options_.margin, layout_);
  if (cells.empty()) return;
  ++version_;
  update_cells(cells);
  std::vector<Components::Change> changes;
  update_moves(cells.grown(1, layout_), &changes);
  components_.change(changes, passable_, moves_);
  if (clusters_) clusters_->touch(cells.grown(1, layout_));
  update_links();
}

void Layer::refresh_links() {
  ++version_;
  update_links();
}

// What the agent can use of the links, where it can stand at both ends.
void Layer::update_links() {
  if (terrain_.links.empty() && links_.empty()) return;
  const Agent& agent = options_.agent;
  std::vector<LayerLinks::Pair> pairs;
  for (std::uint32_t i = 0; i < terrain_.links.size(); ++i) {
    const CellLink& link = terrain_.links[i];
    if (link.cost == 0 || link.area == kWall || !agent.passes(options_.areas.flags[link.area]) ||
        !passable(link.from) || !passable(link.to)) {
      continue;
    }
    const std::uint32_t cost = link.cost * agent.costs[link.area];
    pairs.push_back({spot_of(link.from), spot_of(link.to), cost,
                     link.both_ways ? cost : LayerLinks::kClosed, i});
  }
  if (clusters_) {
    const auto touch_what_lacks = [&](const auto& some, const auto& others) {
      for (const LayerLinks::Pair& pair : some) {
        const auto at =
            std::ranges::lower_bound(others, pair.number, {}, &LayerLinks::Pair::number);
        if (at != others.end() && *at == pair) continue;
        clusters_->touch_link_at(pair.from);
        clusters_->touch_link_at(pair.to);
      }
    };
    touch_what_lacks(links_.pairs(), pairs);
    touch_what_lacks(pairs, links_.pairs());
  }
  links_.assign(std::move(pairs), Estimate(options_.diagonals, least_cost_));
  link_reach_.assign(links_, components_, layout_);
}

bool Layer::prepare_clusters(std::uint32_t pieces) {
  if (!clusters_) clusters_ = std::make_unique<Clusters>(*this);
  return clusters_->work(pieces);
}

const Clusters* Layer::clusters() const {
  return clusters_ && clusters_->ready() ? clusters_.get() : nullptr;
}

Result<void> Layer::prepare() {
  if (!can_jump()) return Errc::not_uniform;
  if (table_version_ == version_) return {};
  if (!table_) table_ = std::make_unique<JumpTable>();
  table_->build(layout_, rules_, moves_, around_);
  table_version_ = version_;
  return {};
}

bool Layer::passes(std::uint32_t x, std::uint32_t y) const {
  const Area area = terrain_.areas[std::size_t{y} * terrain_.width + x];
  return area != kWall && options_.agent.passes(options_.areas.flags[area]);
}

bool Layer::free_within_margin(std::uint32_t x, std::uint32_t y) const {
  const std::uint32_t by = options_.margin;
  if (x < by || y < by || x + by >= layout_.width || y + by >= layout_.height) return false;
  for (std::uint32_t row = y - by; row <= y + by; ++row) {
    for (std::uint32_t column = x - by; column <= x + by; ++column) {
      if (!passes(column, row)) return false;
    }
  }
  return true;
}

void Layer::update_cells(const CellBox& box) {
  for (std::uint32_t y = box.y0; y < box.y1; ++y) {
    for (std::uint32_t x = box.x0; x < box.x1; ++x) {
      const Cell cell{static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y)};
      const std::uint32_t index = layout_.index(cell);
      const bool before = passable_[index] != 0;
      const bool after = free_within_margin(x, y);
      was_passable_[index] = before ? 1 : 0;
      if (before && costs_[index] != least_cost_) --dear_;
      costs_[index] = options_.agent.costs[terrain_.area(cell)];
      if (after && costs_[index] != least_cost_) ++dear_;
      if (before == after) continue;
      passable_[index] = after ? 1 : 0;
      row_counts_[y] += after ? 1u : ~0u;
      passable_count_ += after ? 1u : ~0u;
      rows_.set(y, x, !after);
      columns_.set(x, y, !after);
    }
  }
}

void Layer::update_moves(const CellBox& box, std::vector<Components::Change>* changes) {
  for (std::uint32_t y = box.y0; y < box.y1; ++y) {
    for (std::uint32_t x = box.x0; x < box.x1; ++x) {
      const Cell cell{static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y)};
      const std::uint32_t index = layout_.index(cell);
      Mask around = 0;
      for (Direction d = 0; d < 8; ++d) {
        const std::uint32_t beside = index + static_cast<std::uint32_t>(layout_.offset(d));
        around = static_cast<Mask>(around | passable_[beside] << d);
      }
      // What heights forbid was counted with the moves that were there.
      const bool was = was_passable_[index] != 0;
      const Mask before = moves_[index];
      const Mask flat_before = was ? rules_.moves[around_[index]] : Mask{0};
      const Mask flat = passable_[index] != 0 ? rules_.moves[around] : Mask{0};
      const Mask after = climbable(cell, flat);
      steep_ -= static_cast<std::uint32_t>(std::popcount(flat_before) - std::popcount(before));
      steep_ += static_cast<std::uint32_t>(std::popcount(flat) - std::popcount(after));
      around_[index] = around;
      moves_[index] = after;
      const bool is = passable_[index] != 0;
      was_passable_[index] = passable_[index];
      if (changes != nullptr && (before != after || was != is)) {
        changes->push_back({index, before, after, was, is});
      }
    }
  }
}

bool Layer::climbs(Cell from, Cell to) const {
  return std::fabs(terrain_.level(to) - terrain_.level(from)) <= options_.agent.climb;
}

// Past the corner of a step as past the corner of a wall: the cells beside the move count.
Mask Layer::climbable(Cell cell, Mask moves) const {
  if (terrain_.levels.empty()) return moves;
  Mask found = 0;
  for (unsigned left = moves; left != 0; left &= left - 1) {
    const auto d = static_cast<Direction>(std::countr_zero(left));
    const Cell to = beside(cell, d);
    if (!climbs(cell, to)) continue;
    if (diagonal(d) && options_.diagonals != Diagonals::cut) {
      const auto side = [&](Direction part) {
        const Cell by = beside(cell, part);
        return passable_[layout_.index(by)] != 0 && climbs(cell, by) && climbs(by, to);
      };
      const bool x = side(part_x(d));
      const bool y = side(part_y(d));
      if (options_.diagonals == Diagonals::no_cut ? !(x && y) : !(x || y)) continue;
    }
    found = static_cast<Mask>(found | 1u << d);
  }
  return found;
}

}  // namespace starbus::nav::grid
