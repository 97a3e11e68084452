/// Random functions, edges and changes, also within ticks, against what the page promises.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "entity/schedule/schedule.hpp"

namespace starbus::entity {
namespace {

/// The edges that were taken, and who is there.
struct Model {
  std::map<TickId, std::set<TickId>> after;
  std::map<TickId, TickPhase> own;

  bool reaches(TickId from, TickId to) const {
    if (from == to) return true;
    const auto found = after.find(from);
    if (found == after.end()) return false;
    return std::ranges::any_of(found->second, [&](TickId next) { return reaches(next, to); });
  }
  void remove(TickId id) {
    after.erase(id);
    own.erase(id);
    for (auto& [other, edges] : after) edges.erase(id);
  }
  TickPhase phase(TickId id) const {
    TickPhase latest = own.at(id);
    for (const TickId other : after.at(id)) latest = std::max(latest, phase(other));
    return latest;
  }
};

RC_GTEST_PROP(ScheduleModel, EachRunsOnceAfterItsPrerequisites, ()) {
  TickSchedule schedule;
  Model model;
  std::vector<TickId> ran;
  std::vector<TickId> ids;
  const auto pick = [&] { return *rc::gen::elementOf(ids); };
  const auto add = [&] {
    const auto phase = static_cast<TickPhase>(*rc::gen::inRange(0, 6));
    const auto id = std::make_shared<TickId>();
    *id = *schedule.add({.name = "f", .phase = phase},
                        [&ran, id](const Tick&) { ran.push_back(*id); });
    model.after[*id];
    model.own[*id] = phase;
    ids.push_back(*id);
  };
  const int steps = *rc::gen::inRange(1, 60);
  for (int i = 0; i < steps; ++i) {
    const int what = ids.empty() ? 0 : *rc::gen::inRange(0, 8);
    if (what <= 2) {
      add();
    } else if (what <= 6) {
      const TickId id = pick();
      const TickId other = pick();
      const auto taken = schedule.run_after(id, other);
      const bool cycle = model.reaches(other, id);
      RC_ASSERT(taken.has_value() == !cycle);
      if (!cycle) model.after[id].insert(other);
    } else {
      const TickId id = pick();
      RC_ASSERT(schedule.remove(id));
      model.remove(id);
      std::erase(ids, id);
    }
    ran.clear();
    RC_ASSERT(schedule.run(Time(i)).has_value());
    RC_ASSERT(std::set<TickId>(ran.begin(), ran.end()).size() == ran.size());
    RC_ASSERT(ran.size() == ids.size());
    std::map<TickId, std::size_t> place;
    for (std::size_t at = 0; at < ran.size(); ++at) place[ran[at]] = at;
    TickPhase before = TickPhase::input;
    for (const TickId id : ran) {
      RC_ASSERT(model.phase(id) >= before);
      before = model.phase(id);
      for (const TickId other : model.after[id]) RC_ASSERT(place.at(other) < place.at(id));
    }
  }
}

}  // namespace
}  // namespace starbus::entity
