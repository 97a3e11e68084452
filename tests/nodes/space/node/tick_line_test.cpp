/// Which space ticks when: against a model, and measured on a virtual clock.
#include "nodes/space/node/tick_line.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "nodes/space/node/tick_figures.hpp"

namespace starbus::nodes::space {
namespace {

using namespace std::chrono_literals;
using Nanos = std::chrono::nanoseconds;

/// A loop on a virtual clock: one tick a turn, each of which takes the time of its space.
class VirtualLoop {
 public:
  void add(TickLine::Id id, Nanos period, Nanos takes) {
    line.add(id, period, now);
    takes_[id] = takes;
  }
  void run_until(Nanos end) {
    for (auto next = line.next(); next && *next < end; next = line.next()) {
      now = std::max(now, *next);
      const auto due = line.begin(now);
      ASSERT_TRUE(due);
      const Nanos began = now;
      now += takes_.at(due->id);
      line.end(now);
      times[due->id].push_back(due->tick);
      figures[due->id].record(now, due->late, now - began, due->tick.missed);
      order.push_back(due->id);
    }
    now = std::max(now, end);
  }
  TickLine line;
  Nanos now = 1h;
  std::map<TickLine::Id, std::vector<SpaceTick>> times;
  std::map<TickLine::Id, TickFigures> figures;
  std::vector<TickLine::Id> order;

