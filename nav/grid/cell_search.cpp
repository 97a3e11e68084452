#include "nav/grid/cell_search.hpp"

#include <algorithm>
#include <limits>

namespace starbus::nav::grid {

Result<void> CellSearch::begin(const Layer& layer, const CellRequest& request) {
  state_ = State::none;
  expanded_ = 0;
  if (request.weight < 100) return Errc::bad_option;
  if (request.weight > kMaxWeight) return Errc::too_large;
  if (!layer.passable(request.from)) return Errc::bad_start;
  if (!layer.layout().contains(request.to)) return Errc::bad_goal;
  if (!layer.passable(request.to) && !request.partial) return Errc::bad_goal;
  goal_ = target_ = spot_of(request.to);
  if (!layer.connected(request.from, request.to)) {
    if (!request.partial) return Errc::unreachable;
    target_ = spot_of(nearest_reachable(layer, layer.component(request.from), request.to));
  }
  start_ = spot_of(request.from);
  if (auto chosen = choose(layer, request); !chosen) return chosen;
  layer_ = &layer;
  version_ = layer.version();
  start();
  return {};
}

Result<void> CellSearch::choose(const Layer& layer, const CellRequest& request) {
  uniform_ = layer.uniform() && layer.links().empty();
  const std::uint32_t least = uniform_ ? 1 : layer.least_cost();
  estimate_ = layer.links().short_cut() ? Estimate() : Estimate(layer.options().diagonals, least);
  weight_ = 100;
  switch (request.algorithm) {
    case Algorithm::breadth_first:
      method_ = Method::breadth_first;
      break;
    case Algorithm::dijkstra:
      method_ = Method::a_star;
      estimate_ = {};
      break;
    case Algorithm::a_star:
      method_ = Method::a_star;
      weight_ = request.weight;
      break;
    case Algorithm::hierarchical:
    case Algorithm::automatic:
      method_ = Method::a_star;
      if (request.algorithm == Algorithm::hierarchical && layer.clusters() != nullptr) {
        method_ = Method::clusters;
        break;
      }
      if (layer.can_jump()) method_ = layer.jump_table() ? Method::jump_by_table : Method::jump;
      break;
    case Algorithm::jps:
    case Algorithm::jps_plus:
      if (!layer.can_jump()) return Errc::not_uniform;
      method_ = request.algorithm == Algorithm::jps_plus && layer.jump_table()
                    ? Method::jump_by_table
                    : Method::jump;
      break;
    default:
      return Errc::bad_option;
  }
  if (request.weight != 100 && request.algorithm != Algorithm::a_star) return Errc::bad_option;
  return {};
}

void CellSearch::start() {
  state_ = State::running;
  if (method_ == Method::clusters) {
    return by_clusters_.begin(*layer_, *layer_->clusters(), start_, target_);
  }
  memory_.legs.clear();
  memory_.start(layer_->layout().count(), jumps());
  const std::uint32_t first = layer_->layout().index(start_);
  const Node node{0, Node::tag_of(memory_.stamp(), kNoDirection)};
  if (jumps()) {
    table_ = layer_->jump_table();
    memory_.jump_nodes()[first] = {node, start_};
  } else {
    memory_.nodes()[first] = node;
  }
  nearest_ = start_;
  least_estimate_ = std::numeric_limits<std::uint32_t>::max();
  const std::uint32_t estimate = estimate_.between(start_, target_);
  if (method_ == Method::breadth_first) {
    memory_.line.clear();
    memory_.line.push_back(start_);
    memory_.head = 0;
  } else if (weight_ != 100) {
    memory_.heap.start(0);
    memory_.heap.push(estimate, start_);
  } else {
    memory_.buckets.start(estimate);
    memory_.buckets.push(estimate, start_);
  }
}

Result<bool> CellSearch::advance(std::uint32_t budget) {
  if (state_ == State::none) return Errc::not_ready;
  if (layer_->version() != version_) return Errc::changed;
  if (state_ == State::running && !run(budget)) return false;
  if (state_ == State::found) return true;
  // The target is in the component of the start, so that only a bound can end the search.
  state_ = State::failed;
  return Errc::too_far;
}

bool CellSearch::run(std::uint32_t budget) {
  switch (method_) {
    case Method::breadth_first:
      return run_breadth_first(budget);
    case Method::jump_by_table:
      return run_jump_by_table(budget);
    case Method::jump:
      switch (layer_->options().diagonals) {
        case Diagonals::one_side:
          return run_jump<Diagonals::one_side>(budget);
        case Diagonals::cut:
          return run_jump<Diagonals::cut>(budget);
        default:
          return run_jump<Diagonals::no_cut>(budget);
      }
    case Method::a_star:
      return weight_ != 100 ? run_a_star_with(memory_.heap, budget)
                            : run_a_star_with(memory_.buckets, budget);
    case Method::clusters:
      if (!by_clusters_.run(budget)) return false;
      state_ = by_clusters_.found() ? State::found : State::failed;
      return true;
  }
  return true;
}

std::uint32_t CellSearch::expanded() const {
  return method_ == Method::clusters && state_ != State::none ? by_clusters_.expanded() : expanded_;
}

std::uint64_t CellSearch::cost() const {
  if (layer_ == nullptr || state_ == State::none) return 0;
  if (method_ == Method::clusters) return by_clusters_.cost();
  const std::uint32_t cost = node_of(end()).cost;
  return uniform_ ? std::uint64_t{cost} * layer_->least_cost() : cost;
}

Result<void> CellSearch::path(std::vector<Cell>& out) const {
  std::vector<LinkStep> links;
  return path(out, links);
}

Result<void> CellSearch::path(std::vector<Cell>& out, std::vector<LinkStep>& links) const {
  if (state_ == State::none) return Errc::not_ready;
  if (layer_->version() != version_) return Errc::changed;
  if (method_ == Method::clusters) {
    out = by_clusters_.cells();
    links = by_clusters_.links();
    return {};
  }
  out.clear();
  links.clear();
  Spot at = end();
  out.push_back(cell_of(at));
  while (at != start_) {
    const Direction arrival = node_of(at).arrival();
    if (arrival == kByLink) {
      // Counted from the end until the list is turned around.
      links.push_back({static_cast<std::uint32_t>(out.size()), 0});
      at = before_link(at, links.back().link);
      out.push_back(cell_of(at));
      continue;
    }
    const Direction back = opposite(arrival);
    if (jumps()) {
      at = add_jump(out, at, memory_.jump_nodes()[layer_->layout().index(at)].origin, back);
      continue;
    }
    at = stepped(at, back);
    out.push_back(cell_of(at));
  }
  std::ranges::reverse(out);
  std::ranges::reverse(links);
  for (LinkStep& one : links) one.cell = static_cast<std::uint32_t>(out.size()) - 1 - one.cell;
  return {};
}

// The last leg that improved the way to a cell is the one that it came by.
Spot CellSearch::before_link(Spot at, std::uint32_t& link) const {
  const auto& legs = layer_->links().legs();
  std::size_t i = memory_.legs.size() - 1;
  while (legs[memory_.legs[i]].to != at) --i;
  link = legs[memory_.legs[i]].number;
  return legs[memory_.legs[i]].from;
}

const Node& CellSearch::node_of(Spot spot) const {
  const std::uint32_t index = layer_->layout().index(spot);
  return jumps() ? memory_.jump_nodes()[index] : memory_.nodes()[index];
}

// The cells of a jump, back to its origin: a straight part, before which there may be a diagonal
// one.
Spot CellSearch::add_jump(std::vector<Cell>& out, Spot at, Spot origin, Direction back) {
  const int dx = static_cast<int>(origin & 0xffff) - static_cast<int>(at & 0xffff);
  const int dy = static_cast<int>(origin >> 16) - static_cast<int>(at >> 16);
  const int slanted = std::min(std::abs(dx), std::abs(dy));
  const int straight = std::max(std::abs(dx), std::abs(dy)) - slanted;
  std::size_t written = out.size();
  out.resize(written + static_cast<std::size_t>(slanted + straight));
  Cell* const cells = out.data();
  const auto go = [&](int count, Direction direction) {
    for (int i = 0; i < count; ++i) {
      at = stepped(at, direction);
      cells[written++] = cell_of(at);
    }
  };
  go(straight, back);
  if (slanted > 0) go(slanted, direction_of(sign(dx), sign(dy)));
  return origin;
}

Cell nearest_reachable(const Layer& layer, std::uint32_t component, Cell to) {
  const Layout& layout = layer.layout();
  const Estimate estimate(layer.options().diagonals, 1);
  const Spot goal = spot_of(to);
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  Cell best = to;
  const auto look = [&](int x, int y) {
    if (x < 0 || y < 0) return;
    const Cell cell{static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y)};
    if (!layer.passable(cell) || !layer.reaches(component, layer.component(cell))) return;
    // By the estimate, then by row and column.
    const std::uint64_t key =
        std::uint64_t{estimate.between(spot_of(cell), goal)} << 32 | spot_of(cell);
    if (key >= least) return;
    least = key;
    best = cell;
  };
  // Ring after ring: no cell of a ring is nearer than its radius.
  for (int radius = 0; std::uint64_t{kStraight} * static_cast<unsigned>(radius) <= least >> 32;
       ++radius) {
    if (static_cast<unsigned>(radius) > std::max(layout.width, layout.height)) break;
    for (int i = -radius; i <= radius; ++i) {
      look(to.x + i, to.y - radius);
      look(to.x + i, to.y + radius);
      look(to.x - radius, to.y + i);
      look(to.x + radius, to.y + i);
    }
  }
  return best;
}

}  // namespace starbus::nav::grid
