/// The events that plain deltas do not give: those of managed sensors, and leaves of targets that
/// managed sensors had reported and that were removed. Collected during an update, then sorted by
/// sensor and handed out sensor by sensor. Belongs to the world's thread. Owns its memory; fails
/// only by running out of it.
#pragma once

#include <span>
#include <vector>

#include "aoi/world/tables.hpp"

namespace starbus::aoi {

class ExtraEvents {
 public:
  explicit ExtraEvents(const Tables& tables) : tables_(tables) {}

  void add(const Event& event) { list_of(event.kind).push_back(event); }
  /// The events of this kind that were added last.
  std::span<Event> last(Kind kind, std::size_t count) {
    return std::span(list_of(kind)).last(count);
  }
  std::size_t size(Kind kind) const { return (kind == Kind::leave ? leaves_ : enters_).size(); }

  /// Sorts the events of this kind by sensor, and sets the bit of each of their sensors.
  void sort(Kind kind, std::vector<std::uint64_t>& reporting);
  /// After sort(), with sensors in ascending order: the events of one sensor by target. Valid until
  /// clear().
  std::span<const Event> take(SensorIndex sensor) {
    if (untaken_.empty() || untaken_.front().sensor.index() != sensor) [[likely]]
      return {};
    return take_first();
  }
  /// All events of this kind were taken.
  void clear(Kind kind) { list_of(kind).clear(); }

  std::uint64_t memory() const {
    return (sorted_.capacity() + leaves_.capacity() + enters_.capacity()) * sizeof(Event) +
           (starts_.capacity() + targets_.capacity()) * sizeof(std::uint32_t);
  }

 private:
  std::vector<Event>& list_of(Kind kind) { return kind == Kind::leave ? leaves_ : enters_; }
  std::span<const Event> take_first();
  void sort_by_target(std::span<Event> some);

  const Tables& tables_;
  std::vector<Event> leaves_;
  std::vector<Event> enters_;
  std::vector<Event> sorted_;
  std::span<Event> untaken_;
  std::vector<std::uint32_t> starts_;  ///< by sensor; scratch, as are those that follow
  std::vector<Event> copy_;
  std::vector<std::uint32_t> place_of_;  ///< by entity
  std::vector<EntityIndex> targets_;
  std::vector<std::uint64_t> marks_;
};

}  // namespace starbus::aoi
