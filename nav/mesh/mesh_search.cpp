#include "nav/mesh/mesh_search.hpp"

#include <algorithm>
#include <cmath>

#include "nav/checks.hpp"
#include "nav/mesh/stand.hpp"

namespace starbus::nav::mesh {
namespace {

// Below 1, so that rounding makes no estimate too high.
constexpr float kBelow = 0.9999F;

static_assert(sizeof(Point) == 3 * sizeof(float), "Detour writes into points");

}  // namespace

Result<void> MeshSearch::begin(const PathRequest& request) {
  begun_ = false;
  kind_ = ground_.kind(request.agent);
  if (kind_ == nullptr) return Errc::unknown_agent;
  const bool dijkstra = request.algorithm == Algorithm::dijkstra;
  if (!dijkstra && request.algorithm != Algorithm::a_star &&
      request.algorithm != Algorithm::automatic) {
    return Error(Errc::bad_option, "algorithm");
  }
  if (auto fits = check(request); !fits) return fits;
  if (request.weight > kMaxWeight) return Error(Errc::too_large, "kMaxWeight");
  if (request.weight < 100 || (request.weight > 100 && request.algorithm != Algorithm::a_star)) {
    return Error(Errc::bad_option, "weight");
  }
  const Tiles& tiles = ground_.tiles();
  const auto from = tiles.find(request.from.piece);
  const auto to = tiles.find(request.to.piece);
  if (!from || !kind_->passes(tiles.area(*from))) return Errc::bad_start;
  if (!to) return Errc::bad_goal;
  const bool passable = kind_->passes(tiles.area(*to));
  if (!passable && !request.partial) return Errc::bad_goal;
  reachable_ = passable && kind_->reaches(tiles.index(*from), tiles.index(*to));
  if (!reachable_ && !request.partial) return Errc::unreachable;
  request_ = request;
  version_ = ground_.version();
  start_ = spot_within(tiles, tiles.ref(*from), request.from.point);
  goal_ = spot_within(tiles, tiles.ref(*to), request.to.point);
  goal_polygon_ = *to;
  const bool blind = dijkstra || kind_->short_cut();
  scale_ = blind ? 0 : kBelow * static_cast<float>(request.weight) / 100;
  make_room();
  expanded_ = 0;
  ended_ = found_ = false;
  begun_ = true;
  end_node_ = goal_node_ + 1;
  end_ = start_;
  end_cost_ = 0;
  end_distance_ = distance(start_.data(), goal_.data());
  reach(goal_node_ + 1, goal_node_ + 1, start_, 0, *from, kNoPolygon);
  return {};
}

// A node is of this search if it has its number.
void MeshSearch::make_room() {
  const auto legs = static_cast<std::uint32_t>(kind_->legs().size());
  goal_node_ = ground_.tiles().ways() + legs;
  if (nodes_.size() < goal_node_ + 2u) nodes_.resize(goal_node_ + 2u);
  if (++round_ == 0) {
    for (Node& one : nodes_) one.round = 0;
    round_ = 1;
  }
  open_.clear();
}

void MeshSearch::reach(std::uint32_t number, std::uint32_t parent, const Spot& spot, float cost,
                       Polygon polygon, Polygon from) {
  Node& node = nodes_[number];
  if (node.round == round_ && (node.closed || node.cost <= cost)) return;
  node = {spot, cost, polygon, from, parent, round_, false};
  open_.push_back({cost + estimate(spot), number});
  std::push_heap(open_.begin(), open_.end());
}

void MeshSearch::expand(std::uint32_t number) {
  const Node at = nodes_[number];
  const Tiles& tiles = ground_.tiles();
  const float cost = kind_->cost(tiles.area(at.polygon));
  const auto after = [&](const Spot& spot) {
    return at.cost + distance(at.spot.data(), spot.data()) * cost;
  };
  if (reachable_ && at.polygon == goal_polygon_) {
    reach(goal_node_, number, goal_, after(goal_), at.polygon, at.from);
  }
  std::uint32_t way_number = tiles.first_way(at.polygon);
  for (const Way& way : tiles.ways(at.polygon)) {
    const std::uint32_t next = way_number++;
    // Nothing is won by turning round.
    if (way.to == at.from || !kind_->passes(way.area)) continue;
    reach(next, number, way.middle, after(way.middle), way.to, at.polygon);
  }
  const auto legs = kind_->legs(at.polygon);
  for (const Leg& leg : legs) {
    const auto leg_number = tiles.ways() + static_cast<std::uint32_t>(&leg - kind_->legs().data());
    reach(leg_number, number, leg.end, after(leg.start) + leg.cost * kind_->cost(leg.area), leg.to,
          kNoPolygon);
  }
}

// Whether the polygon, or the place in it, is nearer to the goal than all before.
void MeshSearch::look_for_end(std::uint32_t number) {
  const Node& at = nodes_[number];
  const Tiles& tiles = ground_.tiles();
  Spot spot = at.spot;
  if (!reachable_) spot = spot_within(tiles, tiles.ref(at.polygon), point_of(goal_.data()));
  const float far = distance(spot.data(), goal_.data());
  if (far >= end_distance_) return;
  end_distance_ = far;
  end_node_ = number;
  end_ = spot;
  end_cost_ = at.cost + distance(at.spot.data(), spot.data()) * kind_->cost(tiles.area(at.polygon));
}

bool MeshSearch::current() const {
  return version_ == ground_.version();
}

Result<bool> MeshSearch::advance(std::uint32_t budget) {
  if (!begun_) return Errc::not_ready;
  if (!current()) return Errc::changed;
  while (!ended_ && budget > 0) {
    if (open_.empty()) {
      ended_ = true;
      break;
    }
    const std::uint32_t number = open_.front().node;
    std::pop_heap(open_.begin(), open_.end());
    open_.pop_back();
    if (nodes_[number].closed) continue;
    nodes_[number].closed = true;
    if (number == goal_node_) {
      found_ = ended_ = true;
      end_node_ = number;
      end_ = goal_;
      end_cost_ = nodes_[number].cost;
      break;
    }
    ++expanded_;
    --budget;
    look_for_end(number);
    expand(number);
  }
  return ended_;
}

void MeshSearch::looked_at(std::vector<std::uint64_t>& out) const {
  out.clear();
  if (!begun_ || !current()) return;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (node.round != round_ || !node.closed || i == goal_node_) continue;
    out.push_back(ground_.tiles().piece(node.polygon));
  }
}

