/// The rows of bits of a grid layer: which watcher watches from where, and which bits move when an
/// entity or
/// a watcher changes cells. A bit that a row has no room for becomes an orphan
/// (GridState::orphans): a pair that is in range until the next evaluation decides. Works on a
/// GridState that outlives it; owns scratch memory; one thread.
#pragma once

#include <algorithm>
#include <boost/container/static_vector.hpp>
#include <cassert>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "aoi/index/grid_state.hpp"
#include "aoi/measure.hpp"

namespace starbus::aoi {

template <class Cells>
class GridRows {
 public:
  explicit GridRows(GridState<Cells>& state) : s_(state) {}

  // As those of Index.
  void attach(SensorIndex sensor);
  void detach(SensorIndex sensor, std::vector<EntityIndex>& had);
  void rewatch(SensorIndex sensor);
  void adopt(SensorIndex sensor, EntityIndex target);
  bool has(SensorIndex sensor, EntityIndex target) const;
  void in_range(SensorIndex sensor, std::vector<EntityIndex>& out) const;
  void observers(EntityIndex target, std::vector<SensorIndex>& out) const;

  /// An entity has another place: moves its bits in all rows that have them.
  void move_bits(EntityIndex entity, const GridPlace& from, const GridPlace& to);
  /// A watcher's owner is at home in another cell.
  void rehome(std::uint32_t watcher, const GridPlace& from, const GridPlace& to);
  /// The part of a cell in rows has another width.
  void relayout(CellIndex changed, std::uint32_t old_width, std::uint32_t new_width);
  /// Takes the bits of entities of one cell out of all rows; appends the pairs that were set.
  void clear_around(CellIndex cell, std::span<const EntityIndex> entities, Buffer<Pair>& had);
  void drop_orphans(SensorIndex sensor, EntityIndex target, std::vector<Pair>& dropped);

 private:
  void leave_home(std::uint32_t watcher);
  void resize_row(Watcher& watcher, std::uint32_t size);
  /// visitor(watcher, bit) for each watcher whose row has a bit for this place, set or not.
  template <class Visitor>
  void each_row_over(const GridPlace& place, const Visitor& visitor) const;

  GridState<Cells>& s_;
  std::vector<std::uint8_t> old_row_;  ///< scratch of rehome()
};

// Takes out the orphans of a sensor, or of a target; kNone stands for any.
template <class Cells>
void GridRows<Cells>::drop_orphans(SensorIndex sensor, EntityIndex target,
                                   std::vector<Pair>& dropped) {
  std::erase_if(s_.orphans, [&](const Pair& pair) {
    const bool match =
        (sensor == kNone || pair.sensor == sensor) && (target == kNone || pair.target == target);
    if (match) dropped.push_back(pair);
    return match;
  });
}

template <class Cells>
void GridRows<Cells>::move_bits(EntityIndex entity, const GridPlace& from, const GridPlace& to) {
  const std::uint32_t old_within = from.place - s_.runs[from.cell].first * kBlockPlaces;
  const std::uint32_t new_within = to.place - s_.runs[to.cell].first * kBlockPlaces;
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    const CellIndex home = s_.cells.neighbour(from.cell, i);
    if (home == kNone || s_.homes[home].empty()) continue;
    const std::uint32_t old_bit = s_.offset_of(home, kNeighbours - 1 - i) * 8 + old_within;
    std::uint32_t new_bit = kNone;
    bool known = false;  // computed when the first row needs it: few rows have the bit
    for (const std::uint32_t at : s_.homes[home]) {
      Watcher& watcher = s_.watchers[at];
      if (!watcher.row.test(old_bit)) continue;
      watcher.row.clear(old_bit);
      if (!std::exchange(known, true)) {
        const std::size_t there =
            neighbour_at(to.home.x - from.home.x + 1 - static_cast<std::int32_t>(i % 3),
                         to.home.y - from.home.y + 1 - static_cast<std::int32_t>(i / 3));
        if (there != kNeighbours) new_bit = s_.offset_of(home, there) * 8 + new_within;
      }
      if (new_bit != kNone) {
        watcher.row.set(new_bit);
      } else {
        s_.orphans.push_back({watcher.sensor, entity});
      }
    }
  }
}

