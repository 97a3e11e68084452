#include "nav/volume/columns.hpp"

#include <algorithm>

namespace starbus::nav::volume {

Result<Columns> Columns::create(const Extent& extent, Area area) {
  if (extent.voxels() == 0) return Error(Errc::bad_option, "extent: no voxels");
  if (extent.x > kMaxVoxelSide || extent.y > kMaxVoxelSide || extent.z > kMaxVoxelSide) {
    return Error(Errc::too_large, "kMaxVoxelSide");
  }
  if (extent.columns() > kMaxColumns) return Error(Errc::too_large, "kMaxColumns");
  if (area > kMaxArea) return Error(Errc::too_large, "kMaxArea");
  return Columns(extent, area);
}

Columns::Columns(const Extent& extent, Area area)
    : extent_(extent),
      columns_(extent.columns()),
      pool_(extent.columns(), Span{static_cast<std::uint16_t>(extent.z), area}),
      spans_(extent.columns()) {
  for (std::uint32_t i = 0; i < columns_.size(); ++i) columns_[i] = {i, 1, 1};
}

Area Columns::at(Voxel voxel) const {
  if (!extent_.contains(voxel)) return kWall;
  const auto spans = column(voxel.x, voxel.y);
  return std::ranges::upper_bound(spans, voxel.z, {}, &Span::end)->area;
}

Gap Columns::clearance(Voxel voxel) const {
  if (solid(voxel)) return {};
  Gap gap;
  for (const Span& span : column(voxel.x, voxel.y)) {
    if (span.area == kWall) {
      if (span.end > voxel.z) return gap;
      gap.low = span.end;
    }
    gap.high = span.end;
  }
  return gap;
}

Result<void> Columns::set(std::uint32_t x, std::uint32_t y, std::uint32_t z0, std::uint32_t z1,
                          Area area) {
  if (spans_ + 2 > kMaxSpans) return Error(Errc::too_large, "kMaxSpans");
  scratch_.clear();
  const auto put = [&](std::uint32_t end, Area of) {
    const Span span{static_cast<std::uint16_t>(end), of};
    if (!scratch_.empty() && scratch_.back().area == of) {
      scratch_.back() = span;
    } else {
      scratch_.push_back(span);
    }
  };
  std::uint32_t begin = 0;
  bool done = false;
  for (const Span& span : column(x, y)) {
    if (begin < z0) put(std::min<std::uint32_t>(span.end, z0), span.area);
    if (!done && span.end > z0) {
      put(z1, area);
      done = true;
    }
    if (span.end > z1) put(span.end, span.area);
    begin = span.end;
  }
  write(columns_[std::size_t{y} * extent_.x + x], scratch_);
  return {};
}

Result<void> Columns::set(const VoxelBox& box, Area area) {
  const VoxelBox in = box.intersection(extent_.box());
  if (in.empty()) return {};
  const std::uint64_t columns = std::uint64_t{in.x1 - in.x0} * (in.y1 - in.y0);
  // A column that one area fills ends with one span.
  const bool whole = in.z0 == 0 && in.z1 == extent_.z;
  if (!whole && spans_ + 2 * columns > kMaxSpans) return Error(Errc::too_large, "kMaxSpans");
  const Span all{static_cast<std::uint16_t>(extent_.z), area};
  for (std::uint32_t y = in.y0; y < in.y1; ++y) {
    for (std::uint32_t x = in.x0; x < in.x1; ++x) {
      if (whole) {
        write(columns_[std::size_t{y} * extent_.x + x], {&all, 1});
      } else if (auto did = set(x, y, in.z0, in.z1, area); !did) {
        return did;
      }
    }
  }
  return {};
}

// `spans` are none of the pool.
void Columns::write(Column& column, std::span<const Span> spans) {
  spans_ += spans.size();
  spans_ -= column.count;
  column.count = static_cast<std::uint16_t>(spans.size());
  if (spans.size() > column.room) {
    // Some room more: a door that opens again finds it.
    column.first = static_cast<std::uint32_t>(pool_.size());
    column.room = static_cast<std::uint16_t>(spans.size() == 1 ? 1 : spans.size() + 1);
    pool_.resize(pool_.size() + column.room);
  }
  std::ranges::copy(spans, pool_.begin() + column.first);
  if (pool_.size() > 4 * (spans_ + columns_.size())) compact();
}

void Columns::compact() {
  std::vector<Span> pool;
  pool.reserve(2 * spans_);
  for (Column& column : columns_) {
    const auto from = pool_.begin() + column.first;
    column.first = static_cast<std::uint32_t>(pool.size());
    column.room = column.count;
    pool.insert(pool.end(), from, from + column.count);
  }
  pool_ = std::move(pool);
}

bool operator==(const Columns& a, const Columns& b) {
  if (a.extent_ != b.extent_) return false;
  for (std::uint32_t y = 0; y < a.extent_.y; ++y) {
    for (std::uint32_t x = 0; x < a.extent_.x; ++x) {
      if (!std::ranges::equal(a.column(x, y), b.column(x, y))) return false;
    }
  }
  return true;
}

}  // namespace starbus::nav::volume
