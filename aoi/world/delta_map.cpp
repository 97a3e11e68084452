#include "aoi/world/delta_map.hpp"

#include <bit>
#include <cassert>

#include "aoi/arrays/prefetch.hpp"
#include "aoi/arrays/sort_indices.hpp"

namespace starbus::aoi {

// A sensor has two entries only if a target of it has moved far.
void DeltaMap::map() {
  const std::size_t words = tables_.sensor_ids.size() / 64 + 1;
  has_entry_.assign(words, 0);
  leaving_.assign(words, 0);
  entering_.assign(words, 0);
  last_entry_.resize(tables_.sensors.size());
  older_entry_.clear();
  std::uint32_t left = 0;
  std::uint32_t entered = 0;
  for (std::uint32_t i = 0; i < delta_.entries.size(); ++i) {
    const Delta::Entry& entry = delta_.entries[i];
    const SensorIndex sensor = entry.sensor();
    assert(sensor < last_entry_.size());
    const std::size_t word = sensor / 64;
    const std::uint64_t bit = std::uint64_t{1} << sensor % 64;
    if ((has_entry_[word] & bit) != 0) {
      if (older_entry_.empty()) older_entry_.assign(delta_.entries.size(), kNone);
      older_entry_[i] = last_entry_[sensor];
    }
    has_entry_[word] |= bit;
    last_entry_[sensor] = i;
    const bool plain = !entry.tracked() || !tables_.sensors[sensor].managed;
    if (plain && entry.left != left) leaving_[word] |= bit;
    if (plain && entry.entered != entered) entering_[word] |= bit;
    left = entry.left;
    entered = entry.entered;
  }
}

void DeltaMap::collect(SensorIndex sensor, std::vector<EntityIndex>& left,
                       std::vector<EntityIndex>& entered, std::vector<std::uint64_t>& marks) {
  left.clear();
  entered.clear();
  for (std::uint32_t i = last_entry(sensor); i != kNone; i = older_entry(i)) {
    const auto more_left = delta_.left_of(i);
    const auto more_entered = delta_.entered_of(i);
    left.insert(left.end(), more_left.begin(), more_left.end());
    entered.insert(entered.end(), more_entered.begin(), more_entered.end());
  }
  sort_indices(left, marks);
  sort_indices(entered, marks);
}

std::span<EntityIndex> DeltaMap::join_entries(std::uint32_t last, Kind kind,
                                              std::vector<EntityIndex>& scratch) {
  const auto targets = of(last, kind);
  const auto before = of(older_entry(last), kind);
  scratch.assign(targets.begin(), targets.end());
  scratch.insert(scratch.end(), before.begin(), before.end());
  return scratch;
}

// Entries are in the order of home cells, events in that of sensors: so the entries of the next
// sensors are prefetched while the events of these are written.
void DeltaMap::fetch_entries(std::size_t word) const {
  for (std::uint64_t bits = has_entry_[word]; bits != 0; bits &= bits - 1) {
    const std::size_t sensor = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    prefetch_line(&delta_.entries[last_entry_[sensor]]);
    if (!older_entry_.empty()) prefetch_line(&older_entry_[last_entry_[sensor]]);
  }
}

void DeltaMap::fetch_targets(std::size_t word, Kind kind) const {
  for (std::uint64_t bits = has_entry_[word]; bits != 0; bits &= bits - 1) {
    const std::size_t sensor = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    const Delta::Entry& entry = delta_.entries[last_entry_[sensor]];
    // The ends of the lists: few lists are longer than a line of memory.
    if (kind == Kind::leave && entry.left != 0) prefetch_line(&delta_.left[entry.left - 1]);
    if (kind == Kind::enter && entry.entered != 0) {
      prefetch_line(&delta_.entered[entry.entered - 1]);
    }
  }
}

}  // namespace starbus::aoi
