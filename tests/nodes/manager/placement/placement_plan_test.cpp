/// The rules of placement, one by one, and over random histories.
#include "nodes/manager/placement/placement_plan.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

namespace starbus::nodes::manager {
namespace {

using service::Action;
using service::InstanceId;
using service::InstanceRow;
using service::InstanceState;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

HostView host(const std::string& process, std::vector<InstanceRow> rows = {},
              std::vector<std::string> labels = {}) {
  HostView view{process, true, {}};
  view.report.types = {"chat", "login", "rank"};
  view.report.labels = std::move(labels);
  view.report.capacity = 100;
  view.report.instances = std::move(rows);
  return view;
}
InstanceRow row(const InstanceId& id, InstanceState state = InstanceState::serving) {
  return {id, state, 1, {}};
}
PlannedAction place(const std::string& process, const InstanceId& id) {
  return {process, {Action::Kind::place, id}};
}
PlannedAction withdraw(const std::string& process, const InstanceId& id) {
  return {process, {Action::Kind::withdraw, id}};
}
const InstanceId kChat1{"chat", 1, 0};
const InstanceId kChat2{"chat", 2, 0};
InstanceId rank_of(std::uint32_t number, std::uint32_t partitions) {
  return {"rank", number, partitions};
}

TEST(PlacementPlan, PlacesNothingBeforeQuorumThenSpreads) {
  const std::vector<WantedType> wanted = {
      {"chat", 2, false, 2}, {"rank", 1, false, 2}, {"login", 1, false, 2}};
  const Plan early = make_plan({wanted, {host("a")}, {}, {}, {}});
  EXPECT_THAT(early.actions, IsEmpty());
  EXPECT_EQ(early.waiting.size(), 3u);
  EXPECT_EQ(early.waiting.front(), (WaitingType{"chat", "has 1 of 2 hosts"}));
  const Plan plan = make_plan({wanted, {host("b"), host("a")}, {}, {}, {}});
  EXPECT_THAT(plan.actions, ElementsAre(place("a", kChat1), place("a", {"login", 1, 0}),
                                        place("b", kChat2), place("b", {"rank", 1, 0})));
  EXPECT_THAT(plan.waiting, IsEmpty());
}

TEST(PlacementPlan, AfterADeathTheQuorumDoesNotMatter) {
  const std::vector<WantedType> wanted = {{"chat", 2, false, 2}};
  const Plan plan = make_plan({wanted, {host("a", {row(kChat1)})}, {}, {}, {}});
  EXPECT_THAT(plan.actions, ElementsAre(place("a", kChat2))) << "one of the type lives: it began";
  const Plan all_dead = make_plan({wanted, {host("a")}, {}, {"chat"}, {}});
  EXPECT_THAT(all_dead.actions, ElementsAre(place("a", kChat1), place("a", kChat2)));
  const Plan held = make_plan({wanted, {host("a")}, {{kChat1, "b"}}, {}, {}});
  EXPECT_EQ(held.actions.size(), 2u) << "the claim of one that drains shows it, too";
}

TEST(PlacementPlan, NothingMovesWhenAHostComesBack) {
  const std::vector<WantedType> wanted = {{"chat", 2, false, 1}};
  const Plan plan =
      make_plan({wanted, {host("a", {row(kChat1), row(kChat2)}), host("b")}, {}, {}, {}});
  EXPECT_THAT(plan.actions, IsEmpty());
}

TEST(PlacementPlan, WhatIsNotWantedGoes) {
  const std::vector<WantedType> wanted = {{"chat", 1, false, 1}};
  const HostView a =
      host("a", {row(kChat1), row(kChat2), row({"login", 1, 0}, InstanceState::stopping),
                 row(rank_of(1, 4), InstanceState::claiming)});
  EXPECT_THAT(make_plan({wanted, {a}, {}, {}, {}}).actions,
              ElementsAre(withdraw("a", kChat2), withdraw("a", rank_of(1, 4))));
}

TEST(PlacementPlan, NewPartitionCountWaitsForEndOfOld) {
  const std::vector<WantedType> wanted = {{"rank", 2, true, 1}};
  const Plan first = make_plan({wanted, {host("a", {row(rank_of(3, 4))})}, {}, {}, {}});
  EXPECT_THAT(first.actions, ElementsAre(withdraw("a", rank_of(3, 4))));
  const Plan stopping =
      make_plan({wanted, {host("a", {row(rank_of(3, 4), InstanceState::stopping)})}, {}, {}, {}});
  EXPECT_THAT(stopping.actions, IsEmpty());
  EXPECT_EQ(stopping.waiting.size(), 1u);
  const Plan elsewhere = make_plan({wanted, {host("a")}, {{rank_of(3, 4), "gone"}}, {}, {}});
  EXPECT_THAT(elsewhere.actions, IsEmpty()) << "a process that drains has it still";
  const Plan free = make_plan({wanted, {host("a")}, {}, {}, {}});
  EXPECT_THAT(free.actions, ElementsAre(place("a", rank_of(1, 2)), place("a", rank_of(2, 2))));
}

TEST(PlacementPlan, OfTwoTheOneStaysThatGotFurthest) {
  const std::vector<WantedType> wanted = {{"chat", 1, false, 1}};
  const Plan plan = make_plan({wanted,
                               {host("a", {row(kChat1, InstanceState::claiming)}),
                                host("b", {row(kChat1)}), host("c", {row(kChat1)})},
                               {},
                               {},
                               {}});
  EXPECT_THAT(plan.actions, ElementsAre(withdraw("a", kChat1), withdraw("c", kChat1)));
}

TEST(PlacementPlan, WhatFailedIsTriedElsewhere) {
  const std::vector<WantedType> wanted = {{"chat", 1, false, 1}};
  const HostView a = host("a", {row(kChat1, InstanceState::failed)});
  EXPECT_THAT(make_plan({wanted, {a, host("b")}, {}, {}, {}}).actions,
              ElementsAre(withdraw("a", kChat1), place("b", kChat1)));
  const Plan nowhere = make_plan({wanted, {host("a")}, {}, {}, {{kChat1, "a"}}});
  EXPECT_THAT(nowhere.actions, IsEmpty());
  EXPECT_EQ(nowhere.waiting.front(), (WaitingType{"chat", "no host for 1 of them"}));
}

TEST(PlacementPlan, LabelsTypesAndCapacityDecideWhoMayHaveIt) {
  const std::vector<WantedType> wanted = {{"chat", 2, false, 1, {"big", "fast"}}};
  HostView full = host("c", {}, {"big", "fast"});
  full.report.capacity = 0;
  HostView other = host("d", {}, {"big", "fast"});
  other.report.types = {"rank"};
  HostView silent = host("e", {}, {"big", "fast"});
  silent.answered = false;
  const Plan plan =
      make_plan({wanted,
                 {host("a", {}, {"big"}), host("b", {}, {"big", "fast"}), full, other, silent},
                 {},
                 {},
                 {}});
  EXPECT_THAT(plan.actions, ElementsAre(place("b", kChat1), place("b", kChat2)));
}

TEST(PlacementPlan, WhoIsKeptApartSharesNoHostWithAnotherOne) {
  const InstanceId third{"chat", 3, 0};
  const InstanceId fourth{"chat", 4, 0};
  PlanInput input{{{"chat", 4, false, 1}}, {host("a", {row(kChat1)}), host("b")}, {}, {}, {}};
  input.apart = {kChat1, kChat2, third};
  const Plan plan = make_plan(input);
  EXPECT_THAT(plan.actions, ElementsAre(place("a", fourth), place("b", kChat2)));
  ASSERT_EQ(plan.waiting.size(), 1u);
  EXPECT_EQ(plan.waiting.front().reason, "no host for 1 of them");
  input.nowhere = {{kChat2, "quarantine:"}, {fourth, "pause:"}};
  const Plan held = make_plan(input);
  EXPECT_THAT(held.actions, ElementsAre(place("b", third)));
  EXPECT_EQ(held.waiting.front().reason, "pause: 1 of them, quarantine: 1 of them");
}

TEST(PlacementPlan, WhatASilentHostHoldsIsLeftThere) {
  const std::vector<WantedType> wanted = {{"chat", 1, false, 1}};
  HostView silent{"b", false, {}};
  silent.report.instances = {row(kChat1), row({"login", 9, 0})};
  EXPECT_THAT(make_plan({wanted, {host("a"), silent}, {}, {}, {}}).actions, IsEmpty());
}

// --- histories -----------------------------------------------------------------------------------

/// Hosts that come, die, fail and forget, and a manager that is restarted.
struct World {
  std::vector<WantedType> wanted;
  std::map<std::string, HostView> hosts;
  std::set<std::string> begun;
  std::set<std::pair<InstanceId, std::string>> avoid;

