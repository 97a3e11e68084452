#include "nav/mesh/baked.hpp"

#include <bit>
#include <cmath>

#include "base/crc32c.hpp"
#include "base/little_endian.hpp"
#include "nav/mesh/limits.hpp"
#include "nav/mesh/space.hpp"
#include "nav/mesh/voxels.hpp"

namespace starbus::nav::mesh {
namespace {

constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kNumbers = 12 + 6;  ///< options and corners, as floats
constexpr std::size_t kHeader = 8 + 4 + 4 * kNumbers + 4 + 1 + 1;
constexpr std::size_t kChecksum = 4;

Error bad_file(std::string what) {
  return {Errc::corrupt, std::move(what)};
}

template <class Use>
void each_number(Layout& layout, Use&& use) {
  BakeOptions& of = layout.options;
  for (float* one :
       {&of.cell_size, &of.cell_height, &of.agent_height, &of.agent_radius, &of.agent_climb,
        &of.agent_slope, &of.min_region, &of.merge_region, &of.edge_length, &of.edge_error,
        &of.detail_distance, &of.detail_error, &layout.low.x, &layout.low.y, &layout.low.z,
        &layout.high.x, &layout.high.y, &layout.high.z}) {
    use(*one);
  }
}

Result<void> check_tile(const Layout& layout, const BakedTile& tile, std::uint32_t number) {
  if (auto fine = check(tile.mesh, layout.box(number)); !fine) return fine;
  if (!layout.options.dynamic) {
    return tile.voxels.empty() ? Result<void>() : bad_file("voxels of a mesh without them");
  }
  if (auto voxels = unpack(tile.voxels, steps_of(layout.options).side); !voxels) {
    return voxels.error();
  }
  return {};
}

// Tiles that a side has: what is left over at its end is one, too.
double tiles_along(float low, float high, const BakeOptions& options) {
  const double side = static_cast<double>(options.cell_size) * options.tile_cells;
  return std::max(1.0, std::ceil((static_cast<double>(high) - static_cast<double>(low)) / side));
}

}  // namespace

TileBox Layout::box(std::uint32_t tile) const {
  const double side = static_cast<double>(options.cell_size) * options.tile_cells;
  const auto at = [&](float from, std::uint32_t number) {
    return static_cast<float>(static_cast<double>(from) + side * number);
  };
  const std::uint32_t column = tile % columns;
  const std::uint32_t row = tile / columns;
  return {{at(low.x, column), low.z, at(low.y, row)},
          {at(low.x, column + 1), high.z, at(low.y, row + 1)},
          static_cast<int>(options.tile_cells),
          static_cast<int>((static_cast<double>(high.z) - static_cast<double>(low.z)) /
                           static_cast<double>(options.cell_height)) +
              2};
}

Result<Layout> layout_of(const BakeOptions& options, Point low, Point high) {
  if (auto fine = check(options); !fine) return fine.error();
  if (!on_map(low) || !on_map(high) || low.x > high.x || low.y > high.y || low.z > high.z) {
    return Error(Errc::bad_position, "kMaxCoordinate");
  }
  if (static_cast<double>(high.z) - static_cast<double>(low.z) >
      static_cast<double>(options.cell_height) * kMaxHeightCells) {
    return Error(Errc::too_large, "kMaxHeightCells");
  }
  const double columns = tiles_along(low.x, high.x, options);
  const double rows = tiles_along(low.y, high.y, options);
  if (columns * rows > kMaxTiles) return Error(Errc::too_many, "kMaxTiles");
  return Layout{options, low, high, static_cast<std::uint32_t>(columns),
                static_cast<std::uint32_t>(rows)};
}

Result<void> check(const Baked& baked) {
  const auto layout = layout_of(baked.layout.options, baked.layout.low, baked.layout.high);
  if (!layout) return layout.error();
  if (*layout != baked.layout || baked.tiles.size() != layout->tiles()) {
    return bad_file("tiles: their number");
  }
  std::size_t polygons = 0;
  for (std::uint32_t i = 0; i < layout->tiles(); ++i) {
    if (auto fine = check_tile(*layout, baked.tiles[i], i); !fine) {
      return Error(fine.error().code,
                   "tile " + std::to_string(i) + ": " + std::string(fine.error().detail));
    }
    polygons += baked.tiles[i].mesh.count();
  }
  if (polygons > kMaxPolygons) return Error(Errc::too_many, "kMaxPolygons");
  return {};
}

std::string encode(const Baked& baked) {
  std::string out(kMeshMagic);
  append_little(out, kVersion, 4);
  Layout layout = baked.layout;
  each_number(layout, [&](float one) { append_little(out, std::bit_cast<std::uint32_t>(one), 4); });
  append_little(out, layout.options.tile_cells, 4);
  append_little(out, static_cast<std::uint8_t>(layout.options.regions), 1);
  append_little(out, layout.options.dynamic ? 1 : 0, 1);
  for (const BakedTile& tile : baked.tiles) {
    append(out, tile.mesh);
    append_little(out, tile.voxels.size(), 4);
    out += tile.voxels;
  }
  append_little(out, crc32c(0, out), kChecksum);
  return out;
}

Result<Baked> decode(std::string_view bytes) {
  if (bytes.size() > kMaxMeshBytes) return Error(Errc::too_large, "kMaxMeshBytes");
  if (bytes.size() < kHeader + kChecksum || !bytes.starts_with(kMeshMagic)) {
    return bad_file("no file of a navmesh");
  }
  if (load<std::uint32_t>(bytes, kMeshMagic.size()) != kVersion) return bad_file("version");
  const std::uint32_t checksum = load<std::uint32_t>(bytes, bytes.size() - kChecksum);
  bytes.remove_suffix(kChecksum);
  if (crc32c(0, bytes) != checksum) return bad_file("checksum");
  bytes.remove_prefix(kMeshMagic.size() + 4);
  Layout read;
  each_number(read, [&](float& one) {
    one = std::bit_cast<float>(load<std::uint32_t>(bytes, 0));
    bytes.remove_prefix(4);
  });
  read.options.tile_cells = load<std::uint32_t>(bytes, 0);
  const std::uint8_t regions = load<std::uint8_t>(bytes, 4);
  const std::uint8_t dynamic = load<std::uint8_t>(bytes, 5);
  bytes.remove_prefix(6);
  if (regions > static_cast<std::uint8_t>(Regions::layers) || dynamic > 1)
    return bad_file("header");
  read.options.regions = static_cast<Regions>(regions);
  read.options.dynamic = dynamic != 0;
  auto layout = layout_of(read.options, read.low, read.high);
  if (!layout) return layout.error();
  Baked baked{*layout, {}};
  for (std::uint32_t i = 0; i < layout->tiles(); ++i) {
    auto mesh = take_tile_mesh(bytes);
    if (!mesh) return mesh.error();
    if (bytes.size() < 4) return bad_file("voxels: cut off");
    const std::size_t size = load<std::uint32_t>(bytes, 0);
    bytes.remove_prefix(4);
    if (size > bytes.size()) return bad_file("voxels: cut off");
    baked.tiles.push_back({std::move(*mesh), std::string(bytes.substr(0, size))});
    bytes.remove_prefix(size);
  }
  if (!bytes.empty()) return bad_file("more bytes than tiles");
  if (auto fine = check(baked); !fine) return fine.error();
  return baked;
}

}  // namespace starbus::nav::mesh
