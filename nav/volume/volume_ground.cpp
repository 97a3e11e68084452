#include "nav/volume/volume_ground.hpp"

#include <algorithm>
#include <cmath>

#include "nav/checks.hpp"
#include "nav/volume/line.hpp"
#include "nav/volume/volume_search.hpp"

namespace starbus::nav::volume {
namespace {

constexpr unsigned kLevelShift = 56;  // of a cube's name: its level lies above its voxel's number

}  // namespace

Result<std::unique_ptr<VolumeGround>> VolumeGround::create(Columns columns,
                                                           const VolumeOptions& options) {
  if (!finite(options.origin) || !std::isfinite(options.voxel_size) || options.voxel_size <= 0) {
    return Error(Errc::bad_option, "origin or voxel_size");
  }
  return std::unique_ptr<VolumeGround>(new VolumeGround(std::move(columns), options));
}

VolumeGround::VolumeGround(Columns columns, const VolumeOptions& options)
    : columns_(std::move(columns)),
      options_(options),
      frame_{options.origin, options.voxel_size, columns_.extent()},
      obstacles_(columns_) {}

Result<AgentId> VolumeGround::add_agent(const Agent& agent) {
  if (auto fits = check(agent); !fits) return fits.error();
  const double radius = static_cast<double>(agent.radius) / static_cast<double>(frame_.size);
  if (radius > kMaxAgentVoxels) return Error(Errc::too_large, "kMaxAgentVoxels");
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (layers_[i]->agent() == agent) return AgentId{static_cast<std::uint32_t>(i + 1)};
  }
  if (layers_.size() == kMaxAgents) return Error(Errc::too_many, "kMaxAgents");
  auto layer = Layer::create(columns_, links_, agent, options_.areas, radius);
  if (!layer) return layer.error();
  layers_.push_back(*std::move(layer));
  return AgentId{static_cast<std::uint32_t>(layers_.size())};
}

Result<bool> VolumeGround::prepare(AgentId agent, Algorithm, std::uint32_t) {
  if (layer(agent) == nullptr) return Errc::unknown_agent;
  return Errc::bad_option;
}

const Layer* VolumeGround::layer(AgentId agent) const {
  if (!agent || agent.value > layers_.size()) return nullptr;
  return layers_[agent.value - 1].get();
}

std::optional<Voxel> VolumeGround::voxel(const Place& place) const {
  const Extent& extent = columns_.extent();
  if (place.piece == 0 || place.piece > extent.voxels()) return std::nullopt;
  return extent.voxel(place.piece - 1);
}

Place VolumeGround::place(Voxel voxel) const {
  return {frame_.middle(voxel), columns_.extent().index(voxel) + 1};
}

std::uint64_t VolumeGround::piece(const Block& block) const {
  return std::uint64_t{block.level} << kLevelShift | (columns_.extent().index(block.low) + 1);
}

std::vector<Point> VolumeGround::outline(std::uint64_t piece) const {
  const std::uint64_t number = piece & ((std::uint64_t{1} << kLevelShift) - 1);
  const auto level = static_cast<std::uint8_t>(piece >> kLevelShift);
  const auto low = voxel({{}, number});
  if (!low || level > 16) return {};
  const Box box = box_of({*low, level, 0, 0});
  return {box.low, box.high};
}

Place VolumeGround::place_at(const FinePoint& at) const {
  return {frame_.point(at), columns_.extent().index(voxel_of(at)) + 1};
}

// The point of a voxel that is nearest to another: that point itself if it lies there.
Place VolumeGround::place_in(Voxel voxel, Point near) const {
  const FinePoint at = frame_.fine_within(near, voxel);
  Place of = place_at(at);
  if (frame_.contains(near) && frame_.fine(near) == at) of.point = near;
  return of;
}

Box VolumeGround::box_of(const Block& block) const {
  const auto one = [&](std::uint32_t number, float from) {
    return static_cast<float>(static_cast<double>(from) +
                              double{1} * number * static_cast<double>(frame_.size));
  };
  const VoxelBox box = block.box();
  const Point& origin = frame_.origin;
  return {{one(box.x0, origin.x), one(box.y0, origin.y), one(box.z0, origin.z)},
          {one(box.x1, origin.x), one(box.y1, origin.y), one(box.z1, origin.z)}};
}

Result<VolumeGround::Stand> VolumeGround::stand(const Place& at, AgentId agent) const {
  const Layer* const of = layer(agent);
  if (of == nullptr) return Errc::unknown_agent;
  if (!finite(at.point)) return Errc::bad_position;
  const auto in = voxel(at);
  if (!in || !of->free(*in)) return Errc::bad_start;
  return Stand{of, *in, frame_.fine_within(at.point, *in)};
}

