#include "aoi/index/grid_layer.hpp"

#include <algorithm>
#include <bit>

#include "aoi/arrays/prefetch.hpp"
#include "aoi/index/grid_layer_few.hpp"
#include "aoi/index/grid_layer_going.hpp"
#include "aoi/index/grid_layer_look.hpp"
#include "aoi/index/grid_layer_places.hpp"
#include "aoi/index/grid_layer_rows.hpp"
#include "aoi/index/grid_layer_scan.hpp"
#include "aoi/index/grid_layer_traces.hpp"

namespace starbus::aoi {

template <class Cells>
GridLayer<Cells>::GridLayer(const Scene& scene, std::vector<Served>& served, std::uint32_t number,
                            Cells cells)
    : scene_(scene),
      kernels_(scene.simd == Simd::none ? portable_kernels() : best_kernels()),
      served_(served),
      number_(number),
      cells_(std::move(cells)),
      arena_(scene) {
  for (std::size_t i = 1; i < scene.filters.size(); ++i) {
    arena_.refilter_all(static_cast<FilterNumber>(i));
  }
  make_cells(cells_.size());
}

template <class Cells>
void GridLayer<Cells>::make_cells(std::size_t size) {
  runs_.resize(size);
  homes_.resize(size);
  hidden_.resize(size);
  dirty_.resize(size);
  touched_.resize(size / 64 + 1);
}

template <class Cells>
void GridLayer<Cells>::reserve(std::size_t entities, std::size_t sensors) {
  places_.reserve(entities + 1);
  traced_.reserve(entities + 1);
  watchers_.reserve(sensors);
  sites_.reserve(sensors);
  if (cells_.size() == 0) return;
  // A bounded map says about how many blocks that makes: few cells need more than one.
  arena_.reserve(std::min(cells_.size(), entities) + entities / 16);
  settled_ = cells_.size() <= entities;
  if (!settled_) return;
  for (Run& run : runs_) run = {arena_.allocate(1), 1, 0, 0};
}

template <class Cells>
void GridLayer<Cells>::insert(EntityIndex entity) {
  if (places_.size() <= entity) {
    places_.resize(scene_.spots.size());
    traced_.resize(scene_.spots.size());
  }
  Place& place = places_[entity];
  open(place, cells_.locate(scene_.spots[entity].at));
  if (settled_) prefetch_block(place.cell + 1);  // where it was laid out
  prefetch_runs(place.cell);                     // its sensors come next
  prefetch_line_to_write(&homes_[place.cell]);
  place.place = kNone;
  if (scene_.observable[entity] == 0) {
    ++hidden_[place.cell];
    return;
  }
  place.place = take_place(place.cell);
  arena_.put(place.place, entity);
  mark_dirty(place.cell);
}

// Those of one cell together: their bits lie close to each other in the rows around.
template <class Cells>
void GridLayer<Cells>::erase(std::span<const EntityIndex> entities, Buffer<Pair>& had) {
  for (const EntityIndex entity : entities) follow_trace_of(entity);
  erasing_.assign(entities.begin(), entities.end());
  const auto by_cell = [this](EntityIndex a, EntityIndex b) {
    return places_[a].cell < places_[b].cell;
  };
  std::sort(erasing_.begin(), erasing_.end(), by_cell);
  const std::span<const EntityIndex> all = erasing_;
  for (std::size_t begin = 0; begin < all.size();) {
    const CellIndex cell = places_[all[begin]].cell;
    std::size_t end = begin;
    while (end < all.size() && places_[all[end]].cell == cell) ++end;
    clear_around(cell, all.subspan(begin, end - begin), had);
    begin = end;
  }
  const bool orphaned = !orphans_.empty();
  for (const EntityIndex entity : entities) {
    if (orphaned) {
      std::vector<Pair> dropped;
      drop_orphans(kNone, entity, dropped);
      for (const Pair& pair : dropped) had.push_back(pair);
    }
    Place& place = places_[entity];
    if (place.place != kNone) {
      free_place(place.cell, place.place);
    } else {
      --hidden_[place.cell];
    }
    close_if_empty(place.cell);
    place = {};
  }
}

// Takes the bits of those in one cell out of all rows. Whether one was set is anybody's guess.
template <class Cells>
void GridLayer<Cells>::clear_around(CellIndex cell, std::span<const EntityIndex> entities,
                                    Buffer<Pair>& had) {
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    const CellIndex home = cells_.neighbour(cell, i);
    if (home == kNone || homes_[home].empty()) continue;
    const std::uint32_t first = offset_of(home, kNeighbours - 1 - i) * kBlockPlaces -
                                runs_[cell].first * kBlockPlaces;  // wraps around, and back
    for (const std::uint32_t at : homes_[home]) {
      Watcher& watcher = watchers_[at];
      std::uint8_t* const row = watcher.row.data();
      Pair* out = had.room(entities.size());
      Pair* const begin = out;
      for (const EntityIndex entity : entities) {
        const std::uint32_t place = places_[entity].place;
        if (place == kNone) continue;
        const std::uint32_t bit = first + place;
        const unsigned mask = 1u << bit % 8;
        const unsigned byte = row[bit / 8];
        row[bit / 8] = static_cast<std::uint8_t>(byte & ~mask);
        *out = {watcher.sensor, entity};
        out += (byte & mask) != 0 ? 1 : 0;
      }
      had.add(static_cast<std::size_t>(out - begin));
    }
  }
}

