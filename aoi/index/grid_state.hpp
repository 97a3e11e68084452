/// The data that the parts of one grid layer share: cells with their blocks, the watchers at home
/// in each,
/// where each entity is, and what changed since the last evaluation. The parts (GridRows,
/// GridPlaces, GridTraces, GridMoves and the two scans) work on it; GridLayer owns it. Plain data;
/// one thread; fails only by running out of memory.
#pragma once

#include <algorithm>
#include <bit>
#include <boost/container/small_vector.hpp>
#include <cassert>
#include <cstdlib>
#include <vector>

#include "aoi/index/block_arena.hpp"
#include "aoi/index/cells.hpp"
#include "aoi/index/layer.hpp"
#include "aoi/index/watcher.hpp"

namespace starbus::aoi {

/// The home cell among its neighbours, and a bit for each of the nine.
inline constexpr std::size_t kCentre = kNeighbours / 2;
inline constexpr std::uint32_t kAllCells = (1u << kNeighbours) - 1;
/// An entity that has moved farther than that, in cells, is around no home around which it was.
inline constexpr std::int32_t kFarCells = 2;
/// Watchers of one cell whose list needs no memory elsewhere.
inline constexpr std::size_t kAtHome = 4;
using HomeList = boost::container::small_vector<std::uint32_t, kAtHome>;

/// Where an entity is: its cell, and its place in a block of that.
struct GridPlace {
  CellAt home;
  CellIndex cell = kNone;
  std::uint32_t place = kNone;  ///< kNone: not observable
};

/// The old place of an entity that has moved far: until all sensors around it are evaluated, their
/// rows still have its bit there.
struct GridTrace {
  EntityIndex entity = kNone;
  GridPlace left;
};

/// Farther apart than kFarCells in a coordinate.
inline bool is_far(const CellAt& from, const CellAt& to) {
  return std::abs(from.x - to.x) > kFarCells || std::abs(from.y - to.y) > kFarCells;
}

/// Which of the nine cells around a home lies so far from it; kNeighbours: none.
inline std::size_t neighbour_at(std::int32_t across, std::int32_t along) {
  const bool near = across >= -1 && across <= 1 && along >= -1 && along <= 1;
  return near ? static_cast<std::size_t>((along + 1) * 3 + across + 1) : kNeighbours;
}

template <class Cells>
struct GridState {
  GridState(const Scene& the_scene, std::vector<Served>& the_served, std::uint32_t the_number,
            Cells the_cells)
      : scene(the_scene),
        kernels(the_scene.simd == Simd::none ? portable_kernels() : best_kernels()),
        served(the_served),
        number(the_number),
        cells(std::move(the_cells)),
        arena(the_scene) {
    make_cells(cells.size());
  }
  GridState(const GridState&) = delete;
  GridState& operator=(const GridState&) = delete;

  /// Makes room for so many cells.
  void make_cells(std::size_t size);
  /// An entity of the cell has come, gone, moved or changed its flags.
  void mark_dirty(CellIndex cell);
  /// The watcher must scan all nine cells.
  void mark_stale(Watcher& watcher);

  /// The site of one of `watchers`, by its place in there.
  Site& site_of(const Watcher& watcher) {
    return sites[static_cast<std::size_t>(&watcher - watchers.data())];
  }
  const Site& site_of(const Watcher& watcher) const {
    return sites[static_cast<std::size_t>(&watcher - watchers.data())];
  }
  Watcher& watcher_of(SensorIndex sensor) { return watchers[served[sensor].watcher()]; }
  const Watcher& watcher_of(SensorIndex sensor) const { return watchers[served[sensor].watcher()]; }

  /// Bytes of a cell's part in rows.
  std::uint32_t width_of(CellIndex cell) const;
  /// Where the part of the nth cell around a home begins in the rows of that home, in bytes.
  std::uint32_t offset_of(CellIndex home, std::size_t neighbour) const;
  /// Which of the nine cells around `home` that cell is; kNeighbours: none.
  std::size_t direction(CellIndex home, CellIndex cell) const;
  /// The bit of a place in the row of a watcher; kNone: the row has none.
  std::uint32_t bit_of(const Watcher& watcher, const GridPlace& place) const;
  std::uint32_t bit_of(const Watcher& watcher, EntityIndex target) const {
    return bit_of(watcher, places[target]);
  }

  /// visitor(place), or visitor(entity), for each bit of the watcher's row that is set.
  template <class Visitor>
  void each_place(const Watcher& watcher, const Visitor& visitor) const;
  template <class Visitor>
  void each_bit(const Watcher& watcher, const Visitor& visitor) const;
  /// visitor(watcher) for each watcher that an entity has in this layer. Sensors with symmetric
  /// lists have none.
  template <class Visitor>
  void each_watcher(EntityIndex entity, const Visitor& visitor) const;

  /// Null if the entity left no trace since the last evaluation.
  const GridTrace* trace_of(EntityIndex entity) const;
  GridTrace& trace_at(std::uint32_t place);
  bool has_traces(CellIndex cell) const;

