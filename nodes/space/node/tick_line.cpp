#include "nodes/space/node/tick_line.hpp"

#include <algorithm>
#include <cassert>

namespace starbus::nodes::space {
namespace {

/// 0, 1/2, 1/4, 3/4, 1/8, ... of the period: however many there are, they lie evenly in it.
TickLine::Time phase_of(std::size_t place, TickLine::Time period) {
  constexpr int kBits = 16;
  std::uint64_t reversed = 0;
  for (int bit = 0; bit < kBits; ++bit) {
    if ((place >> bit) & 1U) reversed |= std::uint64_t{1} << (kBits - 1 - bit);
  }
  return period * static_cast<TickLine::Time::rep>(reversed) / (1 << kBits);
}

}  // namespace

/// The lowest one that is free.
std::size_t TickLine::take_place(Time period) {
  std::vector<bool>& taken = places_[period];
  const auto free = std::ranges::find(taken, false);
  const auto place = static_cast<std::size_t>(free - taken.begin());
  if (free == taken.end()) taken.push_back(true);
  taken[place] = true;
  return place;
}

void TickLine::add(Id id, Time period, Time now) {
  assert(period > Time{0} && !lines_.contains(id));
  Line line{.period = period, .place = take_place(period)};
  const Time phase = phase_of(line.place, period);
  // The division rounds towards 0, so one period more is needed before the phase of the first one.
  const Time::rep before = now < phase ? -1 : (now - phase) / period;
  line.due = phase + period * (before + 1);
  line.latest = line.due - period;
  queue_.emplace(line.due, id);
  lines_.emplace(id, line);
}

void TickLine::remove(Id id) {
  const auto found = lines_.find(id);
  if (found == lines_.end()) return;
  const Line& line = found->second;
  const auto places = places_.find(line.period);
  places->second[line.place] = false;
  while (!places->second.empty() && !places->second.back()) places->second.pop_back();
  if (places->second.empty()) places_.erase(places);
  queue_.erase({line.due, id});
  lines_.erase(found);
  if (runs_ == id) runs_ = std::nullopt;
}

std::optional<TickLine::Time> TickLine::next() const {
  if (queue_.empty()) return std::nullopt;
  return queue_.begin()->first;
}

std::optional<TickLine::Due> TickLine::begin(Time now) {
  assert(!runs_);
  if (queue_.empty() || queue_.begin()->first > now) return std::nullopt;
  const Id id = queue_.begin()->second;
  queue_.erase(queue_.begin());
  Line& line = lines_.at(id);
  Due due{.id = id, .late = now - line.due};
  due.tick.number = ++line.ticks;
  due.tick.time = line.due + line.period * (due.late / line.period);
  due.tick.passed = due.tick.time - line.latest;
  due.tick.missed = static_cast<std::uint64_t>(due.tick.passed / line.period) - 1;
  line.latest = due.tick.time;
  line.due = due.tick.time + line.period;
  runs_ = id;
  began_ = now;
  return due;
}

void TickLine::end(Time now) {
  if (!runs_) return;  // removed meanwhile
  const Id id = *std::exchange(runs_, std::nullopt);
  Line& line = lines_.at(id);
  const bool overran = now - began_ >= line.period;
  if (overran && line.due <= now) line.due += line.period * ((now - line.due) / line.period + 1);
  queue_.emplace(line.due, id);
}

}  // namespace starbus::nodes::space
