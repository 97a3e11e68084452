#include "aoi/index/grid_layer.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <span>

#include "aoi/arrays/prefetch.hpp"

namespace starbus::aoi {

template <class Cells>
GridLayer<Cells>::GridLayer(const Scene& scene, std::vector<Served>& served, std::uint32_t number,
                            Cells cells)
    : s_(scene, served, number, std::move(cells)),
      rows_(s_),
      places_(s_, rows_),
      traces_(s_, rows_, places_),
      moves_(s_, rows_, places_, traces_),
      few_(s_),
      crowd_(s_) {
  for (std::size_t i = 1; i < scene.filters.size(); ++i) {
    s_.arena.refilter_all(static_cast<FilterNumber>(i));
  }
}

template <class Cells>
void GridLayer<Cells>::reserve(std::size_t entities, std::size_t sensors) {
  s_.places.reserve(entities + 1);
  s_.traced.reserve(entities + 1);
  s_.watchers.reserve(sensors);
  s_.sites.reserve(sensors);
  if (s_.cells.size() == 0) return;
  // A bounded map tells about how many blocks are needed: few cells need more than one.
  s_.arena.reserve(std::min(s_.cells.size(), entities) + entities / 16);
  s_.settled = s_.cells.size() <= entities;
  if (!s_.settled) return;
  for (Run& run : s_.runs) run = {s_.arena.allocate(1), 1, 0, 0};
}

template <class Cells>
void GridLayer<Cells>::insert(EntityIndex entity) {
  if (s_.places.size() <= entity) {
    s_.places.resize(s_.scene.spots.size());
    s_.traced.resize(s_.scene.spots.size());
  }
  GridPlace& place = s_.places[entity];
  assert(place.cell == kNone);
  places_.open(place, s_.cells.locate(s_.scene.spots[entity].at));
  if (s_.settled) moves_.prefetch_block(place.cell + 1);  // that of the cell, if cells lie in order
  moves_.prefetch_runs(place.cell);                       // needed when its sensors are attached
  prefetch_line_to_write(&s_.homes[place.cell]);
  place.place = kNone;
  if (s_.scene.observable[entity] == 0) {
    ++s_.hidden[place.cell];
    return;
  }
  place.place = places_.take_place(place.cell);
  s_.arena.put(place.place, entity);
  s_.mark_dirty(place.cell);
}

// Entities of one cell go together, because their bits lie close to each other in the rows around.
template <class Cells>
void GridLayer<Cells>::erase(std::span<const EntityIndex> entities, Buffer<Pair>& had) {
  for (const EntityIndex entity : entities) traces_.follow_trace_of(entity);
  erasing_.assign(entities.begin(), entities.end());
  const auto by_cell = [this](EntityIndex a, EntityIndex b) {
    return s_.places[a].cell < s_.places[b].cell;
  };
  std::sort(erasing_.begin(), erasing_.end(), by_cell);
  const std::span<const EntityIndex> all = erasing_;
  for (std::size_t begin = 0; begin < all.size();) {
    const CellIndex cell = s_.places[all[begin]].cell;
    std::size_t end = begin;
    while (end < all.size() && s_.places[all[end]].cell == cell) ++end;
    rows_.clear_around(cell, all.subspan(begin, end - begin), had);
    begin = end;
  }
  const bool orphaned = !s_.orphans.empty();
  for (const EntityIndex entity : entities) {
    if (orphaned) {
      std::vector<Pair> dropped;
      rows_.drop_orphans(kNone, entity, dropped);
      for (const Pair& pair : dropped) had.push_back(pair);
    }
    GridPlace& place = s_.places[entity];
    if (place.place != kNone) {
      places_.free_place(place.cell, place.place);
    } else {
      --s_.hidden[place.cell];
    }
    places_.close_if_empty(place.cell);
    place = {};
  }
}

template <class Cells>
void GridLayer<Cells>::refilter(EntityIndex entity) {
  const GridPlace& place = s_.places[entity];
  if (place.place == kNone) return;
  s_.arena.refilter(place.place);
  s_.mark_dirty(place.cell);
}

template <class Cells>
void GridLayer<Cells>::visit(const Box& box, EntityVisitor visitor) const {
  s_.cells.visit(box, [&](CellIndex cell) {
    ++visited_;
    const Run& run = s_.runs[cell];
    for (std::uint32_t i = run.first; i < run.first + run.used; ++i) {
      for (unsigned bits = s_.arena.occupied[i]; bits != 0; bits &= bits - 1) {
        visitor(
            s_.arena.entities[i * kBlockPlaces + static_cast<unsigned>(std::countr_zero(bits))]);
      }
    }
  });
}

template <class Cells>
std::uint64_t GridLayer<Cells>::memory() const {
  std::uint64_t bytes = s_.cells.memory() + s_.arena.memory() + s_.runs.capacity() * sizeof(Run) +
                        s_.homes.capacity() * sizeof(HomeList) + s_.dirty.capacity() +
                        s_.dirty_cells.capacity() * sizeof(CellIndex) +
                        s_.dirty_homes.capacity() * 8 + s_.places.capacity() * sizeof(GridPlace) +
                        s_.watchers.capacity() * sizeof(Watcher);
  for (const HomeList& home : s_.homes) {
    if (home.capacity() > kAtHome) bytes += home.capacity() * sizeof(std::uint32_t);
  }
  bytes += s_.sites.capacity() * sizeof(Site) + s_.traces.capacity() * sizeof(GridTrace) +
           s_.traced.capacity();
  for (const Watcher& watcher : s_.watchers) {
    if (watcher.row.on_heap()) bytes += s_.site_of(watcher).size;
  }
  return bytes;
}

// A dirty cell makes all homes around it dirty.
template <class Cells>
void GridLayer<Cells>::spread_dirt() {
  for (const CellIndex cell : std::span(s_.dirty_cells).first(s_.dirty_count)) {
    for (std::size_t i = 0; i < kNeighbours; ++i) {
      const CellIndex home = s_.cells.neighbour(cell, i);
      if (home != kNone) s_.dirty_homes[home / 64] |= std::uint64_t{1} << home % 64;
    }
  }
}

template <class Cells>
void GridLayer<Cells>::settle_dirt() {
  for (const CellIndex cell : std::span(s_.dirty_cells).first(s_.dirty_count)) {
    s_.dirty[cell] = 0;
    const Run& run = s_.runs[cell];
    if (run.used != 0) std::memset(s_.arena.moved.data() + run.first, 0, run.used);
  }
  s_.dirty_count = 0;
}

// Watchers lie in memory in the order of their creation; those of the next homes are prefetched
// while those of one home are evaluated.
template <class Cells>
void GridLayer<Cells>::prefetch(CellIndex home) const {
  for (const std::uint32_t at : s_.homes[home]) prefetch_line_to_write(&s_.watchers[at]);
  // Homes follow each other to the right, so the other blocks are in the cache already.
  for (const std::size_t i : {2u, 5u, 8u}) {
    const CellIndex cell = s_.cells.neighbour(home, i);
    if (cell != kNone) prefetch_line(&s_.arena.blocks[s_.runs[cell].first]);
  }
}

template <class Cells>
void GridLayer<Cells>::dirty(std::vector<Dirty>& out) {
  moves_.settle();
  traces_.follow_traces();
  spread_dirt();
  for (std::size_t word = 0; word < s_.dirty_homes.size(); ++word) {
    for (std::uint64_t bits = s_.dirty_homes[word]; bits != 0; bits &= bits - 1) {
      const auto home =
          static_cast<CellIndex>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      if (home >= s_.homes.size() || s_.homes[home].empty()) continue;
      Around around;
      gather(s_, home, around);
      for (const std::uint32_t at : s_.homes[home]) {
        const std::uint32_t mask = mask_of(s_, s_.watchers[at], around);
        if (mask != 0) out.push_back({s_.watchers[at].sensor, cost_of(around, mask)});
      }
    }
  }
}

template <class Cells>
void GridLayer<Cells>::evaluate(Delta& delta, const std::vector<std::uint8_t>* skip) {
  moves_.settle();
  if (skip != nullptr) traces_.follow_traces();  // sensors that are skipped would not find them
  settle_orphans(delta);
  spread_dirt();
  take_dirty_homes();
  for (std::size_t i = 0; i < homes_to_evaluate_.size(); ++i) {
    if (i + 2 < homes_to_evaluate_.size()) prefetch(homes_to_evaluate_[i + 2]);
    evaluate_home(homes_to_evaluate_[i], delta, skip);
  }
  settle_dirt();
  traces_.end_traces();
}

template <class Cells>
void GridLayer<Cells>::take_dirty_homes() {
  homes_to_evaluate_.clear();
  for (std::size_t word = 0; word < s_.dirty_homes.size(); ++word) {
    std::uint64_t bits = s_.dirty_homes[word];
    s_.dirty_homes[word] = 0;
    for (; bits != 0; bits &= bits - 1) {
      const auto home =
          static_cast<CellIndex>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      if (home < s_.homes.size() && !s_.homes[home].empty()) homes_to_evaluate_.push_back(home);
    }
  }
}

// An orphan whose place is within the nine cells again goes back into the row. Any other is out of
// reach and leaves now, even if its sensor is evaluated later.
template <class Cells>
void GridLayer<Cells>::settle_orphans(Delta& delta) {
  if (s_.orphans.empty()) return;
  constexpr std::size_t kAhead = 8;  // orphans
  group_by_sensor(s_.orphans, grouped_);
  std::size_t i = 0;
  while (i < s_.orphans.size()) {
    const SensorIndex sensor = s_.orphans[i].sensor;
    Watcher& watcher = s_.watcher_of(sensor);
    for (; i < s_.orphans.size() && s_.orphans[i].sensor == sensor; ++i) {
      if (i + kAhead < s_.orphans.size()) {
        const Pair& next = s_.orphans[i + kAhead];
        prefetch_line(&s_.places[next.target]);
        prefetch_line_to_write(&s_.watcher_of(next.sensor));
        prefetch_line(&s_.sites[s_.served[next.sensor].watcher()]);
      }
      const std::uint32_t bit = s_.bit_of(watcher, s_.orphans[i].target);
      if (bit == kNone) {
        delta.leave(s_.orphans[i].target);
      } else {
        watcher.row.set(bit);
        s_.mark_stale(watcher);
      }
    }
    delta.close(sensor, s_.scene.watches[sensor].tracked, false);
  }
  s_.orphans.clear();
}

template <class Cells>
void GridLayer<Cells>::evaluate_home(CellIndex home, Delta& delta,
                                     const std::vector<std::uint8_t>* skip) {
  Around around;
  gather(s_, home, around);
  ++delta.visited;
  if (!around.few) crowd_.lay_out(around);
  typename FewScan<Cells>::Batch batch;
  for (const std::uint32_t at : s_.homes[home]) {
    Watcher& watcher = s_.watchers[at];
    const std::uint32_t mask = mask_of(s_, watcher, around);
    if (mask == 0) continue;
    if (skip != nullptr && (*skip)[watcher.sensor] != 0) {
      s_.mark_stale(watcher);
      continue;
    }
    watcher.stale = false;
    ++delta.evaluated;
    delta.pair_tests += cost_of(around, mask);
    if (around.few) [[likely]] {
      few_.add(at, batch);
      if (batch.count == FewScan<Cells>::kBatch) few_.scan(around, batch, delta);
    } else {
      crowd_.evaluate(watcher, around, mask, delta);
    }
  }
  if (batch.count != 0) few_.scan(around, batch, delta);
}

template class GridLayer<UniformCells>;
template class GridLayer<HashedCells>;

}  // namespace starbus::aoi