bool VolumeGround::reachable(const Place& from, const Place& to, AgentId agent) const {
  const Layer* const of = layer(agent);
  const auto a = voxel(from);
  const auto b = voxel(to);
  return of != nullptr && a && b && of->connected(*a, *b);
}

Area VolumeGround::area_at(const Place& at) const {
  const auto in = voxel(at);
  return in ? columns_.at(*in) : kWall;
}

Result<Ray> VolumeGround::raycast(const Place& from, Point to, AgentId agent) const {
  if (!finite(to)) return Errc::bad_position;
  const auto start = stand(from, agent);
  if (!start) return start.error();
  const LineEnd end = follow_line(start->layer->tree(), start->at, frame_.fine(to));
  Ray ray;
  ray.hit = end.hit;
  ray.end = end.hit ? place_at(end.at) : place_in(voxel_of(end.at), to);
  int sides = 0;
  for (const int side : end.normal) sides += std::abs(side);
  const double length = sides == 0 ? 0 : 1 / std::sqrt(double{1} * sides);
  const auto part = [&](int side) { return static_cast<float>(side * length); };
  ray.normal = {part(end.normal[0]), part(end.normal[1]), part(end.normal[2])};
  return ray;
}

Result<Place> VolumeGround::move_along_surface(const Place& from, Point to, AgentId agent) const {
  if (!finite(to)) return Errc::bad_position;
  const auto start = stand(from, agent);
  if (!start) return start.error();
  const FinePoint end = slide(start->layer->tree(), start->at, frame_.fine(to));
  return place_in(voxel_of(end), end == frame_.fine(to) ? to : frame_.point(end));
}

std::unique_ptr<Search> VolumeGround::make_search() const {
  return std::make_unique<VolumeSearch>(*this);
}

// -- Changes

// Brings all layers up to date. If one cannot be, the change is taken back, and those that were are
// brought back.
Result<void> VolumeGround::apply(const Result<VoxelBox>& changed) {
  if (!changed) return changed.error();
  if (changed->empty()) return {};
  ++version_;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const auto did = layers_[i]->refresh(*changed);
    if (did) continue;
    obstacles_.undo();
    for (std::size_t k = 0; k <= i; ++k) (void)layers_[k]->refresh(*changed);
    return did;
  }
  return {};
}

Result<void> VolumeGround::set_area(const Box& box, Area area) {
  if (auto fits = check(box, area); !fits) return fits;
  return apply(obstacles_.set_area(frame_.box(box), area));
}

Result<ObstacleId> VolumeGround::add_obstacle(const Obstacle& obstacle) {
  if (auto fits = check(obstacle.box, obstacle.area); !fits) return fits.error();
  ObstacleId id;
  const auto did = apply(obstacles_.add(frame_.box(obstacle.box), obstacle.area, id));
  if (!did) return did.error();
  return id;
}

Result<void> VolumeGround::set_present(ObstacleId id, bool present) {
  return apply(obstacles_.set_present(id, present));
}

Result<void> VolumeGround::remove_obstacle(ObstacleId id) {
  return apply(obstacles_.remove(id));
}

void VolumeGround::apply_links() {
  ++version_;
  for (const auto& layer : layers_) layer->refresh_links();
}

Result<LinkId> VolumeGround::add_link(const Link& link) {
  const auto from = voxel(link.from);
  const auto to = voxel(link.to);
  if (!from) return Errc::bad_start;
  if (!to) return Errc::bad_goal;
  if (link.cost == 0 || *from == *to) return Error(Errc::bad_option, "link");
  if (link.cost > kMaxLinkCost) return Error(Errc::too_large, "kMaxLinkCost");
  if (link.area > kMaxArea) return Error(Errc::too_large, "kMaxArea");
  const VoxelLink of{*from, *to, link.cost, link.both_ways, link.area};
  const auto free = std::ranges::find(links_, 0u, &VoxelLink::cost);
  const auto number = static_cast<std::uint32_t>(free - links_.begin());
  if (free != links_.end()) {
    *free = of;
  } else {
    if (links_.size() == kMaxLinks) return Error(Errc::too_many, "kMaxLinks");
    links_.push_back(of);
    link_generations_.push_back(0);
  }
  apply_links();
  return link_id(number);
}

Result<void> VolumeGround::remove_link(LinkId id) {
  if (!id || id.index() >= links_.size() || id != link_id(id.index()) ||
      links_[id.index()].cost == 0) {
    return Errc::unknown_link;
  }
  links_[id.index()].cost = 0;
  ++link_generations_[id.index()];
  apply_links();
  return {};
}

LinkId VolumeGround::link_id(std::uint32_t number) const {
  return LinkId::of(number, link_generations_[number]);
}

}  // namespace starbus::nav::volume
