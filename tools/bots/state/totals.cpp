#include "tools/bots/state/totals.hpp"

#include <algorithm>

namespace starbus::bots {
namespace {

void judge_sums(const StateTable& state, const std::vector<Standing>& standings,
                std::vector<WrongTotal>& wrong) {
  const auto total_of = [&](std::size_t field) {
    std::int64_t total = 0;
    for (const Standing& each : standings) total += each.values->fields[field].number;
    return total;
  };
  for (const StateSum& sum : state.totals) {
    std::int64_t right = 0;
    for (const auto& [adds, field] : sum.right) right += adds ? total_of(field) : -total_of(field);
    const std::int64_t left = total_of(sum.left);
    if (left == right) continue;
    wrong.push_back({0, "total " + sum.text, std::to_string(right), std::to_string(left)});
  }
}

void judge_letters(const StateTable& state, const Script& script,
                   const std::vector<Standing>& standings, const Letters& letters,
                   std::vector<WrongTotal>& wrong) {
  const auto say = std::ranges::find(script.says, state.letters_of, &Say::name);
  const auto bounds = letters.bounds(static_cast<std::size_t>(say - script.says.begin()));
  for (const Standing& each : standings) {
    const auto at = bounds.find(each.bot);
    const Letters::Bounds its = at == bounds.end() ? Letters::Bounds{} : at->second;
    const std::int64_t got = each.values->fields[*state.letters].number;
    if (got >= static_cast<std::int64_t>(its.least) && got <= static_cast<std::int64_t>(its.most)) {
      continue;
    }
    wrong.push_back({each.bot, state.fields[*state.letters].name,
                     std::to_string(its.least) + " .. " + std::to_string(its.most),
                     std::to_string(got)});
  }
}

}  // namespace

std::vector<WrongTotal> judge_totals(const Script& script, const std::vector<Standing>& standings,
                                     const Letters& letters) {
  std::vector<WrongTotal> wrong;
  const auto state = std::ranges::find_if(script.states, &StateTable::own);
  const auto known = [](const Standing& each) { return each.values.has_value(); };
  if (state == script.states.end() || standings.size() < script.bots ||
      !std::ranges::all_of(standings, known)) {
    return wrong;
  }
  judge_sums(*state, standings, wrong);
  if (state->letters) judge_letters(*state, script, standings, letters, wrong);
  return wrong;
}

}  // namespace starbus::bots
