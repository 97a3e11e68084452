/// Voxels of a tile: where somebody could stand, before polygons are made of it. Kept as bytes in
/// runs, so that an obstacle can have its tile built again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nav/error.hpp"
#include "nav/types.hpp"

namespace starbus::nav::mesh {

/// Spans of ground, column by column: x first, then y; from below within a column. Plain value.
struct Voxels {
  std::vector<std::uint8_t> counts;   ///< by column: its spans
  std::vector<std::uint16_t> floors;  ///< by span: in cells above the mesh's lowest height
  std::vector<std::uint8_t> rooms;    ///< by span: cells above it that are free, 255 at most
  std::vector<Area> areas;            ///< by span; kWall where somebody has closed it
  friend bool operator==(const Voxels&, const Voxels&) = default;
};

/// In runs. Equal voxels have equal bytes.
std::string pack(const Voxels& voxels);
/// corrupt if the bytes are not what pack writes of a tile with a side of so many cells.
Result<Voxels> unpack(std::string_view bytes, int side);

}  // namespace starbus::nav::mesh
