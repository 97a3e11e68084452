#include "nav/mesh/tile_mesh.hpp"

#include <cmath>
#include <cstring>

#include "base/little_endian.hpp"
#include "nav/limits.hpp"
#include "nav/mesh/limits.hpp"
#include "nav/types.hpp"

namespace starbus::nav::mesh {
namespace {

constexpr std::size_t kRow = 2 * kCorners;

Error bad_mesh(const char* what) {
  return {Errc::corrupt, what};
}

struct Row {
  const std::uint16_t* row;
  int count;
  std::uint16_t corner(int i) const { return row[i % count]; }
  std::uint16_t neighbour(int i) const { return row[kCorners + i]; }
};

Row row_of(const TileMesh& mesh, std::size_t number) {
  return {&mesh.polygons[number * kRow], corners_of(mesh, number)};
}

// Convex, and turning as those of Recast do. Corners in a line are allowed, unless all are.
bool convex(const TileMesh& mesh, const Row& of) {
  bool turns = false;
  for (int i = 0; i < of.count; ++i) {
    const auto at = [&](int corner, int axis) {
      return std::int64_t{
          mesh.corners[std::size_t{of.corner(corner)} * 3 + static_cast<std::size_t>(axis)]};
    };
    const std::int64_t turn = (at(i + 1, 0) - at(i, 0)) * (at(i + 2, 2) - at(i + 1, 2)) -
                              (at(i + 1, 2) - at(i, 2)) * (at(i + 2, 0) - at(i + 1, 0));
    if (turn > 0) return false;
    turns = turns || turn < 0;
  }
  return turns;
}

bool has_edge(const Row& of, std::uint16_t from, std::uint16_t to, std::size_t neighbour) {
  for (int i = 0; i < of.count; ++i) {
    if (of.corner(i) == from && of.corner(i + 1) == to && of.neighbour(i) == neighbour) return true;
  }
  return false;
}

Result<void> check_polygon(const TileMesh& mesh, std::size_t number) {
  const Row of = row_of(mesh, number);
  if (of.count < 3) return bad_mesh("polygon: corners");
  for (int i = 0; i < kCorners; ++i) {
    const std::uint16_t corner = of.row[i];
    if (i < of.count ? corner >= mesh.corners.size() / 3 : corner != kNone) {
      return bad_mesh("polygon: a corner");
    }
    if (i >= of.count && of.neighbour(i) != kNone) return bad_mesh("polygon: neighbours");
  }
  if (!convex(mesh, of)) return bad_mesh("polygon: not convex");
  for (int i = 0; i < of.count; ++i) {
    const std::uint16_t neighbour = of.neighbour(i);
    if (neighbour == kNone) continue;
    if ((neighbour & kBorder) != 0) {
      if ((neighbour & ~kBorder) > 3) return bad_mesh("polygon: a border");
      continue;
    }
    if (neighbour >= mesh.count() || neighbour == number) return bad_mesh("polygon: a neighbour");
    const Row other{&mesh.polygons[neighbour * kRow], corners_of(mesh, neighbour)};
    if (other.count < 3 || !has_edge(other, of.corner(i + 1), of.corner(i), number)) {
      return bad_mesh("polygon: a neighbour without that edge");
    }
  }
  if (mesh.areas[number] == kWall || mesh.areas[number] > kMaxArea) return bad_mesh("area");
  return {};
}

// A triangle has two bits for each of its edges: 1 if it is one of the polygon. Detour relies on
// one of them.
Result<void> check_details(const TileMesh& mesh, std::size_t number) {
  const std::uint32_t* const detail = &mesh.details[number * 4];
  const auto corners = static_cast<std::uint32_t>(corners_of(mesh, number));
  if (detail[1] < corners || detail[1] > 255 || detail[3] == 0 || detail[3] > 255 ||
      detail[0] > mesh.points.size() / 3 || detail[1] > mesh.points.size() / 3 - detail[0] ||
      detail[2] > mesh.triangles.size() / 4 || detail[3] > mesh.triangles.size() / 4 - detail[2]) {
    return bad_mesh("details");
  }
  bool has_border = false;
  for (std::uint32_t i = 0; i < detail[3]; ++i) {
    const std::uint8_t* const triangle = &mesh.triangles[(std::size_t{detail[2]} + i) * 4];
    for (int k = 0; k < 3; ++k) {
      if (triangle[k] >= detail[1]) return bad_mesh("details: a point");
      has_border = has_border || (triangle[3] >> (k * 2) & 1) != 0;
    }
    if (triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[2] == triangle[0]) {
      return bad_mesh("details: a triangle");
    }
  }
  return has_border ? Result<void>() : bad_mesh("details: no border");
}

template <class Value>
void append_all(std::string& out, const std::vector<Value>& values) {
  append_little(out, values.size(), 4);
  out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value));
}

