/// Moves of entities in a grid layer. An entity that changes cells waits for others: until settle()
/// it keeps its old place, and all that is kept of it fits that place. Works on the parts of a
/// layer that outlive it; owns the list of those that wait; one thread.
#pragma once

#include <boost/container/static_vector.hpp>

#include "aoi/arrays/prefetch.hpp"
#include "aoi/index/grid_traces.hpp"

namespace starbus::aoi {

template <class Cells>
class GridMoves {
 public:
  GridMoves(GridState<Cells>& state, GridRows<Cells>& rows, GridPlaces<Cells>& places,
            GridTraces<Cells>& traces)
      : s_(state), rows_(rows), places_(places), traces_(traces) {}

  /// The entity has moved: its spot in the Scene is written.
  void move(EntityIndex entity);
  /// Finishes all moves that wait.
  void settle();

  /// See Index::fetch.
  void fetch(EntityIndex entity, int step) const;
  void prefetch_runs(CellIndex home) const;
  void prefetch_block(std::uint32_t block) const;

 private:
  static constexpr std::size_t kTogether = 32;  ///< entities that change cells together

  void finish(EntityIndex entity);
  void change_cell(EntityIndex entity, const CellAt& to);
  void mark_moved(EntityIndex entity, const GridPlace& place);
  void prefetch_homes(EntityIndex entity) const;
  void prefetch_sensor(EntityIndex entity) const;
  void prefetch_watchers(EntityIndex entity) const;
  void prefetch_seen(EntityIndex entity) const;

