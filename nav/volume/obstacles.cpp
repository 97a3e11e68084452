#include "nav/volume/obstacles.hpp"

#include <algorithm>

namespace starbus::nav::volume {
namespace {

constexpr Area kUncovered = 0xff;

}  // namespace

Obstacles::Slot* Obstacles::find(ObstacleId id) {
  if (!id || id.index() >= slots_.size()) return nullptr;
  Slot& slot = slots_[id.index()];
  return slot.used && slot.generation == id.generation() ? &slot : nullptr;
}

void Obstacles::save(std::uint32_t index) {
  saved_.slot = true;
  saved_.index = index;
  saved_.before = slots_[index];
  saved_.counts.clear();
}

Result<VoxelBox> Obstacles::add(const VoxelBox& voxels, Area area, ObstacleId& id) {
  if (free_.empty()) {
    if (slots_.size() == kMaxObstacles) return Error(Errc::too_many, "kMaxObstacles");
    free_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t index = free_.back();
  save(index);
  free_.pop_back();
  Slot& slot = slots_[index];
  slot = {voxels, area, true, true, slot.generation};
  id = ObstacleId::of(index, slot.generation);
  return apply(voxels);
}

Result<VoxelBox> Obstacles::set_present(ObstacleId id, bool present) {
  Slot* const slot = find(id);
  if (slot == nullptr) return Errc::unknown_obstacle;
  if (slot->present == present) return VoxelBox{};
  save(id.index());
  slot->present = present;
  return apply(slot->voxels);
}

Result<VoxelBox> Obstacles::remove(ObstacleId id) {
  Slot* const slot = find(id);
  if (slot == nullptr) return Errc::unknown_obstacle;
  save(id.index());
  const VoxelBox voxels = slot->voxels;
  const bool was = slot->present;
  slot->used = slot->present = false;
  ++slot->generation;
  free_.push_back(id.index());
  return was ? apply(voxels) : VoxelBox{};
}

Result<VoxelBox> Obstacles::set_area(const VoxelBox& voxels, Area area) {
  const VoxelBox in = voxels.intersection(columns_.extent().box());
  if (in.empty()) return VoxelBox{};
  saved_.slot = false;
  saved_.spans.clear();
  saved_.counts.clear();
  saved_.voxels = in;
  for (std::uint32_t y = in.y0; y < in.y1; ++y) {
    for (std::uint32_t x = in.x0; x < in.x1; ++x) {
      const auto spans = beneath_.column(x, y);
      saved_.spans.insert(saved_.spans.end(), spans.begin(), spans.end());
      saved_.counts.push_back(static_cast<std::uint16_t>(spans.size()));
    }
  }
  if (auto did = beneath_.set(in, area); !did) return did.error();
  return apply(in);
}

Result<VoxelBox> Obstacles::apply(const VoxelBox& voxels) {
  const VoxelBox changed = update(voxels);
  if (columns_.spans() <= kMaxSpans) return changed;
  undo();
  return Error(Errc::too_large, "kMaxSpans");
}

void Obstacles::undo() {
  if (saved_.slot) {
    Slot& slot = slots_[saved_.index];
    const bool was_used = slot.used;
    const VoxelBox voxels = was_used ? slot.voxels : saved_.before.voxels;
    slot = saved_.before;
    if (was_used && !slot.used) free_.push_back(saved_.index);
    if (!was_used && slot.used) free_.pop_back();
    update(voxels);
    return;
  }
  const VoxelBox& in = saved_.voxels;
  std::size_t column = 0;
  std::size_t first = 0;
  for (std::uint32_t y = in.y0; y < in.y1; ++y) {
    for (std::uint32_t x = in.x0; x < in.x1; ++x) {
      const std::size_t count = saved_.counts[column++];
      beneath_.assign(x, y, std::span(saved_.spans).subspan(first, count));
      first += count;
    }
  }
  update(in);
}

// Writes what the voxels are like now. The box of the columns that have changed.
VoxelBox Obstacles::update(const VoxelBox& voxels) {
  const VoxelBox in = voxels.intersection(columns_.extent().box());
  if (in.empty()) return {};
  there_.clear();
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].present && !slots_[i].voxels.intersection(in).empty()) there_.push_back(i);
  }
  VoxelBox changed{in.x1, in.y1, in.z0, in.x0, in.y0, in.z1};
  for (std::uint32_t y = in.y0; y < in.y1; ++y) {
    for (std::uint32_t x = in.x0; x < in.x1; ++x) {
      if (!update_column(x, y, in)) continue;
      changed = {std::min(changed.x0, x),     std::min(changed.y0, y),     in.z0,
                 std::max(changed.x1, x + 1), std::max(changed.y1, y + 1), in.z1};
    }
  }
  return changed.empty() ? VoxelBox{} : changed;
}

bool Obstacles::update_column(std::uint32_t x, std::uint32_t y, const VoxelBox& voxels) {
  const std::uint32_t height = columns_.extent().z;
  const auto write = [](std::vector<Area>& to, std::uint32_t begin, std::uint32_t end, Area area) {
    std::fill(to.begin() + begin, to.begin() + end, area);
  };
  // Above and below the box the column stays as it is.
  const auto read = [&](const Columns& from) {
    areas_.resize(height);
    std::uint32_t begin = 0;
    for (const Span& span : from.column(x, y)) {
      write(areas_, begin, span.end, span.area);
      begin = span.end;
    }
  };
  covers_.assign(height, kUncovered);
  for (const std::uint32_t i : there_) {
    const VoxelBox box = slots_[i].voxels.intersection(voxels);
    if (x < box.x0 || x >= box.x1 || y < box.y0 || y >= box.y1) continue;
    for (std::uint32_t z = box.z0; z < box.z1; ++z) {
      covers_[z] = std::min(covers_[z], slots_[i].area);
    }
  }
  read(beneath_);
  for (std::uint32_t z = voxels.z0; z < voxels.z1; ++z) {
    if (covers_[z] == kUncovered || areas_[z] == kWall) covers_[z] = areas_[z];
  }
  read(columns_);
  std::copy(covers_.begin() + voxels.z0, covers_.begin() + voxels.z1, areas_.begin() + voxels.z0);
  spans_.clear();
  for (std::uint32_t z = 0; z < height; ++z) {
    if (spans_.empty() || spans_.back().area != areas_[z]) spans_.push_back({0, areas_[z]});
    spans_.back().end = static_cast<std::uint16_t>(z + 1);
  }
  if (std::ranges::equal(spans_, columns_.column(x, y))) return false;
  columns_.assign(x, y, spans_);
  return true;
}

}  // namespace starbus::nav::volume
