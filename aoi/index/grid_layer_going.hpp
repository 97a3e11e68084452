/// Of GridLayer: those who change cells or leave, together, and what is fetched for them before.
/// Included by grid_layer.cpp alone.
#pragma once

#include <algorithm>

#include "aoi/arrays/prefetch.hpp"
#include "aoi/index/grid_layer.hpp"

namespace starbus::aoi {

// Those who go far touch many lines of memory each: together they wait for them together.
template <class Cells>
void GridLayer<Cells>::settle() {
  constexpr std::size_t kAhead = 6;
  constexpr std::size_t kSeenAhead = 3;  // when what says whom they see is here
  for (const EntityIndex entity : going_) prefetch_sensor(entity);
  for (std::size_t i = 0; i < going_.size() + kAhead; ++i) {
    if (i < going_.size()) prefetch_watchers(going_[i]);
    const std::size_t next = i - kSeenAhead;
    if (next < going_.size()) prefetch_seen(going_[next]);
    if (i >= kAhead) go(going_[i - kAhead]);
  }
  going_.clear();
}

template <class Cells>
void GridLayer<Cells>::go(EntityIndex entity) {
  Place& place = places_[entity];
  if (place.cell == kNone) return;  // it has been removed since
  const Position& at = scene_.spots[entity].at;
  if (!cells_.stays(place.home, at)) {
    change_cell(entity, cells_.locate(at));
  } else if (place.place != kNone) {
    arena_.set(place.place, at);  // it has come back
  }
  mark_moved(entity, place);
}

// What says who is around the old place, if that matters, and what is around the new one.
template <class Cells>
void GridLayer<Cells>::prefetch_homes(EntityIndex entity) const {
  const Place& place = places_[entity];
  const CellAt at = cells_.locate(scene_.spots[entity].at);
  prefetch_line(&scene_.first_sensor[entity]);
  if (place.place != kNone) prefetch_line_to_write(&arena_.blocks[place.place / kBlockPlaces]);
  prefetch_runs(place.cell);
  if (is_far(place.home, at)) {
    prefetch_line_to_write(&homes_[place.cell]);
  } else {
    for (const std::size_t i : {0, 2, 3, 5, 6, 8}) {
      const CellIndex home = cells_.neighbour(place.cell, i);
      if (home != kNone) prefetch_line(&homes_[home]);
    }
  }
  const CellIndex to = cells_.find(at);
  if (to == kNone || to == place.cell) return;
  prefetch_runs(to);
  prefetch_line_to_write(&homes_[to]);
}

// What says which are its watchers; most have one sensor.
template <class Cells>
void GridLayer<Cells>::prefetch_sensor(EntityIndex entity) const {
  const SensorIndex sensor = scene_.first_sensor[entity];
  if (sensor >= served_.size()) return;
  prefetch_line(&scene_.watches[sensor]);
  prefetch_line(&served_[sensor]);
}

// Those whose rows are to lose the bit of this one, and its own.
template <class Cells>
void GridLayer<Cells>::prefetch_watchers(EntityIndex entity) const {
  const Place& place = places_[entity];
  if (place.cell == kNone) return;
  const CellAt at = cells_.locate(scene_.spots[entity].at);
  if (!is_far(place.home, at)) {
    for (std::size_t i = 0; i < kNeighbours; ++i) {
      const CellIndex home = cells_.neighbour(place.cell, i);
      if (home == kNone) continue;
      for (const std::uint32_t watcher : homes_[home]) {
        prefetch_line_to_write(&watchers_[watcher]);
      }
    }
  }
  each_watcher(entity, [&](std::uint32_t watcher) {
    prefetch_line_to_write(&watchers_[watcher]);
    prefetch_line_to_write(&sites_[watcher]);
  });
  if (const CellIndex to = cells_.find(at); to != kNone) {
    prefetch_block(runs_[to].first);
  }
}

// Where its place will be.
template <class Cells>
void GridLayer<Cells>::prefetch_block(std::uint32_t block) const {
  prefetch_line_to_write(&arena_.blocks[block]);
  prefetch_line_to_write(&arena_.occupied[block]);
  prefetch_line_to_write(&arena_.moved[block]);
  prefetch_line_to_write(&arena_.entities[block * kBlockPlaces]);
}

// Whom it has seen: what its row has no room for any more is known by name.
template <class Cells>
void GridLayer<Cells>::prefetch_seen(EntityIndex entity) const {
  if (places_[entity].cell == kNone) return;
  each_watcher(entity, [&](std::uint32_t at) {
    const Watcher& watcher = watchers_[at];
    if (watcher.row.on_heap()) return;  // a crowd, of which the next few say nothing
    each_place(watcher, [&](std::size_t place) { prefetch_line(&arena_.entities[place]); });
  });
}

// Where their bits go.
template <class Cells>
void GridLayer<Cells>::prefetch_runs(CellIndex home) const {
  for (const std::size_t i : {0, 2, 3, 5, 6, 8}) {
    const CellIndex cell = cells_.neighbour(home, i);
    if (cell != kNone) prefetch_line(&runs_[cell]);
  }
}

template <class Cells>
void GridLayer<Cells>::fetch(EntityIndex entity, int step) const {
  switch (step) {
    case 0:
      if (entity < places_.size()) prefetch_line_to_write(&places_[entity]);
      return;
    case 1:
      prefetch_homes(entity);
      return prefetch_sensor(entity);
    default:
      return prefetch_watchers(entity);
  }
}

}  // namespace starbus::aoi