  GridState<Cells>& s_;
  GridRows<Cells>& rows_;
  GridPlaces<Cells>& places_;
  GridTraces<Cells>& traces_;
  boost::container::static_vector<EntityIndex, kTogether> waiting_;
};

template <class Cells>
void GridMoves<Cells>::move(EntityIndex entity) {
  GridState<Cells>& s = s_;
  const GridPlace& place = s.places[entity];
  const Position& at = s.scene.spots[entity].at;
  if (!s.cells.stays(place.home, at)) [[unlikely]] {
    if (waiting_.size() == kTogether) settle();
    waiting_.push_back(entity);
    prefetch_homes(entity);
    return;
  }
  if (place.place != kNone) [[likely]] {
    s.arena.set(place.place, at);
    s.mark_dirty(place.cell);
    return;
  }
  mark_moved(entity, place);
}

// Entities that change cells touch many lines of memory each. Together they wait for these only
// once.
template <class Cells>
void GridMoves<Cells>::settle() {
  constexpr std::size_t kAhead = 6;
  constexpr std::size_t kSeenAhead = 3;  // after the watchers have arrived
  for (const EntityIndex entity : waiting_) prefetch_sensor(entity);
  for (std::size_t i = 0; i < waiting_.size() + kAhead; ++i) {
    if (i < waiting_.size()) prefetch_watchers(waiting_[i]);
    const std::size_t next = i - kSeenAhead;
    if (next < waiting_.size()) prefetch_seen(waiting_[next]);
    if (i >= kAhead) finish(waiting_[i - kAhead]);
  }
  waiting_.clear();
}

template <class Cells>
void GridMoves<Cells>::finish(EntityIndex entity) {
  GridPlace& place = s_.places[entity];
  if (place.cell == kNone) return;  // removed since
  const Position& at = s_.scene.spots[entity].at;
  if (!s_.cells.stays(place.home, at)) {
    change_cell(entity, s_.cells.locate(at));
  } else if (place.place != kNone) {
    s_.arena.set(place.place, at);  // back in its cell
  }
  mark_moved(entity, place);
}

template <class Cells>
void GridMoves<Cells>::change_cell(EntityIndex entity, const CellAt& to) {
  traces_.follow_trace_of(entity);
  GridPlace& place = s_.places[entity];
  const GridPlace old = place;
  places_.open(place, to);
  if (old.place != kNone) {
    places_.set_place(entity, places_.take_place(place.cell));
    s_.arena.put(place.place, entity);
    if (is_far(old.home, to)) {
      traces_.leave_trace(entity, old);
    } else {
      rows_.move_bits(entity, old, place);
      places_.free_place(old.cell, old.place);
    }
  } else {
    ++s_.hidden[place.cell];
    --s_.hidden[old.cell];
  }
  s_.each_watcher(entity, [&](std::uint32_t at) { rows_.rehome(at, old, place); });
  places_.close_if_empty(old.cell);
}

// Prefetches the homes around the old place, if the move is short, and the runs around both places.
template <class Cells>
void GridMoves<Cells>::prefetch_homes(EntityIndex entity) const {
  const GridPlace& place = s_.places[entity];
  const CellAt at = s_.cells.locate(s_.scene.spots[entity].at);
  prefetch_line(&s_.scene.first_sensor[entity]);
  if (place.place != kNone) prefetch_line_to_write(&s_.arena.blocks[place.place / kBlockPlaces]);
  prefetch_runs(place.cell);
  if (is_far(place.home, at)) {
    prefetch_line_to_write(&s_.homes[place.cell]);
  } else {
    for (const std::size_t i : {0u, 2u, 3u, 5u, 6u, 8u}) {
      const CellIndex home = s_.cells.neighbour(place.cell, i);
      if (home != kNone) prefetch_line(&s_.homes[home]);
    }
  }
  const CellIndex to = s_.cells.find(at);
  if (to == kNone || to == place.cell) return;
  prefetch_runs(to);
  prefetch_line_to_write(&s_.homes[to]);
}

// Prefetches what says which watchers the entity has; most have one sensor.
template <class Cells>
void GridMoves<Cells>::prefetch_sensor(EntityIndex entity) const {
  const SensorIndex sensor = s_.scene.first_sensor[entity];
  if (sensor >= s_.served.size()) return;
  prefetch_line(&s_.scene.watches[sensor]);
  prefetch_line(&s_.served[sensor]);
}

// Prefetches the watchers whose rows will lose the bit of this entity, and its own watchers.
template <class Cells>
void GridMoves<Cells>::prefetch_watchers(EntityIndex entity) const {
  const GridPlace& place = s_.places[entity];
  if (place.cell == kNone) return;
  const CellAt at = s_.cells.locate(s_.scene.spots[entity].at);
  if (!is_far(place.home, at)) {
    for (std::size_t i = 0; i < kNeighbours; ++i) {
      const CellIndex home = s_.cells.neighbour(place.cell, i);
      if (home == kNone) continue;
      for (const std::uint32_t watcher : s_.homes[home]) {
        prefetch_line_to_write(&s_.watchers[watcher]);
      }
    }
  }
  s_.each_watcher(entity, [&](std::uint32_t watcher) {
    prefetch_line_to_write(&s_.watchers[watcher]);
    prefetch_line_to_write(&s_.sites[watcher]);
  });
  if (const CellIndex to = s_.cells.find(at); to != kNone) {
    prefetch_block(s_.runs[to].first);
  }
}

// Prefetches the block that will get the entity.
template <class Cells>
void GridMoves<Cells>::prefetch_block(std::uint32_t block) const {
  prefetch_line_to_write(&s_.arena.blocks[block]);
  prefetch_line_to_write(&s_.arena.occupied[block]);
  prefetch_line_to_write(&s_.arena.moved[block]);
  prefetch_line_to_write(&s_.arena.entities[block * kBlockPlaces]);
}

// Prefetches the indices of what the entity sees: targets that its new row has no room for become
// orphans, by index.
template <class Cells>
void GridMoves<Cells>::prefetch_seen(EntityIndex entity) const {
  if (s_.places[entity].cell == kNone) return;
  s_.each_watcher(entity, [&](std::uint32_t at) {
    const Watcher& watcher = s_.watchers[at];
    if (watcher.row.on_heap()) return;  // too many to prefetch
    s_.each_place(watcher, [&](std::size_t place) { prefetch_line(&s_.arena.entities[place]); });
  });
}

// Prefetches the runs of the cells that a border crossing adds.
template <class Cells>
void GridMoves<Cells>::prefetch_runs(CellIndex home) const {
  for (const std::size_t i : {0u, 2u, 3u, 5u, 6u, 8u}) {
    const CellIndex cell = s_.cells.neighbour(home, i);
    if (cell != kNone) prefetch_line(&s_.runs[cell]);
  }
}

template <class Cells>
void GridMoves<Cells>::fetch(EntityIndex entity, int step) const {
  switch (step) {
    case 0:
      if (entity < s_.places.size()) prefetch_line_to_write(&s_.places[entity]);
      return;
    case 1:
      prefetch_homes(entity);
      return prefetch_sensor(entity);
    default:
      return prefetch_watchers(entity);
  }
}

template <class Cells>
void GridMoves<Cells>::mark_moved(EntityIndex entity, const GridPlace& place) {
  if (place.place != kNone) {
    s_.mark_dirty(place.cell);
    return;
  }
  s_.each_watcher(entity, [&](std::uint32_t at) { s_.mark_stale(s_.watchers[at]); });
}

}  // namespace starbus::aoi
