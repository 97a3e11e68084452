#include "nav/mesh/mesh_ground.hpp"

#include <algorithm>
#include <cmath>

#include "nav/checks.hpp"
#include "nav/mesh/changes.hpp"
#include "nav/mesh/islands.hpp"
#include "nav/mesh/mesh_search.hpp"
#include "nav/mesh/stand.hpp"

namespace starbus::nav::mesh {

Result<std::unique_ptr<MeshGround>> MeshGround::create(Baked baked, const Areas& areas) {
  if (auto fine = check(baked); !fine) return fine.error();
  return std::unique_ptr<MeshGround>(new MeshGround(std::move(baked), areas));
}

MeshGround::MeshGround(Baked baked, const Areas& areas)
    : areas_(areas), tiles_(std::make_unique<Tiles>(baked.layout, areas)) {
  for (std::uint32_t i = 0; i < baked.tiles.size(); ++i) tiles_->put(i, baked.tiles[i].mesh);
  tiles_->finish();
  changes_ = std::make_unique<Changes>(baked.layout, baked.tiles);
}

MeshGround::~MeshGround() = default;

const Layout& MeshGround::layout() const {
  return tiles_->layout();
}

double MeshGround::unit() const {
  return kUnit;
}

Box MeshGround::bounds() const {
  const Layout& of = layout();
  const TileBox last = of.box(of.tiles() - 1);
  const float above = std::max(kSlack, 2 * of.options.cell_height);
  return {{of.low.x, of.low.y, of.low.z - kSlack}, {last.high[0], last.high[2], of.high.z + above}};
}

Result<AgentId> MeshGround::add_agent(const Agent& agent) {
  const BakeOptions& of = layout().options;
  if (auto fits = check(agent); !fits) return fits.error();
  if (agent.radius > of.agent_radius) {
    return Error(Errc::bad_option, "radius: above that of the mesh");
  }
  if (agent.climb < of.agent_climb) {
    return Error(Errc::bad_option, "climb: below that of the mesh");
  }
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    if (kinds_[i]->agent() == agent) return AgentId{static_cast<std::uint32_t>(i + 1)};
  }
  if (kinds_.size() == kMaxAgents) return Error(Errc::too_many, "kMaxAgents");
  kinds_.push_back(std::make_unique<Kind>(agent, areas_));
  kinds_.back()->refresh(*tiles_, legs_);
  return AgentId{static_cast<std::uint32_t>(kinds_.size())};
}

Result<bool> MeshGround::prepare(AgentId agent, Algorithm, std::uint32_t) {
  if (kind(agent) == nullptr) return Errc::unknown_agent;
  return Errc::bad_option;
}

const Kind* MeshGround::kind(AgentId agent) const {
  if (!agent || agent.value > kinds_.size()) return nullptr;
  return kinds_[agent.value - 1].get();
}

std::vector<Point> MeshGround::outline(std::uint64_t piece) const {
  const auto polygon = tiles_->find(piece);
  if (!polygon) return {};
  std::vector<Point> corners;
  for (int i = 0; i < tiles_->data(*polygon).vertCount; ++i) {
    corners.push_back(point_of(tiles_->corner(*polygon, i)));
  }
  return corners;
}

std::vector<std::uint64_t> MeshGround::pieces() const {
  std::vector<std::uint64_t> all;
  for (std::uint32_t i = 0; i < tiles_->count(); ++i) all.push_back(tiles_->piece(tiles_->at(i)));
  return all;
}

std::vector<Island> MeshGround::islands(AgentId agent) const {
  const Kind* const of = kind(agent);
  return of == nullptr ? std::vector<Island>() : islands_of(*tiles_, *of);
}

std::unique_ptr<Search> MeshGround::make_search() const {
  return std::make_unique<MeshSearch>(*this);
}

// -- Changes

// All kinds look at the mesh as it is now. Links find their ends again.
void MeshGround::refresh() {
  ++version_;
  const dtQueryFilter any;
  const auto end = [&](Place& at) {
    if (const auto known = tiles_->find(at.piece)) return *known;
    const Found found = nearest_of(*tiles_, any, at.point, {});
    if (found.polygon != kNoPolygon) at.piece = tiles_->piece(found.polygon);
    return found.polygon;
  };
  legs_.clear();
  for (std::size_t i = 0; i < links_.size(); ++i) {
    HeldLink& held = links_[i];
    if (!held.used) continue;
    const Polygon from = end(held.link.from);
    const Polygon to = end(held.link.to);
    if (from == kNoPolygon || to == kNoPolygon) continue;
    const auto cost = static_cast<float>(held.link.cost * kUnit);
    const Leg leg{
        from,           to,        spot_of(held.link.from.point), spot_of(held.link.to.point), cost,
        held.link.area, link_id(i)};
    legs_.push_back(leg);
    if (!held.link.both_ways) continue;
    legs_.push_back({to, from, leg.end, leg.start, cost, leg.area, leg.link});
  }
  for (const auto& kind : kinds_) kind->refresh(*tiles_, legs_);
}