  const Scene& scene;
  const KernelTable& kernels;
  std::vector<Served>& served;  ///< of the grid
  const std::uint32_t number;   ///< of the layer
  Cells cells;
  BlockArena arena;
  /// Each cell keeps a block, also if it is empty: blocks lie as cells do, so that those of homes
  /// that follow each other are prefetched by the processor.
  bool settled = false;
  std::vector<Run> runs;               ///< per cell
  std::vector<HomeList> homes;         ///< per cell: the watchers at home there
  std::vector<std::uint32_t> hidden;   ///< per cell: entities at home there that are not observable
  std::vector<std::uint8_t> dirty;     ///< per cell
  std::vector<CellIndex> dirty_cells;  ///< the first dirty_count
  std::size_t dirty_count = 0;
  std::vector<std::uint64_t> dirty_homes;  ///< a bit per cell: a watcher there must be evaluated
  std::vector<GridPlace> places;           ///< per entity
  std::vector<Watcher> watchers;
  std::vector<Site> sites;  ///< parallel to watchers
  std::vector<std::uint32_t> free_watchers;
  std::vector<Pair> orphans;
  std::vector<GridTrace> traces;     ///< one of an entity at most
  std::vector<std::uint8_t> traced;  ///< by entity: it has one
};

template <class Cells>
template <class Visitor>
void GridState<Cells>::each_place(const Watcher& watcher, const Visitor& visitor) const {
  const std::uint8_t* row = watcher.row.data();
  const CellIndex home = site_of(watcher).cell;
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    const CellIndex cell = cells.neighbour(home, i);
    const Run run = cell == kNone ? Run{} : runs[cell];
    for (std::uint32_t block = 0; block < run.used; ++block) {
      for (unsigned bits = row[block]; bits != 0; bits &= bits - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(bits));
        visitor(std::size_t{run.first + block} * kBlockPlaces + lane);
      }
    }
    row += run.width();
  }
}

template <class Cells>
template <class Visitor>
void GridState<Cells>::each_bit(const Watcher& watcher, const Visitor& visitor) const {
  each_place(watcher, [&](std::size_t place) { visitor(arena.entities[place]); });
}

template <class Cells>
template <class Visitor>
void GridState<Cells>::each_watcher(EntityIndex entity, const Visitor& visitor) const {
  for (SensorIndex s = scene.first_sensor[entity]; s != kNone; s = scene.watches[s].next) {
    if (s < served.size() && served[s].layer() == number) visitor(served[s].watcher());
  }
}

template <class Cells>
void GridState<Cells>::make_cells(std::size_t size) {
  runs.resize(size);
  homes.resize(size);
  hidden.resize(size);
  dirty.resize(size);
  dirty_homes.resize(size / 64 + 1);
}

template <class Cells>
void GridState<Cells>::mark_dirty(CellIndex cell) {
  // Branch-free: whether the cell is dirty already is unpredictable.
  if (dirty_count == dirty_cells.size()) dirty_cells.resize(dirty_count * 2 + 64);
  dirty_cells[dirty_count] = cell;
  dirty_count += dirty[cell] == 0 ? 1 : 0;
  dirty[cell] = 1;
}

template <class Cells>
void GridState<Cells>::mark_stale(Watcher& watcher) {
  watcher.stale = true;
  const CellIndex home = site_of(watcher).cell;
  dirty_homes[home / 64] |= std::uint64_t{1} << home % 64;
}

template <class Cells>
std::uint32_t GridState<Cells>::width_of(CellIndex cell) const {
  return cell == kNone ? 1 : runs[cell].width();
}

template <class Cells>
std::uint32_t GridState<Cells>::offset_of(CellIndex home, std::size_t neighbour) const {
  std::uint32_t offset = 0;
  for (std::size_t i = 0; i < neighbour; ++i) offset += width_of(cells.neighbour(home, i));
  return offset;
}

template <class Cells>
std::size_t GridState<Cells>::direction(CellIndex home, CellIndex cell) const {
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    if (cells.neighbour(home, i) == cell) return i;
  }
  return kNeighbours;
}

template <class Cells>
std::uint32_t GridState<Cells>::bit_of(const Watcher& watcher, const GridPlace& place) const {
  if (place.place == kNone) return kNone;
  const CellIndex home = site_of(watcher).cell;
  const std::size_t there = direction(home, place.cell);
  if (there == kNeighbours) return kNone;
  return offset_of(home, there) * 8 + place.place - runs[place.cell].first * 8;
}

// Null: the entity has none.
template <class Cells>
auto GridState<Cells>::trace_of(EntityIndex entity) const -> const GridTrace* {
  if (traced[entity] == 0) return nullptr;
  const auto found = std::find_if(traces.begin(), traces.end(),
                                  [&](const GridTrace& trace) { return trace.entity == entity; });
  assert(found != traces.end());
  return &*found;
}

template <class Cells>
auto GridState<Cells>::trace_at(std::uint32_t place) -> GridTrace& {
  const auto found = std::find_if(traces.begin(), traces.end(), [&](const GridTrace& trace) {
    return trace.left.place == place;
  });
  assert(found != traces.end());
  return *found;
}

template <class Cells>
bool GridState<Cells>::has_traces(CellIndex cell) const {
  const auto first = arena.vacated.begin() + static_cast<std::ptrdiff_t>(runs[cell].first);
  return std::any_of(first, first + static_cast<std::ptrdiff_t>(runs[cell].used),
                     [](std::uint8_t bits) { return bits != 0; });
}

}  // namespace starbus::aoi
