#include "nodes/nav/map.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "nav/formats/baked.hpp"
#include "nav/formats/moving_ai.hpp"
#include "nav/grid/grid_ground.hpp"
#include "nav/volume/volume_ground.hpp"
#include "nodes/nav/limits.hpp"

#ifdef STARBUS_WITH_NAVMESH
#include "nav/mesh/baked.hpp"
#include "nav/mesh/mesh_ground.hpp"
#endif

namespace starbus::nodes::crowds {
namespace {

using MadeGround = Result<std::unique_ptr<nav::Ground>>;

Result<std::string> read_bytes(const std::string& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {
    return Error(Errc::no_map, file + ": is a folder, not a file");
  }
  const auto size = std::filesystem::file_size(file, error);
  if (error) return Error(Errc::no_map, file + ": " + error.message());
  if (size > kMaxMapFile) {
    return Error(Errc::bad_map, file + ": has more than " + std::to_string(kMaxMapFile) + " bytes");
  }
  std::string bytes(size, '\0');
  std::ifstream in(file, std::ios::binary);
  if (!in.read(bytes.data(), static_cast<std::streamsize>(size))) {
    return Error(Errc::no_map,
                 file + ": cannot be read: " + std::generic_category().message(errno));
  }
  return bytes;
}

template <class Made>
MadeGround as_ground(Result<std::unique_ptr<Made>> made) {
  if (!made) return made.error();
  return std::unique_ptr<nav::Ground>(*std::move(made));
}

MadeGround grid_of(Result<nav::grid::Terrain> terrain, nav::grid::GridOptions options,
                   const nav::Areas& areas) {
  if (!terrain) return terrain.error();
  options.areas = areas;
  return as_ground(nav::grid::GridGround::create(*std::move(terrain), options));
}

MadeGround ground_of(const std::string& file, std::string_view bytes, const nav::Areas& areas) {
  namespace formats = nav::formats;
  if (formats::kind_of(bytes) == formats::kGridKind) {
    auto grid = formats::read_grid(bytes);
    if (!grid) return grid.error();
    return grid_of(std::move(grid->terrain), grid->options, areas);
  }
  if (formats::kind_of(bytes) == formats::kVolumeKind) {
    auto volume = formats::read_volume(bytes);
    if (!volume) return volume.error();
    volume->options.areas = areas;
    return as_ground(
        nav::volume::VolumeGround::create(std::move(volume->columns), volume->options));
  }
  if (file.ends_with(".map")) return grid_of(formats::read_map(bytes), {}, areas);
  if (file.ends_with(".txt")) return grid_of(nav::grid::terrain_of(bytes), {}, areas);
#ifdef STARBUS_WITH_NAVMESH
  auto mesh = nav::mesh::decode(bytes);
  if (!mesh) return mesh.error();
  return as_ground(nav::mesh::MeshGround::create(*std::move(mesh), areas));
#else
  return nav::Error(nav::Errc::corrupt, "no kind of map that this build knows");
#endif
}

/// Each kind has a flag, which areas have that it passes.
nav::Areas areas_of(const std::vector<WalkerKind>& kinds) {
  nav::Areas areas;
  for (std::size_t area = 1; area < areas.flags.size(); ++area) areas.flags[area] = 0xffff;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    for (const std::uint8_t closed : kinds[kind].closed) {
      areas.flags[closed] &= static_cast<std::uint16_t>(~(1U << kind));
    }
  }
  return areas;
}

nav::Agent agent_of(const std::vector<WalkerKind>& kinds, std::size_t kind) {
  nav::Agent agent;
  agent.include = static_cast<std::uint16_t>(1U << kind);
  agent.radius = kinds[kind].radius;
  agent.climb = kinds[kind].climb;
  return agent;
}

}  // namespace

Result<> check_kinds(const std::vector<WalkerKind>& kinds) {
  if (kinds.empty()) return Error(Errc::bad_request, "no kind of walkers");
  if (kinds.size() > kMaxWalkerKinds) {
    return Error(Errc::bad_request,
                 "more than " + std::to_string(kMaxWalkerKinds) + " kinds of walkers");
  }
  for (const WalkerKind& kind : kinds) {
    for (const std::uint8_t area : kind.closed) {
      if (area <= nav::kMaxArea) continue;
      return Error(Errc::bad_request,
                   "kind '" + kind.name + "': areas are at most " + std::to_string(nav::kMaxArea));
    }
  }
  return {};
}

Result<std::shared_ptr<Map>> read_map(const std::string& file,
                                      const std::vector<WalkerKind>& kinds) {
  if (const auto checked = check_kinds(kinds); !checked) return checked.error();
  const auto bytes = read_bytes(file);
  if (!bytes) return bytes.error();
  auto ground = ground_of(file, *bytes, areas_of(kinds));
  if (!ground) return Error(Errc::bad_map, file + ": " + ground.error().to_string());
  std::vector<nav::AgentId> agents;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    const auto agent = (*ground)->add_agent(agent_of(kinds, kind));
    if (!agent) {
      return Error(Errc::bad_request,
                   file + ", kind '" + kinds[kind].name + "': " + agent.error().to_string());
    }
    agents.push_back(*agent);
  }
  return std::make_shared<Map>(*std::move(ground), std::move(agents));
}

}  // namespace starbus::nodes::crowds