template <class Value>
bool take_all(std::string_view& bytes, std::vector<Value>& values) {
  if (bytes.size() < 4) return false;
  const std::size_t count = load<std::uint32_t>(bytes, 0);
  bytes.remove_prefix(4);
  if (count > bytes.size() / sizeof(Value)) return false;
  values.resize(count);
  if (count != 0) std::memcpy(values.data(), bytes.data(), count * sizeof(Value));
  bytes.remove_prefix(count * sizeof(Value));
  return true;
}

}  // namespace

int corners_of(const TileMesh& mesh, std::size_t polygon) {
  const std::uint16_t* const row = &mesh.polygons[polygon * kRow];
  int count = 0;
  while (count < kCorners && row[count] != kNone) ++count;
  return count;
}

Result<void> check(const TileMesh& mesh, const TileBox& box) {
  const std::size_t count = mesh.count();
  if (count > kMaxTilePolygons) return Error(Errc::too_many, "kMaxTilePolygons");
  if (mesh.corners.size() % 3 != 0 || mesh.corners.size() / 3 >= kNone ||
      mesh.points.size() % 3 != 0 || mesh.triangles.size() % 4 != 0 ||
      mesh.polygons.size() != count * kRow ||
      (!mesh.details.empty() && mesh.details.size() != count * 4)) {
    return bad_mesh("polygons: their number");
  }
  if (count == 0) return {};
  for (std::size_t i = 0; i < mesh.corners.size(); ++i) {
    if (mesh.corners[i] > (i % 3 == 1 ? box.height_cells : box.cells)) {
      return bad_mesh("a corner");
    }
  }
  for (std::size_t i = 0; i < mesh.points.size(); ++i) {
    const float at = mesh.points[i];
    if (!(at >= box.low[i % 3] - kSlack && at <= box.high[i % 3] + kSlack)) {
      return bad_mesh("details: a point");
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (auto fine = check_polygon(mesh, i); !fine) return fine;
    if (mesh.details.empty()) continue;
    if (auto fine = check_details(mesh, i); !fine) return fine;
  }
  return {};
}

void drop_twisted(TileMesh& mesh) {
  std::vector<std::uint16_t> numbers(mesh.count(), kNone);
  std::uint16_t kept = 0;
  for (std::size_t i = 0; i < mesh.count(); ++i) {
    const Row of = row_of(mesh, i);
    if (of.count >= 3 && convex(mesh, of)) numbers[i] = kept++;
  }
  if (kept == mesh.count()) return;
  for (std::size_t i = 0; i < mesh.count(); ++i) {
    if (numbers[i] == kNone) continue;
    std::uint16_t* const row = &mesh.polygons[numbers[i] * kRow];
    std::memmove(row, &mesh.polygons[i * kRow], kRow * sizeof(*row));
    for (int k = kCorners; k < static_cast<int>(kRow); ++k) {
      if (row[k] < kBorder) row[k] = numbers[row[k]];
    }
    mesh.areas[numbers[i]] = mesh.areas[i];
    if (!mesh.details.empty()) {
      std::memmove(&mesh.details[numbers[i] * 4u], &mesh.details[i * 4], 4 * sizeof(std::uint32_t));
    }
  }
  mesh.polygons.resize(kept * kRow);
  mesh.areas.resize(kept);
  if (!mesh.details.empty()) mesh.details.resize(kept * 4u);
}

void append(std::string& out, const TileMesh& mesh) {
  append_all(out, mesh.corners);
  append_all(out, mesh.polygons);
  append_all(out, mesh.areas);
  append_all(out, mesh.details);
  append_all(out, mesh.points);
  append_all(out, mesh.triangles);
}

Result<TileMesh> take_tile_mesh(std::string_view& bytes) {
  TileMesh mesh;
  if (!take_all(bytes, mesh.corners) || !take_all(bytes, mesh.polygons) ||
      !take_all(bytes, mesh.areas) || !take_all(bytes, mesh.details) ||
      !take_all(bytes, mesh.points) || !take_all(bytes, mesh.triangles)) {
    return bad_mesh("polygons: cut off");
  }
  return mesh;
}

}  // namespace starbus::nav::mesh