// Cells that are around both homes keep their bytes. Targets in the other cells are beyond the nine
// cells now, and become orphans.
template <class Cells>
void GridRows<Cells>::rehome(std::uint32_t at, const GridPlace& from, const GridPlace& to) {
  Watcher& watcher = s_.watchers[at];
  old_row_.assign(watcher.row.data(), watcher.row.data() + s_.sites[at].size);
  leave_home(at);
  s_.homes[to.cell].push_back(at);
  s_.sites[at].cell = to.cell;
  std::uint32_t offsets[kNeighbours + 1] = {};
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    offsets[i + 1] = offsets[i] + s_.width_of(s_.cells.neighbour(to.cell, i));
  }
  resize_row(watcher, offsets[kNeighbours]);
  const std::uint8_t* old = old_row_.data();
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    const CellIndex cell = s_.cells.neighbour(from.cell, i);
    const std::uint32_t used = cell == kNone ? 0 : s_.runs[cell].used;
    const std::size_t there =
        neighbour_at(from.home.x - to.home.x + static_cast<std::int32_t>(i % 3) - 1,
                     from.home.y - to.home.y + static_cast<std::int32_t>(i / 3) - 1);
    if (there != kNeighbours) {
      std::copy_n(old, used, watcher.row.data() + offsets[there]);
    } else {
      for (std::uint32_t block = 0; block < used; ++block) {
        for (unsigned bits = old[block]; bits != 0; bits &= bits - 1) {
          const std::uint32_t place = (s_.runs[cell].first + block) * kBlockPlaces +
                                      static_cast<std::uint32_t>(std::countr_zero(bits));
          s_.orphans.push_back({watcher.sensor, s_.arena.entities[place]});
        }
      }
    }
    old += s_.width_of(cell);
  }
  s_.mark_stale(watcher);
}

// A list of few watchers, as most are, lies within the Home itself, where reading it costs no miss.
// So a list that has become short goes back there.
template <class Cells>
void GridRows<Cells>::leave_home(std::uint32_t at) {
  HomeList& home = s_.homes[s_.sites[at].cell];
  home.erase(std::find(home.begin(), home.end(), at));
  if (home.capacity() <= kAtHome || home.size() >= kAtHome) return;
  const boost::container::static_vector<std::uint32_t, kAtHome> few(home.begin(), home.end());
  std::destroy_at(&home);
  std::construct_at(&home, few.begin(), few.end());
}

// The new row is empty.
template <class Cells>
void GridRows<Cells>::resize_row(Watcher& watcher, std::uint32_t size) {
  watcher.row.reset(size);
  s_.site_of(watcher).size = size;
}

template <class Cells>
void GridRows<Cells>::attach(SensorIndex sensor) {
  const Watch& watch = s_.scene.watches[sensor];
  assert(watch.geometric && s_.places[watch.owner].cell != kNone);
  std::uint32_t at = static_cast<std::uint32_t>(s_.watchers.size());
  if (s_.free_watchers.empty()) {
    s_.watchers.emplace_back();
    s_.sites.emplace_back();
  } else {
    at = s_.free_watchers.back();
    s_.free_watchers.pop_back();
    s_.watchers[at] = {};
  }
  s_.served[sensor] = {s_.number, at};
  Watcher& watcher = s_.watchers[at];
  watcher.sensor = sensor;
  watcher.place = s_.places[watch.owner].place;
  s_.sites[at].cell = s_.places[watch.owner].cell;
  s_.homes[s_.sites[at].cell].push_back(at);
  resize_row(watcher, s_.offset_of(s_.sites[at].cell, kNeighbours));
  rewatch(sensor);
}

template <class Cells>
void GridRows<Cells>::rewatch(SensorIndex sensor) {
  const Watch& watch = s_.scene.watches[sensor];
  Watcher& watcher = s_.watcher_of(sensor);
  watcher.enter_limit = limit_of(s_.scene.metric, watch.radius);
  s_.site_of(watcher).stay_limit = limit_of(s_.scene.metric, watch.reach());
  watcher.filter = watch.filter;
  watcher.plain = !watch.has_margin && !watch.has_height && watch.filter == 0 && !watch.tracked;
  if (watch.has_height) s_.arena.keep_heights();
  s_.mark_stale(watcher);
}

template <class Cells>
void GridRows<Cells>::detach(SensorIndex sensor, std::vector<EntityIndex>& had) {
  const std::uint32_t at = s_.served[sensor].watcher();
  Watcher& watcher = s_.watchers[at];
  s_.each_bit(watcher, [&](EntityIndex target) { had.push_back(target); });
  std::vector<Pair> dropped;
  drop_orphans(sensor, kNone, dropped);
  for (const Pair& pair : dropped) had.push_back(pair.target);
  leave_home(at);
  watcher = {};
  s_.sites[at] = {};
  s_.free_watchers.push_back(at);
  s_.served[sensor] = {};
}

