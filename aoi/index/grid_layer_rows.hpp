/// Of GridLayer: the rows of sensors, how they follow those who move, and what is asked of them.
/// Included by grid_layer.cpp alone.
#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include "aoi/index/grid_layer.hpp"
#include "aoi/measure.hpp"

namespace starbus::aoi {

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
void GridLayer<Cells>::move_bits(EntityIndex entity, const Place& from, const Place& to) {
  const std::uint32_t old_within = from.place - runs_[from.cell].first * kBlockPlaces;
  const std::uint32_t new_within = to.place - runs_[to.cell].first * kBlockPlaces;
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    const CellIndex home = cells_.neighbour(from.cell, i);
    if (home == kNone || homes_[home].empty()) continue;
    const std::uint32_t old_bit = offset_of(home, kNeighbours - 1 - i) * 8 + old_within;
    std::uint32_t new_bit = kNone;
    bool known = false;  // few of those around have seen it: mostly nobody asks
    for (const std::uint32_t at : homes_[home]) {
      Watcher& watcher = watchers_[at];
      if (!watcher.row.test(old_bit)) continue;
      watcher.row.clear(old_bit);
      if (!std::exchange(known, true)) {
        const std::size_t there =
            neighbour_at(to.home.x - from.home.x + 1 - static_cast<std::int32_t>(i % 3),
                         to.home.y - from.home.y + 1 - static_cast<std::int32_t>(i / 3));
        if (there != kNeighbours) new_bit = offset_of(home, there) * 8 + new_within;
      }
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
void GridLayer<Cells>::rehome(std::uint32_t at, const Place& from, const Place& to) {
  Watcher& watcher = watchers_[at];
  held_.assign(watcher.row.data(), watcher.row.data() + sites_[at].size);
  leave_home(at);
  homes_[to.cell].push_back(at);
  sites_[at].cell = to.cell;
  std::uint32_t offsets[kNeighbours + 1] = {};
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    offsets[i + 1] = offsets[i] + width_of(cells_.neighbour(to.cell, i));
  }
  resize_row(watcher, offsets[kNeighbours]);
  const std::uint8_t* old = held_.data();
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    const CellIndex cell = cells_.neighbour(from.cell, i);
    const std::uint32_t used = cell == kNone ? 0 : runs_[cell].used;
    const std::size_t there =
        neighbour_at(from.home.x - to.home.x + static_cast<std::int32_t>(i % 3) - 1,
                     from.home.y - to.home.y + static_cast<std::int32_t>(i / 3) - 1);
    if (there != kNeighbours) {
      std::copy_n(old, used, watcher.row.data() + offsets[there]);
    } else {
      for (std::uint32_t block = 0; block < used; ++block) {
        for (unsigned bits = old[block]; bits != 0; bits &= bits - 1) {
          const std::uint32_t place = (runs_[cell].first + block) * kBlockPlaces +
                                      static_cast<std::uint32_t>(std::countr_zero(bits));
          orphans_.push_back({watcher.sensor, arena_.entities[place]});
        }
      }
    }
    old += width_of(cell);
  }
  mark_stale(watcher);
}

// Who reads which watchers are at home in a cell has them at hand where they are few, as in the
// open almost everywhere: also after there were more.
template <class Cells>
void GridLayer<Cells>::leave_home(std::uint32_t at) {
  Home& home = homes_[sites_[at].cell];
  home.erase(std::find(home.begin(), home.end(), at));
  if (home.capacity() <= kAtHome || home.size() >= kAtHome) return;
  const boost::container::static_vector<std::uint32_t, kAtHome> few(home.begin(), home.end());
  std::destroy_at(&home);
  std::construct_at(&home, few.begin(), few.end());
}

// Empties the row.
template <class Cells>
void GridLayer<Cells>::resize_row(Watcher& watcher, std::uint32_t size) {
  watcher.row.reset(size);
  site_of(watcher).size = size;
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
  watcher.plain = !watch.has_margin && !watch.has_height && watch.filter == 0 && !watch.tracked;
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
  leave_home(at);
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
  const auto in_row = [&](const Place& place) {
    const std::uint32_t bit = bit_of(watcher, place);
    return bit != kNone && watcher.row.test(bit);
  };
  if (in_row(places_[target])) return true;
  if (const Trace* trace = trace_of(target); trace != nullptr && in_row(trace->left)) return true;
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
template <class Visitor>
void GridLayer<Cells>::each_row_over(const Place& place, const Visitor& visitor) const {
  const std::uint32_t within = place.place - runs_[place.cell].first * kBlockPlaces;
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    const CellIndex home = cells_.neighbour(place.cell, i);
    if (home == kNone || homes_[home].empty()) continue;
    const std::uint32_t bit = offset_of(home, kNeighbours - 1 - i) * 8 + within;
    for (const std::uint32_t at : homes_[home]) visitor(at, bit);
  }
}

template <class Cells>
void GridLayer<Cells>::observers(EntityIndex target, std::vector<SensorIndex>& out) const {
  const Place& place = places_[target];
  if (place.place == kNone) return;
  const auto add = [&](std::uint32_t at, std::uint32_t bit) {
    if (watchers_[at].row.test(bit)) out.push_back(watchers_[at].sensor);
  };
  each_row_over(place, add);
  if (const Trace* trace = trace_of(target); trace != nullptr) each_row_over(trace->left, add);
  for (const Pair& pair : orphans_) {
    if (pair.target == target) out.push_back(pair.sensor);
  }
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
std::uint32_t GridLayer<Cells>::bit_of(const Watcher& watcher, const Place& place) const {
  if (place.place == kNone) return kNone;
  const CellIndex home = site_of(watcher).cell;
  const std::size_t there = direction(home, place.cell);
  if (there == kNeighbours) return kNone;
  return offset_of(home, there) * 8 + place.place - runs_[place.cell].first * 8;
}

}  // namespace starbus::aoi
