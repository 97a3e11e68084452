// The login queue, against a list that does the same slowly; and how many may enter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "nodes/login/core/gate_reports.hpp"
#include "nodes/login/core/login_queue.hpp"
#include "nodes/login/core/places.hpp"

namespace starbus::nodes::login {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Spot = LoginQueue::Tell;

TEST(LoginQueueTest, EntersInOrderAndPassesOverThoseWhoAreAway) {
  LoginQueue queue;
  for (AttemptId id = 1; id <= 4; ++id) ASSERT_TRUE(queue.join(id, 0s));
  EXPECT_EQ(queue.ahead(4), 3U);
  queue.gone(1, 0s);
  EXPECT_EQ(queue.admit(), 2U);
  EXPECT_EQ(queue.ahead(4), 2U);
  queue.replace(1, 9, 1s);  // back: the first place is its own
  EXPECT_EQ(queue.ahead(9), 0U);
  EXPECT_EQ(queue.admit(), 9U);
  EXPECT_TRUE(queue.leave(3));
  EXPECT_FALSE(queue.leave(3));
  EXPECT_EQ(queue.admit(), 4U);
  EXPECT_EQ(queue.admit(), std::nullopt);
  EXPECT_EQ(queue.size(), 0U);
}

TEST(LoginQueueTest, PositionsAreToldWhenTheyChangeAndNotOften) {
  LoginQueue queue;
  for (AttemptId id = 1; id <= 3; ++id) ASSERT_TRUE(queue.join(id, 0s));
  EXPECT_THAT(queue.step(kQueueTell).tells, IsEmpty());  // nothing has changed
  EXPECT_EQ(queue.next(), kQueueLongest);
  queue.admit();
  EXPECT_EQ(queue.next(), kQueueTell);
  EXPECT_THAT(queue.step(kQueueTell - 1ms).tells, IsEmpty());
  EXPECT_THAT(queue.step(kQueueTell).tells, ElementsAre(Spot{2, 0}, Spot{3, 1}));
  queue.leave(3);
  EXPECT_THAT(queue.step(2 * kQueueTell - 1ms).tells, IsEmpty());
  EXPECT_THAT(queue.step(2 * kQueueTell).tells, IsEmpty());  // it was behind
}

TEST(LoginQueueTest, AStepTellsFew) {
  LoginQueue queue;
  for (AttemptId id = 1; id <= 2 * kTellsAtOnce + 1; ++id) ASSERT_TRUE(queue.join(id, 0s));
  queue.admit();
  EXPECT_EQ(queue.step(kQueueTell).tells.size(), kTellsAtOnce);
  EXPECT_LE(*queue.next(), kQueueTell);
  EXPECT_EQ(queue.step(kQueueTell).tells.size(), kTellsAtOnce);
  EXPECT_THAT(queue.step(kQueueTell).tells, IsEmpty());
}

TEST(LoginQueueTest, APlaceIsKeptForAWhile) {
  LoginQueue queue;
  ASSERT_TRUE(queue.join(1, 0s));
  ASSERT_TRUE(queue.join(2, 0s));
  queue.gone(1, 1s);
  queue.gone(1, 5s);  // once more changes nothing
  EXPECT_EQ(queue.next(), 1s + kQueueKeep);
  EXPECT_THAT(queue.step(1s + kQueueKeep - 1ms).left, IsEmpty());
  EXPECT_EQ(queue.ahead(2), 1U);
  EXPECT_THAT(queue.step(1s + kQueueKeep).left, ElementsAre(1));
  EXPECT_FALSE(queue.contains(1));
  EXPECT_EQ(queue.ahead(2), 0U);
}

TEST(LoginQueueTest, NobodyWaitsForEver) {
  LoginQueue queue;
  ASSERT_TRUE(queue.join(1, 0s));
  ASSERT_TRUE(queue.join(2, 1s));
  EXPECT_THAT(queue.step(kQueueLongest).expired, ElementsAre(1));
  EXPECT_EQ(queue.next(), 1s + kQueueLongest);
}

TEST(LoginQueueTest, IsBounded) {
  LoginQueue queue;
  for (AttemptId id = 1; id <= kQueuePlaces; ++id) ASSERT_TRUE(queue.join(id, 0s));
  EXPECT_TRUE(queue.full());
  EXPECT_FALSE(queue.join(kQueuePlaces + 1, 0s));
  // Places that were left count until all before them are gone, too.
  for (AttemptId id = 2; id <= kQueuePlaces; ++id) queue.leave(id);
  for (AttemptId id = kQueuePlaces + 1; id <= kQueueSpan; ++id) {
    ASSERT_TRUE(queue.join(id, 0s));
    ASSERT_TRUE(queue.leave(id));
  }
  EXPECT_EQ(queue.size(), 1U);
  EXPECT_TRUE(queue.full());
  EXPECT_EQ(queue.admit(), 1U);
  EXPECT_FALSE(queue.full());
  // Over the seam of the ring.
  for (AttemptId id = kQueueSpan + 1; id <= kQueueSpan + 5; ++id) ASSERT_TRUE(queue.join(id, 0s));
  EXPECT_EQ(queue.ahead(kQueueSpan + 5), 4U);
}

/// The same, slowly.
class SlowQueue {
 public:
  struct Row {
    AttemptId id;
    bool present;
    Time gone;
  };
  std::vector<Row>::iterator at(AttemptId id) {
    return std::find_if(rows.begin(), rows.end(), [id](const Row& row) { return row.id == id; });
  }
  std::optional<AttemptId> admit() {
    const auto found =
        std::find_if(rows.begin(), rows.end(), [](const Row& row) { return row.present; });
    if (found == rows.end()) return std::nullopt;
    const AttemptId id = found->id;
    rows.erase(found);
    return id;
  }
  std::vector<AttemptId> expire(Time now) {
    std::vector<AttemptId> over;
    std::erase_if(rows, [&](const Row& row) {
      if (row.present || row.gone + kQueueKeep > now) return false;
      over.push_back(row.id);
      return true;
    });
    std::sort(over.begin(), over.end());
    return over;
  }
  std::vector<Row> rows;
};

RC_GTEST_PROP(LoginQueueProperty, DoesWhatAListDoes, ()) {
  LoginQueue queue;
  SlowQueue slow;
  std::map<AttemptId, std::uint64_t> told;
  AttemptId next = 1;
  Time now{0};
  for (int step = 0; step < 60; ++step) {
    now += Time(*rc::gen::inRange(0, 4'000));
    const auto pick = [&]() -> SlowQueue::Row& {
      return slow.rows[*rc::gen::inRange<std::size_t>(0, slow.rows.size())];
    };
    const int what = slow.rows.empty() ? 0 : *rc::gen::inRange(0, 8);
    if (what < 3) {
      RC_ASSERT(queue.join(next, now));
      told[next] = slow.rows.size();
      slow.rows.push_back({next++, true, {}});
    } else if (what == 3) {
      SlowQueue::Row& row = pick();
      queue.gone(row.id, now);
      if (row.present) row.gone = now;
      row.present = false;
    } else if (what == 4) {
      SlowQueue::Row& row = pick();
      queue.replace(row.id, next, now);
      row = {next++, true, {}};
      told[row.id] = queue.ahead(row.id);
    } else if (what == 5) {
      const AttemptId id = pick().id;
      RC_ASSERT(queue.leave(id));
      slow.rows.erase(slow.at(id));
    } else {
      RC_ASSERT(queue.admit() == slow.admit());
    }
    LoginQueue::Step done = queue.step(now);
    std::sort(done.left.begin(), done.left.end());
    RC_ASSERT(done.left == slow.expire(now));
    for (const auto& [id, ahead] : done.tells) {
      RC_ASSERT(told[id] != ahead);
      told[id] = ahead;
    }
    RC_ASSERT(queue.size() == slow.rows.size());
    for (std::size_t i = 0; i < slow.rows.size(); ++i) {
      RC_ASSERT(queue.ahead(slow.rows[i].id) == i);
      RC_ASSERT(queue.present(slow.rows[i].id) == slow.rows[i].present);
    }
  }
  // At rest, everybody who is there knows the place.
  now += kQueueTell;
  for (const auto& [id, ahead] : queue.step(now).tells) told[id] = ahead;
  const auto rows = slow.rows;
  for (const auto& row : rows) {
    if (row.present && queue.contains(row.id)) RC_ASSERT(told[row.id] == queue.ahead(row.id));
  }
}

TEST(PlacesTest, WithoutAMeasurementNobodyEnters) {
  Places places;
  EXPECT_FALSE(places.take(10s));
  EXPECT_EQ(places.next(10s), std::nullopt);
  places.measured({0, 100}, 10s);
  EXPECT_EQ(places.next(10s), 10s + 5ms);
  EXPECT_TRUE(places.take(11s));
  EXPECT_FALSE(places.take(10s + kMeasureAge + 1ms));
  EXPECT_EQ(places.next(10s + kMeasureAge + 1ms), std::nullopt);
}

TEST(PlacesTest, TheRateIsThatOfTheOptions) {
  Places places;
  places.measured({0, 10'000}, 0s);
  int taken = 0;
  for (Time now{0}; now < 1s; now += 1ms) {
    while (places.take(now)) ++taken;
  }
  EXPECT_NEAR(taken, static_cast<int>(kAdmitPerSecond), 1);
}

TEST(GateReportsTest, OnlyThoseThatSpeakCount) {
  GateReports reports;
  const bus::Process east{1, 1, 1};
  const bus::Process west{2, 1, 1};
  ASSERT_TRUE(reports.report(east, 10, 100, 0s));
  ASSERT_TRUE(reports.report(west, 20, 200, 1s));
  EXPECT_EQ(reports.sum(1s).sessions, 30U);
  EXPECT_EQ(reports.sum(1s).most, 300U);
  ASSERT_TRUE(reports.report(east, 11, 100, 5s));
  EXPECT_EQ(reports.sum(1s + kMeasureAge).sessions, 31U);
  EXPECT_EQ(reports.sum(1s + kMeasureAge + 1ms).sessions, 11U);  // one is silent
  reports.died(east);
  reports.died(east);
  EXPECT_EQ(reports.sum(5s).most, 0U);
  EXPECT_EQ(reports.gates(), 0U);
}

TEST(GateReportsTest, AreBounded) {
  GateReports reports;
  for (std::uint32_t i = 0; i < kGates; ++i) ASSERT_TRUE(reports.report({i, 1, 1}, 1, ~0ULL, 0s));
  EXPECT_EQ(reports.sum(0s).most, kGates * kGateSessions);
  EXPECT_EQ(reports.report({kGates, 1, 1}, 0, 1, 0s).error(), Errc::too_many);
  EXPECT_TRUE(reports.report({5, 1, 1}, 0, 1, 0s));  // is there already
  EXPECT_TRUE(reports.report({kGates, 1, 1}, 0, 1, kMeasureAge + 1ms));
  EXPECT_EQ(reports.gates(), 1U);
}

TEST(PlacesTest, ThoseOnTheirWayCount) {
  Places places;
  places.measured({95, 100}, 0s);
  int taken = 0;
  for (Time now{0}; now < 10s; now += 10ms) taken += places.take(now) ? 1 : 0;
  EXPECT_EQ(taken, 5);
  // The next measurement shows two of them; the others are still on their way.
  places.measured({97, 100}, 1s);
  EXPECT_FALSE(places.take(2s));
  // Later, whoever does not show has not come.
  places.measured({97, 100}, 12s);
  EXPECT_TRUE(places.take(12s));
  places.give_back();
  for (taken = 0; places.take(13s);) ++taken;
  EXPECT_EQ(taken, 3);
  // Those who come back are let in, and others wait for it.
  Places others;
  others.measured({90, 100}, 0s);
  for (int i = 0; i < 10; ++i) others.enter(1s);
  EXPECT_FALSE(others.take(5s));
}

}  // namespace
}  // namespace starbus::nodes::login