template <class Cells>
void GridRows<Cells>::adopt(SensorIndex sensor, EntityIndex target) {
  Watcher& watcher = s_.watcher_of(sensor);
  const std::uint32_t bit = s_.bit_of(watcher, target);
  if (bit != kNone) {
    watcher.row.set(bit);
  } else {
    s_.orphans.push_back({sensor, target});
  }
  s_.mark_stale(watcher);
}

template <class Cells>
bool GridRows<Cells>::has(SensorIndex sensor, EntityIndex target) const {
  const Watcher& watcher = s_.watcher_of(sensor);
  const auto in_row = [&](const GridPlace& place) {
    const std::uint32_t bit = s_.bit_of(watcher, place);
    return bit != kNone && watcher.row.test(bit);
  };
  if (in_row(s_.places[target])) return true;
  if (const GridTrace* trace = s_.trace_of(target); trace != nullptr && in_row(trace->left))
    return true;
  return std::any_of(s_.orphans.begin(), s_.orphans.end(), [&](const Pair& pair) {
    return pair.sensor == sensor && pair.target == target;
  });
}

template <class Cells>
void GridRows<Cells>::in_range(SensorIndex sensor, std::vector<EntityIndex>& out) const {
  s_.each_bit(s_.watcher_of(sensor), [&](EntityIndex target) { out.push_back(target); });
  for (const Pair& pair : s_.orphans) {
    if (pair.sensor == sensor) out.push_back(pair.target);
  }
}

template <class Cells>
template <class Visitor>
void GridRows<Cells>::each_row_over(const GridPlace& place, const Visitor& visitor) const {
  const std::uint32_t within = place.place - s_.runs[place.cell].first * kBlockPlaces;
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    const CellIndex home = s_.cells.neighbour(place.cell, i);
    if (home == kNone || s_.homes[home].empty()) continue;
    const std::uint32_t bit = s_.offset_of(home, kNeighbours - 1 - i) * 8 + within;
    for (const std::uint32_t at : s_.homes[home]) visitor(at, bit);
  }
}

template <class Cells>
void GridRows<Cells>::observers(EntityIndex target, std::vector<SensorIndex>& out) const {
  const GridPlace& place = s_.places[target];
  if (place.place == kNone) return;
  const auto add = [&](std::uint32_t at, std::uint32_t bit) {
    if (s_.watchers[at].row.test(bit)) out.push_back(s_.watchers[at].sensor);
  };
  each_row_over(place, add);
  if (const GridTrace* trace = s_.trace_of(target); trace != nullptr)
    each_row_over(trace->left, add);
  for (const Pair& pair : s_.orphans) {
    if (pair.target == target) out.push_back(pair.sensor);
  }
}

// Changes the width of one cell's part in all rows around it.
template <class Cells>
void GridRows<Cells>::relayout(CellIndex changed, std::uint32_t old_width,
                               std::uint32_t new_width) {
  std::vector<std::uint8_t> old;
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    const CellIndex home = s_.cells.neighbour(changed, i);
    if (home == kNone || s_.homes[home].empty()) continue;
    const std::uint32_t before = s_.offset_of(home, kNeighbours - 1 - i);
    for (const std::uint32_t at : s_.homes[home]) {
      Watcher& watcher = s_.watchers[at];
      const std::uint32_t size = s_.sites[at].size;
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

// Takes the bits of entities of one cell out of all rows. Branch-free: whether one is set is
// unpredictable.
template <class Cells>
void GridRows<Cells>::clear_around(CellIndex cell, std::span<const EntityIndex> entities,
                                   Buffer<Pair>& had) {
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    const CellIndex home = s_.cells.neighbour(cell, i);
    if (home == kNone || s_.homes[home].empty()) continue;
    const std::uint32_t first = s_.offset_of(home, kNeighbours - 1 - i) * kBlockPlaces -
                                s_.runs[cell].first * kBlockPlaces;  // wraps around, and back
    for (const std::uint32_t at : s_.homes[home]) {
      Watcher& watcher = s_.watchers[at];
      std::uint8_t* const row = watcher.row.data();
      Pair* out = had.room(entities.size());
      Pair* const begin = out;
      for (const EntityIndex entity : entities) {
        const std::uint32_t place = s_.places[entity].place;
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

}  // namespace starbus::aoi
