/// Phases, prerequisites, intervals, and changes while a tick runs.
#include "entity/schedule/schedule.hpp"

#include <gmock/gmock.h>

#include "tests/thrown_log.hpp"

namespace starbus::entity {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ScheduleTest : public ::testing::Test {
 protected:
  /// Its name goes into `ran` when it runs.
  TickId add(const std::string& name, TickPhase phase = TickPhase::logic,
             std::vector<TickId> after = {}) {
    return add({.name = name, .phase = phase, .after = std::move(after)});
  }
  TickId add(TickOptions options) {
    const std::string name = options.name;
    return schedule
        .add(std::move(options),
             [this, name](const Tick& tick) {
               ran.push_back(name);
               ticks.push_back(tick);
             })
        .value();
  }
  std::vector<std::string> tick(Time now) {
    ran.clear();
    ticks.clear();
    EXPECT_TRUE(schedule.run(now));
    return ran;
  }
  TickSchedule schedule;
  std::vector<std::string> ran;
  std::vector<Tick> ticks;
};

TEST_F(ScheduleTest, PhasesRunInTheirOrderWhateverWasAddedFirst) {
  add("flush", TickPhase::flush);
  add("sync", TickPhase::sync);
  add("interest", TickPhase::interest);
  add("movement", TickPhase::movement);
  add("logic", TickPhase::logic);
  add("input", TickPhase::input);
  EXPECT_THAT(tick(1s), ElementsAre("input", "logic", "movement", "interest", "sync", "flush"));
  EXPECT_EQ(schedule.rows()[2].name, name_of(TickPhase::movement));
}

TEST_F(ScheduleTest, WithinAPhaseTheOrderIsThatOfPrerequisitesThenOfAdding) {
  const TickId last = add("last");
  add("b");
  const TickId first = add("first");
  add("c");
  ASSERT_TRUE(schedule.run_after(last, first));
  ASSERT_TRUE(schedule.run_after(last, first)) << "said twice is said once";
  EXPECT_THAT(tick(1s), ElementsAre("b", "first", "last", "c"));
}

TEST_F(ScheduleTest, PrerequisitesInALaterPhaseDelayToThatPhase) {
  const TickId sync = add("sync", TickPhase::sync);
  const TickId middle = add("middle", TickPhase::input, {sync});
  add("end", TickPhase::logic, {middle});
  add("interest", TickPhase::interest);
  EXPECT_THAT(tick(1s), ElementsAre("interest", "sync", "middle", "end"));
  EXPECT_EQ(schedule.rows()[3].phase, TickPhase::sync);
  EXPECT_TRUE(schedule.remove(sync));
  EXPECT_THAT(tick(2s), ElementsAre("middle", "end", "interest"));
}

TEST_F(ScheduleTest, ACycleIsRefusedWithItsNames) {
  const TickId a = add("a");
  const TickId b = add("b", TickPhase::logic, {a});
  const TickId c = add("c", TickPhase::logic, {b});
  const auto refused = schedule.run_after(a, c);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().to_string(), "cycle: a after c after b after a");
  EXPECT_EQ(schedule.run_after(a, a).error().to_string(), "cycle: a after a");
  EXPECT_THAT(tick(1s), ElementsAre("a", "b", "c"));
}

TEST_F(ScheduleTest, ALongCycleIsNamedInPart) {
  std::vector<TickId> all{add("f0")};
  for (int i = 1; i < 20; ++i) {
    all.push_back(add("f" + std::to_string(i), TickPhase::logic, {all.back()}));
  }
  EXPECT_EQ(schedule.run_after(all.front(), all.back()).error().detail,
            "f0 after f19 after f18 after f17 after f16 after f15 after f14 after f13 after ... "
            "after f0");
}

TEST_F(ScheduleTest, IntervalsHaveARunWhenTheyAreDue) {
  add({.name = "two", .interval = 200ms, .first = 200ms});
  add({.name = "three", .interval = 300ms, .first = 300ms});
  add({.name = "five", .interval = 500ms, .first = 500ms});
  std::map<std::string, std::vector<int>> at;
  for (int i = 0; i <= 10; ++i) {
    for (const std::string& name : tick(i * 100ms)) at[name].push_back(i);
  }
  EXPECT_THAT(at["two"], ElementsAre(2, 4, 6, 8, 10));
  EXPECT_THAT(at["three"], ElementsAre(3, 6, 9));
  EXPECT_THAT(at["five"], ElementsAre(5, 10));
}

