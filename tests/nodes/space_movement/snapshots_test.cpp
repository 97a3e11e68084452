/// What observers show: evenly between the places that they know, and no further than they may
/// guess.
#include "nodes/space/movement/snapshots.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "nodes/space/movement/remote_clock.hpp"
#include "nodes/space/movement/shown_offset.hpp"

namespace starbus::nodes::movement {
namespace {

Locomotion place_at(std::uint32_t at, float x) {
  Locomotion move;
  move.at = at;
  move.position.x = x;
  return move;
}

/// A mover goes 1 m/s and is told each 100 ms; its updates 1, 2, 3, 4 come at 2, 4, 5, 8 (in 100
/// ms).
constexpr std::array<std::pair<std::uint32_t, std::int64_t>, 5> kTrace{
    {{0, 100}, {100, 200}, {200, 400}, {300, 500}, {400, 800}}};

TEST(SnapshotTrace, ByArrivalTheSpeedIsJerky) {
  std::vector<int> speeds;
  for (std::size_t i = 1; i < kTrace.size(); ++i) {
    const auto gap = static_cast<double>(kTrace[i].second - kTrace[i - 1].second) / 1000;
    speeds.push_back(static_cast<int>(10 / gap));  // cm/s: each update is 10 cm on
  }
  EXPECT_EQ(speeds, (std::vector<int>{100, 50, 100, 33}));
}

TEST(SnapshotTrace, ByTheServersTimeTheSpeedIsEven) {
  constexpr int kDelay = 400;
  RemoteClock clock;
  Snapshots shown;
  std::size_t next = 0;
  double before = -1;
  int looked = 0;
  for (std::int64_t local = 0; local <= 900; local += 4) {
    for (; next < kTrace.size() && kTrace[next].second <= local; ++next) {
      clock.heard(kTrace[next].first, kTrace[next].second);
      shown.add(place_at(kTrace[next].first, static_cast<float>(kTrace[next].first) / 1000));
    }
    const double time = clock.remote_at(local) - kDelay;
    if (!clock.has_heard() || time < 4) continue;
    const Locomotion now = shown.at(time);
    const double speed = (static_cast<double>(now.position.x) - before) / 0.004 * 100;
    if (before >= 0) {
      EXPECT_NEAR(speed, 100, 5) << local;
    }
    EXPECT_NEAR(now.velocity.x, 1, 0.05);
    before = static_cast<double>(now.position.x);
    ++looked;
  }
  EXPECT_GT(looked, 90);
}

TEST(Snapshots, GoesEvenlyBetweenTwoPlaces) {
  Snapshots shown;
  Locomotion from = place_at(1000, 1);
  from.heading = 3;
  Locomotion to = place_at(1100, 3);
  to.heading = -3;
  shown.add(from);
  shown.add(to);
  const Locomotion middle = shown.at(1050);
  EXPECT_FLOAT_EQ(middle.position.x, 2);
  EXPECT_FLOAT_EQ(middle.velocity.x, 20);
  EXPECT_NEAR(std::abs(middle.heading), std::numbers::pi, 1e-5);  // by the shorter way
  EXPECT_FLOAT_EQ(shown.at(1025.5).position.x, 1.51F);
  EXPECT_FLOAT_EQ(shown.at(900).position.x, 1);
  EXPECT_EQ(Snapshots().at(5), Locomotion{});
}

TEST(Snapshots, GoesOnForABoundedTimeWithoutNews) {
  Snapshots shown;
  shown.add(place_at(0, 0));
  shown.add(place_at(100, 1));
  EXPECT_FLOAT_EQ(shown.at(200).position.x, 2);
  const auto most = static_cast<double>(kMaxExtrapolation.count());
  EXPECT_FLOAT_EQ(shown.at(100 + most).position.x, 3.5F);
  EXPECT_FLOAT_EQ(shown.at(5000).position.x, 3.5F);
  EXPECT_EQ(shown.at(5000).velocity, Velocity{});
  Locomotion flies = place_at(200, 2);
  flies.velocity = {0, 4, 0};  // what was said counts, not what can be derived
  shown.add(flies);
  EXPECT_FLOAT_EQ(shown.at(300).position.x, 2);
  EXPECT_FLOAT_EQ(shown.at(300).position.y, 0.4F);
}

TEST(Snapshots, ATeleportIsNotShownOnItsWay) {
  Snapshots shown;
  shown.add(place_at(0, 0));
  Locomotion elsewhere = place_at(100, 2);
  elsewhere.teleports = 1;
  shown.add(elsewhere);
  EXPECT_EQ(shown.at(99).position.x, 0);
  EXPECT_EQ(shown.at(100).position.x, 2);
  EXPECT_EQ(shown.at(200).position.x, 2);  // nor is its speed derived
  Locomotion far = place_at(200, 11);      // farther than `snap`, whatever it was
  far.teleports = 1;
  shown.add(far);
  EXPECT_EQ(shown.at(199).position.x, 2);
  EXPECT_EQ(shown.at(300).position.x, 11);
}

TEST(Snapshots, AMoverThatStoodBeginsLate) {
  Snapshots shown({.snap = 8, .longest_step = std::chrono::milliseconds(400)});
  shown.add(place_at(0, 0));
  shown.add(place_at(10'000, 2));  // those that stand are not sent
  EXPECT_EQ(shown.at(5000).position.x, 0);
  EXPECT_EQ(shown.at(9600).position.x, 0);
  EXPECT_FLOAT_EQ(shown.at(9800).position.x, 1);
  EXPECT_FLOAT_EQ(shown.at(10'100).position.x, 2.5F);
}

TEST(Snapshots, KeepsTheNewest) {
  Snapshots shown;
  for (std::uint32_t i = 0; i < kMaxSnapshots + 8; ++i) {
    shown.add(place_at(i * 100, static_cast<float>(i)));
  }
  EXPECT_EQ(shown.size(), kMaxSnapshots);
  EXPECT_EQ(shown.at(0).position.x, 8);
  shown.add(place_at(0, 99));  // came late
  EXPECT_EQ(shown.at(0).position.x, 8);
  shown.add(place_at((kMaxSnapshots + 7) * 100, 50));  // the newest again
  EXPECT_EQ(shown.size(), kMaxSnapshots);
  EXPECT_EQ(shown.at((kMaxSnapshots + 7) * 100).position.x, 50);
}

TEST(Snapshots, ShotsAreJudgedByTheNearestPlace) {
  Snapshots shown;
  EXPECT_EQ(shown.nearest(0), nullptr);
  for (std::uint32_t i = 0; i < 5; ++i) shown.add(place_at(1000 + i * 100, static_cast<float>(i)));
  EXPECT_EQ(shown.nearest(1149)->position.x, 1);
  EXPECT_EQ(shown.nearest(1151)->position.x, 2);
  EXPECT_EQ(shown.nearest(9000)->position.x, 4);
  EXPECT_EQ(shown.nearest(1000)->position.x, 0);
  EXPECT_EQ(shown.nearest(999), nullptr);  // too long ago to tell
}

TEST(Snapshots, TimesWrap) {
  Snapshots shown;
  shown.add(place_at(0xffffffce, 1));  // 50 ms before the wrap
  shown.add(place_at(50, 2));
  EXPECT_FLOAT_EQ(shown.at(4294967296.0).position.x, 1.5F);
  EXPECT_FLOAT_EQ(shown.at(4294967296.0 + 25).position.x, 1.75F);
  EXPECT_FLOAT_EQ(shown.at(0).position.x, 1.5F);
}

TEST(ShownOffset, HidesSmallCorrectionsAndShowsLargeOnes) {
  const auto offset_of = [](float jump) {
    ShownOffset offset;
    offset.corrected({jump, 0, 0}, {});
    return offset.length();
  };
  EXPECT_NEAR(offset_of(4), 0, 1e-6);
  EXPECT_NEAR(offset_of(3), 2.56, 1e-6);
  EXPECT_NEAR(offset_of(1), 1, 1e-6);
}

TEST(ShownOffset, GoesToNothing) {
  ShownOffset offset({.most = 2.56F, .snap = 3.84F, .half_life = 50});
  offset.corrected({1, 0, 0}, {});
  EXPECT_FLOAT_EQ(offset.shown({}).x, 1);  // it is seen where it was
  offset.pass(50);
  EXPECT_FLOAT_EQ(offset.shown({}).x, 0.5F);
  offset.corrected({2, 0, 0}, {});
  EXPECT_FLOAT_EQ(offset.shown({}).x, 2.5F);
  offset.corrected({2, 0, 0}, {});
  EXPECT_FLOAT_EQ(offset.shown({}).x, 2.56F);
  offset.pass(1000);
  EXPECT_LT(offset.length(), 1e-5);
}

}  // namespace
}  // namespace starbus::nodes::movement