template <class Cells>
void GridLayer<Cells>::move(EntityIndex entity) {
  Place& place = places_[entity];
  const Position& at = scene_.spots[entity].at;
  if (!cells_.stays(place.home, at)) [[unlikely]] {
    if (going_.size() == kGoing) settle();
    going_.push_back(entity);
    prefetch_homes(entity);
    return;
  }
  if (place.place != kNone) arena_.set(place.place, at);
  mark_moved(entity, place);
}

template <class Cells>
void GridLayer<Cells>::mark_moved(EntityIndex entity, const Place& place) {
  if (place.place != kNone) {
    mark_dirty(place.cell);
    return;
  }
  each_watcher(entity, [&](std::uint32_t at) { mark_stale(watchers_[at]); });
}

template <class Cells>
void GridLayer<Cells>::mark_dirty(CellIndex cell) {
  // Without a branch: whether it was dirty already is anybody's guess.
  if (dirty_count_ == dirty_cells_.size()) dirty_cells_.resize(dirty_count_ * 2 + 64);
  dirty_cells_[dirty_count_] = cell;
  dirty_count_ += dirty_[cell] == 0 ? 1 : 0;
  dirty_[cell] = 1;
}

template <class Cells>
void GridLayer<Cells>::mark_stale(Watcher& watcher) {
  watcher.stale = true;
  const CellIndex home = site_of(watcher).cell;
  touched_[home / 64] |= std::uint64_t{1} << home % 64;
}

template <class Cells>
void GridLayer<Cells>::refilter(EntityIndex entity) {
  const Place& place = places_[entity];
  if (place.place == kNone) return;
  arena_.refilter(place.place);
  mark_dirty(place.cell);
}

template <class Cells>
void GridLayer<Cells>::change_cell(EntityIndex entity, const CellAt& to) {
  follow_trace_of(entity);
  Place& place = places_[entity];
  const Place old = place;
  open(place, to);
  if (old.place != kNone) {
    set_place(entity, take_place(place.cell));
    arena_.put(place.place, entity);
    if (is_far(old.home, to)) {
      leave_trace(entity, old);
    } else {
      move_bits(entity, old, place);
      free_place(old.cell, old.place);
    }
  } else {
    ++hidden_[place.cell];
    --hidden_[old.cell];
  }
  each_watcher(entity, [&](std::uint32_t at) { rehome(at, old, place); });
  close_if_empty(old.cell);
}

template <class Cells>
void GridLayer<Cells>::visit(const Box& box,
                             const std::function<void(EntityIndex)>& visitor) const {
  cells_.visit(box, [&](CellIndex cell) {
    ++visited_;
    const Run& run = runs_[cell];
    for (std::uint32_t i = run.first; i < run.first + run.used; ++i) {
      for (unsigned bits = arena_.occupied[i]; bits != 0; bits &= bits - 1) {
        visitor(arena_.entities[i * kBlockPlaces + static_cast<unsigned>(std::countr_zero(bits))]);
      }
    }
  });
}

template <class Cells>
std::uint64_t GridLayer<Cells>::memory() const {
  std::uint64_t bytes = cells_.memory() + arena_.memory() + runs_.capacity() * sizeof(Run) +
                        homes_.capacity() * sizeof(Home) + dirty_.capacity() +
                        dirty_cells_.capacity() * sizeof(CellIndex) + touched_.capacity() * 8 +
                        places_.capacity() * sizeof(Place) + watchers_.capacity() * sizeof(Watcher);
  for (const Home& home : homes_) {
    if (home.capacity() > kAtHome) bytes += home.capacity() * sizeof(std::uint32_t);
  }
  bytes +=
      sites_.capacity() * sizeof(Site) + traces_.capacity() * sizeof(Trace) + traced_.capacity();
  for (const Watcher& watcher : watchers_) {
    if (watcher.row.on_heap()) bytes += site_of(watcher).size;
  }
  return bytes;
}

template class GridLayer<UniformCells>;
template class GridLayer<HashedCells>;

}  // namespace starbus::aoi
