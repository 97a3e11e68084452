#include "aoi/world/extra_events.hpp"

#include <algorithm>

#include "aoi/arrays/sort_indices.hpp"

namespace starbus::aoi {

// Managed sensors are decided in order; only removals add events out of order.
void ExtraEvents::sort(Kind kind, std::vector<std::uint64_t>& reporting) {
  std::vector<Event>& list = list_of(kind);
  bool sorted = true;
  SensorIndex last = 0;
  for (const Event& event : list) {
    const SensorIndex sensor = event.sensor.index();
    reporting[sensor / 64] |= std::uint64_t{1} << sensor % 64;
    sorted = sorted && last <= sensor;
    last = sensor;
  }
  if (sorted) {
    sorted_.swap(list);
  } else {
    starts_.assign(tables_.sensor_ids.size() + 1, 0);
    for (const Event& event : list) ++starts_[event.sensor.index() + 1];
    std::uint32_t sum = 0;
    for (std::uint32_t& start : starts_) start = sum += start;
    sorted_.resize(list.size());
    for (const Event& event : list) sorted_[starts_[event.sensor.index()]++] = event;
  }
  untaken_ = sorted_;
}

// The events of the first sensor that is left.
std::span<const Event> ExtraEvents::take_first() {
  const SensorIndex sensor = untaken_.front().sensor.index();
  std::size_t count = 0;
  while (count < untaken_.size() && untaken_[count].sensor.index() == sensor) ++count;
  const std::span<Event> events = untaken_.first(count);
  untaken_ = untaken_.subspan(count);
  sort_by_target(events);
  return events;
}

// Events of one sensor and kind come in the order of targets, except leaves of removed targets.
void ExtraEvents::sort_by_target(std::span<Event> some) {
  const auto by_target = [](const Event& a, const Event& b) {
    return a.target.index() < b.target.index();
  };
  if (std::is_sorted(some.begin(), some.end(), by_target)) return;
  // Numbers are sorted faster than events, and all targets differ.
  if (place_of_.size() < tables_.scene.spots.size()) place_of_.resize(tables_.scene.spots.size());
  targets_.clear();
  for (std::uint32_t i = 0; i < some.size(); ++i) {
    targets_.push_back(some[i].target.index());
    place_of_[targets_.back()] = i;
  }
  sort_indices(targets_, marks_);
  copy_.assign(some.begin(), some.end());
  for (std::size_t i = 0; i < some.size(); ++i) some[i] = copy_[place_of_[targets_[i]]];
}

}  // namespace starbus::aoi
