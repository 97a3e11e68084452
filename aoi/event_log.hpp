/// The events of one update, in order, in a third of the room that they would need side by side: a
/// row says whose they are, a number each who entered or left; why, and under which index, is kept
/// only of sensors where that says anything. Written by one update and read until the next. Owns
/// its memory; one thread; fails only by running out of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "aoi/buffer.hpp"
#include "aoi/types.hpp"

namespace starbus::aoi {

class EventLog {
 public:
  /// Of the next update: its leaves.
  void start();
  /// So many are to come, at most: what grows is copied.
  void expect(std::size_t rows, std::size_t events, std::size_t with_details);
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
  friend class EventWriter;

  /// Of one sensor and kind; it begins where the row before ends.
  struct Row {
    SensorId sensor;
    EntityId observer;
    std::uint32_t end_and_told;
    std::uint32_t end() const { return end_and_told >> 1; }
    bool told() const { return (end_and_told & 1) != 0; }  ///< its events have details
  };
  struct Detail {
    Reason reason = Reason::geometry;
    std::uint16_t index = 0;
  };

  Buffer<Row> rows_;
  Buffer<EntityId> targets_;
  Buffer<Detail> details_;  ///< of the rows that have them, side by side
  std::size_t leaves_ = 0;  ///< so many of the targets
  Buffer<Event> all_;
};

/// Writes one row: the events of one sensor and kind. Nothing is left of one without events.
class EventWriter {
 public:
  /// `most`: events at most.
  EventWriter(EventLog& log, SensorId sensor, EntityId observer, std::size_t most)
      : log_(log),
        sensor_(sensor),
        observer_(observer),
        target_(log.targets_.room(most)),
        detail_(log.details_.room(most)) {}
  ~EventWriter() {
    if (count_ == 0) return;
    const bool told = details_ != 0;
    log_.targets_.add(count_);
    if (told) log_.details_.add(count_);
    const auto end = static_cast<std::uint32_t>(log_.targets_.size());
    log_.rows_.push_back({sensor_, observer_, end << 1 | (told ? 1u : 0u)});
  }
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  void write(EntityId target, Reason reason, std::uint16_t index) {
    target_[count_] = target;
    detail_[count_] = {reason, index};
    details_ |= static_cast<unsigned>(reason) | index;
    ++count_;
  }

 private:
  EventLog& log_;
  const SensorId sensor_;
  const EntityId observer_;
  EntityId* const target_;
  EventLog::Detail* const detail_;
  std::size_t count_ = 0;
  unsigned details_ = 0;
};

template <class Visitor>
void EventLog::each(Visitor&& visitor) const {
  if (targets_.empty()) return;
  const Row* row = &rows_[0];
  const Detail* detail = details_.all().data();
  Event event;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    // Most rows are short, and where they end is anybody's guess: without a branch.
    row += i == row->end() ? 1 : 0;
    event.sensor = row->sensor;
    event.observer = row->observer;
    event.target = targets_[i];
    event.kind = i < leaves_ ? Kind::leave : Kind::enter;
    const Detail of = row->told() ? *detail++ : Detail{};
    event.reason = of.reason;
    event.index = of.index;
    visitor(event);
  }
}

}  // namespace starbus::aoi
