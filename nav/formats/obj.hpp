/// Terrain as Wavefront OBJ has it: `v`, `f` and `usemtl`; all else is left out. Reads text that
/// was loaded by the caller; a text that is not what the format says is `corrupt`, with the line.
/// Pure functions; any thread.
#pragma once

#include <string_view>

#include "nav/error.hpp"
#include "nav/mesh/terrain.hpp"

namespace starbus::nav::formats {

/// Which axis of a text is up.
enum class Up : std::uint8_t {
  y,  ///< most programs write so: (x, y, z) becomes (x, -z, y)
  z,  ///< as ours
};

/// Faces with several corners become fans of triangles. Numbers of corners below 0 count from the
/// last point. corrupt; bad_position for a point beyond
/// kMaxCoordinate; too_large, too_many with the limit's name.
Result<mesh::Terrain> read_obj(std::string_view text, Up up = Up::y);

}  // namespace starbus::nav::formats
