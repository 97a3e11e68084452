// Volumes: baked, and made of triangles.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "nav/formats/baked.hpp"
#include "nav/formats/obj.hpp"
#include "nav/volume/solids.hpp"
#include "tools/nav/world.hpp"

namespace starbus::nav_tool {
namespace {

using nav::formats::VolumeFile;
namespace volume = nav::volume;

class VolumeWorld final : public World {
 public:
  VolumeWorld(std::unique_ptr<volume::VolumeGround> ground, const volume::VolumeOptions& options,
              nav::AgentId agent)
      : ground_(std::move(ground)), options_(options), agent_(agent) {}

  std::string_view kind() const override { return "volume"; }
  bool has_floors() const override { return false; }
  std::string size() const override {
    const volume::Extent& extent = ground_->columns().extent();
    const volume::SparseOctree& tree = ground_->layer(agent_)->tree();
    return std::to_string(extent.x) + " x " + std::to_string(extent.y) + " x " +
           std::to_string(extent.z) + " voxels, " + std::to_string(ground_->columns().spans()) +
           " spans, " + std::to_string(tree.leaves()) + " leaves; " +
           std::to_string(ground_->columns().bytes()) + " bytes of columns, " +
           std::to_string(tree.bytes()) + " bytes for each kind of agent";
  }
  nav::Ground& ground() override { return *ground_; }
  nav::AgentId agent() const override { return agent_; }

  std::vector<Island> islands() const override {
    const volume::Layer& layer = *ground_->layer(agent_);
    std::vector<Island> islands(layer.parts().count());
    for (std::uint32_t chunk = 0; chunk < layer.tree().chunks().count(); ++chunk) {
      layer.tree().each_block(chunk, [&](const volume::Block& block) {
        Island& island = islands[layer.part(block)];
        if (island.pieces == 0) island.place = ground_->place(block.low);
        island.pieces += std::uint64_t{1} << 3 * block.level;
        return true;
      });
    }
    std::ranges::stable_sort(islands, std::ranges::greater(), &Island::pieces);
    return islands;
  }

  // Runs of voxels along rows of the layer at that height.
  std::vector<Shape> closed(float z, std::size_t most) const override {
    const volume::Frame& frame = ground_->frame();
    const volume::SparseOctree& tree = ground_->layer(agent_)->tree();
    const double at = std::floor(frame.along(z, frame.origin.z));
    const auto level = static_cast<std::uint16_t>(std::clamp(at, 0.0, frame.extent.z - 1.0));
    std::vector<Shape> boxes;
    for (std::uint32_t y = 0; y < frame.extent.y; ++y) {
      bool open = true;
      for (std::uint32_t x = 0; x < frame.extent.x; ++x) {
        const volume::Voxel voxel{static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y),
                                  level};
        if (tree.cost(voxel) != 0) {
          open = true;
          continue;
        }
        if (boxes.size() == most) return boxes;
        const nav::Box box = ground_->box_of({voxel, 0, 0, 0});
        if (open) boxes.push_back({box.low, box.high});
        boxes.back()[1] = box.high;
        open = false;
      }
    }
    return boxes;
  }

  Result<std::string> bytes() const override {
    return nav::formats::write_volume({ground_->columns(), options_});
  }

 private:
  std::unique_ptr<volume::VolumeGround> ground_;
  volume::VolumeOptions options_;
  nav::AgentId agent_;
};

Result<std::unique_ptr<World>> volume_world(VolumeFile file, const ReadOptions& options) {
  file.options.areas = areas_of(options);
  auto ground = volume::VolumeGround::create(std::move(file.columns), file.options);
  if (!ground) return ground.error();
  const auto agent = (*ground)->add_agent(agent_of(options));
  if (!agent) return agent.error();
  return std::unique_ptr<World>(
      std::make_unique<VolumeWorld>(*std::move(ground), file.options, *agent));
}

}  // namespace

Result<std::unique_ptr<World>> voxelise(std::span<const nav::Point> corners,
                                        const ReadOptions& options) {
  if (corners.empty()) return Error(Errc::bad_option, "no triangles");
  nav::Box box{corners[0], corners[0]};
  for (const nav::Point& at : corners) {
    box.low = {std::min(box.low.x, at.x), std::min(box.low.y, at.y), std::min(box.low.z, at.z)};
    box.high = {std::max(box.high.x, at.x), std::max(box.high.y, at.y), std::max(box.high.z, at.z)};
  }
  const auto side = [&](float low, float high) {
    const double metres = static_cast<double>(high) - static_cast<double>(low) +
                          2 * static_cast<double>(options.margin);
    const double voxels = std::floor(metres / static_cast<double>(options.voxel)) + 1;
    return static_cast<std::uint32_t>(std::min(voxels, 1e6));
  };
  volume::Frame frame;
  frame.origin = {box.low.x - options.margin, box.low.y - options.margin,
                  box.low.z - options.margin};
  frame.size = options.voxel;
  frame.extent = {side(box.low.x, box.high.x), side(box.low.y, box.high.y),
                  side(box.low.z, box.high.z)};
  auto columns = volume::Columns::create(frame.extent);
  if (!columns) return columns.error();
  if (auto did = volume::fill_triangles(*columns, frame, corners); !did) return did.error();
  VolumeFile file{*std::move(columns), {}};
  file.options.origin = frame.origin;
  file.options.voxel_size = frame.size;
  return volume_world(std::move(file), options);
}

Result<std::unique_ptr<World>> read_baked_volume(std::string_view bytes,
                                                 const ReadOptions& options) {
  auto file = nav::formats::read_volume(bytes);
  if (!file) return file.error();
  return volume_world(*std::move(file), options);
}

Result<std::unique_ptr<World>> read_obj_as_volume(std::string_view bytes,
                                                  const ReadOptions& options) {
  const auto terrain = nav::formats::read_obj(bytes);
  if (!terrain) return terrain.error();
  std::vector<nav::Point> corners;
  corners.reserve(terrain->triangles.size() * 3);
  for (const nav::mesh::Triangle& triangle : terrain->triangles) {
    for (const std::uint32_t corner : triangle.corners) corners.push_back(terrain->points[corner]);
  }
  return voxelise(corners, options);
}

}  // namespace starbus::nav_tool
