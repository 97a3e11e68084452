#include "nav/grid/obstacles.hpp"

#include <algorithm>

namespace starbus::nav::grid {
namespace {

constexpr Area kNothing = 0xff;

CellBox intersection(const CellBox& a, const CellBox& b) {
  return {std::max(a.x0, b.x0), std::max(a.y0, b.y0), std::min(a.x1, b.x1), std::min(a.y1, b.y1)};
}

template <class Do>
void each_row(const CellBox& cells, std::uint32_t width, Do&& act) {
  for (std::uint32_t y = cells.y0; y < cells.y1; ++y) {
    act(std::size_t{y} * width + cells.x0, std::size_t{y} * width + cells.x1);
  }
}

}  // namespace

Obstacles::Slot* Obstacles::find(ObstacleId id) {
  if (!id || id.index() >= slots_.size()) return nullptr;
  Slot& slot = slots_[id.index()];
  return slot.used && slot.generation == id.generation() ? &slot : nullptr;
}

Result<ObstacleId> Obstacles::add(const CellBox& cells, Area area, CellBox& changed) {
  if (free_.empty()) {
    if (slots_.size() == kMaxObstacles) return Error(Errc::too_many, "kMaxObstacles");
    free_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  Slot& slot = slots_[index];
  slot = {cells, area, true, true, slot.generation};
  changed = update(cells);
  return ObstacleId::of(index, slot.generation);
}

Result<CellBox> Obstacles::set_present(ObstacleId id, bool present) {
  Slot* const slot = find(id);
  if (slot == nullptr) return Errc::unknown_obstacle;
  if (slot->present == present) return CellBox{};
  slot->present = present;
  return update(slot->cells);
}

Result<CellBox> Obstacles::remove(ObstacleId id) {
  Slot* const slot = find(id);
  if (slot == nullptr) return Errc::unknown_obstacle;
  const CellBox cells = slot->cells;
  const bool was = slot->present;
  slot->used = slot->present = false;
  ++slot->generation;
  free_.push_back(id.index());
  return was ? update(cells) : CellBox{};
}

CellBox Obstacles::set_area(const CellBox& cells, Area area) {
  each_row(cells, terrain_.width, [&](std::size_t begin, std::size_t end) {
    std::fill(ground_.begin() + static_cast<std::ptrdiff_t>(begin),
              ground_.begin() + static_cast<std::ptrdiff_t>(end), area);
  });
  return update(cells);
}

// The lowest area of what stands on each cell; kNothing for none.
void Obstacles::cover(const CellBox& cells) {
  const std::uint32_t width = cells.x1 - cells.x0;
  covers_.assign(std::size_t{width} * (cells.y1 - cells.y0), kNothing);
  for (const Slot& slot : slots_) {
    if (!slot.present) continue;
    const CellBox both = intersection(slot.cells, cells);
    for (std::uint32_t y = both.y0; y < both.y1; ++y) {
      for (std::uint32_t x = both.x0; x < both.x1; ++x) {
        Area& area = covers_[std::size_t{y - cells.y0} * width + (x - cells.x0)];
        area = std::min(area, slot.area);
      }
    }
  }
}

// Writes what the cells are like now. The box of those that have changed.
CellBox Obstacles::update(const CellBox& cells) {
  if (cells.empty()) return {};
  cover(cells);
  const std::uint32_t width = cells.x1 - cells.x0;
  CellBox changed{cells.x1, cells.y1, cells.x0, cells.y0};
  for (std::uint32_t y = cells.y0; y < cells.y1; ++y) {
    for (std::uint32_t x = cells.x0; x < cells.x1; ++x) {
      const std::size_t at = std::size_t{y} * terrain_.width + x;
      const Area cover = covers_[std::size_t{y - cells.y0} * width + (x - cells.x0)];
      const bool bare = cover == kNothing || ground_[at] == kWall;
      const Area now = bare ? ground_[at] : cover;
      if (terrain_.areas[at] == now) continue;
      terrain_.areas[at] = now;
      changed = {std::min(changed.x0, x), std::min(changed.y0, y), std::max(changed.x1, x + 1),
                 std::max(changed.y1, y + 1)};
    }
  }
  return changed;
}

}  // namespace starbus::nav::grid
