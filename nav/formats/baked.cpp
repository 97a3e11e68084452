#include "nav/formats/baked.hpp"

#include <bit>
#include <cmath>

#include "base/crc32c.hpp"
#include "base/little_endian.hpp"
#include "nav/volume/linear_octree.hpp"

namespace starbus::nav::formats {
namespace {

constexpr std::string_view kMagic = "SBNV";
constexpr std::size_t kHeadBytes = 16;
constexpr std::size_t kSummedBytes = 12;  // of the head
constexpr std::size_t kLinkBytes = 14;
constexpr std::uint16_t kVersion = 1;

Error malformed(std::string_view what) {
  return {Errc::corrupt, std::string(what)};
}

// Takes numbers off the front of bytes; whether they were there is asked once, at the end.
class BodyReader {
 public:
  explicit BodyReader(std::string_view bytes) : bytes_(bytes) {}

  template <class Number>
  Number take() {
    if (bytes_.size() < sizeof(Number)) {
      short_ = true;
      bytes_ = {};
      return {};
    }
    const auto number = load<Number>(bytes_, 0);
    bytes_.remove_prefix(sizeof(Number));
    return number;
  }
  float take_float() { return std::bit_cast<float>(take<std::uint32_t>()); }
  Point take_point() {
    const float x = take_float();
    const float y = take_float();
    return {x, y, take_float()};
  }
  std::string_view take_bytes(std::size_t count) {
    if (bytes_.size() < count) {
      short_ = true;
      bytes_ = {};
      return {};
    }
    const std::string_view front = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return front;
  }
  std::size_t left() const { return bytes_.size(); }
  bool short_of() const { return short_; }

