/// Baked files: ground as bytes, read in one piece, for servers to load and tools to look at. A
/// file says what kind of ground it has, in which version, and carries a checksum; what it says is
/// checked before any of it is believed. All numbers are little-endian:
///
///   0   "SBNV"
///   4   u16 version of the kind's body, 1
///   6   u16 kind: 1 grid, 2 volume
///   8   u32 bytes of the body
///   12  u32 CRC-32C of the first 12 bytes and of the body
///   16  the body
///
/// Grid: origin 3 x f32, cell_size f32, width u32, height u32, diagonals u8, has_levels u8, links
/// u16; areas, a byte for each cell; levels f32 if it has them; links: from x, y, to x, y u16, cost
/// u32, both_ways u8, area u8. Volume: origin 3 x f32, voxel_size f32, extent 3 x u32, leaves u32;
/// for each leaf of volume::LinearOctree, in its order, level u8, area u8.
///
/// Pure functions; any thread. Whatever is malformed is `corrupt`; newer versions and other kinds
/// are, too, and the detail says so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "nav/error.hpp"
#include "nav/formats/limits.hpp"
#include "nav/grid/grid_ground.hpp"
#include "nav/volume/volume_ground.hpp"

namespace starbus::nav::formats {

/// The kinds of this library.
inline constexpr std::uint16_t kGridKind = 1;
inline constexpr std::uint16_t kVolumeKind = 2;

/// A file's kind, version and body, which lies in the bytes of the file.
struct Baked {
  std::uint16_t kind = 0;
  std::uint16_t version = 0;
  std::string_view body;
};
/// The kind that bytes say they are; 0 if they are no baked file.
std::uint16_t kind_of(std::string_view bytes);
/// Checks the head and the sum. corrupt, too_large.
Result<Baked> read_baked(std::string_view bytes);
/// A whole file. too_large.
Result<std::string> write_baked(std::uint16_t kind, std::uint16_t version, std::string_view body);

/// What a grid is made of. The flags of areas are the game's and in no file.
struct GridFile {
  grid::Terrain terrain;
  grid::GridOptions options;
};
/// bad_option and too_large as check() of the terrain says.
Result<std::string> write_grid(const GridFile& grid);
/// corrupt, too_large; what check() says of the terrain.
Result<GridFile> read_grid(std::string_view bytes);

/// What a volume is made of; likewise.
struct VolumeFile {
  volume::Columns columns;
  volume::VolumeOptions options;
};
/// too_large.
Result<std::string> write_volume(const VolumeFile& volume);
/// corrupt, too_large.
Result<VolumeFile> read_volume(std::string_view bytes);

}  // namespace starbus::nav::formats
