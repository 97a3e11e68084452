/// The flow of quests: what ends one, what begins then, and what is left behind.
#include "nodes/space/scene/quest_flow.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "nodes/space/scene/limits.hpp"

namespace starbus::nodes::space {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

QuestRow quest(std::uint32_t id, QuestKind kind, std::uint32_t next = 0) {
  QuestRow row;
  row.id = id;
  row.kind = kind;
  row.next = next;
  return row;
}
QuestRow wait_for(std::uint32_t id, SceneTime after, std::uint32_t next) {
  QuestRow row = quest(id, QuestKind::wait, next);
  row.after = after;
  return row;
}
QuestRow kill(std::uint32_t id, QuestKind kind, std::vector<std::uint32_t> monsters,
              std::uint32_t next) {
  QuestRow row = quest(id, kind, next);
  row.monsters = std::move(monsters);
  return row;
}
QuestRow traps(std::uint32_t id, QuestKind kind, std::vector<std::uint32_t> of,
               std::uint32_t next) {
  QuestRow row = quest(id, kind, next);
  row.traps = std::move(of);
  return row;
}
QuestRow events(std::uint32_t id, QuestKind kind, std::vector<std::string> of, std::uint32_t next) {
  QuestRow row = quest(id, kind, next);
  row.events = std::move(of);
  return row;
}

class QuestFlowTest : public ::testing::Test {
 protected:
  QuestFlow& flow(std::vector<QuestRow> rows) {
    flow_.emplace(std::move(rows), [this](std::uint32_t id) {
      told.push_back(id);
      if (on_change) on_change(id);
    });
    return *flow_;
  }
  std::vector<std::uint32_t> told;
  std::function<void(std::uint32_t)> on_change;