TEST_F(ScheduleTest, AnOverrunKeepsTheRhythmAndReportsMissedRuns) {
  add({.name = "f", .interval = 200ms});
  EXPECT_THAT(tick(0ms), ElementsAre("f"));
  EXPECT_EQ(ticks[0].passed, 0ms);
  EXPECT_THAT(tick(250ms), ElementsAre("f"));
  EXPECT_EQ(ticks[0].passed, 250ms);
  EXPECT_THAT(tick(390ms), IsEmpty());
  EXPECT_THAT(tick(400ms), ElementsAre("f")) << "due at 400, not at 450";
  EXPECT_THAT(tick(1010ms), ElementsAre("f"));
  EXPECT_EQ(ticks[0].missed, 2u);
  EXPECT_THAT(tick(1190ms), IsEmpty());
  EXPECT_THAT(tick(1200ms), ElementsAre("f"));
  EXPECT_EQ(schedule.rows()[0].missed, 2u);
  EXPECT_EQ(schedule.rows()[0].runs, 5u);
}

TEST_F(ScheduleTest, AClockThatGoesBackStandsStill) {
  add({.name = "f", .interval = 100ms});
  tick(1s);
  EXPECT_THAT(tick(0s), IsEmpty());
  EXPECT_THAT(tick(1100ms), ElementsAre("f"));
  EXPECT_EQ(ticks[0].passed, 100ms);
}

TEST_F(ScheduleTest, AnIntervalThatIsChangedCountsFromTheLatestRun) {
  const TickId f = add({.name = "f", .interval = 10s});
  tick(0s);
  tick(5s);
  ASSERT_TRUE(schedule.set_interval(f, 1s));
  EXPECT_THAT(tick(5100ms), ElementsAre("f"));
  EXPECT_EQ(ticks[0].missed, 0u) << "nobody asked for those";
  ASSERT_TRUE(schedule.set_interval(f, 0s));
  EXPECT_THAT(tick(5101ms), ElementsAre("f"));
  ASSERT_TRUE(schedule.set_interval(f, 1s));
  EXPECT_THAT(tick(6100ms), IsEmpty());
  EXPECT_THAT(tick(6101ms), ElementsAre("f"));
}

TEST_F(ScheduleTest, DisabledFunctionsMissNothing) {
  const TickId f = add({.name = "f", .interval = 1s});
  tick(0s);
  ASSERT_TRUE(schedule.set_enabled(f, false));
  EXPECT_THAT(tick(10s), IsEmpty());
  ASSERT_TRUE(schedule.set_enabled(f, true));
  EXPECT_THAT(tick(11s), ElementsAre("f"));
  EXPECT_EQ(ticks[0].missed, 0u);
  EXPECT_THAT(tick(11900ms), IsEmpty());
  EXPECT_THAT(tick(12s), ElementsAre("f"));
}

TEST_F(ScheduleTest, FunctionsAddedWithinATickRunInALaterPhaseOrTick) {
  const auto adder = schedule.add({.name = "adder"}, [this](const Tick& tick) {
    if (tick.number > 1) return;
    add("earlier", TickPhase::input);
    add("same", TickPhase::logic);
    add("later", TickPhase::sync);
  });
  ASSERT_TRUE(adder);
  EXPECT_THAT(tick(1s), ElementsAre("later"));
  EXPECT_THAT(tick(2s), ElementsAre("earlier", "same", "later"));
}

TEST_F(ScheduleTest, EndlessAddingEndsAtTheLimit) {
  std::function<void(const Tick&)> spawn;
  std::uint64_t refused = 0;
  spawn = [&](const Tick&) {
    for (int i = 0; i < 100; ++i) {
      const auto added = schedule.add({.name = "spawn"}, spawn);
      if (!added) refused += added.error() == TickErrc::too_many_functions ? 1 : 0;
    }
  };
  ASSERT_TRUE(schedule.add({.name = "spawn"}, spawn));
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(schedule.run(i * 1s));
  EXPECT_EQ(schedule.size(), kMaxTickFunctions);
  EXPECT_GT(refused, 0u);
}

TEST_F(ScheduleTest, RemovedFunctionsLiveUntilTheyReturn) {
  TickId victim;
  TickId self;
  auto owned = std::make_shared<int>(7);
  const std::weak_ptr<int> watch = owned;
  self = *schedule.add({.name = "self"}, [this, &victim, &self, owned](const Tick&) {
    EXPECT_TRUE(schedule.remove(self));
    EXPECT_FALSE(schedule.remove(self));
    EXPECT_TRUE(schedule.remove(victim));
    EXPECT_EQ(*owned, 7);
  });
  owned.reset();
  victim = add("victim", TickPhase::logic);
  add("other");
  EXPECT_THAT(tick(1s), ElementsAre("other"));
  EXPECT_TRUE(watch.expired()) << "what a removed function owned ends with the tick";
  EXPECT_EQ(schedule.size(), 1u);
}

