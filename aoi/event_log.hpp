/// The events of one update, in order, in a third of the room that a list of them would need: a row
/// says which sensor's they are, each target is one id, and reasons and indices are kept only for
/// rows in which they say anything. Written by one update and read until the next. Belongs to the
/// world's thread. Owns its memory; fails only by running out of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "aoi/arrays/buffer.hpp"
#include "aoi/types.hpp"

namespace starbus::aoi {

class EventLog {
 public:
  /// Empties the log; the leaves of the next update follow.
  void start();
  /// Makes room for at most so many, because growing copies.
  void expect(std::size_t rows, std::size_t events, std::size_t with_details);
  /// Room for the next row: its targets, and the details of each.
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
  /// Ends a row of one sensor and kind, of which `count` targets were written. `detailed`: any of
  /// their details says anything; otherwise details need not be written. An empty row leaves
  /// nothing.
  void close(SensorId sensor, EntityId observer, std::size_t count, bool detailed) {
    if (count == 0) return;
    targets_.add(count);
    if (detailed) details_.add(count);
    const auto its = static_cast<std::uint32_t>(count);  // at most kMaxEntities
    rows_.push_back({sensor, observer, its << 1 | (detailed ? 1u : 0u)});
  }
  /// All leaves are written; enters follow.
  void start_enters() { leaves_ = targets_.size(); }

  std::size_t size() const { return targets_.size(); }
  /// visitor(event) for each, in order. The event lives as long as the call.
  template <class Visitor>
  void each(Visitor&& visitor) const;
  /// A list of all events: made when it is asked for, and kept until the next update.
  std::span<const Event> all();
  std::uint64_t memory() const;

 private:
  /// Events of one sensor and kind; begins where the row before ends.
  struct Row {
    SensorId sensor;
    EntityId observer;
    std::uint32_t count_and_detailed;
    std::uint32_t count() const { return count_and_detailed >> 1; }
    /// Its events have entries in details_.
    bool detailed() const { return (count_and_detailed & 1) != 0; }
  };

  Buffer<Row> rows_;
  Buffer<EntityId> targets_;
  Buffer<Detail> details_;  ///< of the detailed rows, side by side
  std::size_t leaves_ = 0;  ///< how many of the targets have left
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
    const bool detailed = row.detailed();
    for (const std::size_t end = at + row.count(); at < end; ++at) {
      const Detail of = detailed ? *detail++ : Detail{};
      event.target = targets_[at];
      event.reason = of.reason;
      event.index = of.index;
      visitor(event);
    }
  }
}

}  // namespace starbus::aoi
