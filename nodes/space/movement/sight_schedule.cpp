#include "nodes/space/movement/sight_schedule.hpp"

#include <algorithm>
#include <cmath>

namespace starbus::nodes::movement {

MoveResult<SightSchedule> SightSchedule::create(const SightOptions& options) {
  const auto bad = [](double value) { return !std::isfinite(value) || value < 0; };
  if (bad(options.base) || options.base == 0) return Error(MoveErrc::bad_option, "base");
  if (bad(options.per_metre)) return Error(MoveErrc::bad_option, "per_metre");
  if (bad(options.ahead) || options.ahead == 0) return Error(MoveErrc::bad_option, "ahead");
  return SightSchedule(options);
}

MoveResult<> SightSchedule::check_change(std::uint16_t index, float distance) const {
  if (busy_) return MoveErrc::busy;
  if (index == 0) return Error(MoveErrc::bad_option, "index");
  if (!(distance >= 0)) return Error(MoveErrc::bad_option, "distance");
  return {};
}

MoveResult<> SightSchedule::add(std::uint16_t index, float distance) {
  if (auto good = check_change(index, distance); !good) return good;
  if (has(index)) return MoveErrc::mover_exists;
  if (index >= entries_.size()) entries_.resize(std::size_t{index} + 1);
  Entry& entry = entries_[index];
  entry.distance = std::min(distance, static_cast<float>(kMaxSightDistance));
  entry.priority = virtual_time();
  entry.order = ++arrivals_;
  append_fresh(index);
  ++size_;
  heap_.reserve(entries_.capacity());
  aside_.reserve(entries_.capacity());
  return {};
}

MoveResult<> SightSchedule::remove(std::uint16_t index) {
  if (busy_) return MoveErrc::busy;
  if (!has(index)) return MoveErrc::unknown_mover;
  if (entries_[index].where == Entry::Where::fresh) {
    take_from_fresh(index);
  } else {
    take_from_heap(index);
  }
  entries_[index] = {};
  --size_;
  return {};
}

MoveResult<> SightSchedule::set_distance(std::uint16_t index, float distance) {
  if (auto good = check_change(index, distance); !good) return good;
  if (!has(index)) return MoveErrc::unknown_mover;
  entries_[index].distance = std::min(distance, static_cast<float>(kMaxSightDistance));
  return {};
}

SightSchedule::Turn::Turn(SightSchedule& schedule) : schedule_(schedule) {
  schedule_.busy_ = true;
  if (schedule_.virtual_time() > static_cast<double>(kMostVirtualTime)) schedule_.set_back();
}

SightSchedule::Turn::~Turn() {
  for (const std::uint16_t index : schedule_.aside_) schedule_.push(index);
  schedule_.aside_.clear();
  schedule_.virtual_time_ = schedule_.virtual_time();
  schedule_.busy_ = false;
}

double SightSchedule::virtual_time() const {
  return heap_.empty() ? virtual_time_ : entries_[heap_.front()].priority;
}

void SightSchedule::sent(std::uint16_t index, double virtual_time) {
  Entry& entry = entries_[index];
  if (entry.where == Entry::Where::fresh) {
    take_from_fresh(index);
    // The time that a newcomer has waited counts for it, but no more than others may run ahead.
    entry.priority = std::max(entry.priority, virtual_time - options_.ahead);
  } else {
    take_from_heap(index);
    entry.priority = std::max(entry.priority, virtual_time);
  }
  entry.priority += cost(entry.distance);
  entry.where = Entry::Where::aside;
  aside_.push_back(index);
}

// Doubles lose the fractions of large numbers: after some days at 10 ticks per second.
void SightSchedule::set_back() {
  const double by = virtual_time();
  for (Entry& entry : entries_) entry.priority -= by;
  virtual_time_ -= by;
}

void SightSchedule::append_fresh(std::uint16_t index) {
  Entry& entry = entries_[index];
  entry.where = Entry::Where::fresh;
  entry.before = last_fresh_;
  entry.after = 0;
  if (last_fresh_ != 0) {
    entries_[last_fresh_].after = index;
  } else {
    first_fresh_ = index;
  }
  last_fresh_ = index;
}

void SightSchedule::take_from_fresh(std::uint16_t index) {
  Entry& entry = entries_[index];
  if (entry.before != 0) {
    entries_[entry.before].after = entry.after;
  } else {
    first_fresh_ = entry.after;
  }
  if (entry.after != 0) {
    entries_[entry.after].before = entry.before;
  } else {
    last_fresh_ = entry.before;
  }
  entry.where = Entry::Where::nowhere;
}

bool SightSchedule::is_before(std::uint16_t a, std::uint16_t b) const {
  const Entry& first = entries_[a];
  const Entry& second = entries_[b];
  if (first.priority != second.priority) return first.priority < second.priority;
  return first.order < second.order;
}

void SightSchedule::place(std::size_t at, std::uint16_t index) {
  heap_[at] = index;
  entries_[index].place = static_cast<std::uint32_t>(at);
}

void SightSchedule::rise(std::size_t at) {
  const std::uint16_t index = heap_[at];
  for (; at > 0; at = (at - 1) / 2) {
    const std::uint16_t parent = heap_[(at - 1) / 2];
    if (!is_before(index, parent)) break;
    place(at, parent);
  }
  place(at, index);
}

void SightSchedule::sink(std::size_t at) {
  const std::uint16_t index = heap_[at];
  for (std::size_t child = 2 * at + 1; child < heap_.size(); child = 2 * at + 1) {
    if (child + 1 < heap_.size() && is_before(heap_[child + 1], heap_[child])) ++child;
    if (!is_before(heap_[child], index)) break;
    place(at, heap_[child]);
    at = child;
  }
  place(at, index);
}

void SightSchedule::push(std::uint16_t index) {
  entries_[index].where = Entry::Where::heap;
  heap_.push_back(index);
  rise(heap_.size() - 1);
}

void SightSchedule::take_from_heap(std::uint16_t index) {
  const std::size_t at = entries_[index].place;
  const std::uint16_t last = heap_.back();
  heap_.pop_back();
  entries_[index].place = kNowhere;
  entries_[index].where = Entry::Where::nowhere;
  if (last == index) return;
  place(at, last);
  sink(at);
  rise(entries_[last].place);
}

}  // namespace starbus::nodes::movement