// Straightens the part of the way that leads through the corridor. Detour writes into the path.
void MeshSearch::pull(Path& out, const Spot& from, const Spot& to) {
  const std::size_t first = out.points.size();
  const std::size_t room = 3 * corridor_.size() + 4;
  out.points.resize(first + room);
  int options = 0;
  if (request_.smoothing == Smoothing::none) options = DT_STRAIGHTPATH_ALL_CROSSINGS;
  if (request_.smoothing == Smoothing::corners) options = DT_STRAIGHTPATH_AREA_CROSSINGS;
  int count = 0;
  ground_.tiles().query().findStraightPath(
      from.data(), to.data(), corridor_.data(), static_cast<int>(corridor_.size()),
      &out.points[first].x, nullptr, nullptr, &count, static_cast<int>(room), options);
  out.points.resize(first + static_cast<std::size_t>(count));
  for (std::size_t i = first; i < out.points.size(); ++i)
    std::swap(out.points[i].y, out.points[i].z);
}

Result<void> MeshSearch::path(Path& out) {
  if (!begun_) return Errc::not_ready;
  if (!current()) return Errc::changed;
  const Tiles& tiles = ground_.tiles();
  out.points.clear();
  out.links.clear();
  out.cost = static_cast<std::uint64_t>(std::llround(static_cast<double>(end_cost_) / kUnit));
  out.version = version_;
  out.expanded = expanded_;
  out.complete = found_;
  chain_.clear();
  const std::uint32_t start = goal_node_ + 1;
  for (std::uint32_t at = end_node_; at != start; at = nodes_[at].parent) {
    if (at != goal_node_) chain_.push_back(at);
  }
  Spot from = start_;
  corridor_.assign(1, tiles.ref(nodes_[start].polygon));
  for (std::size_t i = chain_.size(); i-- > 0;) {
    const std::uint32_t number = chain_[i];
    if (number >= tiles.ways()) {
      const Leg& leg = kind_->legs()[number - tiles.ways()];
      pull(out, from, leg.start);
      out.links.push_back({static_cast<std::uint32_t>(out.points.size() - 1), leg.link});
      from = leg.end;
      corridor_.clear();
    }
    corridor_.push_back(tiles.ref(nodes_[number].polygon));
  }
  pull(out, from, end_);
  return {};
}

}  // namespace starbus::nav::mesh
