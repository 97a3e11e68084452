// What has changed becomes events: all of one sensor side by side, sensors and targets in order.
#include <algorithm>
#include <bit>
#include <cassert>

#include "aoi/arrays/prefetch.hpp"
#include "aoi/arrays/sort_indices.hpp"
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

// Whose entries are where, and which plain sensors have something to tell. A sensor has two only
// where somebody has gone far.
void World::Impl::find_entries() {
  const std::size_t words = sensor_ids_.size() / 64 + 1;
  has_entry_.assign(words, 0);
  leaving_.assign(words, 0);
  entering_.assign(words, 0);
  first_entry_.resize(sensors_.size());
  older_entry_.clear();
  std::uint32_t left = 0;
  std::uint32_t entered = 0;
  for (std::uint32_t i = 0; i < flips_.entries.size(); ++i) {
    const Flips::Entry& entry = flips_.entries[i];
    const SensorIndex sensor = entry.sensor();
    const std::size_t word = sensor / 64;
    const std::uint64_t bit = std::uint64_t{1} << sensor % 64;
    if ((has_entry_[word] & bit) != 0) {
      if (older_entry_.empty()) older_entry_.assign(flips_.entries.size(), kNone);
      older_entry_[i] = first_entry_[sensor];
    }
    has_entry_[word] |= bit;
    first_entry_[sensor] = i;
    const bool plain = !entry.noted() || !sensors_[sensor].managed;
    if (plain && entry.left != left) leaving_[word] |= bit;
    if (plain && entry.entered != entered) entering_[word] |= bit;
    left = entry.left;
    entered = entry.entered;
  }
}

// Sorts what is extra by sensor, and notes whose it is. Decisions come in order, removals do not.
void World::Impl::sort_extra(std::vector<Event>& extra, std::vector<std::uint64_t>& telling) {
  bool sorted = true;
  SensorIndex last = 0;
  for (const Event& event : extra) {
    const SensorIndex sensor = event.sensor.index();
    telling[sensor / 64] |= std::uint64_t{1} << sensor % 64;
    sorted = sorted && last <= sensor;
    last = sensor;
  }
  if (sorted) return sorted_events_.swap(extra);
  starts_.assign(sensor_ids_.size() + 1, 0);
  for (const Event& event : extra) ++starts_[event.sensor.index() + 1];
  std::uint32_t sum = 0;
  for (std::uint32_t& start : starts_) start = sum += start;
  sorted_events_.resize(extra.size());
  for (const Event& event : extra) {
    sorted_events_[starts_[event.sensor.index()]++] = event;
  }
}

// Appends to the events what plain sensors have found and what is extra, by (sensor, target).
void World::Impl::tell(std::vector<Event>& extra, std::vector<std::uint64_t>& telling, Kind kind) {
  sort_extra(extra, telling);
  if (kind == Kind::leave) endings_.sort(telling);
  const std::size_t plain =
      kind == Kind::leave ? flips_.left.size() + endings_.size() : flips_.entered.size();
  std::size_t rows = 0;
  for (const std::uint64_t word : telling) rows += static_cast<std::size_t>(std::popcount(word));
  events.expect(rows, plain + extra.size(), extra.size());
  std::span<Event> extras = sorted_events_;
  for (std::size_t word = 0; word < telling.size(); ++word) {
    if (word + 2 < telling.size()) fetch_entries(word + 2);
    if (word + 1 < telling.size()) fetch_targets(word + 1, kind);
    for (std::uint64_t bits = telling[word]; bits != 0; bits &= bits - 1) {
      const auto sensor =
          static_cast<SensorIndex>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      std::size_t count = 0;
      while (count < extras.size() && extras[count].sensor.index() == sensor) ++count;
      if (count != 0) sort_events(extras.first(count));
      tell_sensor(sensor, kind, extras.first(count));
      extras = extras.subspan(count);
    }
  }
  extra.clear();
  if (kind == Kind::leave) endings_.start();
}

// Entries are in the order of homes: those of the next sensors are fetched while these are told.
void World::Impl::fetch_entries(std::size_t word) const {
  for (std::uint64_t bits = has_entry_[word]; bits != 0; bits &= bits - 1) {
    const std::size_t sensor = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    prefetch_line(&flips_.entries[first_entry_[sensor]]);
    if (!older_entry_.empty()) prefetch_line(&older_entry_[first_entry_[sensor]]);
  }
}

// And so are their targets, when the entries are here.
void World::Impl::fetch_targets(std::size_t word, Kind kind) const {
  for (std::uint64_t bits = has_entry_[word]; bits != 0; bits &= bits - 1) {
    const std::size_t sensor = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    const Flips::Entry& entry = flips_.entries[first_entry_[sensor]];
    // Their ends: few have more than fit into one line of memory.
    if (kind == Kind::leave && entry.left != 0) prefetch_line(&flips_.left[entry.left - 1]);
    if (kind == Kind::enter && entry.entered != 0) {
      prefetch_line(&flips_.entered[entry.entered - 1]);
    }
  }
}

