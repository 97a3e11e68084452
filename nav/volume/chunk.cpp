#include "nav/volume/chunk.hpp"

#include <algorithm>

namespace starbus::nav::volume {

std::optional<Area> one_area(const Columns& columns, const VoxelBox& box) {
  std::optional<Area> area;
  for (std::uint32_t x = box.x0; x < box.x1; ++x) {
    for (std::uint32_t y = box.y0; y < box.y1; ++y) {
      const auto spans = columns.column(x, y);
      const auto span = std::ranges::upper_bound(spans, box.z0, {}, &Span::end);
      if (span->end < box.z1 || (area && *area != span->area)) return std::nullopt;
      area = span->area;
    }
  }
  return area;
}

void read_areas(const Columns& columns, Voxel low, ChunkValues& out) {
  out.assign(kChunkVoxels, kWall);
  const Extent& extent = columns.extent();
  for (std::uint32_t x = 0; x < kChunkSide && low.x + x < extent.x; ++x) {
    for (std::uint32_t y = 0; y < kChunkSide && low.y + y < extent.y; ++y) {
      std::uint32_t begin = 0;
      for (const Span& span : columns.column(low.x + x, low.y + y)) {
        const std::uint32_t from = std::max<std::uint32_t>(begin, low.z);
        const std::uint32_t to = std::min<std::uint32_t>(span.end, low.z + kChunkSide);
        if (from < to) {
          const auto at = out.begin() + chunk_index(x, y, from - low.z);
          std::fill(at, at + (to - from), span.area);
        }
        begin = span.end;
        if (begin >= low.z + kChunkSide) break;
      }
    }
  }
}

}  // namespace starbus::nav::volume
