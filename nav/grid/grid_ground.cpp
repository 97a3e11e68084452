#include "nav/grid/grid_ground.hpp"

#include <algorithm>
#include <cmath>

#include "nav/checks.hpp"
#include "nav/grid/grid_search.hpp"
#include "nav/grid/walls.hpp"

namespace starbus::nav::grid {

Result<std::unique_ptr<GridGround>> GridGround::create(Terrain terrain,
                                                       const GridOptions& options) {
  if (auto fits = check(terrain); !fits) return fits.error();
  if (!finite(options.origin) || !std::isfinite(options.cell_size) || options.cell_size <= 0) {
    return Error(Errc::bad_option, "origin or cell_size");
  }
  if (options.diagonals > Diagonals::cut) return Error(Errc::bad_option, "diagonals");
  return std::unique_ptr<GridGround>(new GridGround(std::move(terrain), options));
}

GridGround::GridGround(Terrain terrain, const GridOptions& options)
    : terrain_(std::move(terrain)),
      options_(options),
      frame_{options.origin, options.cell_size, Layout(terrain_.width, terrain_.height)},
      obstacles_(terrain_),
      link_generations_(terrain_.links.size()) {}

Box GridGround::bounds() const {
  const auto levels = std::ranges::minmax_element(terrain_.levels);
  const bool flat = terrain_.levels.empty();
  const auto far = [&](float from, std::uint32_t cells) {
    return static_cast<float>(static_cast<double>(from) +
                              static_cast<double>(frame_.size) * static_cast<double>(cells));
  };
  const Point& origin = options_.origin;
  return {{origin.x, origin.y, origin.z + (flat ? 0 : *levels.min)},
          {far(origin.x, terrain_.width), far(origin.y, terrain_.height),
           origin.z + (flat ? 0 : *levels.max)}};
}

Result<AgentId> GridGround::add_agent(const Agent& agent) {
  if (auto fits = check(agent); !fits) return fits.error();
  // In the middle of a cell it keeps half a side from the next one.
  const double margin =
      std::ceil(static_cast<double>(agent.radius) / static_cast<double>(frame_.size) - 0.5);
  if (margin > kMaxAgentCells) return Error(Errc::too_large, "kMaxAgentCells");
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (layers_[i]->options().agent == agent) return AgentId{static_cast<std::uint32_t>(i + 1)};
  }
  if (layers_.size() == kMaxAgents) return Error(Errc::too_many, "kMaxAgents");
  const Layer::Options of{agent, options_.areas, static_cast<std::uint32_t>(std::max(margin, 0.0)),
                          options_.diagonals};
  layers_.push_back(std::make_unique<Layer>(terrain_, of));
  return AgentId{static_cast<std::uint32_t>(layers_.size())};
}

Result<bool> GridGround::prepare(AgentId agent, Algorithm algorithm, std::uint32_t pieces) {
  if (layer(agent) == nullptr) return Errc::unknown_agent;
  Layer& of = *layers_[agent.value - 1];
  if (algorithm == Algorithm::hierarchical) return of.prepare_clusters(pieces);
  if (algorithm != Algorithm::jps_plus) return Errc::bad_option;
  if (auto made = of.prepare(); !made) return made.error();
  return true;
}

const Layer* GridGround::layer(AgentId agent) const {
  if (!agent || agent.value > layers_.size()) return nullptr;
  return layers_[agent.value - 1].get();
}

std::optional<Cell> GridGround::cell(const Place& place) const {
  const std::uint64_t cells = std::uint64_t{terrain_.width} * terrain_.height;
  if (place.piece == 0 || place.piece > cells) return std::nullopt;
  const auto number = static_cast<std::uint32_t>(place.piece - 1);
  return Cell{static_cast<std::uint16_t>(number % terrain_.width),
              static_cast<std::uint16_t>(number / terrain_.width)};
}

Place GridGround::place(Cell cell) const {
  return {frame_.middle(cell, terrain_.level(cell)), piece(cell)};
}

std::vector<Point> GridGround::outline(std::uint64_t piece) const {
  const auto of = cell({{}, piece});
  if (!of) return {};
  const Box at = box(*of);
  return {at.low, at.high};
}

Box GridGround::box(Cell cell) const {
  const float level = options_.origin.z + terrain_.level(cell);
  const auto corner = [&](std::uint32_t number, float from) {
    return static_cast<float>(static_cast<double>(from) +
                              double{1} * number * static_cast<double>(frame_.size));
  };
  const Point& from = options_.origin;
  return {{corner(cell.x, from.x), corner(cell.y, from.y), level},
          {corner(cell.x + 1u, from.x), corner(cell.y + 1u, from.y), level}};
}

Place GridGround::place_at(FinePoint at) const {
  const Cell cell = cell_of(at);
  Place of = place(cell);
  of.point = frame_.point(at, terrain_.level(cell));
  return of;
}

// The point of a cell that is nearest to another: that point itself if it lies there.
Place GridGround::place_in(Cell cell, Point near) const {
  const FinePoint at = frame_.fine_within(near, cell);
  Place of = place_at(at);
  if (frame_.contains(near) && frame_.fine(near) == at) {
    of.point.x = near.x;
    of.point.y = near.y;
  }
  return of;
}

