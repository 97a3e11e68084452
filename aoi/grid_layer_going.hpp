/// Of GridLayer: those who change cells or leave, together, and what is fetched for them before.
/// Included by grid_layer.cpp alone.
#pragma once

#include <algorithm>

#include "aoi/grid_layer.hpp"

namespace starbus::aoi {

// Those who go far touch many lines of memory each: together they wait for them together.
template <class Cells>
void GridLayer<Cells>::settle() {
  constexpr std::size_t kAhead = 4;
  for (const EntityIndex entity : going_) prefetch_sensor(entity);
  for (std::size_t i = 0; i < going_.size() + kAhead; ++i) {
    if (i < going_.size()) prefetch_watchers(going_[i]);
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

// What says who is around the old place, and what is around the new one.
template <class Cells>
void GridLayer<Cells>::prefetch_homes(EntityIndex entity) const {
  const Place& place = places_[entity];
  __builtin_prefetch(&scene_.first_sensor[entity]);
  if (place.place != kNone) __builtin_prefetch(&arena_.occupied[place.place / kBlockPlaces], 1);
  prefetch_runs(place.cell);
  for (const std::size_t i : {0, 2, 3, 5, 6, 8}) {
    const CellIndex home = cells_.neighbour(place.cell, i);
    if (home != kNone) __builtin_prefetch(&homes_[home]);
  }
  const CellIndex to = cells_.find(cells_.locate(scene_.spots[entity].at));
  if (to == kNone) return;
  prefetch_runs(to);
  __builtin_prefetch(&homes_[to], 1);
}

// What says which are its watchers; most have one sensor.
template <class Cells>
void GridLayer<Cells>::prefetch_sensor(EntityIndex entity) const {
  const SensorIndex sensor = scene_.first_sensor[entity];
  if (sensor >= served_.size()) return;
  __builtin_prefetch(&scene_.watches[sensor]);
  __builtin_prefetch(&served_[sensor]);
}

// Those whose rows may have the bit of this one, and its own.
template <class Cells>
void GridLayer<Cells>::prefetch_watchers(EntityIndex entity) const {
  const Place& place = places_[entity];
  if (place.cell == kNone) return;
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    const CellIndex home = cells_.neighbour(place.cell, i);
    if (home == kNone) continue;
    for (const std::uint32_t at : homes_[home]) __builtin_prefetch(&watchers_[at], 1);
  }
  each_watcher(entity, [&](std::uint32_t at) { __builtin_prefetch(&sites_[at], 1); });
  const CellIndex to = cells_.find(cells_.locate(scene_.spots[entity].at));
  if (to == kNone) return;
  const std::uint32_t block = runs_[to].first;
  __builtin_prefetch(&arena_.blocks[block], 1);
  __builtin_prefetch(&arena_.occupied[block], 1);
  __builtin_prefetch(&arena_.moved[block], 1);
  __builtin_prefetch(&arena_.entities[block * kBlockPlaces], 1);
}

// Where their bits go.
template <class Cells>
void GridLayer<Cells>::prefetch_runs(CellIndex home) const {
  for (const std::size_t i : {0, 2, 3, 5, 6, 8}) {
    const CellIndex cell = cells_.neighbour(home, i);
    if (cell != kNone) __builtin_prefetch(&runs_[cell]);
  }
}

template <class Cells>
void GridLayer<Cells>::fetch(EntityIndex entity, int step) const {
  switch (step) {
    case 0:
      if (entity < places_.size()) __builtin_prefetch(&places_[entity], 1);
      return;
    case 1:
      prefetch_homes(entity);
      return prefetch_sensor(entity);
    default:
      return prefetch_watchers(entity);
  }
}

}  // namespace starbus::aoi
