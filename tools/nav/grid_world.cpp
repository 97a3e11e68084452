// Grids: baked, as MovingAI has them, and as text.
#include <algorithm>

#include "nav/formats/baked.hpp"
#include "nav/formats/moving_ai.hpp"
#include "tools/nav/world.hpp"

namespace starbus::nav_tool {
namespace {

using nav::formats::GridFile;
namespace grid = nav::grid;

class GridWorld final : public World {
 public:
  GridWorld(GridFile file, std::unique_ptr<grid::GridGround> ground, nav::AgentId agent)
      : file_(std::move(file)), ground_(std::move(ground)), agent_(agent) {}

  std::string_view kind() const override { return "grid"; }
  std::string size() const override {
    return std::to_string(file_.terrain.width) + " x " + std::to_string(file_.terrain.height) +
           " cells";
  }
  nav::Ground& ground() override { return *ground_; }
  nav::AgentId agent() const override { return agent_; }

  std::vector<Island> islands() const override {
    const grid::Layer& layer = *ground_->layer(agent_);
    std::vector<std::uint32_t> names;
    std::vector<Island> islands;
    each_cell([&](grid::Cell cell) {
      if (!layer.passable(cell)) return;
      const std::uint32_t name = layer.component(cell);
      if (name >= names.size()) names.resize(name + 1);
      if (names[name] == 0) {
        islands.push_back({0, 0, ground_->place(cell)});
        names[name] = static_cast<std::uint32_t>(islands.size());
      }
      ++islands[names[name] - 1].pieces;
    });
    std::ranges::stable_sort(islands, std::ranges::greater(), &Island::pieces);
    return islands;
  }

  // Runs of cells along rows.
  std::vector<Shape> closed(float, std::size_t most) const override {
    const grid::Layer& layer = *ground_->layer(agent_);
    std::vector<Shape> boxes;
    bool open = true;
    each_cell([&](grid::Cell cell) {
      if (cell.x == 0) open = true;
      if (layer.passable(cell)) {
        open = true;
        return;
      }
      if (boxes.size() == most) return;
      const nav::Box box = ground_->box(cell);
      if (open) boxes.push_back({box.low, box.high});
      boxes.back()[1] = box.high;
      open = false;
    });
    return boxes;
  }

  Result<std::string> bytes() const override { return nav::formats::write_grid(file_); }

 private:
  template <class Use>
  void each_cell(Use&& use) const {
    for (std::uint32_t y = 0; y < file_.terrain.height; ++y) {
      for (std::uint32_t x = 0; x < file_.terrain.width; ++x) {
        use(grid::Cell{static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y)});
      }
    }
  }

  GridFile file_;
  std::unique_ptr<grid::GridGround> ground_;
  nav::AgentId agent_;
};

Result<std::unique_ptr<World>> grid_world(GridFile file, const ReadOptions& options) {
  file.options.areas = areas_of(options);
  auto ground = grid::GridGround::create(file.terrain, file.options);
  if (!ground) return ground.error();
  const auto agent = (*ground)->add_agent(agent_of(options));
  if (!agent) return agent.error();
  return std::unique_ptr<World>(
      std::make_unique<GridWorld>(std::move(file), *std::move(ground), *agent));
}

Result<std::unique_ptr<World>> text_world(Result<grid::Terrain> terrain,
                                          const ReadOptions& options) {
  if (!terrain) return terrain.error();
  GridFile file{*std::move(terrain), {}};
  file.options.origin = options.origin;
  file.options.cell_size = options.cell.value_or(1);
  return grid_world(std::move(file), options);
}

}  // namespace

Result<std::unique_ptr<World>> read_baked_grid(std::string_view bytes, const ReadOptions& options) {
  auto file = nav::formats::read_grid(bytes);
  if (!file) return file.error();
  return grid_world(*std::move(file), options);
}

Result<std::unique_ptr<World>> read_moving_ai(std::string_view bytes, const ReadOptions& options) {
  return text_world(nav::formats::read_map(bytes), options);
}

// What terrain_of takes; what it refuses is looked for here, to name the line.
Result<std::unique_ptr<World>> read_grid_text(std::string_view bytes, const ReadOptions& options) {
  std::size_t number = 0;
  std::size_t width = bytes.substr(0, bytes.find('\n')).size();
  for (std::string_view rest = bytes; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::string at = "line " + std::to_string(++number);
    if (line.size() != width) return Error(Errc::corrupt, at + ": not as long as the first");
    const auto strange = line.find_first_not_of(".#123456789");
    if (strange != std::string_view::npos) return Error(Errc::corrupt, at + ": unknown sign");
  }
  return text_world(grid::terrain_of(bytes), options);
}

}  // namespace starbus::nav_tool