 private:
  std::optional<QuestFlow> flow_;
};

TEST_F(QuestFlowTest, AWaitThenKillsThenTheEnd) {
  QuestFlow& it = flow({wait_for(1, 2s, 2), kill(2, QuestKind::kill_all, {5, 6}, 3),
                        quest(3, QuestKind::final_one)});
  it.begin(10s);
  EXPECT_EQ(it.active(), 1U);
  EXPECT_EQ(it.due(), 12s);
  it.killed(5, 11s);  // nobody asked for it yet
  it.advance(12s - 1ns);
  EXPECT_EQ(it.active(), 1U);
  it.advance(12s);
  EXPECT_EQ(it.active(), 2U);
  EXPECT_EQ(it.due(), std::nullopt);
  it.killed(5, 13s);
  it.killed(5, 14s);
  it.killed(7, 14s);
  EXPECT_EQ(it.active(), 2U) << "5 twice is not 6";
  EXPECT_EQ(it.remaining(), 1U);
  it.killed(6, 15s);
  EXPECT_EQ(it.active(), 3U);
  it.killed(5, 16s);
  it.advance(100h);
  EXPECT_EQ(it.active(), 3U);
  EXPECT_THAT(told, ElementsAre(1, 2, 3));
}

TEST_F(QuestFlowTest, LeavingAQuestCancelsItsTime) {
  QuestFlow& it =
      flow({wait_for(1, 2s, 2), quest(2, QuestKind::final_one), quest(3, QuestKind::final_one)});
  it.begin(0s);
  it.change_to(3, 1s);
  EXPECT_EQ(it.due(), std::nullopt);
  it.advance(5s);
  EXPECT_EQ(it.active(), 3U);
  EXPECT_THAT(told, ElementsAre(1, 3));
}

TEST_F(QuestFlowTest, AQuestThatDoesNotExistLeavesNone) {
  QuestFlow& it = flow({quest(1, QuestKind::final_one)});
  it.begin(0s);
  it.change_to(9, 0s);
  EXPECT_EQ(it.active(), 0U);
  EXPECT_THAT(told, ElementsAre(1, 0));
  it.killed(1, 1s);
  it.event("a", 1s);
  EXPECT_THAT(told, ElementsAre(1, 0));
}

TEST_F(QuestFlowTest, NothingIsActiveWithoutRows) {
  QuestFlow& it = flow({});
  it.begin(0s);
  it.trap(1, true, 0s);
  EXPECT_EQ(it.active(), 0U);
  EXPECT_THAT(told, IsEmpty());
}

TEST_F(QuestFlowTest, AnyOfSeveralIsEnough) {
  QuestFlow& it =
      flow({kill(1, QuestKind::kill_one, {5, 6}, 2), traps(2, QuestKind::trap_one, {1, 2}, 3),
            events(3, QuestKind::event_one, {"bell", "horn"}, 4), quest(4, QuestKind::final_one)});
  it.begin(0s);
  it.killed(6, 0s);
  it.trap(2, true, 0s);
  it.event("drum", 0s);
  EXPECT_EQ(it.active(), 3U);
  it.event("horn", 0s);
  EXPECT_EQ(it.active(), 4U);
}

TEST_F(QuestFlowTest, AllOfSeveralInAnyOrder) {
  QuestFlow& it =
      flow({traps(1, QuestKind::trap_all, {1, 2}, 2),
            events(2, QuestKind::events_all, {"bell", "horn"}, 3), quest(3, QuestKind::final_one)});
  it.begin(0s);
  it.trap(2, true, 0s);
  it.trap(2, false, 0s);
  EXPECT_EQ(it.active(), 1U);
  it.trap(1, true, 0s);
  EXPECT_EQ(it.active(), 2U);
  it.event("horn", 0s);
  it.event("horn", 0s);
  it.event("bell", 0s);
  EXPECT_EQ(it.active(), 3U);
}

TEST_F(QuestFlowTest, FilledTrapsMustBeFilledAtTheSameTime) {
  QuestFlow& it = flow({traps(1, QuestKind::fill_all, {1, 2}, 2), quest(2, QuestKind::final_one)});
  it.begin(0s);
  it.trap(1, true, 0s);
  it.trap(1, false, 0s);
  it.trap(2, true, 0s);
  EXPECT_EQ(it.active(), 1U);
  it.trap(1, true, 0s);
  EXPECT_EQ(it.active(), 2U);
}

TEST_F(QuestFlowTest, TrapsThatAreFullWhenItBeginsCount) {
  QuestFlow& it = flow(
      {wait_for(1, 1s, 2), traps(2, QuestKind::fill_all, {1}, 3), quest(3, QuestKind::final_one)});
  it.begin(0s);
  it.trap(1, true, 0s);
  it.advance(1s);
  EXPECT_EQ(it.active(), 3U);
  EXPECT_THAT(told, ElementsAre(1, 2, 3)) << "each is told, also one that is done as it begins";
}

TEST_F(QuestFlowTest, WhatTakesTooLongHasFailed) {
  std::vector<QuestRow> rows = {kill(1, QuestKind::kill_all, {5}, 2), wait_for(2, 1s, 1),
                                wait_for(3, 1s, 1)};
  rows[0].within = 10s;
  rows[0].otherwise = 3;
  QuestFlow& it = flow(rows);
  it.begin(0s);
  it.advance(10s);
  EXPECT_EQ(it.active(), 3U);
  it.advance(11s);
  it.killed(5, 12s);
  EXPECT_EQ(it.active(), 2U);
  EXPECT_EQ(it.due(), 13s) << "of the present quest alone";
}

TEST_F(QuestFlowTest, WhoHearsAChangeMayCauseTheNext) {
  QuestFlow& it = flow({kill(1, QuestKind::kill_all, {5}, 2),
                        events(2, QuestKind::event_one, {"a"}, 3), quest(3, QuestKind::final_one)});
  on_change = [&](std::uint32_t id) {
    if (id == 1) it.killed(5, 0s);
    if (id == 2) it.event("a", 0s);
  };
  it.begin(0s);
  EXPECT_THAT(told, ElementsAre(1, 2, 3));
}

TEST_F(QuestFlowTest, TheFlowGoesOnAfterACallbackThatThrows) {
  QuestFlow& it = flow({kill(1, QuestKind::kill_all, {5}, 2), kill(2, QuestKind::kill_all, {6}, 3),
                        quest(3, QuestKind::final_one)});
  it.begin(0s);
  on_change = [&](std::uint32_t id) {
    if (id == 2) throw std::runtime_error("it threw");
  };
  EXPECT_THROW(it.killed(5, 0s), std::runtime_error);
  EXPECT_EQ(it.active(), 2U);
  it.killed(6, 0s);
  EXPECT_EQ(it.active(), 3U);
}

TEST(QuestFlow, RowsThatAreDoneAtOnceAreBounded) {
  std::size_t told = 0;
  QuestFlow it({traps(1, QuestKind::fill_all, {1}, 2), traps(2, QuestKind::fill_all, {1}, 1)},
               [&](std::uint32_t) { ++told; });
  it.trap(1, true, 0s);
  it.begin(0s);
  EXPECT_EQ(it.active(), 0U);
  EXPECT_TRUE(it.runaway());
  EXPECT_EQ(told, kQuestSteps + 1);
}

/// Random flows against an oracle that keeps, for the active quest, what has happened since.
TEST(QuestFlow, DoesWhatItsRowsSay) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t most) { return random() % most; };
    std::vector<QuestRow> rows;
    for (std::uint32_t id = 1; id <= 5; ++id) {
      QuestRow row = quest(id, QuestKind(below(8)), static_cast<std::uint32_t>(below(7)));
      row.after = SceneTime(1'000);
      for (std::uint32_t thing = 1; thing <= 3; ++thing) {
        if (below(2) == 0 && thing > 1) continue;
        row.monsters.push_back(thing);
        row.traps.push_back(thing);
        row.events.push_back(std::to_string(thing));
      }
      const bool kills = row.kind == QuestKind::kill_all || row.kind == QuestKind::kill_one;
      const bool heard = row.kind == QuestKind::events_all || row.kind == QuestKind::event_one;
      if (!kills) row.monsters.clear();
      if (!heard) row.events.clear();
      if (kills || heard || row.kind == QuestKind::wait) row.traps.clear();
      rows.push_back(row);
    }
    std::set<std::uint32_t> happened;
    std::set<std::uint32_t> filled;
    QuestFlow::Time began{}, now{};
    std::uint32_t active = 0;
    QuestFlow it(rows, [&](std::uint32_t id) {
      active = id;
      happened.clear();
      began = now;
    });
    it.begin(now);
    for (int step = 0; step < 200 && active != 0; ++step) {
      const QuestRow row = rows[active - 1];
      const auto thing = static_cast<std::uint32_t>(1 + below(3));
      const bool on = below(2) == 0;
      const std::uint64_t what = below(4);
      const bool comes = what == 1 && on && filled.insert(thing).second;
      if (what == 1 && !on) filled.erase(thing);
      if (what == 3) now += 300ms;
      const std::uint32_t before = active;
      const bool counts = (what == 0 && !row.monsters.empty()) ||
                          (comes && row.kind != QuestKind::fill_all && !row.traps.empty()) ||
                          (what == 2 && !row.events.empty());
      std::vector<std::uint32_t> wanted = row.monsters.empty() ? row.traps : row.monsters;
      for (const std::string& name : row.events)
        wanted.push_back(static_cast<std::uint32_t>(std::stoul(name)));
      const bool hits = counts && std::ranges::find(wanted, thing) != wanted.end();
      if (hits) happened.insert(thing);
      const bool all = std::ranges::all_of(wanted, [&](std::uint32_t each) {
        return (row.kind == QuestKind::fill_all ? filled : happened).contains(each);
      });
      const bool any = row.kind == QuestKind::kill_one || row.kind == QuestKind::trap_one ||
                       row.kind == QuestKind::event_one;
      const bool over =
          row.kind == QuestKind::wait ? what == 3 && now - began >= 1s : (any ? hits : all);
      const std::size_t left =
          over || any
              ? 0
              : static_cast<std::size_t>(std::ranges::count_if(wanted, [&](std::uint32_t each) {
                  return !(row.kind == QuestKind::fill_all ? filled : happened).contains(each);
                }));
      bool changed = false;
      const auto run = [&] {
        const std::uint32_t was = active;
        active = 0xffff'ffff;
        if (what == 0) it.killed(thing, now);
        if (what == 1) it.trap(thing, on, now);
        if (what == 2) it.event(std::to_string(thing), now);
        if (what == 3) it.advance(now);
        changed = active != 0xffff'ffff;
        if (!changed) active = was;
      };
      run();
      ASSERT_EQ(changed, over) << "seed " << seed << " quest " << before << " "
                               << name_of(row.kind);
      if (!over && !any && row.kind != QuestKind::wait) {
        ASSERT_EQ(it.remaining(), left) << "seed " << seed;
      }
      ASSERT_EQ(it.active(), active);
    }
  }
}

}  // namespace
}  // namespace starbus::nodes::space