TEST_F(ScheduleTest, TheEndOfAFunctionMayRemoveOthers) {
  struct Remover {
    TickSchedule& schedule;
    TickId other;

    Remover(TickSchedule& s, TickId id) : schedule(s), other(id) {}
    ~Remover() { schedule.remove(other); }
    Remover(const Remover&) = delete;
    Remover& operator=(const Remover&) = delete;
  };
  const TickId last = add("last");
  const TickId first = *schedule.add(
      {.name = "first"}, [kept = std::make_shared<Remover>(schedule, last)](const Tick&) {});
  EXPECT_TRUE(schedule.remove(first));
  EXPECT_EQ(schedule.size(), 0u);
  EXPECT_THAT(tick(1s), IsEmpty());
}

TEST_F(ScheduleTest, AFunctionDelayedWithinATickDoesNotRunTwice) {
  TickId early;
  const TickId sync = add("sync", TickPhase::sync);
  early = *schedule.add({.name = "early", .phase = TickPhase::input}, [&](const Tick&) {
    ran.emplace_back("early");
    EXPECT_TRUE(schedule.run_after(early, sync));
  });
  EXPECT_THAT(tick(1s), ElementsAre("early", "sync"));
  EXPECT_THAT(tick(2s), ElementsAre("sync", "early"));
}

TEST_F(ScheduleTest, ATickCannotBeginWithinOne) {
  ASSERT_TRUE(schedule.add({.name = "f"}, [this](const Tick&) {
    EXPECT_EQ(schedule.run(9s).error().code, TickErrc::nested);
  }));
  EXPECT_TRUE(schedule.run(1s));
  EXPECT_EQ(schedule.ticks(), 1u);
}

TEST_F(ScheduleTest, AnExceptionLeavesAndTheNextTickIsWhole) {
  bool throws = true;
  ASSERT_TRUE(schedule.add({.name = "f"}, [&](const Tick&) {
    if (throws) throw std::runtime_error("f");
  }));
  add("g");
  EXPECT_THROW((void)schedule.run(1s), std::runtime_error);
  throws = false;
  EXPECT_THAT(tick(2s), ElementsAre("g"));
}

TEST_F(ScheduleTest, WithAGuardTheOtherFunctionsOfTheTickRun) {
  starbus::test::ThrownLog thrown;
  ASSERT_TRUE(schedule.add({.name = "f"}, [](const Tick&) { throw std::runtime_error("a bug"); }));
  add("g");
  EXPECT_THAT(tick(1s), ElementsAre("g"));
  EXPECT_THAT(tick(2s), ElementsAre("g"));
  EXPECT_THAT(thrown.lines, ElementsAre("tick: a bug", "tick: a bug"));
  EXPECT_THAT(thrown.places, ElementsAre("tick f", "tick f"));
}

TEST_F(ScheduleTest, ExcessOfEachLimitIsRefused) {
  const auto refused = [this](TickOptions options) {
    const auto added = schedule.add(std::move(options), [](const Tick&) {});
    return added ? TickErrc::ok : added.error().code;
  };
  EXPECT_EQ(schedule.add({.name = "f"}, nullptr).error().code, TickErrc::no_callback);
  EXPECT_EQ(refused({}), TickErrc::bad_name);
  EXPECT_EQ(refused({.name = std::string(kMaxTickName + 1, 'x')}), TickErrc::bad_name);
  EXPECT_EQ(refused({.name = "f", .interval = -1ns}), TickErrc::bad_interval);
  EXPECT_EQ(refused({.name = "f", .interval = 24h + 1ns}), TickErrc::bad_interval);
  EXPECT_EQ(refused({.name = "f", .first = -1ns}), TickErrc::bad_interval);
  EXPECT_EQ(refused({.name = "f", .after = {TickId{99}}}), TickErrc::unknown);
  const TickId f = add("f");
  std::vector<TickId> many(kMaxPrerequisites + 1, f);
  EXPECT_EQ(refused({.name = "f", .after = many}), TickErrc::too_many_prerequisites);
  for (std::uint64_t i = 0; i < kMaxPrerequisites; ++i) {
    ASSERT_TRUE(schedule.run_after(f, add("g")));
  }
  const TickId one_more = add("h");
  EXPECT_EQ(schedule.run_after(f, one_more).error().code, TickErrc::too_many_prerequisites);
  EXPECT_EQ(schedule.run_after(TickId{99}, f).error().code, TickErrc::unknown);
  EXPECT_EQ(schedule.set_interval(f, -1s).error().code, TickErrc::bad_interval);
  EXPECT_EQ(schedule.set_interval(TickId{99}, 1s).error().code, TickErrc::unknown);
  EXPECT_EQ(schedule.set_enabled(TickId{}, true).error().code, TickErrc::unknown);
  EXPECT_FALSE(schedule.remove(TickId{}));
}

}  // namespace
}  // namespace starbus::entity
