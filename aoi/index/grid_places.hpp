/// Which place of which block an entity has, and how cells open, grow, shrink and close. Works on a
/// GridState and GridRows that outlive it; one thread.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>

#include "aoi/index/grid_rows.hpp"

namespace starbus::aoi {

template <class Cells>
class GridPlaces {
 public:
  GridPlaces(GridState<Cells>& state, GridRows<Cells>& rows) : s_(state), rows_(rows) {}

  /// Sets the home and the cell of a place; opens the cell if need be.
  void open(GridPlace& place, const CellAt& at);
  void close_if_empty(CellIndex cell);
  /// The place may come with another run of blocks for the cell.
  std::uint32_t take_place(CellIndex cell);
  void free_place(CellIndex cell, std::uint32_t place);
  void set_place(EntityIndex entity, std::uint32_t place);

 private:
  void resize_run(CellIndex cell, std::uint32_t capacity);
  void pack(CellIndex cell);

  GridState<Cells>& s_;
  GridRows<Cells>& rows_;
};

template <class Cells>
void GridPlaces<Cells>::open(GridPlace& place, const CellAt& at) {
  place.home = at;
  place.cell = s_.cells.open(at);
  if (place.cell >= s_.runs.size()) s_.make_cells(place.cell + 1u);
}

template <class Cells>
void GridPlaces<Cells>::close_if_empty(CellIndex cell) {
  if (s_.runs[cell].count != 0 || s_.hidden[cell] != 0) return;
  assert(s_.homes[cell].empty());
  const Run old = s_.runs[cell];
  if (old.capacity != 0 && !s_.settled) {
    s_.arena.release(old.first, old.capacity);
    s_.runs[cell] = {};
    if (old.width() != 1) rows_.relayout(cell, old.width(), 1);
  }
  s_.cells.close(cell);
}

// Watchers keep the place of their owner, so that an evaluation need not look it up.
template <class Cells>
void GridPlaces<Cells>::set_place(EntityIndex entity, std::uint32_t place) {
  s_.places[entity].place = place;
  s_.each_watcher(entity, [&](std::uint32_t at) { s_.watchers[at].place = place; });
}

template <class Cells>
std::uint32_t GridPlaces<Cells>::take_place(CellIndex cell) {
  const auto free_in = [&](const Run& run) {
    for (std::uint32_t i = run.first; i < run.first + run.used; ++i) {
      const std::uint8_t taken = s_.arena.taken(i);
      if (taken == 0xff) continue;
      return i * kBlockPlaces + static_cast<std::uint32_t>(std::countr_one(taken));
    }
    return kNone;
  };
  ++s_.runs[cell].count;
  if (const std::uint32_t place = free_in(s_.runs[cell]); place != kNone) return place;
  if (s_.runs[cell].used == s_.runs[cell].capacity) {
    resize_run(cell, std::max(1u, s_.runs[cell].capacity * 2));
  }
  Run& run = s_.runs[cell];
  return (run.first + run.used++) * kBlockPlaces;
}

template <class Cells>
void GridPlaces<Cells>::free_place(CellIndex cell, std::uint32_t place) {
  s_.arena.clear(place);
  Run& run = s_.runs[cell];
  assert(run.count > 0);
  --run.count;
  while (run.used != 0 && s_.arena.taken(run.first + run.used - 1) == 0) --run.used;
  // All fit into three quarters of half the room, so the next few arrivals do not undo it.
  const bool roomy = run.capacity > 1 && run.count * 8 <= run.capacity * kBlockPlaces * 3;
  if (roomy && !s_.has_traces(cell)) pack(cell);  // asked again when these end
}

// Halves the room of a cell that has become much emptier.
template <class Cells>
void GridPlaces<Cells>::pack(CellIndex cell) {
  const std::uint32_t needed = (s_.runs[cell].count + kBlockPlaces - 1) / kBlockPlaces;
  const std::uint32_t first = s_.runs[cell].first;
  for (std::uint32_t block = first + needed; block < first + s_.runs[cell].used; ++block) {
    while (s_.arena.occupied[block] != 0) {
      const std::uint32_t from =
          block * kBlockPlaces +
          static_cast<std::uint32_t>(std::countr_zero(s_.arena.occupied[block]));
      const EntityIndex entity = s_.arena.entities[from];
      const GridPlace old = s_.places[entity];
      --s_.runs[cell].count;  // take_place() counts it again
      const std::uint32_t to = take_place(cell);
      s_.arena.put(to, entity);
      set_place(entity, to);
      rows_.move_bits(entity, old, s_.places[entity]);
      s_.arena.clear(from);
    }
  }
  s_.runs[cell].used = needed;
  s_.mark_dirty(cell);
  resize_run(cell, s_.runs[cell].capacity / 2);
}

template <class Cells>
void GridPlaces<Cells>::resize_run(CellIndex cell, std::uint32_t capacity) {
  const Run old = s_.runs[cell];
  Run& run = s_.runs[cell];
  run.first = s_.arena.allocate(capacity);
  run.capacity = capacity;
  for (std::uint32_t i = 0; i < old.used * kBlockPlaces; ++i) {
    const std::uint32_t from = old.first * kBlockPlaces + i;
    const EntityIndex entity = s_.arena.entities[from];
    if (entity == kNone) continue;
    const std::uint32_t to = run.first * kBlockPlaces + i;
    if (s_.arena.is_vacated(from)) {
      s_.trace_at(from).left.place = to;
      s_.arena.entities[to] = entity;
      s_.arena.vacate(to);
    } else {
      s_.arena.put(to, entity);
      set_place(entity, to);
    }
    s_.arena.clear(from);
  }
  if (old.capacity != 0) s_.arena.release(old.first, old.capacity);
  s_.mark_dirty(cell);  // put() has marked all as moved
  if (old.width() != run.width()) rows_.relayout(cell, old.width(), run.width());
}

}  // namespace starbus::aoi
