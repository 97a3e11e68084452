#include "nodes/space/registry/place.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace starbus::nodes::space {

const char* name_of(SpaceState state) {
  constexpr std::array kNames = {"unheard", "creating", "ready", "counting", "closing", "ending"};
  return kNames[static_cast<std::size_t>(state)];
}

bool may_follow(SpaceState from, SpaceState to) {
  using enum SpaceState;
  switch (from) {
    case unheard:
      return false;  // its node announces it under another life, or it goes
    case creating:
      return to == ready || to == ending;
    case ready:
      return to == counting || to == closing;
    case counting:
      return to == ending;
    case closing:
      return to == ready || to == counting || to == ending;
    case ending:
      return false;
  }
  return false;
}

void Space::ask(std::uint64_t number, const Ask& what) {
  asks[number] = what;
  asked += what.seats;
}

std::optional<Space::Ask> Space::answered(std::uint64_t number) {
  const auto found = asks.find(number);
  if (found == asks.end()) return std::nullopt;
  const Ask ask = found->second;
  asked -= ask.seats;
  asks.erase(found);
  return ask;
}

std::uint32_t Space::taken() const {
  return seats.taken() + static_cast<std::uint32_t>(asked);
}

std::uint32_t Space::room() const {
  const std::uint32_t now_taken = taken();
  return now_taken >= capacity ? 0 : capacity - now_taken;
}

void Space::go(SpaceState next) {
  if (!may_follow(state, next)) std::abort();
  state = next;
}

void Space::count(const Seats& now_taken, Time now) {
  const std::uint64_t sum = std::uint64_t{now_taken.present} + now_taken.held;
  seats = sum > capacity ? Seats{capacity, 0} : now_taken;
  if (taken() > 0) {
    empty_since.reset();
  } else if (!empty_since) {
    empty_since = now;
  }
}

std::size_t Place::in(SpaceState state) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(lines, [&](const auto& line) { return line.second.state == state; }));
}

}  // namespace starbus::nodes::space