Result<void> MeshGround::apply(const Box& box, const Area* paint) {
  auto changed = paint != nullptr ? changes_->painted(box, *paint) : changes_->tiles(box);
  if (!changed) return changed.error();
  std::uint32_t count = tiles_->count();
  bool same = true;
  for (const Changes::Tile& one : *changed) {
    if (one.same) continue;
    same = false;
    count += static_cast<std::uint32_t>(one.mesh.count()) - tiles_->count(one.number);
  }
  if (count > kMaxPolygons) return Error(Errc::too_many, "kMaxPolygons");
  for (const Changes::Tile& one : *changed) {
    if (!one.same) tiles_->put(one.number, one.mesh);
  }
  changes_->keep(*changed);
  if (same) return {};
  tiles_->finish();
  refresh();
  return {};
}

Result<void> MeshGround::set_area(const Box& box, Area area) {
  if (auto fits = check(box, area); !fits) return fits;
  return apply(box, &area);
}

Result<ObstacleId> MeshGround::add_obstacle(const Obstacle& obstacle) {
  if (auto fits = check(obstacle.box, obstacle.area); !fits) return fits.error();
  const auto index = changes_->place();
  if (!index) return index.error();
  Changes::Standing& one = changes_->at(*index);
  one = {obstacle.box, obstacle.area, true, true, one.generation};
  if (auto done = apply(obstacle.box, nullptr); !done) {
    changes_->at(*index).used = false;
    return done.error();
  }
  return changes_->id(*index);
}

Result<void> MeshGround::change(ObstacleId id, bool used, bool present) {
  Changes::Standing* const one = changes_->find(id);
  if (one == nullptr) return Errc::unknown_obstacle;
  const Changes::Standing before = *one;
  one->present = present;
  if (before.present != present) {
    if (auto done = apply(one->box, nullptr); !done) {
      *one = before;
      return done;
    }
  }
  one->used = used;
  if (!used) ++one->generation;
  return {};
}

Result<void> MeshGround::set_present(ObstacleId id, bool present) {
  return change(id, true, present);
}

Result<void> MeshGround::remove_obstacle(ObstacleId id) {
  return change(id, false, false);
}

Result<LinkId> MeshGround::add_link(const Link& link) {
  if (!finite(link.from.point) || !finite(link.to.point)) return Errc::bad_position;
  const auto from = tiles_->find(link.from.piece);
  const auto to = tiles_->find(link.to.piece);
  if (!from) return Errc::bad_start;
  if (!to) return Errc::bad_goal;
  if (link.cost == 0) return Error(Errc::bad_option, "link: no cost");
  if (link.cost > kMaxLinkCost) return Error(Errc::too_large, "kMaxLinkCost");
  if (link.area > kMaxArea) return Error(Errc::too_large, "kMaxArea");
  Link placed = link;
  placed.from.point = point_of(spot_within(*tiles_, tiles_->ref(*from), link.from.point).data());
  placed.to.point = point_of(spot_within(*tiles_, tiles_->ref(*to), link.to.point).data());
  if (placed.from == placed.to) return Error(Errc::bad_option, "link: both ends are one place");
  const auto free = std::ranges::find(links_, false, &HeldLink::used);
  const auto index = static_cast<std::size_t>(free - links_.begin());
  if (free == links_.end()) {
    if (links_.size() == kMaxLinks) return Error(Errc::too_many, "kMaxLinks");
    links_.emplace_back();
  }
  links_[index].link = placed;
  links_[index].used = true;
  refresh();
  return link_id(index);
}

Result<void> MeshGround::remove_link(LinkId id) {
  if (!id || id.index() >= links_.size() || !links_[id.index()].used || id != link_id(id.index())) {
    return Errc::unknown_link;
  }
  links_[id.index()].used = false;
  ++links_[id.index()].generation;
  refresh();
  return {};
}

LinkId MeshGround::link_id(std::size_t index) const {
  return LinkId::of(static_cast<std::uint32_t>(index), links_[index].generation);
}

}  // namespace starbus::nav::mesh
