#include "examples/arena/operator/history.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace arena::view {

const char* name_of(Event::What what) {
  constexpr std::array kNames = {"travel", "down", "up", "killed", "started"};
  return kNames.at(static_cast<std::size_t>(what));
}

void History::add(Event event) {
  event.number = ++last_;
  events_.push_back(std::move(event));
  if (events_.size() > kKept) events_.pop_front();
}

void History::program(const std::string& name, bool up, Moment now) {
  const auto [found, first] = programs_.try_emplace(name, up);
  if (first || found->second == up) return;
  found->second = up;
  add({.at = now, .what = up ? Event::What::up : Event::What::down, .who = name});
}

void History::ordered(Event::What what, const std::string& program, Moment now) {
  add({.at = now, .what = what, .who = program});
}

void History::round(const std::vector<Crowd>& crowds, Moment now) {
  std::map<std::string, const Crowd*> places;
  for (const Crowd& crowd : crowds) {
    for (const std::string& hero : crowd.heroes) places[hero] = &crowd;
  }
  for (const auto& [hero, crowd] : places) {
    auto found = heroes_.find(hero);
    if (found == heroes_.end()) {
      if (heroes_.size() < kMostHeroes) heroes_[hero] = {crowd->space, crowd->program, now};
      continue;
    }
    Place& place = found->second;
    place.seen = now;
    if (place.space == crowd->space && place.program == crowd->program) continue;
    ++travels_;
    add({.at = now,
         .what = Event::What::travel,
         .who = hero,
         .from = place.space,
         .to = crowd->space,
         .leaves = place.program,
         .goes = crowd->program});
    place.space = crowd->space;
    place.program = crowd->program;
  }
  std::erase_if(heroes_, [&](const auto& each) { return now - each.second.seen > kForget; });
}

std::vector<Event> History::after(std::uint64_t number, std::size_t most) const {
  const auto first =
      std::ranges::find_if(events_, [&](const Event& event) { return event.number > number; });
  const auto count = static_cast<std::size_t>(events_.end() - first);
  const auto skipped = count > most ? count - most : 0;
  return {first + static_cast<std::ptrdiff_t>(skipped), events_.end()};
}

}  // namespace arena::view
