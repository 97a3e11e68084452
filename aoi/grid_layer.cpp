#include "aoi/grid_layer.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "aoi/measure.hpp"

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
  const std::size_t size = cells_.size();
  runs_.resize(size);
  homes_.resize(size);
  hidden_.resize(size);
  dirty_.resize(size);
  touched_.resize(size / 64 + 1);
}

template <class Cells>
void GridLayer<Cells>::open(Place& place, const CellAt& at) {
  place.home = at;
  place.cell = cells_.open(at);
  if (place.cell < runs_.size()) return;
  const std::size_t size = place.cell + 1u;
  runs_.resize(size);
  homes_.resize(size);
  hidden_.resize(size);
  dirty_.resize(size);
  touched_.resize(size / 64 + 1);
}

template <class Cells>
void GridLayer<Cells>::close_if_empty(CellIndex cell) {
  if (runs_[cell].count != 0 || hidden_[cell] != 0) return;
  assert(homes_[cell].empty());
  const Run old = runs_[cell];
  if (old.capacity != 0) {
    arena_.release(old.first, old.capacity);
    runs_[cell] = {};
    if (old.width() != 1) relayout(cell, old.width(), 1);
  }
  cells_.close(cell);
}

template <class Cells>
void GridLayer<Cells>::reserve(std::size_t entities, std::size_t sensors) {
  places_.reserve(entities + 1);
  watchers_.reserve(sensors);
  sites_.reserve(sensors);
  // A bounded map says about how many blocks that makes.
  if (cells_.size() != 0) arena_.reserve(std::min(cells_.size(), entities) + entities / 8);
}

template <class Cells>
void GridLayer<Cells>::insert(EntityIndex entity) {
  if (places_.size() <= entity) places_.resize(scene_.spots.size());
  Place& place = places_[entity];
  open(place, cells_.locate(scene_.spots[entity].at));
  place.place = kNone;
  if (scene_.observable[entity] == 0) {
    ++hidden_[place.cell];
    return;
  }
  place.place = take_place(place.cell);
  arena_.put(place.place, entity);
  mark_dirty(place.cell);
}

template <class Cells>
void GridLayer<Cells>::erase(EntityIndex entity, std::vector<SensorIndex>& had) {
  Place& place = places_[entity];
  if (place.place != kNone) {
    clear_around(entity, had);
    free_place(place.cell, place.place);
  } else {
    --hidden_[place.cell];
  }
  close_if_empty(place.cell);
  place = {};
}

template <class Cells>
void GridLayer<Cells>::clear_around(EntityIndex entity, std::vector<SensorIndex>& had) {
  const Place& place = places_[entity];
  const std::uint32_t within = place.place - runs_[place.cell].first * kBlockPlaces;
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    const CellIndex home = cells_.neighbour(place.cell, i);
    if (home == kNone || homes_[home].empty()) continue;
    const std::uint32_t bit = offset_of(home, kNeighbours - 1 - i) * 8 + within;
    for (const std::uint32_t at : homes_[home]) {
      Watcher& watcher = watchers_[at];
      if (!watcher.row.test(bit)) continue;
      watcher.row.clear(bit);
      had.push_back(watcher.sensor);
    }
  }
  std::vector<Pair> dropped;
  drop_orphans(kNone, entity, dropped);
  for (const Pair& pair : dropped) had.push_back(pair.sensor);
}

// Takes out the orphans of a sensor or of a target; kNone: of any.
template <class Cells>
void GridLayer<Cells>::drop_orphans(SensorIndex sensor, EntityIndex target,
                                    std::vector<Pair>& dropped) {
  std::erase_if(orphans_, [&](const Pair& pair) {
    const bool match =
        (sensor == kNone || pair.sensor == sensor) && (target == kNone || pair.target == target);
    if (match) dropped.push_back(pair);
    return match;
  });
}