 private:
  std::map<TickLine::Id, Nanos> takes_;
};

TEST(TickLineTest, TicksAreAtMultiplesOfThePeriodWithoutDrift) {
  VirtualLoop loop;
  loop.add(1, 100ms, 37ms);
  loop.run_until(1h + 10min);
  const auto& ticks = loop.times[1];
  ASSERT_EQ(ticks.size(), 6'000u - 1) << "the first after one period";
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    ASSERT_EQ(ticks[i].time, Nanos(1h) + 100ms * (i + 1));
    ASSERT_EQ(ticks[i].passed, 100ms);
    ASSERT_EQ(ticks[i].number, i + 1);
    ASSERT_EQ(ticks[i].missed, 0u);
  }
}

TEST(TickLineTest, SpacesOfOneRateAreSpreadOverItsPeriod) {
  TickLine line;
  const Nanos now = 3h + 5ms;
  for (TickLine::Id id = 1; id <= 50; ++id) line.add(id, 100ms, now + 7us * id);
  std::set<Nanos> phases;
  for (TickLine::Id id = 1; id <= 50; ++id) {
    const auto due = line.begin(now + 1s);
    ASSERT_TRUE(due);
    phases.insert(due->tick.time % Nanos(100ms));
    line.end(now + 1s);
  }
  ASSERT_EQ(phases.size(), 50u) << "no two at one instant";
  Nanos before = *phases.rbegin() - 100ms;
  for (const Nanos phase : phases) {
    EXPECT_GE(phase - before, 1500us);
    EXPECT_LE(phase - before, 3200us) << "as even as fifty places of sixty-four can be";
    before = phase;
  }
}

TEST(TickLineTest, ThePlaceOfARemovedSpaceIsTakenAgain) {
  TickLine line;
  for (TickLine::Id id = 1; id <= 4; ++id) line.add(id, 100ms, 1s);
  line.remove(2);
  line.remove(7);  // unknown
  line.add(9, 100ms, 1s);
  std::map<TickLine::Id, Nanos> first;
  for (int i = 0; i < 4; ++i) {
    const auto due = line.begin(1100ms);
    ASSERT_TRUE(due);
    first[due->id] = due->tick.time;
    line.end(1100ms);
  }
  EXPECT_EQ(first.at(9), 1050ms) << "the phase that 2 had";
  for (const TickLine::Id id : {1U, 3U, 4U, 9U}) line.remove(id);
  EXPECT_EQ(line.size(), 0u);
  EXPECT_FALSE(line.next());
}

TEST(TickLineTest, OneThatIsRemovedWithinItsTickRunsNoMore) {
  TickLine line;
  line.add(1, 100ms, 1s);
  line.add(2, 100ms, 1s);
  ASSERT_EQ(line.begin(1100ms)->id, 2u) << "it was due at 1050 ms";
  line.remove(2);
  line.end(1110ms);
  ASSERT_EQ(line.begin(1110ms)->id, 1u);
  line.end(1110ms);
  EXPECT_EQ(line.next(), Nanos(1200ms));
}

TEST(TickLineTest, LateTicksAreMergedIntoOneAndCounted) {
  TickLine line;
  line.add(1, 100ms, 1s);
  const auto due = line.begin(1470ms);
  ASSERT_TRUE(due);
  EXPECT_EQ(due->late, 370ms) << "since the first that it stands for";
  EXPECT_EQ(due->tick.time, 1400ms);
  EXPECT_EQ(due->tick.passed, 400ms) << "a simulation goes on as far as time did";
  EXPECT_EQ(due->tick.missed, 3u);
  line.end(1480ms);
  EXPECT_EQ(line.next(), Nanos(1500ms)) << "the rhythm is what it was";
}

TEST(TickLineTest, DueTimesWithinATickLongerThanThePeriodAreMissed) {
  TickLine line;
  line.add(1, 100ms, 1s);
  ASSERT_TRUE(line.begin(1100ms));
  line.end(1350ms);
  EXPECT_EQ(line.next(), Nanos(1400ms)) << "those at 1200 and 1300 ms were its own time";
  const auto due = line.begin(1400ms);
  ASSERT_TRUE(due);
  EXPECT_EQ(due->tick.missed, 2u);
  EXPECT_EQ(due->tick.passed, 300ms);
  EXPECT_EQ(due->late, 0ms);
}

/// The promise of space nodes: rate and jitter of one space beside another that is slow.
TEST(TickLineTest, SpacesKeepTheirRatesWhileOneOfThemIsSlow) {
  VirtualLoop loop;
  loop.add(1, 100ms, 80ms);  // takes four fifths of the loop
  for (TickLine::Id id = 2; id <= 9; ++id) loop.add(id, 50ms, 1ms);
  loop.run_until(1h + 10s);
  EXPECT_GE(loop.times[1].size(), 99u) << "the slow one itself has its ticks";
  for (TickLine::Id id = 2; id <= 9; ++id) {
    TickFigures& figures = loop.figures[id];
    EXPECT_GE(figures.ticks() + figures.missed(), 198u) << "no time is lost";
    EXPECT_LE(loop.figures[id].window(loop.now).late.max(), 80ms + 8ms)
        << "as long as one slow tick takes, and a short one of each other";
    EXPECT_LE(figures.missed(), 100u) << "at most one for each slow tick";
  }
}

TEST(TickLineTest, ASpaceThatTakesMoreThanThereIsLosesItsOwnTicksOnly) {
  VirtualLoop loop;
  loop.add(1, 100ms, 130ms);  // more than the whole loop
  for (TickLine::Id id = 2; id <= 6; ++id) loop.add(id, 200ms, 1ms);
  loop.run_until(1h + 20s);
  for (TickLine::Id id = 2; id <= 6; ++id) {
    EXPECT_GE(loop.times[id].size(), 99u);
    EXPECT_EQ(loop.figures[id].missed(), 0u) << "its period is longer than one slow tick";
    EXPECT_LE(loop.figures[id].window(loop.now).late.percentile(1), 135ms);
  }
  EXPECT_GE(loop.figures[1].missed(), 90u);
  const auto twice = std::ranges::adjacent_find(
      loop.order, [](auto first, auto second) { return first == 1 && second == 1; });
  EXPECT_TRUE(twice == loop.order.end()) << "it never runs twice while others wait";
}

TEST(TickLineTest, UnderOverloadEachHasItsTurn) {
  VirtualLoop loop;
  for (TickLine::Id id = 1; id <= 10; ++id) loop.add(id, 100ms, 50ms);  // five times too much
  loop.run_until(1h + 50s);
  for (TickLine::Id id = 1; id <= 10; ++id) {
    EXPECT_GE(loop.times[id].size(), 98u);
    EXPECT_LE(loop.times[id].size(), 102u);
  }
}

// --- the model -----------------------------------------------------------------------------------

/// What the header promises, due time by due time.
struct ModelLine {
  Nanos period{};
  Nanos due{};  // the earliest that had no tick and was not missed
  Nanos stood_for{};
  std::uint64_t ticks = 0;
  std::uint64_t missed = 0;  // since the latest tick
};

RC_GTEST_PROP(TickLineModel, PicksMergesAndCountsAsTheHeaderSays, ()) {
  TickLine line;
  std::map<TickLine::Id, ModelLine> model;
  Nanos now = 1h;
  TickLine::Id made = 0;
  const int steps = *rc::gen::inRange(1, 200);
  for (int step = 0; step < steps; ++step) {
    const int what = *rc::gen::inRange(0, 10);
    if (what == 0 && model.size() < 12) {
      const Nanos period = Nanos(1s) / *rc::gen::element(1, 10, 20, 60);
      const TickLine::Id id = ++made;
      line.add(id, period, now);
      ModelLine added{.period = period};
      // Its phase is the line's own affair; that its first due time is within a period is not.
      if (const auto next = line.next(); model.empty()) RC_ASSERT(*next > now);
      TickLine alone = line;  // a copy, to see when it is due
      for (const auto& [other, each] : model) alone.remove(other);
      added.due = *alone.next();
      RC_ASSERT(added.due > now && added.due <= now + period);
      added.stood_for = added.due - period;
      model[id] = added;
    } else if (what == 1 && !model.empty()) {
      const auto which =
          std::next(model.begin(), *rc::gen::inRange<std::ptrdiff_t>(0, std::ssize(model)));
      line.remove(which->first);
      model.erase(which);
    } else if (what < 4) {
      now += std::chrono::microseconds(*rc::gen::inRange(0, 400'000));
    } else {
      const ModelLine* first = nullptr;
      TickLine::Id id = 0;
      for (const auto& [other, each] : model) {
        if (each.due <= now && (first == nullptr || each.due < first->due)) {
          first = &each;
          id = other;
        }
      }
      const auto due = line.begin(now);
      RC_ASSERT(due.has_value() == (first != nullptr));
      if (!due) continue;
      ModelLine& picked = model.at(id);
      RC_ASSERT(due->id == id);
      RC_ASSERT(due->late == now - picked.due);
      while (picked.due + picked.period <= now) {
        picked.due += picked.period;
        ++picked.missed;
      }
      RC_ASSERT(due->tick.time == picked.due);
      RC_ASSERT(due->tick.missed == picked.missed);
      RC_ASSERT(due->tick.passed == picked.due - picked.stood_for);
      RC_ASSERT(due->tick.number == ++picked.ticks);
      picked.stood_for = picked.due;
      picked.due += picked.period;
      picked.missed = 0;
      const Nanos took = std::chrono::microseconds(*rc::gen::inRange(0, 1'500'000));
      now += took;
      if (took >= picked.period) {
        for (; picked.due <= now; picked.due += picked.period) ++picked.missed;
      }
      line.end(now);
    }
    const auto next = line.next();
    RC_ASSERT(next.has_value() == !model.empty());
    for (const auto& [id, each] : model) RC_ASSERT(*next <= each.due);
  }
}

}  // namespace
}  // namespace starbus::nodes::space
