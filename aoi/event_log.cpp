#include "aoi/event_log.hpp"

namespace starbus::aoi {

void EventLog::start() {
  rows_.rest();
  targets_.rest();
  details_.rest();
  all_.rest();
  leaves_ = 0;
}

void EventLog::expect(std::size_t rows, std::size_t events, std::size_t with_details) {
  (void)rows_.room(rows);
  (void)targets_.room(events);
  (void)details_.room(with_details);
}

std::span<const Event> EventLog::all() {
  if (all_.size() != size()) {
    (void)all_.room(size());
    each([this](const Event& event) { all_.push_back(event); });
  }
  return all_.all();
}

std::uint64_t EventLog::memory() const {
  return rows_.memory() + targets_.memory() + details_.memory() + all_.memory();
}

}  // namespace starbus::aoi
