// Navmeshes: baked, and made of terrain.
#include <algorithm>
#include <cmath>

#include "nav/formats/obj.hpp"
#include "nav/mesh/bake.hpp"
#include "nav/mesh/mesh_ground.hpp"
#include "tools/nav/world.hpp"

namespace starbus::nav_tool {
namespace {

namespace mesh = nav::mesh;

class MeshWorld final : public World {
 public:
  MeshWorld(std::unique_ptr<mesh::MeshGround> ground, nav::AgentId agent, std::string bytes,
            std::vector<LostSlope> slopes)
      : ground_(std::move(ground)),
        agent_(agent),
        bytes_(std::move(bytes)),
        slopes_(std::move(slopes)) {}

  std::string_view kind() const override { return "mesh"; }
  std::string size() const override {
    const mesh::Layout& layout = ground_->layout();
    return std::to_string(layout.columns) + " x " + std::to_string(layout.rows) + " tiles, " +
           std::to_string(ground_->pieces().size()) + " polygons";
  }
  nav::Ground& ground() override { return *ground_; }
  nav::AgentId agent() const override { return agent_; }

  std::vector<Island> islands() const override {
    std::vector<Island> islands;
    for (const mesh::Island& one : ground_->islands(agent_)) {
      islands.push_back({one.polygons, one.area, one.place});
    }
    return islands;
  }
  std::vector<LostSlope> lost_slopes() const override { return slopes_; }

  std::vector<Shape> closed(float, std::size_t most) const override { return shapes(false, most); }
  std::vector<Shape> open(std::size_t most) const override { return shapes(true, most); }
  Result<std::string> bytes() const override { return bytes_; }

 private:
  std::vector<Shape> shapes(bool passable, std::size_t most) const {
    std::vector<Shape> shapes;
    for (const std::uint64_t piece : ground_->pieces()) {
      if (shapes.size() == most) break;
      if (passes(piece) == passable) shapes.push_back(ground_->outline(piece));
    }
    return shapes;
  }
  // Whether an agent may stand there is whether it can get from there to there.
  bool passes(std::uint64_t piece) const {
    const nav::Place place{ground_->outline(piece).front(), piece};
    return ground_->reachable(place, place, agent_);
  }

  std::unique_ptr<mesh::MeshGround> ground_;
  nav::AgentId agent_;
  std::string bytes_;
  std::vector<LostSlope> slopes_;
};

Result<std::unique_ptr<World>> mesh_world(mesh::Baked baked, std::string bytes,
                                          std::vector<LostSlope> slopes,
                                          const ReadOptions& options) {
  const float climb = baked.layout.options.agent_climb;
  auto ground = mesh::MeshGround::create(std::move(baked), areas_of(options));
  if (!ground) return ground.error();
  const auto agent = (*ground)->add_agent(agent_of(options, climb));
  if (!agent) return agent.error();
  return std::unique_ptr<World>(
      std::make_unique<MeshWorld>(*std::move(ground), *agent, std::move(bytes), std::move(slopes)));
}

// A misspelt one would be left out in silence.
Result<void> check_materials(const mesh::Terrain& terrain, const ReadOptions& options) {
  for (const auto& [name, area] : options.materials) {
    if (std::ranges::find(terrain.materials, name) != terrain.materials.end()) continue;
    std::string known;
    for (const std::string& one : terrain.materials) {
      if (!one.empty()) known += (known.empty() ? "" : ", ") + one;
    }
    return Error(Errc::bad_option, "material " + name + ": not in the file; it has " +
                                       (known.empty() ? "none" : known));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<World>> read_obj_as_mesh(std::string_view bytes,
                                                const ReadOptions& options) {
  auto terrain = nav::formats::read_obj(bytes);
  if (!terrain) return terrain.error();
  if (auto known = check_materials(*terrain, options); !known) return known.error();
  mesh::BakeOptions how = options.bake;
  how.cell_size = options.cell.value_or(how.cell_size);
  how.agent_radius = options.radius.value_or(how.agent_radius);
  how.agent_climb = options.climb.value_or(how.agent_climb);
  const mesh::Paint paint{.materials = options.materials, .volumes = {}};
  const auto bake = mesh::Bake::create(*std::move(terrain), how, paint);
  if (!bake) return bake.error();
  auto baked = bake->run([&](std::uint32_t done, std::uint32_t all) {
    if (options.progress) options.progress(done, all);
    return true;
  });
  if (!baked) return baked.error();
  std::vector<LostSlope> slopes = bake->report(*baked).slopes;
  std::string file = mesh::encode(*baked);
  return mesh_world(*std::move(baked), std::move(file), std::move(slopes), options);
}

Result<std::unique_ptr<World>> read_baked_mesh(std::string_view bytes, const ReadOptions& options) {
  auto baked = mesh::decode(bytes);
  if (!baked) return baked.error();
  return mesh_world(*std::move(baked), std::string(bytes), {}, options);
}

}  // namespace starbus::nav_tool
