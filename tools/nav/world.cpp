#include "tools/nav/world.hpp"

#include <array>

#include "nav/formats/baked.hpp"
#include "nav/mesh/baked.hpp"
#include "tools/nav/files.hpp"

namespace starbus::nav_tool {
namespace {

// One row for each kind of file.
struct Kind {
  std::string_view name;
  // Whether a file is of it, by its name or by how it begins.
  bool (*is)(std::string_view file, std::string_view bytes);
  Result<std::unique_ptr<World>> (*read)(std::string_view bytes, const ReadOptions& options);
};

// A baked file of this library, of one kind; whether it is whole, its reader says.
template <std::uint16_t kKind>
bool is_baked(std::string_view, std::string_view bytes) {
  return nav::formats::kind_of(bytes) == kKind;
}
bool is_mesh(std::string_view, std::string_view bytes) {
  return bytes.starts_with(nav::mesh::kMeshMagic);
}
bool is_moving_ai(std::string_view file, std::string_view) {
  return file.ends_with(".map");
}
bool is_obj(std::string_view file, std::string_view) {
  return file.ends_with(".obj");
}
bool is_text(std::string_view file, std::string_view) {
  return file.ends_with(".txt");
}

Result<std::unique_ptr<World>> read_obj(std::string_view bytes, const ReadOptions& options) {
  return options.mesh ? read_obj_as_mesh(bytes, options) : read_obj_as_volume(bytes, options);
}

constexpr std::array kKinds{
    Kind{"baked grid", is_baked<nav::formats::kGridKind>, read_baked_grid},
    Kind{"baked volume", is_baked<nav::formats::kVolumeKind>, read_baked_volume},
    Kind{"baked navmesh", is_mesh, read_baked_mesh},
    Kind{"MovingAI map", is_moving_ai, read_moving_ai},
    Kind{"OBJ terrain", is_obj, read_obj},
    Kind{"grid as text", is_text, read_grid_text},
};

}  // namespace

Result<std::unique_ptr<World>> read_world(const std::string& file, const ReadOptions& options) {
  const auto bytes = read_file(file);
  if (!bytes) return bytes.error();
  for (const Kind& kind : kKinds) {
    if (!kind.is(file, *bytes)) continue;
    if (options.mesh && kind.read != read_obj) {
      return Error(Errc::bad_option, file + ": --mesh takes OBJ terrain alone");
    }
    auto world = kind.read(*bytes, options);
    if (!world) return in_file(file, world.error());
    return world;
  }
  std::string known;
  for (const Kind& kind : kKinds) {
    known += (known.empty() ? "" : ", ") + std::string(kind.name);
  }
  return Error(Errc::corrupt, file + ": no kind of file that this starbus knows: " + known);
}

nav::Areas areas_of(const ReadOptions& options) {
  nav::Areas areas;
  if (options.areas.empty()) return areas;
  for (std::size_t area = 1; area < areas.flags.size(); ++area) areas.flags[area] = 2;
  for (const int area : options.areas) areas.flags[static_cast<std::size_t>(area)] = 1;
  return areas;
}

nav::Agent agent_of(const ReadOptions& options, float climb) {
  nav::Agent agent;
  agent.include = 1;
  agent.radius = options.radius.value_or(0);
  agent.climb = options.climb.value_or(climb);
  return agent;
}

}  // namespace starbus::nav_tool
