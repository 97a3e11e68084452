#include "nav/volume/layer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace starbus::nav::volume {
namespace {

// Looks for the voxel nearest to a point, chunk by chunk; what lies further away than the best so
// far is not looked into.
class Nearest {
 public:
  Nearest(const Layer& layer, const std::array<double, 3>& at, const std::array<double, 3>& reach,
          std::optional<std::uint32_t> from)
      : layer_(layer), at_(at), reach_(reach), from_(from) {}

  std::optional<Voxel> find() {
    const SparseOctree& tree = layer_.tree();
    const Extent& extent = tree.extent();
    // The chunk nearest to the point first: most others are ruled out by what is found there.
    const auto clamp = [](double of, std::uint32_t count) {
      return static_cast<std::uint16_t>(std::clamp(std::floor(of), 0.0, count - 1.0));
    };
    const Voxel centre{clamp(at_[0], extent.x), clamp(at_[1], extent.y), clamp(at_[2], extent.z)};
    const std::uint32_t first = tree.chunks().index(centre);
    search(first);
    for (std::uint32_t chunk = 0; chunk < tree.chunks().count(); ++chunk) {
      if (chunk != first) search(chunk);
    }
    return found_;
  }

 private:
  void search(std::uint32_t chunk) {
    const SparseOctree& tree = layer_.tree();
    if (tree.free_voxels(chunk) == 0) return;
    if (!may_have({tree.chunks().low(chunk), kChunkLevel, 0, 0})) return;
    tree.each_block(chunk, [&](const Block& block) {
      if (may_have(block) && (!from_ || layer_.reaches(*from_, layer_.part(block)))) take(block);
      return true;
    });
  }

  // How far a coordinate lies from voxels [low, high).
  static double gap(double at, std::uint32_t low, std::uint32_t high) {
    if (at < low) return low - at;
    return at > high ? at - high : 0;
  }

  bool may_have(const Block& block) const {
    const VoxelBox box = block.box();
    const double x = gap(at_[0], box.x0, box.x1);
    const double y = gap(at_[1], box.y0, box.y1);
    const double z = gap(at_[2], box.z0, box.z1);
    if (x > reach_[0] || y > reach_[1] || z > reach_[2]) return false;
    return x * x + y * y + z * z <= best_;
  }

  // Its voxel that is nearest to the point; the lowest one if the point lies between two.
  void take(const Block& block) {
    const VoxelBox box = block.box();
    const auto one = [](double at, std::uint32_t low, std::uint32_t high) {
      const double number = std::ceil(at) - 1;
      return static_cast<std::uint16_t>(std::clamp(number, double{1} * low, high - 1.0));
    };
    const Voxel voxel{one(at_[0], box.x0, box.x1), one(at_[1], box.y0, box.y1),
                      one(at_[2], box.z0, box.z1)};
    const double x = gap(at_[0], box.x0, box.x1);
    const double y = gap(at_[1], box.y0, box.y1);
    const double z = gap(at_[2], box.z0, box.z1);
    const double distance = x * x + y * y + z * z;
    const Extent& extent = layer_.tree().extent();
    if (found_ && distance == best_ && extent.index(voxel) >= extent.index(*found_)) return;
    best_ = distance;
    found_ = voxel;
  }

  const Layer& layer_;
  std::array<double, 3> at_;
  std::array<double, 3> reach_;
  std::optional<std::uint32_t> from_;
  double best_ = std::numeric_limits<double>::infinity();
  std::optional<Voxel> found_;
};

}  // namespace

Result<std::unique_ptr<Layer>> Layer::create(const Columns& columns,
                                             const std::vector<VoxelLink>& links,
                                             const Agent& agent, const Areas& areas,
                                             double radius) {
  std::unique_ptr<Layer> layer(new Layer(columns, links, agent, areas, radius));
  if (auto made = layer->refresh(columns.extent().box()); !made) return made.error();
  return layer;
}

Layer::Layer(const Columns& columns, const std::vector<VoxelLink>& links, const Agent& agent,
             const Areas& areas, double radius)
    : columns_(columns),
      all_links_(links),
      agent_(agent),
      body_(agent, areas, radius),
      least_cost_(body_.least_cost()),
      tree_(columns.extent()) {}

Result<void> Layer::refresh(const VoxelBox& changed) {
  ++version_;
  const VoxelBox box = changed.grown(body_.reach, columns_.extent().box());
  touched_.clear();
  bool fits = true;
  const std::uint32_t step = kChunkSide;
  for (std::uint32_t z = box.z0 / step; z * step < box.z1; ++z) {
    for (std::uint32_t y = box.y0 / step; y * step < box.y1; ++y) {
      for (std::uint32_t x = box.x0 / step; x * step < box.x1; ++x) {
        const std::uint32_t chunk = (z * tree_.chunks().y + y) * tree_.chunks().x + x;
        touched_.push_back(chunk);
        if (!fits) continue;  // what is left stays as it was, until the change is undone
        const auto one = read_costs(columns_, body_, tree_.chunks().low(chunk), values_);
        free_ -= tree_.free_voxels(chunk);
        one ? tree_.fill(chunk, *one) : void(fits = tree_.build(chunk, values_));
        free_ += tree_.free_voxels(chunk);
        ++built_;
      }
    }
  }
  parts_.update(tree_, touched_);
  refresh_links();
  if (!fits) return Error(Errc::too_large, "kMaxLeaves");
  return {};
}

void Layer::refresh_links() {
  ++version_;
  std::vector<Links::Leg> legs;
  for (std::uint32_t number = 0; number < all_links_.size(); ++number) {
    const VoxelLink& link = all_links_[number];
    const std::uint32_t times = body_.costs[link.area];
    if (link.cost == 0 || times == 0 || !free(link.from) || !free(link.to)) continue;
    const auto add = [&](Voxel from, Voxel to) {
      legs.push_back({from, to, link.cost * times, number, tree_.chunks().index(from),
                      part(tree_.at(from)), part(tree_.at(to))});
    };
    add(link.from, link.to);
    if (link.both_ways) add(link.to, link.from);
  }
  links_.assign(std::move(legs), least_cost_);
}

bool Layer::connected(Voxel from, Voxel to) const {
  if (!tree_.extent().contains(from) || !tree_.extent().contains(to)) return false;
  const Block a = tree_.at(from);
  const Block b = tree_.at(to);
  return a.value != 0 && b.value != 0 && reaches(part(a), part(b));
}

std::optional<Voxel> Layer::nearest(const std::array<double, 3>& at,
                                    const std::array<double, 3>& reach,
                                    std::optional<std::uint32_t> from) const {
  const Extent& extent = tree_.extent();
  if (at[0] >= 0 && at[1] >= 0 && at[2] >= 0 && at[0] < extent.x && at[1] < extent.y &&
      at[2] < extent.z) {
    const auto number = [](double of) { return static_cast<std::uint16_t>(of); };
    const Voxel here{number(at[0]), number(at[1]), number(at[2])};
    const Block block = tree_.at(here);
    if (block.value != 0 && (!from || reaches(*from, part(block)))) return here;
  }
  return Nearest(*this, at, reach, from).find();
}

}  // namespace starbus::nav::volume
