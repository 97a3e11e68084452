/// Saves on their way: in order, the newest alone, repeated, bounded.
#include "nodes/hosting/entity_saves.hpp"

#include <gmock/gmock.h>

#include "entity/timers/timer_wheel.hpp"
#include "nodes/hosting/unsaved_list.hpp"
#include "tests/daemon/support.hpp"
#include "tests/entity/timers/full_wheel.hpp"

namespace starbus::nodes::entities {
namespace {

using ::testing::ElementsAre;
using namespace std::chrono_literals;

class EntitySavesTest : public ::testing::Test {
 protected:
  static SavedEntity state(const std::string& who, const std::string& what) {
    const auto bytes = bus::as_bytes(what);
    return {"guild", who, bus::Bytes(bytes.begin(), bytes.end()), {}};
  }
  void add(const std::string& who, const std::string& what) {
    saves.add(state(who, what), "guild " + who, [this, what](const bus::Result<>& kept) {
      ends.push_back(what + (kept ? " kept" : " " + std::string(name_of(kept.error().code))));
    });
  }
  void add_last(const std::string& who, const std::string& what) {
    saves.add_last(state(who, what), "guild " + who, [this, what](const bus::Result<>& kept) {
      ends.push_back(what + (kept ? " kept" : " " + std::string(name_of(kept.error().code))));
    });
  }
  void answer(std::size_t index, bus::Result<> result) { asked.at(index).second(result); }
  std::string asked_for(std::size_t index) const {
    return std::string(bus::as_text(asked.at(index).first.properties));
  }
  void pass(entity::Time time) {
    now += time;
    while (wheel.advance(now).more) {
    }
  }

