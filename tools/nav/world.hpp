/// Worlds: what starbus-nav can read, bake, ask and draw, whatever kind of ground a file has. A
/// further kind of file is one more row of kKinds in world.cpp, and a further kind of ground one
/// more World.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nav/ground.hpp"
#include "nav/mesh/bake.hpp"

namespace starbus::nav_tool {

using nav::Errc;
using nav::Error;
using nav::Result;

/// How a file is to be read: what is not in it.
struct ReadOptions {
  nav::Point origin = {};            ///< of texts: the lowest corner
  std::optional<float> cell = {};    ///< m, of texts and meshes: the side of a cell
  float voxel = 0.5F;                ///< m, of triangles that become a volume: the side of a voxel
  float margin = 2;                  ///< m, likewise: air around them
  std::vector<int> areas = {};       ///< that the agent passes; empty: all but walls
  std::optional<float> radius = {};  ///< m, of the agent
  std::optional<float> climb = {};   ///< m, likewise
  bool mesh = false;                 ///< triangles become a navmesh
  /// Of that mesh; cell, radius and climb count before those of it.
  nav::mesh::BakeOptions bake = {};
  std::vector<std::pair<std::string, nav::Area>> materials = {};  ///< likewise: their areas
  /// Told how many tiles of how many are done.
  std::function<void(std::uint32_t done, std::uint32_t of)> progress = {};
};

/// What can be reached from each other.
struct Island {
  std::uint64_t pieces = 0;
  double area = 0;   ///< m2; 0 where all pieces are alike
  nav::Place place;  ///< one of it
};

using LostSlope = nav::mesh::Slope;

/// As Ground::outline has it.
using Shape = std::vector<nav::Point>;

/// A ground with one agent. Owns it; one thread.
class World {
 public:
  virtual ~World() = default;
  /// "grid", "volume", "mesh".
  virtual std::string_view kind() const = 0;
  /// Whether places lie on floors, which one can look for without a height.
  virtual bool has_floors() const { return true; }
  /// One line on how large it is.
  virtual std::string size() const = 0;
  virtual nav::Ground& ground() = 0;
  virtual nav::AgentId agent() const = 0;
  /// All islands, the largest first, and among equals the one that comes first.
  virtual std::vector<Island> islands() const = 0;
  /// What was lost when it was made of triangles: the largest first.
  virtual std::vector<LostSlope> lost_slopes() const { return {}; }
  /// What the agent cannot pass at a height, in the plane; more than `most` are cut off.
  virtual std::vector<Shape> closed(float z, std::size_t most) const = 0;
  /// What the agent can pass, where that is all that there is; likewise.
  virtual std::vector<Shape> open(std::size_t) const { return {}; }
  /// The world as a baked file.
  virtual Result<std::string> bytes() const = 0;
};

/// A file as a world. The errors of the nav library; the detail begins with the file's name.
Result<std::unique_ptr<World>> read_world(const std::string& file, const ReadOptions& options);

// -- For rows of kKinds

/// Which areas the agent passes, as flags: 1 for those, 2 for all others.
nav::Areas areas_of(const ReadOptions& options);
/// With the step that it climbs if none was asked for, in m.
nav::Agent agent_of(const ReadOptions& options, float climb = 1);
Result<std::unique_ptr<World>> read_baked_grid(std::string_view bytes, const ReadOptions& options);
Result<std::unique_ptr<World>> read_moving_ai(std::string_view bytes, const ReadOptions& options);
Result<std::unique_ptr<World>> read_grid_text(std::string_view bytes, const ReadOptions& options);
/// Triangles, three corners each, as a volume: what they touch is wall.
Result<std::unique_ptr<World>> voxelise(std::span<const nav::Point> corners,
                                        const ReadOptions& options);
/// The same of terrain.
Result<std::unique_ptr<World>> read_obj_as_volume(std::string_view bytes,
                                                  const ReadOptions& options);
Result<std::unique_ptr<World>> read_baked_volume(std::string_view bytes,
                                                 const ReadOptions& options);
/// Terrain as a navmesh, and one from a file. bad_option where this program was built without.
Result<std::unique_ptr<World>> read_obj_as_mesh(std::string_view bytes, const ReadOptions& options);
Result<std::unique_ptr<World>> read_baked_mesh(std::string_view bytes, const ReadOptions& options);

}  // namespace starbus::nav_tool