template <class Cells>
void GridLayer<Cells>::move(EntityIndex entity) {
  Place& place = places_[entity];
  const Position& at = scene_.spots[entity].at;
  if (cells_.stays(place.home, at)) [[likely]] {
    if (place.place != kNone) arena_.set(place.place, at);
  } else {
    change_cell(entity, cells_.locate(at));
  }
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

// Its sensors know where it is, so that a look need not ask for it.
template <class Cells>
void GridLayer<Cells>::set_place(EntityIndex entity, std::uint32_t place) {
  places_[entity].place = place;
  each_watcher(entity, [&](std::uint32_t at) { watchers_[at].place = place; });
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
  Place& place = places_[entity];
  const Place old = place;
  open(place, to);
  if (old.place != kNone) {
    set_place(entity, take_place(place.cell));
    arena_.put(place.place, entity);
    move_bits(entity, old.cell, old.place, place.cell, place.place);
    free_place(old.cell, old.place);
  } else {
    ++hidden_[place.cell];
    --hidden_[old.cell];
  }
  each_watcher(entity, [&](std::uint32_t at) { rehome(at, place.cell); });
  close_if_empty(old.cell);
}

template <class Cells>
void GridLayer<Cells>::move_bits(EntityIndex entity, CellIndex from, std::uint32_t old_place,
                                 CellIndex to, std::uint32_t new_place) {
  const std::uint32_t old_within = old_place - runs_[from].first * kBlockPlaces;
  const std::uint32_t new_within = new_place - runs_[to].first * kBlockPlaces;
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    const CellIndex home = cells_.neighbour(from, i);
    if (home == kNone || homes_[home].empty()) continue;
    const std::uint32_t old_bit = offset_of(home, kNeighbours - 1 - i) * 8 + old_within;
    const std::size_t there = direction(home, to);
    const std::uint32_t new_bit =
        there == kNeighbours ? kNone : offset_of(home, there) * 8 + new_within;
    for (const std::uint32_t at : homes_[home]) {
      Watcher& watcher = watchers_[at];
      if (!watcher.row.test(old_bit)) continue;
      watcher.row.clear(old_bit);
      if (new_bit != kNone) {
        watcher.row.set(new_bit);
      } else {
        orphans_.push_back({watcher.sensor, entity});
      }
    }
  }
}

// Cells that are around both homes keep their bytes; who is in another is beyond the nine.
template <class Cells>
void GridLayer<Cells>::rehome(std::uint32_t at, CellIndex to) {
  Watcher& watcher = watchers_[at];
  const CellIndex from = sites_[at].cell;
  held_.assign(watcher.row.data(), watcher.row.data() + sites_[at].size);
  Home& old_home = homes_[from];
  old_home.erase(std::find(old_home.begin(), old_home.end(), at));
  homes_[to].push_back(at);
  sites_[at].cell = to;
  resize_row(watcher, offset_of(to, kNeighbours));
  const std::uint8_t* old = held_.data();
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    const CellIndex cell = cells_.neighbour(from, i);
    const std::uint32_t used = cell == kNone ? 0 : runs_[cell].used;
    const std::size_t there = used == 0 ? kNeighbours : direction(to, cell);
    if (there != kNeighbours) {
      std::memcpy(watcher.row.data() + offset_of(to, there), old, used);
    } else {
      for (std::uint32_t bit = 0; bit < used * 8; ++bit) {
        if ((old[bit / 8] >> bit % 8 & 1) == 0) continue;
        orphans_.push_back({watcher.sensor, arena_.entities[runs_[cell].first * 8 + bit]});
      }
    }
    old += width_of(cell);
  }
  mark_stale(watcher);
}

// Empties the row.
template <class Cells>
void GridLayer<Cells>::resize_row(Watcher& watcher, std::uint32_t size) {
  watcher.row.reset(size);
  site_of(watcher).size = size;
}

