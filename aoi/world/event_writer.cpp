#include "aoi/world/event_writer.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

#include "aoi/arrays/sort_indices.hpp"

namespace starbus::aoi {

void EventWriter::write() {
  log_.start();
  write(Kind::leave);
  log_.start_enters();
  write(Kind::enter);
}

void EventWriter::write(Kind kind) {
  std::vector<std::uint64_t>& reporting = deltas_.reporting(kind);
  const std::size_t extras = extra_.size(kind);
  extra_.sort(kind, reporting);
  std::size_t plain = deltas_.size(kind);
  if (kind == Kind::leave) {
    endings_.sort(reporting);
    plain += endings_.size();
  }
  std::size_t rows = 0;
  for (const std::uint64_t word : reporting) rows += static_cast<std::size_t>(std::popcount(word));
  log_.expect(rows, plain + extras, extras);
  for (std::size_t word = 0; word < reporting.size(); ++word) {
    if (word + 2 < reporting.size()) deltas_.fetch_entries(word + 2);
    if (word + 1 < reporting.size()) deltas_.fetch_targets(word + 1, kind);
    if (!numberings_.empty()) fetch_numberings(reporting, word);
    for (std::uint64_t bits = reporting[word]; bits != 0; bits &= bits - 1) {
      const auto sensor =
          static_cast<SensorIndex>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      write_sensor(sensor, kind, extra_.take(sensor));
    }
  }
  extra_.clear(kind);
  if (kind == Kind::leave) endings_.start();
}

// As entries are.
void EventWriter::fetch_numberings(const std::vector<std::uint64_t>& reporting,
                                   std::size_t word) const {
  for (const int step : {0, 1}) {
    const std::size_t ahead = word + 2 - static_cast<std::size_t>(step);
    if (ahead >= reporting.size()) continue;
    for (std::uint64_t bits = reporting[ahead]; bits != 0; bits &= bits - 1) {
      const std::size_t sensor = ahead * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      numberings_.fetch(static_cast<SensorIndex>(sensor), step);
    }
  }
}

// Adds what a plain sensor has lost to removals, or all that it saw if it was removed itself. The
// result is in no order.
std::span<EntityIndex> EventWriter::join(std::span<const EntityIndex> left,
                                         const Endings::Row& ended) {
  if (left.data() != targets_.data()) targets_.assign(left.begin(), left.end());
  for (const Pair& pair : ended.lost) targets_.push_back(pair.target);
  targets_.insert(targets_.end(), ended.saw.begin(), ended.saw.end());
  return targets_;
}

// The changes of one sensor, if it is plain, and its extra events, merged by target.
void EventWriter::write_sensor(SensorIndex sensor, Kind kind, std::span<const Event> extras) {
  std::span<EntityIndex> targets = deltas_.of_plain(sensor, kind, targets_);
  Endings::Row ended;
  if (kind == Kind::leave && endings_.size() != 0) {
    ended = endings_.take(sensor);
    if (!ended.empty()) targets = join(targets, ended);
  }
  if (!pins_.beacons().empty() && !ended.observer) {
    // Those are seen wherever they are.
    const auto pinned = std::remove_if(targets.begin(), targets.end(), [&](EntityIndex target) {
      return tables_.entities[target].beacon && pins_.pins(sensor, target);
    });
    targets = targets.first(static_cast<std::size_t>(pinned - targets.begin()));
  }
  if (targets.empty()) return write_extras(extras);
  if (targets.size() != ended.saw.size()) sort_indices(targets, marks_);  // those are sorted
  const EntityId observer = ended.observer ? ended.observer  // which may be gone by now
                                           : tables_.id_of(tables_.owner_of(sensor));
  if (ended.empty() && extras.empty() && tables_.scene.watches[sensor].filter == 0 &&
      numberings_.find(sensor) == nullptr) {
    const Handles& ids = tables_.entity_ids;
    EntityId* out = log_.room(targets.size()).targets;
    for (const EntityIndex target : targets) *out++ = EntityId{ids.value(target)};
    return log_.close(tables_.sensor_id(sensor), observer, targets.size(), false);
  }
  write_mixed(sensor, kind, observer, ended, targets, extras);
}

void EventWriter::write_mixed(SensorIndex sensor, Kind kind, EntityId observer,
                              const Endings::Row& ended, std::span<const EntityIndex> targets,
                              std::span<const Event> extras) {
  const EventLog::Room room = log_.room(targets.size() + extras.size());
  Numbering* const numbers = numberings_.find(sensor);
  std::size_t count = 0;
  bool detailed = false;
  const auto write = [&](EntityId target, EventLog::Detail detail) {
    room.targets[count] = target;
    room.details[count++] = detail;
    detailed = detailed || detail.says_anything();
  };
  for (const EntityIndex target : targets) {
    while (!extras.empty() && extras.front().target.index() < target) {
      write(extras.front().target, {extras.front().reason, extras.front().index});
      extras = extras.subspan(1);
    }
    write(EntityId{tables_.entity_ids.value(target)},
          {reason_of(sensor, target, kind, ended), number(numbers, target, kind)});
  }
  for (const Event& extra : extras) write(extra.target, {extra.reason, extra.index});
  log_.close(tables_.sensor_id(sensor), observer, count, detailed);
}

void EventWriter::write_extras(std::span<const Event> extras) {
  if (extras.empty()) return;
  const EventLog::Room room = log_.room(extras.size());
  bool detailed = false;
  for (std::size_t i = 0; i < extras.size(); ++i) {
    const EventLog::Detail detail{extras[i].reason, extras[i].index};
    room.targets[i] = extras[i].target;
    room.details[i] = detail;
    detailed |= detail.says_anything();
  }
  log_.close(extras.front().sensor, extras.front().observer, extras.size(), detailed);
}

// Null: the sensor is not indexed.
std::uint16_t EventWriter::number(Numbering* numbers, EntityIndex target, Kind kind) {
  if (numbers == nullptr) return 0;
  return kind == Kind::enter
             ? numbers->take(target, tables_.update)
             : numbers->give_back(target, tables_.update, tables_.options.quarantine);
}

Reason EventWriter::reason_of(SensorIndex sensor, EntityIndex target, Kind kind,
                              const Endings::Row& ended) const {
  const bool removed = !ended.empty() && (ended.observer || tables_.scene.spots[target].id == 0);
  return removed ? Reason::removed : changes_.reason_of(sensor, target, kind);
}

}  // namespace starbus::aoi