  PlanInput input() const {
    PlanInput input{wanted, {}, {}, begun, avoid};
    for (const auto& [process, view] : hosts) input.hosts.push_back(view);
    return input;
  }
  /// Carries out some of a plan; true if there was nothing to do.
  bool step(bool everything) {
    const Plan plan = make_plan(input());
    begun = plan.begun;
    for (const PlannedAction& each : plan.actions) {
      if (!everything && !*rc::gen::arbitrary<bool>()) continue;
      auto& rows = hosts.at(each.process).report.instances;
      if (each.action.kind == Action::Kind::place) {
        rows.push_back(row(each.action.id));
      } else {
        std::erase_if(rows, [&](const InstanceRow& r) { return r.id == each.action.id; });
      }
    }
    return plan.actions.empty();
  }
  void settle() {
    for (int i = 0; i < 4; ++i) {
      if (step(true)) return;
    }
    RC_FAIL("a plan that was carried out has nothing to add");
  }
  std::map<InstanceId, std::vector<std::string>> where() const {
    std::map<InstanceId, std::vector<std::string>> all;
    for (const auto& [process, view] : hosts) {
      for (const InstanceRow& r : view.report.instances) all[r.id].push_back(process);
    }
    return all;
  }
};

std::vector<WantedType> any_wanted() {
  std::vector<WantedType> wanted;
  for (const char* const type : {"chat", "login", "rank"}) {
    if (!*rc::gen::arbitrary<bool>()) continue;
    wanted.push_back(
        {type, *rc::gen::inRange(1u, 6u), *rc::gen::arbitrary<bool>(), *rc::gen::inRange(0u, 4u)});
  }
  return wanted;
}
std::string any_process() {
  return "h" + std::to_string(*rc::gen::inRange(0, 6));
}

void change(World& world) {
  switch (*rc::gen::inRange(0, 7)) {
    case 0:
    case 1:
      world.hosts.emplace(any_process(), HostView{});
      break;
    case 2:
      world.hosts.erase(any_process());
      break;
    case 3:
      world.begun.clear();
      break;  // another manager
    case 4:
      world.wanted = any_wanted();
      break;
    case 5:  // one that failed
      for (auto& [process, view] : world.hosts) {
        if (view.report.instances.empty()) continue;
        view.report.instances.back().state = InstanceState::failed;
        break;
      }
      break;
    default:
      break;
  }
  for (auto& [process, view] : world.hosts) {
    if (!view.answered) view = host(process);
  }
}

RC_GTEST_PROP(PlacementHistories, EndWithEachInstanceOnceAndMoveNothing, ()) {
  World world;
  world.wanted = any_wanted();
  const int length = *rc::gen::inRange(1, 30);
  for (int i = 0; i < length; ++i) {
    change(world);
    const bool everything = *rc::gen::arbitrary<bool>();
    // What is wanted, alone and alive stays where it is.
    std::set<PlannedAction> planned;
    for (const auto& action : make_plan(world.input()).actions) planned.insert(action);
    for (const auto& one : world.where()) {
      const auto& id = one.first;
      const auto& processes = one.second;
      const auto is = [&](const WantedType& wanted) {
        return wanted.type == id.type && id.number <= wanted.count &&
               id == wanted.instance(id.number);
      };
      if (processes.size() != 1 || std::ranges::none_of(world.wanted, is)) continue;
      const auto& rows = world.hosts.at(processes.front()).report.instances;
      const auto at = std::ranges::find(rows, id, &InstanceRow::id);
      if (at->state != InstanceState::serving) continue;
      RC_ASSERT(!planned.contains(withdraw(processes.front(), id)));
      for (const auto& each : planned) RC_ASSERT(each.action.id != id);
    }
    world.step(everything);
  }
  world.settle();
  const auto places = world.where();
  for (const auto& [id, processes] : places) RC_ASSERT(processes.size() == 1u);
  std::size_t wanted = 0;
  for (const WantedType& type : world.wanted) {
    if (!world.begun.contains(type.type) && world.hosts.size() < type.hosts) {
      RC_ASSERT(
          std::ranges::none_of(places, [&](const auto& at) { return at.first.type == type.type; }));
      continue;
    }
    for (std::uint32_t i = 1; i <= type.count && !world.hosts.empty(); ++i) {
      RC_ASSERT(places.contains(type.instance(i)));
      ++wanted;
    }
  }
  RC_ASSERT(places.size() == wanted);
}

RC_GTEST_PROP(PlacementHistories, ThePlanDoesNotDependOnTheOrderOfItsInput, ()) {
  World world;
  world.wanted = any_wanted();
  for (int i = 0; i < 8; ++i) {
    change(world);
    world.step(false);
  }
  change(world);
  const PlanInput input = world.input();
  PlanInput shuffled = input;
  std::ranges::reverse(shuffled.hosts);
  std::ranges::reverse(shuffled.wanted);
  for (HostView& view : shuffled.hosts) {
    std::ranges::reverse(view.report.instances);
    std::ranges::reverse(view.report.types);
  }
  const Plan plan = make_plan(input);
  const Plan same = make_plan(shuffled);
  RC_ASSERT(plan.actions == same.actions);
  RC_ASSERT(plan.waiting == same.waiting);
}

RC_GTEST_PROP(PlacementHistories, AFirstPlacementIsSpreadAndBalanced, ()) {
  World world;
  world.wanted = any_wanted();
  const int hosts = *rc::gen::inRange(1, 8);
  for (int i = 0; i < hosts; ++i) {
    const std::string process = "h" + std::to_string(i);
    world.hosts.emplace(process, host(process));
  }
  for (WantedType& type : world.wanted) type.hosts = 0;
  world.settle();
  std::size_t least = 1'000;
  std::size_t most = 0;
  for (const auto& [process, view] : world.hosts) {
    std::map<std::string, std::size_t> of_type;
    for (const InstanceRow& each : view.report.instances) ++of_type[each.id.type];
    for (const WantedType& type : world.wanted) {
      const std::size_t count = of_type[type.type];
      RC_ASSERT(count <= (type.count + world.hosts.size() - 1) / world.hosts.size());
    }
    least = std::min(least, view.report.instances.size());
    most = std::max(most, view.report.instances.size());
  }
  RC_ASSERT(most - least <= 1u);
}

}  // namespace
}  // namespace starbus::nodes::manager