template <class Cells>
std::uint32_t GridLayer<Cells>::take_place(CellIndex cell) {
  const auto free_in = [&](const Run& run) {
    for (std::uint32_t i = run.first; i < run.first + run.used; ++i) {
      if (arena_.occupied[i] == 0xff) continue;
      return i * kBlockPlaces + static_cast<std::uint32_t>(std::countr_one(arena_.occupied[i]));
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
  while (run.used != 0 && arena_.occupied[run.first + run.used - 1] == 0) --run.used;
  // Three quarters of half the room hold all: so the next few do not undo it.
  if (run.capacity > 1 && run.count * 8 <= run.capacity * kBlockPlaces * 3) pack(cell);
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
      --runs_[cell].count;  // take_place counts it again
      const std::uint32_t to = take_place(cell);
      arena_.put(to, entity);
      set_place(entity, to);
      move_bits(entity, cell, from, cell, to);
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
    arena_.put(to, entity);
    set_place(entity, to);
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

template <class Cells>
void GridLayer<Cells>::attach(SensorIndex sensor) {
  const Watch& watch = scene_.watches[sensor];
  std::uint32_t at = static_cast<std::uint32_t>(watchers_.size());
  if (free_watchers_.empty()) {
    watchers_.emplace_back();
    sites_.emplace_back();
  } else {
    at = free_watchers_.back();
    free_watchers_.pop_back();
    watchers_[at] = {};
  }
  served_[sensor] = {number_, at};
  Watcher& watcher = watchers_[at];
  watcher.sensor = sensor;
  watcher.place = places_[watch.owner].place;
  sites_[at].cell = places_[watch.owner].cell;
  homes_[sites_[at].cell].push_back(at);
  resize_row(watcher, offset_of(sites_[at].cell, kNeighbours));
  rewatch(sensor);
}

template <class Cells>
void GridLayer<Cells>::rewatch(SensorIndex sensor) {
  const Watch& watch = scene_.watches[sensor];
  Watcher& watcher = watchers_[served_[sensor].watcher()];
  watcher.enter_limit = limit_of(scene_.metric, watch.radius);
  site_of(watcher).stay_limit = limit_of(scene_.metric, watch.reach());
  watcher.filter = watch.filter;
  watcher.plain = !watch.has_margin && !watch.has_height && watch.filter == 0 && !watch.managed;
  if (watch.has_height) arena_.keep_heights();
  mark_stale(watcher);
}

template <class Cells>
void GridLayer<Cells>::detach(SensorIndex sensor, std::vector<EntityIndex>& had) {
  const std::uint32_t at = served_[sensor].watcher();
  Watcher& watcher = watchers_[at];
  each_bit(watcher, [&](EntityIndex target) { had.push_back(target); });
  std::vector<Pair> dropped;
  drop_orphans(sensor, kNone, dropped);
  for (const Pair& pair : dropped) had.push_back(pair.target);
  Home& home = homes_[sites_[at].cell];
  home.erase(std::find(home.begin(), home.end(), at));
  watcher = {};
  sites_[at] = {};
  free_watchers_.push_back(at);
  served_[sensor] = {};
}

template <class Cells>
void GridLayer<Cells>::adopt(SensorIndex sensor, EntityIndex target) {
  Watcher& watcher = watchers_[served_[sensor].watcher()];
  const std::uint32_t bit = bit_of(watcher, target);
  if (bit != kNone) {
    watcher.row.set(bit);
  } else {
    orphans_.push_back({sensor, target});
  }
  mark_stale(watcher);
}

template <class Cells>
bool GridLayer<Cells>::has(SensorIndex sensor, EntityIndex target) const {
  const Watcher& watcher = watchers_[served_[sensor].watcher()];
  const std::uint32_t bit = bit_of(watcher, target);
  if (bit != kNone) return watcher.row.test(bit);
  return std::any_of(orphans_.begin(), orphans_.end(), [&](const Pair& pair) {
    return pair.sensor == sensor && pair.target == target;
  });
}

template <class Cells>
void GridLayer<Cells>::in_range(SensorIndex sensor, std::vector<EntityIndex>& out) const {
  each_bit(watchers_[served_[sensor].watcher()],
           [&](EntityIndex target) { out.push_back(target); });
  for (const Pair& pair : orphans_) {
    if (pair.sensor == sensor) out.push_back(pair.target);
  }
}

template <class Cells>
void GridLayer<Cells>::observers(EntityIndex target, std::vector<SensorIndex>& out) const {
  const Place& place = places_[target];
  if (place.place == kNone) return;
  const std::uint32_t within = place.place - runs_[place.cell].first * kBlockPlaces;
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    const CellIndex home = cells_.neighbour(place.cell, i);
    if (home == kNone || homes_[home].empty()) continue;
    const std::uint32_t bit = offset_of(home, kNeighbours - 1 - i) * 8 + within;
    for (const std::uint32_t at : homes_[home]) {
      if (watchers_[at].row.test(bit)) out.push_back(watchers_[at].sensor);
    }
  }
  for (const Pair& pair : orphans_) {
    if (pair.target == target) out.push_back(pair.sensor);
  }
}

template <class Cells>
void GridLayer<Cells>::visit(const Box& box,
                             const std::function<void(EntityIndex)>& visitor) const {
  cells_.visit(box, [&](CellIndex cell) {
    const Run& run = runs_[cell];
    for (std::uint32_t i = run.first; i < run.first + run.used; ++i) {
      for (unsigned bits = arena_.occupied[i]; bits != 0; bits &= bits - 1) {
        visitor(arena_.entities[i * kBlockPlaces + static_cast<unsigned>(std::countr_zero(bits))]);
      }
    }
  });
}

template <class Cells>
std::uint32_t GridLayer<Cells>::width_of(CellIndex cell) const {
  return cell == kNone ? 1 : runs_[cell].width();
}

template <class Cells>
std::uint32_t GridLayer<Cells>::offset_of(CellIndex home, std::size_t neighbour) const {
  std::uint32_t offset = 0;
  for (std::size_t i = 0; i < neighbour; ++i) offset += width_of(cells_.neighbour(home, i));
  return offset;
}

template <class Cells>
std::size_t GridLayer<Cells>::direction(CellIndex home, CellIndex cell) const {
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    if (cells_.neighbour(home, i) == cell) return i;
  }
  return kNeighbours;
}

template <class Cells>
std::uint32_t GridLayer<Cells>::bit_of(const Watcher& watcher, EntityIndex target) const {
  const Place& place = places_[target];
  if (place.place == kNone) return kNone;
  const CellIndex home = site_of(watcher).cell;
  const std::size_t there = direction(home, place.cell);
  if (there == kNeighbours) return kNone;
  return offset_of(home, there) * 8 + place.place - runs_[place.cell].first * 8;
}

template <class Cells>
std::uint64_t GridLayer<Cells>::memory() const {
  std::uint64_t bytes = cells_.memory() + arena_.memory() + runs_.capacity() * sizeof(Run) +
                        homes_.capacity() * sizeof(Home) + dirty_.capacity() +
                        dirty_cells_.capacity() * sizeof(CellIndex) + touched_.capacity() * 8 +
                        places_.capacity() * sizeof(Place) + watchers_.capacity() * sizeof(Watcher);
  for (const Home& home : homes_) {
    if (home.capacity() > 4) bytes += home.capacity() * sizeof(std::uint32_t);
  }
  bytes += sites_.capacity() * sizeof(Site);
  for (const Watcher& watcher : watchers_) {
    if (watcher.row.on_heap()) bytes += site_of(watcher).size;
  }
  return bytes;
}

template class GridLayer<UniformCells>;
template class GridLayer<HashedCells>;

}  // namespace starbus::aoi
