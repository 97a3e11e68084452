// What has changed becomes events: all of one sensor side by side, sensors and targets in order.
#include <algorithm>
#include <bit>
#include <cassert>

#include "aoi/sort_indices.hpp"
#include "aoi/world_impl.hpp"

namespace starbus::aoi {

bool World::Impl::failed_before(SensorIndex sensor, EntityIndex target) const {
  const auto row = std::lower_bound(
      reflagged_.begin(), reflagged_.end(), target,
      [](const Reflagged& one, EntityIndex entity) { return one.entity < entity; });
  assert(row != reflagged_.end() && row->entity == target);
  return !scene_.filters.passes(scene_.watches[sensor].filter, row->before);
}

Reason World::Impl::reason_of(SensorIndex sensor, EntityIndex target, Kind kind) const {
  const Watch& watch = scene_.watches[sensor];
  if (watch.filter == 0) return Reason::geometry;
  if (kind == Kind::leave) {
    const bool passes = scene_.filters.passes(watch.filter, scene_.flags[target]);
    return passes ? Reason::geometry : Reason::filter;
  }
  const bool flags = entities_[target].reflagged && failed_before(sensor, target);
  return flags ? Reason::filter : Reason::geometry;
}

// Whose entries are where, and which plain sensors have something to tell. A sensor rarely has two.
void World::Impl::find_entries() {
  const std::size_t words = sensor_ids_.size() / 64 + 1;
  has_entry_.assign(words, 0);
  leaving_.assign(words, 0);
  entering_.assign(words, 0);
  first_entry_.resize(sensors_.size());
  older_entries_.clear();
  std::uint32_t left = 0;
  std::uint32_t entered = 0;
  for (std::uint32_t i = 0; i < flips_.entries.size(); ++i) {
    const Flips::Entry& entry = flips_.entries[i];
    const SensorIndex sensor = entry.sensor();
    const std::size_t word = sensor / 64;
    const std::uint64_t bit = std::uint64_t{1} << sensor % 64;
    if ((has_entry_[word] & bit) != 0) older_entries_.emplace_back(i, first_entry_[sensor]);
    has_entry_[word] |= bit;
    first_entry_[sensor] = i;
    if (!entry.managed() && entry.left != left) leaving_[word] |= bit;
    if (!entry.managed() && entry.entered != entered) entering_[word] |= bit;
    left = entry.left;
    entered = entry.entered;
  }
}

// kNone: it is the only one of its sensor.
std::uint32_t World::Impl::older_entry(std::uint32_t entry) const {
  const auto at = std::lower_bound(older_entries_.begin(), older_entries_.end(),
                                   std::pair<std::uint32_t, std::uint32_t>(entry, 0));
  return at == older_entries_.end() || at->first != entry ? kNone : at->second;
}

// Sorts what is extra by sensor, and notes whose it is.
void World::Impl::sort_extra(std::vector<Event>& extra, std::vector<std::uint64_t>& telling) {
  if (extra.empty()) return;
  starts_.assign(sensor_ids_.size() + 1, 0);
  for (const Event& event : extra) ++starts_[event.sensor.index() + 1];
  std::uint32_t sum = 0;
  for (std::uint32_t& start : starts_) start = sum += start;
  sorted_events_.resize(extra.size());
  for (const Event& event : extra) {
    const SensorIndex sensor = event.sensor.index();
    telling[sensor / 64] |= std::uint64_t{1} << sensor % 64;
    sorted_events_[starts_[sensor]++] = event;
  }
}

// Appends to the events what plain sensors have found and what is extra, by (sensor, target).
void World::Impl::tell(std::vector<Event>& extra, std::vector<std::uint64_t>& telling, Kind kind) {
  sort_extra(extra, telling);
  // All at once: what grows is copied.
  (void)events.room((kind == Kind::leave ? flips_.left : flips_.entered).size() + extra.size());
  std::size_t next = 0;
  for (std::size_t word = 0; word < telling.size(); ++word) {
    if (word + 1 < telling.size()) fetch_entries(word + 1);
    for (std::uint64_t bits = telling[word]; bits != 0; bits &= bits - 1) {
      const auto sensor =
          static_cast<SensorIndex>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      const std::size_t begin = events.size();
      tell_plain(sensor, kind);
      const std::size_t first = next;
      while (next < extra.size() && sorted_events_[next].sensor.index() == sensor) ++next;
      if (next == first) continue;
      std::copy_n(sorted_events_.data() + first, next - first, events.room(next - first));
      events.add(next - first);
      sort_events(begin);
    }
  }
  extra.clear();
}

// Entries are in the order of homes: those of the next sensors are fetched while these are told.
void World::Impl::fetch_entries(std::size_t word) const {
  for (std::uint64_t bits = has_entry_[word]; bits != 0; bits &= bits - 1) {
    const std::size_t sensor = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    __builtin_prefetch(&flips_.entries[first_entry_[sensor]]);
  }
}

// By target, from `begin` on: of one sensor and one kind. Extra ones come in order, but those of
// targets that were removed.
void World::Impl::sort_events(std::size_t begin) {
  Event* const first = &events[begin];
  const std::size_t count = events.size() - begin;
  const auto by_target = [](const Event& a, const Event& b) {
    return a.target.index() < b.target.index();
  };
  if (std::is_sorted(first, first + count, by_target)) return;
  // Numbers are sorted faster than events; all targets differ.
  if (place_of_.size() < scene_.spots.size()) place_of_.resize(scene_.spots.size());
  targets_.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    targets_.push_back(first[i].target.index());
    place_of_[targets_.back()] = i;
  }
  sort_indices(targets_, marks_);
  sorted_copy_.assign(first, first + count);
  for (std::size_t i = 0; i < count; ++i) first[i] = sorted_copy_[place_of_[targets_[i]]];
}

// What a plain sensor has found.
void World::Impl::tell_plain(SensorIndex sensor, Kind kind) {
  targets_.clear();
  for (std::uint32_t i = entry_of(sensor); i != kNone; i = older_entry(i)) {
    if (flips_.entries[i].managed()) return;
    const auto found = kind == Kind::leave ? flips_.left_of(i) : flips_.entered_of(i);
    targets_.insert(targets_.end(), found.begin(), found.end());
  }
  if (targets_.empty()) return;  // it may be gone
  sort_indices(targets_, marks_);
  const Watch& watch = scene_.watches[sensor];
  Event event;
  event.sensor = sensor_id(sensor);
  event.observer = id_of(watch.owner);
  event.kind = kind;
  Event* out = events.room(targets_.size());
  for (const EntityIndex target : targets_) {
    event.target = id_of(target);
    if (watch.filter != 0) event.reason = reason_of(sensor, target, kind);
    *out++ = event;
  }
  events.add(targets_.size());
}

}  // namespace starbus::aoi
