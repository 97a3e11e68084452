#include "tools/bots/state/agreement.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace starbus::bots {
namespace {

/// The first field that all see and that is another one.
std::optional<std::size_t> differs(const StateTable& state, const Sighting& a, const Sighting& b) {
  for (std::size_t i = 0; i < state.fields.size(); ++i) {
    if (state.fields[i].others && a.values.fields[i] != b.values.fields[i]) return i;
  }
  return std::nullopt;
}

std::string name_of(const StateTable& state, const Sighting& sighting) {
  return state.key ? sighting.values.fields[*state.key].text : std::to_string(sighting.id);
}

}  // namespace

Agreement compare(const std::vector<StateTable>& states, const std::vector<Sighting>& all,
                  Nanos now) {
  std::map<std::pair<std::size_t, std::string>, std::vector<const Sighting*>> groups;
  for (const Sighting& each : all) {
    const StateTable& state = states[each.which];
    if (!state.within || (each.id == 0 && !state.key)) continue;
    std::string name = name_of(state, each);
    if (!name.empty()) groups[{each.which, std::move(name)}].push_back(&each);
  }
  Agreement agreement;
  for (auto& [name, group] : groups) {
    const StateTable& state = states[name.first];
    // The one that plays it knows best, then who has heard of it last.
    std::ranges::sort(group, [](const Sighting* a, const Sighting* b) {
      return std::tuple(a->id != 0, -a->changed_at) < std::tuple(b->id != 0, -b->changed_at);
    });
    Nanos changed = 0;
    for (const Sighting* each : group) changed = std::max(changed, each->changed_at);
    if (now - changed <= nanos_of(*state.within)) continue;
    const Sighting& first = *group.front();
    for (auto at = group.begin() + 1; at != group.end(); ++at) {
      ++agreement.compared;
      const auto field = differs(state, first, **at);
      if (!field) continue;
      agreement.differences.push_back(
          {name.first, first.bot, (*at)->bot, name.second,
           to_string(state.fields[*field], first.values.fields[*field]),
           to_string(state.fields[*field], (*at)->values.fields[*field]), now - changed});
    }
  }
  return agreement;
}

}  // namespace starbus::bots