Result<GridGround::Stand> GridGround::stand(const Place& at, AgentId agent) const {
  const Layer* const of = layer(agent);
  if (of == nullptr) return Errc::unknown_agent;
  if (!finite(at.point)) return Errc::bad_position;
  const auto on = cell(at);
  if (!on || !of->passable(*on)) return Errc::bad_start;
  return Stand{of, *on, frame_.fine_within(at.point, *on)};
}

bool GridGround::reachable(const Place& from, const Place& to, AgentId agent) const {
  const Layer* const of = layer(agent);
  const auto a = cell(from);
  const auto b = cell(to);
  return of != nullptr && a && b && of->connected(*a, *b);
}

Area GridGround::area_at(const Place& at) const {
  const auto on = cell(at);
  return on ? terrain_.area(*on) : kWall;
}

Result<Ray> GridGround::raycast(const Place& from, Point to, AgentId agent) const {
  if (!finite(to)) return Errc::bad_position;
  const auto start = stand(from, agent);
  if (!start) return start.error();
  const LineEnd end = follow_line(*start->layer, start->at, frame_.fine(to));
  Ray ray;
  ray.hit = end.hit;
  ray.end = end.hit ? place_at(end.at) : place_in(cell_of(end.at), to);
  const bool both = end.normal_x != 0 && end.normal_y != 0;
  const float length = both ? 0.70710678F : 1;
  ray.normal = {static_cast<float>(end.normal_x) * length,
                static_cast<float>(end.normal_y) * length, 0};
  return ray;
}

Result<Place> GridGround::move_along_surface(const Place& from, Point to, AgentId agent) const {
  if (!finite(to)) return Errc::bad_position;
  const auto start = stand(from, agent);
  if (!start) return start.error();
  const FinePoint goal = frame_.fine(to);
  LineEnd end = follow_line(*start->layer, start->at, goal);
  if (!end.hit) return place_in(cell_of(end.at), to);
  // Along one axis first, then along the other: at a corner one of them may be free.
  const bool x_first =
      end.normal_x == 0 || std::abs(goal.x - end.at.x) > std::abs(goal.y - end.at.y);
  for (const bool along_x : {x_first, !x_first}) {
    const FinePoint aim = along_x ? FinePoint{goal.x, end.at.y} : FinePoint{end.at.x, goal.y};
    end = follow_line(*start->layer, end.at, aim);
  }
  return place_at(end.at);
}

std::size_t GridGround::walls_near(const Place& at, float range, AgentId agent,
                                   std::span<Wall> out) const {
  const auto start = stand(at, agent);
  if (!start || std::isnan(range)) return 0;
  return find_walls(*start->layer, frame_, start->cell, at.point, range, out);
}

std::unique_ptr<Search> GridGround::make_search() const {
  return std::make_unique<GridSearch>(*this);
}

// -- Changes

void GridGround::apply(const CellBox& changed) {
  if (changed.empty()) return;
  ++version_;
  for (const auto& layer : layers_) layer->refresh(changed);
}

Result<void> GridGround::set_area(const Box& box, Area area) {
  if (auto fits = check(box, area); !fits) return fits;
  apply(obstacles_.set_area(frame_.cells(box), area));
  return {};
}

Result<ObstacleId> GridGround::add_obstacle(const Obstacle& obstacle) {
  if (auto fits = check(obstacle.box, obstacle.area); !fits) return fits.error();
  CellBox changed;
  auto added = obstacles_.add(frame_.cells(obstacle.box), obstacle.area, changed);
  apply(changed);
  return added;
}

Result<void> GridGround::set_present(ObstacleId id, bool present) {
  const auto changed = obstacles_.set_present(id, present);
  if (!changed) return changed.error();
  apply(*changed);
  return {};
}

void GridGround::apply_links() {
  ++version_;
  for (const auto& layer : layers_) layer->refresh_links();
}

Result<LinkId> GridGround::add_link(const Link& link) {
  const auto from = cell(link.from);
  const auto to = cell(link.to);
  if (!from) return Errc::bad_start;
  if (!to) return Errc::bad_goal;
  const CellLink of{*from, *to, link.cost, link.both_ways, link.area};
  if (auto fits = check_link(terrain_, of); !fits) return fits.error();
  const auto free = std::ranges::find(terrain_.links, 0u, &CellLink::cost);
  const auto number = static_cast<std::uint32_t>(free - terrain_.links.begin());
  if (free != terrain_.links.end()) {
    *free = of;
  } else {
    if (terrain_.links.size() == kMaxLinks) return Error(Errc::too_many, "kMaxLinks");
    terrain_.links.push_back(of);
    link_generations_.push_back(0);
  }
  apply_links();
  return link_id(number);
}

Result<void> GridGround::remove_link(LinkId id) {
  if (!id || id.index() >= terrain_.links.size() || id != link_id(id.index()) ||
      terrain_.links[id.index()].cost == 0) {
    return Errc::unknown_link;
  }
  terrain_.links[id.index()].cost = 0;
  ++link_generations_[id.index()];
  apply_links();
  return {};
}

LinkId GridGround::link_id(std::uint32_t number) const {
  return LinkId::of(number, link_generations_[number]);
}

Result<void> GridGround::remove_obstacle(ObstacleId id) {
  const auto changed = obstacles_.remove(id);
  if (!changed) return changed.error();
  apply(*changed);
  return {};
}

}  // namespace starbus::nav::grid