 private:
  std::string_view bytes_;
  bool short_ = false;
};

void append_float(std::string& out, float value) {
  append_little(out, std::bit_cast<std::uint32_t>(value), 4);
}
void append_point(std::string& out, const Point& at) {
  append_float(out, at.x);
  append_float(out, at.y);
  append_float(out, at.z);
}

Result<std::string_view> body_of(std::string_view bytes, std::uint16_t kind) {
  const auto baked = read_baked(bytes);
  if (!baked) return baked.error();
  if (baked->kind != kind) return malformed("kind: another one than was asked for");
  if (baked->version != kVersion) return malformed("version: written by a newer starbus");
  return baked->body;
}

bool fits_in_the_world(const Point& origin, float size) {
  return finite(origin) && std::isfinite(size) && size > 0;
}

}  // namespace

std::uint16_t kind_of(std::string_view bytes) {
  const bool baked = bytes.size() >= 8 && bytes.starts_with(kMagic);
  return baked ? load<std::uint16_t>(bytes, 6) : std::uint16_t{0};
}

Result<Baked> read_baked(std::string_view bytes) {
  if (bytes.size() > kMaxBakedBytes) return Error(Errc::too_large, "kMaxBakedBytes");
  if (bytes.size() < kHeadBytes || !bytes.starts_with(kMagic)) return malformed("no baked file");
  const std::string_view body = bytes.substr(kHeadBytes);
  if (load<std::uint32_t>(bytes, 8) != body.size()) return malformed("length: cut off");
  const std::uint32_t sum = crc32c(crc32c(0, bytes.substr(0, kSummedBytes)), body);
  if (load<std::uint32_t>(bytes, 12) != sum) return malformed("checksum: damaged");
  return Baked{load<std::uint16_t>(bytes, 6), load<std::uint16_t>(bytes, 4), body};
}

Result<std::string> write_baked(std::uint16_t kind, std::uint16_t version, std::string_view body) {
  if (body.size() > kMaxBakedBytes - kHeadBytes) return Error(Errc::too_large, "kMaxBakedBytes");
  std::string bytes(kMagic);
  append_little(bytes, version, 2);
  append_little(bytes, kind, 2);
  append_little(bytes, body.size(), 4);
  append_little(bytes, crc32c(crc32c(0, bytes), body), 4);
  bytes += body;
  return bytes;
}

// -- Grids

Result<std::string> write_grid(const GridFile& grid) {
  const grid::Terrain& terrain = grid.terrain;
  if (auto fits = check(terrain); !fits) return fits.error();
  std::string body;
  append_point(body, grid.options.origin);
  append_float(body, grid.options.cell_size);
  append_little(body, terrain.width, 4);
  append_little(body, terrain.height, 4);
  append_little(body, static_cast<std::uint8_t>(grid.options.diagonals), 1);
  append_little(body, terrain.levels.empty() ? 0 : 1, 1);
  append_little(body, terrain.links.size(), 2);
  for (const Area area : terrain.areas) body += static_cast<char>(area);
  for (const float level : terrain.levels) append_float(body, level);
  for (const grid::CellLink& link : terrain.links) {
    for (const std::uint16_t at : {link.from.x, link.from.y, link.to.x, link.to.y}) {
      append_little(body, at, 2);
    }
    append_little(body, link.cost, 4);
    append_little(body, link.both_ways ? 1 : 0, 1);
    append_little(body, link.area, 1);
  }
  return write_baked(kGridKind, kVersion, body);
}

Result<GridFile> read_grid(std::string_view bytes) {
  const auto body = body_of(bytes, kGridKind);
  if (!body) return body.error();
  BodyReader in(*body);
  GridFile file;
  file.options.origin = in.take_point();
  file.options.cell_size = in.take_float();
  grid::Terrain& terrain = file.terrain;
  terrain.width = in.take<std::uint32_t>();
  terrain.height = in.take<std::uint32_t>();
  const auto diagonals = in.take<std::uint8_t>();
  const auto has_levels = in.take<std::uint8_t>();
  const auto links = in.take<std::uint16_t>();
  if (!fits_in_the_world(file.options.origin, file.options.cell_size)) {
    return malformed("grid: origin or cell_size");
  }
  if (diagonals > static_cast<std::uint8_t>(grid::Diagonals::cut) || has_levels > 1) {
    return malformed("grid: options");
  }
  file.options.diagonals = static_cast<grid::Diagonals>(diagonals);
  // No room is taken on the word of the head: the bytes must be there.
  const std::uint64_t cells = std::uint64_t{terrain.width} * terrain.height;
  const std::uint64_t expected = cells * (has_levels != 0 ? 5 : 1) + links * kLinkBytes;
  if (in.short_of() || cells > kMaxCells || in.left() != expected) {
    return malformed("grid: not as many bytes as its size says");
  }
  const std::string_view areas = in.take_bytes(cells);
  terrain.areas.assign(areas.begin(), areas.end());
  for (std::uint64_t i = 0; has_levels != 0 && i < cells; ++i) {
    terrain.levels.push_back(in.take_float());
  }
  for (std::uint16_t i = 0; i < links; ++i) {
    grid::CellLink link;
    for (std::uint16_t* const at : {&link.from.x, &link.from.y, &link.to.x, &link.to.y}) {
      *at = in.take<std::uint16_t>();
    }
    link.cost = in.take<std::uint32_t>();
    link.both_ways = in.take<std::uint8_t>() != 0;
    link.area = in.take<std::uint8_t>();
    terrain.links.push_back(link);
  }
  if (auto fits = check(terrain); !fits) return fits.error();
  return file;
}

// -- Volumes

Result<std::string> write_volume(const VolumeFile& volume) {
  const auto tree = volume::LinearOctree::create(volume.columns);
  if (!tree) return tree.error();
  std::string body;
  append_point(body, volume.options.origin);
  append_float(body, volume.options.voxel_size);
  const volume::Extent& extent = tree->extent();
  for (const std::uint32_t count : {extent.x, extent.y, extent.z}) append_little(body, count, 4);
  append_little(body, tree->size(), 4);
  for (std::size_t i = 0; i < tree->size(); ++i) {
    const volume::Block leaf = tree->leaf(i);
    body += static_cast<char>(leaf.level);
    body += static_cast<char>(leaf.value);
  }
  return write_baked(kVolumeKind, kVersion, body);
}

Result<VolumeFile> read_volume(std::string_view bytes) {
  const auto body = body_of(bytes, kVolumeKind);
  if (!body) return body.error();
  BodyReader in(*body);
  volume::VolumeOptions options;
  options.origin = in.take_point();
  options.voxel_size = in.take_float();
  volume::Extent extent;
  for (std::uint32_t* const count : {&extent.x, &extent.y, &extent.z}) {
    *count = in.take<std::uint32_t>();
  }
  const auto leaves = in.take<std::uint32_t>();
  if (!fits_in_the_world(options.origin, options.voxel_size)) {
    return malformed("volume: origin or voxel_size");
  }
  if (in.short_of() || in.left() != std::uint64_t{leaves} * 2) {
    return malformed("volume: not as many bytes as its leaves");
  }
  std::vector<volume::LinearOctree::Cube> cubes;
  cubes.reserve(leaves);
  for (std::uint32_t i = 0; i < leaves; ++i) {
    const auto level = in.take<std::uint8_t>();
    cubes.push_back({level, in.take<std::uint8_t>()});
  }
  const auto tree = volume::LinearOctree::of(extent, cubes);
  if (!tree) {
    if (tree.error() == Errc::bad_option) return malformed("volume: " + tree.error().detail);
    return tree.error();
  }
  auto columns = tree->columns();
  if (!columns) return columns.error();
  return VolumeFile{*std::move(columns), options};
}

}  // namespace starbus::nav::formats
