/// The events of one update, in order, in a third of the room that they would need side by side: a
/// row says whose they are, a number each who entered or left; why, and under which index, is kept
/// only of sensors where that says anything. Written by one update and read until the next. Owns
/// its memory; one thread; fails only by running out of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "aoi/arrays/buffer.hpp"
#include "aoi/types.hpp"

namespace starbus::aoi {

class EventLog {
 public:
  /// Of the next update: its leaves.
  void start();
  /// So many are to come, at most: what grows is copied.
  void expect(std::size_t rows, std::size_t events, std::size_t with_details);
  /// Where the next row may be written: its targets, and what is to be told of each.
  struct Detail {
    Reason reason = Reason::geometry;
    std::uint16_t index = 0;
    bool says_anything() const { return reason != Reason::geometry || index != 0; }
  };
  struct Room {
    EntityId* targets;
    Detail* details;
  };
  Room room(std::size_t most) { return {targets_.room(most), details_.room(most)}; }
  /// So many were written, of one sensor and kind. `told`: any of their details says anything;
  /// otherwise these need not be written. Nothing is left of a row of nobody.
  void close(SensorId sensor, EntityId observer, std::size_t count, bool told) {
    if (count == 0) return;
    targets_.add(count);
    if (told) details_.add(count);
    const auto end = static_cast<std::uint32_t>(targets_.size());
    rows_.push_back({sensor, observer, end << 1 | (told ? 1u : 0u)});
  }
  /// No leaves any more.
  void start_enters() { leaves_ = targets_.size(); }

  std::size_t size() const { return targets_.size(); }
  /// visitor(event) for each, in order; the event is there as long as the call.
  template <class Visitor>
  void each(Visitor&& visitor) const;
  /// Side by side: made when somebody asks, and kept until the next update.
  std::span<const Event> all();
  std::uint64_t memory() const;

 private:
  /// Of one sensor and kind; it begins where the row before ends.
  struct Row {
    SensorId sensor;
    EntityId observer;
    std::uint32_t end_and_told;
    std::uint32_t end() const { return end_and_told >> 1; }
    bool told() const { return (end_and_told & 1) != 0; }  ///< its events have details
  };

  Buffer<Row> rows_;
  Buffer<EntityId> targets_;
  Buffer<Detail> details_;  ///< of the rows that have them, side by side
  std::size_t leaves_ = 0;  ///< so many of the targets
  Buffer<Event> all_;
};

template <class Visitor>
void EventLog::each(Visitor&& visitor) const {
  const Detail* detail = details_.all().data();
  std::size_t at = 0;
  Event event;
  for (const Row& row : rows_.all()) {
    event.sensor = row.sensor;
    event.observer = row.observer;
    event.kind = at < leaves_ ? Kind::leave : Kind::enter;
    const bool told = row.told();
    for (const std::size_t end = row.end(); at < end; ++at) {
      const Detail of = told ? *detail++ : Detail{};
      event.target = targets_[at];
      event.reason = of.reason;
      event.index = of.index;
      visitor(event);
    }
  }
}

}  // namespace starbus::aoi