  entity::Time now{};
  entity::TimerWheel wheel;
  std::vector<std::pair<SavedEntity, Done>> asked;
  std::vector<std::string> ends;
  bool at_once = false;
  EntitySaves saves{wheel, [this](SavedEntity saved, const Done& done) {
                      asked.emplace_back(std::move(saved), done);
                      if (at_once) done({});
                    }};
};

TEST_F(EntitySavesTest, OfOneEntityOneIsUnderWayAndTheNewestWaits) {
  add("roses", "r1");
  add("roses", "r2");
  add("roses", "r3");
  add("lilies", "l1");
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_TRUE(saves.has("guild", "roses"));
  EXPECT_EQ(saves.waits_for(), "2 to be saved: guild roses, guild lilies");
  answer(0, {});
  EXPECT_THAT(ends, ElementsAre("r1 kept"));
  ASSERT_EQ(asked.size(), 3U);
  EXPECT_EQ(asked_for(2), "r3");
  answer(2, {});
  answer(2, {});  // twice
  answer(1, {});
  EXPECT_THAT(ends, ElementsAre("r1 kept", "r2 kept", "r3 kept", "l1 kept"));
  EXPECT_TRUE(saves.empty());
}

// A store that is away holds up a drain for one deadline, and not for one behind the other.
TEST_F(EntitySavesTest, TimeoutLeavesNextSaveItsRemainingTime) {
  add("roses", "r1");
  pass(10s);
  add("roses", "r2");
  pass(kSaveDeadline - 10s);
  EXPECT_THAT(ends, ElementsAre("r1 deadline"));
  ASSERT_EQ(asked.size(), 2U);
  pass(9'999ms);
  EXPECT_EQ(ends.size(), 1U);
  add("roses", "r3");
  pass(1ms);
  EXPECT_THAT(ends, ElementsAre("r1 deadline", "r2 deadline"));
  ASSERT_EQ(asked.size(), 3U);
  answer(2, {});
  EXPECT_EQ(ends.back(), "r3 kept");
  // One that came long ago still has a moment; and behind one that was kept, all of its time.
  add("roses", "r4");
  add("roses", "r5");
  pass(kSaveDeadline);
  EXPECT_EQ(ends.back(), "r4 deadline");
  pass(kLeastSaveTime - 1ms);
  EXPECT_EQ(ends.back(), "r4 deadline");
  pass(1ms);
  EXPECT_EQ(ends.back(), "r5 deadline");
  add("roses", "r6");
  pass(5s);
  add("roses", "r7");
  answer(asked.size() - 1, {});
  pass(kSaveDeadline - 1ms);
  EXPECT_EQ(ends.back(), "r6 kept");
  pass(1ms);
  EXPECT_EQ(ends.back(), "r7 deadline");
}

TEST_F(EntitySavesTest, WhatFailsIsTriedAgainUntilItsDeadline) {
  add("roses", "r1");
  answer(0, bus::Error(bus::Errc::io_error));
  EXPECT_EQ(asked.size(), 1U);
  pass(kSaveRetry);
  ASSERT_EQ(asked.size(), 2U);
  answer(0, {});  // the first attempt, too late
  EXPECT_TRUE(ends.empty());
  answer(1, bus::Error(bus::Errc::io_error));
  pass(kSaveRetry);
  answer(2, {});
  EXPECT_THAT(ends, ElementsAre("r1 kept"));
  EXPECT_EQ(saves.counters().repeated, 2U);

  add("roses", "r2");
  add("roses", "r3");
  pass(kSaveDeadline);
  EXPECT_THAT(ends, ElementsAre("r1 kept", "r2 deadline"));
  ASSERT_EQ(asked.size(), 5U) << "what waited behind it has a time of its own";
  answer(4, bus::Error(bus::Errc::superseded));
  EXPECT_THAT(ends, ElementsAre("r1 kept", "r2 deadline", "r3 superseded"));
  EXPECT_TRUE(saves.empty());
}

TEST_F(EntitySavesTest, NoMoreAreUnderWayThanMayBe) {
  for (std::uint64_t i = 0; i < kSavesUnderWay + 2; ++i) {
    add("g" + std::to_string(i), std::to_string(i));
  }
  EXPECT_EQ(asked.size(), kSavesUnderWay);
  add("g" + std::to_string(kSavesUnderWay), "newer");
  answer(7, {});
  ASSERT_EQ(asked.size(), kSavesUnderWay + 1);
  EXPECT_EQ(asked_for(kSavesUnderWay), "newer") << "what has not begun is replaced";
  at_once = true;
  for (std::uint64_t i = 0; i < kMaxSaves; ++i) add("h" + std::to_string(i), "h");
  EXPECT_FALSE(saves.room());
  answer(8, {});
  EXPECT_EQ(saves.size(), kSavesUnderWay - 1) << "a store that answers at once takes all";
}

// An attempt without a deadline would never end if the store does not answer.
TEST_F(EntitySavesTest, FullWheelPutsSavesOffAndEndsThoseOfTheLiving) {
  entity::FullWheel full(wheel);
  add("roses", "r1");
  add_last("lilies", "l1");
  EXPECT_EQ(asked.size(), 0U);
  entity::Time waited{};
  while (ends.empty() && waited < 2 * entity::Time(kSaveDeadline)) {
    pass(kSaveRetry);
    waited += kSaveRetry;
    if (waited == 5s) add("roses", "r2");  // gives it no more time
  }
  EXPECT_THAT(ends, ElementsAre("r1 too_many_timers", "r2 too_many_timers"));
  EXPECT_GE(waited, kSaveDeadline);
  EXPECT_EQ(asked.size(), 0U);
  EXPECT_LE(saves.counters().repeated, 16U) << "with back-off";
  ASSERT_EQ(saves.unsaved_ends(9).size(), 1U) << "the only copy of an entity stays";
  EXPECT_THAT(saves.unsaved_ends(9)[0].reason, ::testing::HasSubstr("too_many_timers"));

  full.free(1);
  pass(kSaveRetryMost);
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked_for(0), "l1");
  full.fill();
  pass(kSaveDeadline);  // no answer
  pass(kSaveRetryMost);
  ASSERT_EQ(asked.size(), 2U) << "the timer of the first attempt is free";
  answer(1, {});
  EXPECT_EQ(ends.back(), "l1 kept");
  EXPECT_TRUE(saves.empty());

  // One that ends while its save is put off: the last state takes its place, without a deadline.
  full.fill();
  add("tulips", "t1");
  add_last("tulips", "t2");
  EXPECT_EQ(saves.ended(), 1U);
  pass(2 * kSaveDeadline);
  EXPECT_EQ(ends.size(), 3U);
  full.free(1);
  pass(kSaveRetryMost);
  ASSERT_EQ(asked.size(), 3U);
  EXPECT_EQ(asked_for(2), "t2");
  answer(2, {});
  EXPECT_THAT(ends, ElementsAre("r1 too_many_timers", "r2 too_many_timers", "l1 kept", "t1 kept",
                                "t2 kept"));
  EXPECT_EQ(saves.ended(), 0U);
}

TEST_F(EntitySavesTest, LastSaveIsRepeatedWithBackOffUntilItIsStored) {
  add_last("roses", "r1");
  entity::Time waited{};
  std::vector<entity::Time> pauses;
  for (std::size_t attempt = 1; attempt <= 12; ++attempt) {
    ASSERT_EQ(asked.size(), attempt);
    answer(attempt - 1, bus::Error(attempt == 3 ? bus::Errc::denied : bus::Errc::io_error));
    for (waited = {}; asked.size() == attempt && waited < 1h; waited += kSaveRetry) {
      pass(kSaveRetry);
    }
    pauses.push_back(waited);
  }
  EXPECT_EQ(pauses.front(), kSaveRetry);
  EXPECT_TRUE(std::ranges::is_sorted(pauses)) << "it backs off";
  EXPECT_LE(pauses.back(), kSaveRetryMost + kSaveRetry);
  EXPECT_GE(pauses.back(), kSaveRetryMost);
  EXPECT_TRUE(ends.empty());
  EXPECT_EQ(saves.ended(), 1U);
  const auto shown = saves.unsaved_ends(10);
  ASSERT_EQ(shown.size(), 1U);
  EXPECT_EQ(shown[0].label, "guild roses");
  EXPECT_EQ(shown[0].failures, 12U);
  EXPECT_THAT(shown[0].reason, ::testing::HasSubstr("io_error"));
  answer(12, {});
  EXPECT_THAT(ends, ElementsAre("r1 kept"));
  EXPECT_EQ(saves.ended(), 0U);
  EXPECT_TRUE(saves.empty());
}

TEST_F(EntitySavesTest, LastSaveOutlastsAStoreThatDoesNotAnswer) {
  add_last("roses", "r1");
  pass(kSaveDeadline);
  EXPECT_EQ(asked.size(), 1U);
  pass(2 * kSaveRetry);
  ASSERT_EQ(asked.size(), 2U) << "the attempt has ended, and not the save";
  EXPECT_TRUE(ends.empty());
  answer(0, {});  // it was stored after all
  EXPECT_THAT(ends, ElementsAre("r1 kept"));
  EXPECT_TRUE(saves.empty());
  add_last("lilies", "l1");
  answer(2, bus::Error(bus::Errc::superseded));
  EXPECT_THAT(ends, ElementsAre("r1 kept", "l1 superseded")) << "a later owner has written";
  EXPECT_TRUE(saves.empty());
}

TEST_F(EntitySavesTest, LastSaveFollowsTheOneUnderWay) {
  add("roses", "r1");
  add_last("roses", "r2");
  EXPECT_EQ(saves.ended(), 1U);
  pass(kSaveDeadline);
  EXPECT_THAT(ends, ElementsAre("r1 deadline"));
  ASSERT_EQ(asked.size(), 2U);
  answer(1, bus::Error(bus::Errc::io_error));
  pass(1h);
  EXPECT_EQ(saves.ended(), 1U);
  // The entity was made again, without a name, and ends again: its newest state counts.
  add_last("roses", "r3");
  answer(2, bus::Error(bus::Errc::io_error));
  pass(kSaveRetryMost + kSaveRetry);
  EXPECT_EQ(asked_for(asked.size() - 1), "r3");
  answer(asked.size() - 1, {});
  EXPECT_THAT(ends, ElementsAre("r1 deadline", "r2 kept", "r3 kept"));
  EXPECT_TRUE(saves.empty());
}

TEST_F(EntitySavesTest, LastSavesThatFailDoNotKeepTheStoreFromOthers) {
  for (std::uint64_t i = 0; i < kSavesUnderWay; ++i) add_last("e" + std::to_string(i), "e");
  add("roses", "r1");
  EXPECT_EQ(asked.size(), kSavesUnderWay);
  daemon::test::LogCapture log;
  for (std::uint64_t i = 0; i < kSavesUnderWay; ++i) answer(i, bus::Error(bus::Errc::corrupt));
  EXPECT_EQ(daemon::test::lines_of(log.text()).size(), kNamedUnsaved + 1) << "and not one for each";
  ASSERT_EQ(asked.size(), kSavesUnderWay + 1);
  EXPECT_EQ(asked_for(kSavesUnderWay), "r1");
}

TEST_F(EntitySavesTest, UnsavedEndsCrowdAndLeaveRoomForSavesOfTheLiving) {
  for (std::uint64_t i = 0; i < kMaxUnsavedEnds; ++i) {
    EXPECT_FALSE(saves.crowded());
    add_last("e" + std::to_string(i), "e");
  }
  EXPECT_TRUE(saves.crowded());
  EXPECT_TRUE(saves.room());
  add_last("one more", "e");
  EXPECT_EQ(saves.ended(), kMaxUnsavedEnds + 1) << "none is dropped";
  answer(0, {});
  answer(1, {});
  EXPECT_FALSE(saves.crowded());
}

TEST(UnsavedListTest, OneIsDueAFixedTimeBehindItsFirstChange) {
  UnsavedList list(10s);
  list.mark(1, 0s);
  list.mark(1, 9s);
  list.mark(2, 1s);
  EXPECT_FALSE(list.take_due(9s));
  EXPECT_EQ(list.take_due(10s), 1U);
  EXPECT_FALSE(list.take_due(10s));
  EXPECT_TRUE(list.take(2));
  list.mark(2, 5s);
  EXPECT_FALSE(list.take_due(14s)) << "it was saved, and has changed again";
  EXPECT_EQ(list.take_due(15s), 2U);
  EXPECT_EQ(list.size(), 0U);
}

TEST(UnsavedListTest, EntitiesHaveTimesOfTheirOwnAndSomeNone) {
  UnsavedList list(10s);
  list.mark_at(1, 9s);
  list.mark_at(2, 3s);
  list.mark_at(2, 1s);  // is marked already
  list.mark_at(3, UnsavedList::kNever);
  EXPECT_FALSE(list.take_due(2s));
  EXPECT_EQ(list.take_due(1h), 2U);
  EXPECT_EQ(list.take_due(1h), 1U);
  EXPECT_FALSE(list.take_due(1h));
  EXPECT_TRUE(list.has(3));
  EXPECT_TRUE(list.take(3));
  EXPECT_EQ(list.size(), 0U);
}

}  // namespace
}  // namespace starbus::nodes::entities
