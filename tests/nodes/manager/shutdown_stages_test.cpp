// The stages of a shutdown, without processes: examples, and random histories against a model that
// says what must hold whatever happens.
#include "nodes/manager/shutdown_stages.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "nodes/manager/limits.hpp"

namespace starbus::nodes::manager {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Time = ShutdownStages::Time;

Time at(milliseconds time) {
  return time;
}

const StageReport& stage(const ShutdownReport& report, const std::string& name) {
  const auto found = std::ranges::find(report.stages, name, &StageReport::name);
  EXPECT_NE(found, report.stages.end()) << name;
  return *found;
}

class StagesTest : public ::testing::Test {
 protected:
  StagesTest() : stages(default_shutdown_plan()) { stages.set_self("a.manager-1"); }
  ShutdownStages stages;
};

TEST_F(StagesTest, ThePlanShowsWhoWouldBeToldInWhichStage) {
  stages.on_node_added("a.gate-1", "gate", at(0ms));
  stages.on_node_added("a.manager-1", "manager", at(0ms));
  stages.on_node_added("a.odd-1", "", at(0ms));
  const ShutdownReport plan = stages.report(at(1ms));
  EXPECT_EQ(plan.phase, ShutdownPhase::idle);
  EXPECT_EQ(stage(plan, "gates").nodes.size(), 1u);
  EXPECT_EQ(stage(plan, "services").nodes.size(), 1u) << "a role that nobody knows is among others";
  EXPECT_THAT(stage(plan, "managers").nodes, IsEmpty()) << "itself is not told";
  EXPECT_THAT(stages.take_drains(), IsEmpty());
  EXPECT_EQ(stages.next_tick(), std::nullopt);
}

TEST_F(StagesTest, StagesBeginWhenTheOnesBeforeAreEmpty) {
  stages.on_node_added("a.gate-1", "gate", at(0ms));
  stages.on_node_added("a.gate-2", "gate", at(0ms));
  stages.on_node_added("a.db-1", "db", at(0ms));
  EXPECT_TRUE(stages.begin("test", at(0ms)));
  EXPECT_THAT(stages.take_drains(), UnorderedElementsAre("a.gate-1", "a.gate-2"));
  stages.on_node_removed("a.gate-1", at(5ms));
  EXPECT_THAT(stages.take_drains(), IsEmpty());
  stages.on_node_removed("a.gate-2", at(10ms));
  EXPECT_THAT(stages.take_drains(), ElementsAre("a.db-1")) << "empty stages are over at once";
  EXPECT_EQ(stages.phase(), ShutdownPhase::running);
  stages.on_node_removed("a.db-1", at(25ms));
  EXPECT_EQ(stages.phase(), ShutdownPhase::done);
  const ShutdownReport report = stages.report(at(99ms));
  EXPECT_EQ(report.elapsed_ms, 25u);
  EXPECT_EQ(stage(report, "gates").elapsed_ms, 10u);
  EXPECT_EQ(stage(report, "gates").ended, 2u);
  EXPECT_EQ(stage(report, "storage").elapsed_ms, 15u);
  EXPECT_THAT(report.blocked, IsEmpty());
}

TEST_F(StagesTest, AnEmptyClusterIsDoneAtOnce) {
  EXPECT_TRUE(stages.begin("test", at(0ms)));
  EXPECT_EQ(stages.phase(), ShutdownPhase::done);
  EXPECT_FALSE(stages.begin("again", at(1ms)));
}

TEST_F(StagesTest, ASecondRequestChangesNothing) {
  stages.on_node_added("a.gate-1", "gate", at(0ms));
  EXPECT_TRUE(stages.begin("first", at(0ms)));
  (void)stages.take_drains();
  EXPECT_FALSE(stages.begin("second", at(10ms)));
  EXPECT_THAT(stages.take_drains(), IsEmpty());
  EXPECT_EQ(stages.report(at(10ms)).reason, "first");
  EXPECT_EQ(stages.next_tick(), at(kStageDeadline));
}

TEST_F(StagesTest, DeadlineNotesRemainingNodesAsBlocked) {
  stages.on_node_added("a.gate-1", "gate", at(0ms));
  stages.on_node_added("a.space-1", "space", at(0ms));
  stages.begin("test", at(0ms));
  (void)stages.take_drains();
  stages.status("a.gate-1", "draining, drains: step 'save', 1 of 2");
  stages.tick(at(kStageDeadline) - Time(1));
  EXPECT_THAT(stages.take_drains(), IsEmpty());
  stages.tick(at(kStageDeadline));
  EXPECT_THAT(stages.take_drains(), ElementsAre("a.space-1"));
  stages.on_node_removed("a.space-1", at(kStageDeadline));
  EXPECT_EQ(stages.phase(), ShutdownPhase::done);
  ShutdownReport report = stages.report(at(kStageDeadline));
  ASSERT_EQ(report.blocked.size(), 1u);
  EXPECT_EQ(report.blocked[0].node,
            (ShutdownNode{"a.gate-1", "gate", "draining, drains: step 'save', 1 of 2"}));
  EXPECT_EQ(report.blocked[0].stage, "gates");
  EXPECT_FALSE(report.blocked[0].gone);
  EXPECT_EQ(stage(report, "gates").state, StageState::late);
  stages.on_node_removed("a.gate-1", at(kStageDeadline));
  EXPECT_TRUE(stages.report(at(kStageDeadline)).blocked[0].gone);
}

TEST_F(StagesTest, LateNodeIsDrainedByThePresentStage) {
  stages.on_node_added("a.space-1", "space", at(0ms));
  stages.begin("test", at(0ms));
  EXPECT_THAT(stages.take_drains(), ElementsAre("a.space-1"));
  stages.on_node_added("a.gate-9", "gate", at(5ms));
  stages.on_node_added("a.db-1", "db", at(5ms));
  EXPECT_THAT(stages.take_drains(), ElementsAre("a.gate-9")) << "the database has its turn later";
  stages.on_node_removed("a.space-1", at(6ms));
  EXPECT_THAT(stages.take_drains(), IsEmpty());
  EXPECT_THAT(stages.waited_for(), ElementsAre("a.gate-9"));
  stages.on_node_removed("a.gate-9", at(7ms));
  EXPECT_THAT(stages.take_drains(), ElementsAre("a.db-1"));
}

TEST_F(StagesTest, OneThatCouldNotBeToldIsToldAgain) {
  stages.on_node_added("a.gate-1", "gate", at(0ms));
  stages.begin("test", at(0ms));
  EXPECT_THAT(stages.take_drains(), ElementsAre("a.gate-1"));
  stages.not_told("a.gate-1", at(10ms));
  EXPECT_EQ(stages.next_tick(), at(10ms + kDrainAgain));
  stages.tick(at(9ms + kDrainAgain));
  EXPECT_THAT(stages.take_drains(), IsEmpty());
  stages.tick(at(10ms + kDrainAgain));
  EXPECT_THAT(stages.take_drains(), ElementsAre("a.gate-1"));
  EXPECT_EQ(stages.next_tick(), at(kStageDeadline));
}

TEST_F(StagesTest, ARoleThatBecomesKnownDecidesTheStage) {
  stages.on_node_added("a.x", "", at(0ms));
  stages.on_node_added("a.y", "", at(0ms));
  stages.on_node_added("a.gate-1", "gate", at(0ms));
  stages.begin("test", at(0ms));
  (void)stages.take_drains();
  stages.role_known("a.x", "login", at(1ms));
  EXPECT_THAT(stages.take_drains(), ElementsAre("a.x"));
  stages.role_known("a.y", "db", at(1ms));
  stages.on_node_removed("a.x", at(2ms));
  stages.on_node_removed("a.gate-1", at(2ms));
  EXPECT_THAT(stages.take_drains(), ElementsAre("a.y"));
  EXPECT_EQ(stage(stages.report(at(2ms)), "storage").state, StageState::running);
}

TEST_F(StagesTest, OneThatIsGivenUpTellsNobodyAndCanBeginAnew) {
  stages.on_node_added("a.gate-1", "gate", at(0ms));
  stages.begin("test", at(0ms));
  stages.abandon(at(1ms));
  EXPECT_THAT(stages.take_drains(), IsEmpty());
  EXPECT_EQ(stages.next_tick(), std::nullopt);
  EXPECT_EQ(stages.report(at(50ms)).elapsed_ms, 1u);
  stages.tick(at(100'000ms));
  EXPECT_EQ(stages.phase(), ShutdownPhase::abandoned);
  EXPECT_TRUE(stages.begin("again", at(100'000ms)));
  EXPECT_THAT(stages.take_drains(), ElementsAre("a.gate-1"));
}

// --- random histories ----------------------------------------------------------------------------

constexpr const char* kRoles[] = {"gate",  "login", "account", "service", "chat",
                                  "space", "db",    "manager", ""};

/// What must hold, seen from outside: who is there, who was told, and when the present stage began.
struct Model {
  struct Node {
    std::string role;
    bool told = false;
    bool given_up = false;  // was there at a deadline
  };
  ShutdownPlan plan = default_shutdown_plan();
  std::map<std::string, Node> nodes;
  bool began = false;
  std::size_t stage = 0;
  Time stage_began{};
  std::size_t blocked = 0;

  bool counts(const Node& node) const {
    return !node.given_up && plan.stage_of(node.role) <= stage;
  }
  /// Which stage it must be in by now.
  void settle(Time now) {
    while (began && stage < plan.stages.size()) {
      const bool waits =
          std::ranges::any_of(nodes, [this](const auto& row) { return counts(row.second); });
      if (waits && now < stage_began + plan.stages[stage].deadline) return;
      for (auto& [process, node] : nodes) {
        if (!counts(node)) continue;
        node.given_up = true;
        ++blocked;
      }
      ++stage;
      stage_began = now;
    }
  }
};

void check(Model& model, ShutdownStages& stages, Time now) {
  model.settle(now);
  for (const std::string& process : stages.take_drains()) {
    RC_ASSERT(model.nodes.contains(process));
    Model::Node& node = model.nodes.at(process);
    RC_ASSERT(model.began);
    RC_ASSERT(model.plan.stage_of(node.role) <= model.stage);
    node.told = true;
  }
  const ShutdownReport report = stages.report(now);
  const bool over = model.stage == model.plan.stages.size();
  RC_ASSERT(report.phase == (!model.began ? ShutdownPhase::idle
                             : over       ? ShutdownPhase::done
                                          : ShutdownPhase::running));
  RC_ASSERT(report.blocked.size() == model.blocked);
  if (!model.began || over) return;
  RC_ASSERT(report.stages[model.stage].state == StageState::running);
  std::set<std::string> waited;
  for (const auto& [process, node] : model.nodes) {
    if (!model.counts(node)) continue;
    RC_ASSERT(node.told);
    waited.insert(process);
  }
  const auto names = stages.waited_for();
  RC_ASSERT(std::set<std::string>(names.begin(), names.end()) == waited);
  RC_ASSERT(report.stages[model.stage].nodes.size() == waited.size());
  RC_ASSERT(stages.next_tick().has_value());
}

RC_GTEST_PROP(StagesProperty, WhateverHappensTheOrderHoldsAndItEnds, ()) {
  Model model;
  ShutdownStages stages(model.plan);
  stages.set_self("self");
  Time now{};
  const int steps = *rc::gen::inRange(0, 120);
  for (int i = 0; i < steps; ++i) {
    now += milliseconds(*rc::gen::weightedOneOf<int>(
        {{9, rc::gen::inRange(0, 50)}, {1, rc::gen::inRange(0, 40'000)}}));
    const std::string process = "n" + std::to_string(*rc::gen::inRange(0, 12));
    const std::string role = kRoles[static_cast<std::size_t>(*rc::gen::inRange(0, 9))];
    // Time has passed first: what happens, happens to the stage that is the present one by then.
    stages.tick(now);
    check(model, stages, now);
    switch (*rc::gen::inRange(0, 7)) {
      case 0:
      case 1:
        if (model.nodes.contains(process)) break;
        model.nodes[process].role = role;
        stages.on_node_added(process, role, now);
        break;
      case 2:
      case 3:
        model.nodes.erase(process);
        stages.on_node_removed(process, now);
        break;
      case 4:
        if (!model.nodes.contains(process) || !model.nodes[process].role.empty()) break;
        model.nodes[process].role = role;
        stages.role_known(process, role, now);
        break;
      case 5:
        stages.not_told(process, now);
        break;
      default:
        if (!model.began) model.stage_began = now;
        RC_ASSERT(stages.begin("test", now) == !model.began);
        model.began = true;
    }
    check(model, stages, now);
  }
  // And it ends: by its own ticks, in no more time than all deadlines together.
  if (!model.began) return;
  Time most = now;
  for (const ShutdownStage& each : model.plan.stages) most += each.deadline;
  for (int ticks = 0; stages.phase() == ShutdownPhase::running; ++ticks) {
    RC_ASSERT(ticks < 2'000);
    now = std::max(now, *stages.next_tick());
    RC_ASSERT(now <= most);
    stages.tick(now);
    check(model, stages, now);
  }
  RC_ASSERT(stages.phase() == ShutdownPhase::done);
}

}  // namespace
}  // namespace starbus::nodes::manager