// By target: of one sensor and one kind. Extra ones come in order, but those of targets that were
// removed.
void World::Impl::sort_events(std::span<Event> some) {
  const auto by_target = [](const Event& a, const Event& b) {
    return a.target.index() < b.target.index();
  };
  if (std::is_sorted(some.begin(), some.end(), by_target)) return;
  // Numbers are sorted faster than events; all targets differ.
  if (place_of_.size() < scene_.spots.size()) place_of_.resize(scene_.spots.size());
  targets_.clear();
  for (std::uint32_t i = 0; i < some.size(); ++i) {
    targets_.push_back(some[i].target.index());
    place_of_[targets_.back()] = i;
  }
  sort_indices(targets_, marks_);
  sorted_copy_.assign(some.begin(), some.end());
  for (std::size_t i = 0; i < some.size(); ++i) some[i] = sorted_copy_[place_of_[targets_[i]]];
}

// What a plain sensor has found, in no order.
std::span<EntityIndex> World::Impl::found(SensorIndex sensor, Kind kind) {
  const std::uint32_t last = entry_of(sensor);
  if (last == kNone || (flips_.entries[last].noted() && sensors_[sensor].managed)) return {};
  const auto of = [&](std::uint32_t entry) {
    return kind == Kind::leave ? flips_.left_of(entry) : flips_.entered_of(entry);
  };
  const std::span<EntityIndex> targets = of(last);
  const std::uint32_t older = older_entry(last);
  if (older == kNone) [[likely]]
    return targets;
  targets_.assign(targets.begin(), targets.end());
  const auto before = of(older);
  targets_.insert(targets_.end(), before.begin(), before.end());
  return targets_;
}

// With what a plain sensor has lost that is gone, or what it saw if it is gone itself; in no order.
std::span<EntityIndex> World::Impl::join(std::span<const EntityIndex> left,
                                         const Endings::Row& ended) {
  if (left.data() != targets_.data()) targets_.assign(left.begin(), left.end());
  for (const Pair& pair : ended.lost) targets_.push_back(pair.target);
  targets_.insert(targets_.end(), ended.saw.begin(), ended.saw.end());
  return targets_;
}

// What one sensor has found, if it is plain, and its extra events, which are in order; both by
// target.
void World::Impl::tell_sensor(SensorIndex sensor, Kind kind, std::span<const Event> extras) {
  std::span<EntityIndex> targets = found(sensor, kind);
  Endings::Row ended;
  if (kind == Kind::leave && endings_.size() != 0) {
    ended = endings_.take(sensor);
    if (!ended.empty()) targets = join(targets, ended);
  }
  if (targets.empty()) return tell_extras(extras);
  if (targets.size() != ended.saw.size()) sort_indices(targets, marks_);
  const EntityId observer =
      ended.observer ? ended.observer : id_of(scene_.watches[sensor].owner);  // it may be gone
  if (ended.empty() && extras.empty() && scene_.watches[sensor].filter == 0) {
    EntityId* out = events.room(targets.size()).targets;
    for (const EntityIndex target : targets) *out++ = EntityId{entity_ids_.value(target)};
    return events.close(sensor_id(sensor), observer, targets.size(), false);
  }
  const EventLog::Room room = events.room(targets.size() + extras.size());
  std::size_t count = 0;
  bool told = false;
  const auto write = [&](EntityId target, EventLog::Detail detail) {
    room.targets[count] = target;
    room.details[count++] = detail;
    told = told || detail.says_anything();
  };
  for (const EntityIndex target : targets) {
    while (!extras.empty() && extras.front().target.index() < target) {
      write(extras.front().target, {extras.front().reason, extras.front().index});
      extras = extras.subspan(1);
    }
    write(EntityId{entity_ids_.value(target)}, {reason_of(sensor, target, kind, ended), 0});
  }
  for (const Event& extra : extras) write(extra.target, {extra.reason, extra.index});
  events.close(sensor_id(sensor), observer, count, told);
}

void World::Impl::tell_extras(std::span<const Event> extras) {
  if (extras.empty()) return;
  const EventLog::Room room = events.room(extras.size());
  bool told = false;
  for (std::size_t i = 0; i < extras.size(); ++i) {
    const EventLog::Detail detail{extras[i].reason, extras[i].index};
    room.targets[i] = extras[i].target;
    room.details[i] = detail;
    told |= detail.says_anything();
  }
  events.close(extras.front().sensor, extras.front().observer, extras.size(), told);
}

Reason World::Impl::reason_of(SensorIndex sensor, EntityIndex target, Kind kind,
                              const Endings::Row& ended) const {
  const bool removed = !ended.empty() && (ended.observer || scene_.spots[target].id == 0);
  return removed ? Reason::removed : reason_of(sensor, target, kind);
}

}  // namespace starbus::aoi
