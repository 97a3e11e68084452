/// Of GridLayer: which place of which block an entity has, and how cells grow and shrink. Included
/// by grid_layer.cpp alone.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "aoi/index/grid_layer.hpp"

namespace starbus::aoi {

template <class Cells>
void GridLayer<Cells>::open(Place& place, const CellAt& at) {
  place.home = at;
  place.cell = cells_.open(at);
  if (place.cell >= runs_.size()) make_cells(place.cell + 1u);
}

template <class Cells>
void GridLayer<Cells>::close_if_empty(CellIndex cell) {
  if (runs_[cell].count != 0 || hidden_[cell] != 0) return;
  assert(homes_[cell].empty());
  const Run old = runs_[cell];
  if (old.capacity != 0 && !settled_) {
    arena_.release(old.first, old.capacity);
    runs_[cell] = {};
    if (old.width() != 1) relayout(cell, old.width(), 1);
  }
  cells_.close(cell);
}

// Its sensors know where it is, so that a look need not ask for it.
template <class Cells>
void GridLayer<Cells>::set_place(EntityIndex entity, std::uint32_t place) {
  places_[entity].place = place;
  each_watcher(entity, [&](std::uint32_t at) { watchers_[at].place = place; });
}

template <class Cells>
std::uint32_t GridLayer<Cells>::take_place(CellIndex cell) {
  const auto free_in = [&](const Run& run) {
    for (std::uint32_t i = run.first; i < run.first + run.used; ++i) {
      const std::uint8_t taken = arena_.taken(i);
      if (taken == 0xff) continue;
      return i * kBlockPlaces + static_cast<std::uint32_t>(std::countr_one(taken));
    }
    return kNone;
  };
  ++runs_[cell].count;
  if (const std::uint32_t place = free_in(runs_[cell]); place != kNone) return place;
  if (runs_[cell].used == runs_[cell].capacity) {
    resize_run(cell, std::max(1u, runs_[cell].capacity * 2));
  }
  Run& run = runs_[cell];
  return (run.first + run.used++) * kBlockPlaces;
}

template <class Cells>
void GridLayer<Cells>::free_place(CellIndex cell, std::uint32_t place) {
  arena_.clear(place);
  Run& run = runs_[cell];
  --run.count;
  while (run.used != 0 && arena_.taken(run.first + run.used - 1) == 0) --run.used;
  // Three quarters of half the room hold all: so the next few do not undo it.
  const bool roomy = run.capacity > 1 && run.count * 8 <= run.capacity * kBlockPlaces * 3;
  if (roomy && !has_traces(cell)) pack(cell);  // when they end it is asked again
}

// Halves the room of a cell whose crowd has gone.
template <class Cells>
void GridLayer<Cells>::pack(CellIndex cell) {
  const std::uint32_t needed = (runs_[cell].count + kBlockPlaces - 1) / kBlockPlaces;
  const std::uint32_t first = runs_[cell].first;
  for (std::uint32_t block = first + needed; block < first + runs_[cell].used; ++block) {
    while (arena_.occupied[block] != 0) {
      const std::uint32_t from =
          block * kBlockPlaces +
          static_cast<std::uint32_t>(std::countr_zero(arena_.occupied[block]));
      const EntityIndex entity = arena_.entities[from];
      const Place old = places_[entity];
      --runs_[cell].count;  // take_place counts it again
      const std::uint32_t to = take_place(cell);
      arena_.put(to, entity);
      set_place(entity, to);
      move_bits(entity, old, places_[entity]);
      arena_.clear(from);
    }
  }
  runs_[cell].used = needed;
  mark_dirty(cell);
  resize_run(cell, runs_[cell].capacity / 2);
}

template <class Cells>
void GridLayer<Cells>::resize_run(CellIndex cell, std::uint32_t capacity) {
  const Run old = runs_[cell];
  Run& run = runs_[cell];
  run.first = arena_.allocate(capacity);
  run.capacity = capacity;
  for (std::uint32_t i = 0; i < old.used * kBlockPlaces; ++i) {
    const std::uint32_t from = old.first * kBlockPlaces + i;
    const EntityIndex entity = arena_.entities[from];
    if (entity == kNone) continue;
    const std::uint32_t to = run.first * kBlockPlaces + i;
    if (arena_.is_vacated(from)) {
      trace_at(from).left.place = to;
      arena_.entities[to] = entity;
      arena_.vacate(to);
    } else {
      arena_.put(to, entity);
      set_place(entity, to);
    }
    arena_.clear(from);
  }
  if (old.capacity != 0) arena_.release(old.first, old.capacity);
  mark_dirty(cell);  // put() has marked all of them as moved
  if (old.width() != run.width()) relayout(cell, old.width(), run.width());
}

// The part of one cell in all rows around it has another width from now on.
template <class Cells>
void GridLayer<Cells>::relayout(CellIndex changed, std::uint32_t old_width,
                                std::uint32_t new_width) {
  std::vector<std::uint8_t> old;
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    const CellIndex home = cells_.neighbour(changed, i);
    if (home == kNone || homes_[home].empty()) continue;
    const std::uint32_t before = offset_of(home, kNeighbours - 1 - i);
    for (const std::uint32_t at : homes_[home]) {
      Watcher& watcher = watchers_[at];
      const std::uint32_t size = sites_[at].size;
      old.assign(watcher.row.data(), watcher.row.data() + size);
      resize_row(watcher, size - old_width + new_width);
      std::uint8_t* const row = watcher.row.data();
      std::memcpy(row, old.data(), before);
      std::memcpy(row + before, old.data() + before, std::min(old_width, new_width));
      std::memcpy(row + before + new_width, old.data() + before + old_width,
                  size - before - old_width);
    }
  }
}

}  // namespace starbus::aoi
