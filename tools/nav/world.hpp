/// Worlds: what starbus-nav can read, bake, ask and draw, whatever kind of ground a file has. A
/// further kind of file is one more row of kKinds in world.cpp, and a further kind of ground one
/// more World.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nav/ground.hpp"

namespace starbus::nav_tool {

using nav::Errc;
using nav::Error;
using nav::Result;

/// How a file is to be read: what is not in it.
struct ReadOptions {
  nav::Point origin = {};       ///< of texts: the lowest corner
  float cell = 1;               ///< m, of texts: the side of a cell
  float voxel = 0.5F;           ///< m, of triangles: the side of a voxel
  float margin = 2;             ///< m, of triangles: air around them
  std::vector<int> areas = {};  ///< that the agent passes; empty: all but walls
  float radius = 0;             ///< m, of the agent
  float climb = 1;              ///< m, likewise
};

/// What can be reached from each other.
struct Island {
  std::uint64_t pieces = 0;
  nav::Place place;  ///< one of it
};

/// A ground with one agent. Owns it; one thread.
class World {
 public:
  virtual ~World() = default;
  /// "grid", "volume".
  virtual std::string_view kind() const = 0;
  /// One line on how large it is.
  virtual std::string size() const = 0;
  virtual nav::Ground& ground() = 0;
  virtual nav::AgentId agent() const = 0;
  /// All islands, the largest first, and among equals the one with the lowest piece.
  virtual std::vector<Island> islands() const = 0;
  /// What the agent cannot pass at a height, as rectangles of the plane; more than `most` are cut
  /// off.
  virtual std::vector<nav::Box> closed(float z, std::size_t most) const = 0;
  /// The world as a baked file.
  virtual Result<std::string> bytes() const = 0;
};

/// A file as a world. The errors of the nav library; the detail begins with the file's name.
Result<std::unique_ptr<World>> read_world(const std::string& file, const ReadOptions& options);

// -- For rows of kKinds

/// Which areas the agent passes, as flags: 1 for those, 2 for all others.
nav::Areas areas_of(const ReadOptions& options);
nav::Agent agent_of(const ReadOptions& options);
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

}  // namespace starbus::nav_tool
