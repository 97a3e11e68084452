/// Places and moves that are refused, times that wrap, and the rules of a space.
#include "nodes/space/movement/locomotion.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "aoi/limits.hpp"
#include "entity/archive/archive.hpp"
#include "nodes/space/movement/move_report.hpp"
#include "nodes/space/movement/move_rules.hpp"

namespace starbus::nodes::movement {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(LocomotionCheck, RefusesWhatIsNoNumber) {
  Locomotion move;
  EXPECT_TRUE(check(move));
  for (float* const value : {&move.position.x, &move.position.y, &move.position.z, &move.velocity.x,
                             &move.velocity.y, &move.velocity.z, &move.heading, &move.pitch}) {
    for (const float bad : {kNan, kInfinity, -kInfinity}) {
      *value = bad;
      EXPECT_EQ(check(move).error(), MoveErrc::not_finite);
    }
    *value = 0;
  }
}

TEST(LocomotionCheck, RefusesWhatIsTooFarOrTooFast) {
  const auto most = static_cast<float>(aoi::kMaxCoordinate);
  EXPECT_TRUE(check(Position{most, -most, most}));
  EXPECT_EQ(check(Position{0, 0, most + 1}).error(), MoveErrc::too_far);
  EXPECT_EQ(check(Position{-most - 1, 0, 0}).error(), MoveErrc::too_far);
  Locomotion move;
  move.velocity.y = static_cast<float>(kMaxSpeed) + 1;
  EXPECT_EQ(check(move).error(), MoveErrc::too_far);
}

TEST(LocomotionTimes, AreComparedOverTheirWrap) {
  EXPECT_EQ(since(50, 0xffffff9c), 150);
  EXPECT_EQ(since(0xffffff9c, 50), -150);
  EXPECT_EQ(since(7, 7), 0);
}

TEST(LocomotionValues, AreArgumentsOfCalls) {
  MoveReport report{3, 4, 5, {}};
  report.move = {{1, 2, 3}, {4, 5, 6}, 0.5F, -0.5F, 77, 8, 9, false};
  const Correction correction{1, 2, true, report.move};
  const MoveAck ack{6, 7};
  const auto bytes = entity::encode(report, correction, ack);
  ASSERT_TRUE(bytes);
  const auto read = entity::decode_all<MoveReport, Correction, MoveAck>(*bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, std::make_tuple(report, correction, ack));
}

TEST(MoveRules, RefusesWhatContradictsItself) {
  const MoveRules good{.min = {-1, -1, 0}, .max = {1, 1, 0}};
  EXPECT_TRUE(check(good));
  const auto refused = [&](auto change) {
    MoveRules rules = good;
    change(rules);
    return check(rules).error() == MoveErrc::bad_option;
  };
  EXPECT_TRUE(refused([](MoveRules& rules) { rules.modes.clear(); }));
  EXPECT_TRUE(refused([](MoveRules& rules) { rules.modes.resize(kMaxModes + 1); }));
  EXPECT_TRUE(refused([](MoveRules& rules) { rules.modes[0].speed = 0; }));
  EXPECT_TRUE(refused([](MoveRules& rules) { rules.modes[0].climb = kNan; }));
  EXPECT_TRUE(refused([](MoveRules& rules) { rules.modes[0].fall = kMaxSpeed + 1.0F; }));
  EXPECT_TRUE(refused([](MoveRules& rules) { rules.min.x = 2; }));
  EXPECT_TRUE(refused([](MoveRules& rules) { rules.max.y = kInfinity; }));
  EXPECT_TRUE(refused([](MoveRules& rules) { rules.jitter = std::chrono::milliseconds(0); }));
  EXPECT_TRUE(refused([](MoveRules& rules) { rules.jitter = kMostJitter + rules.jitter; }));
}

}  // namespace
}  // namespace starbus::nodes::movement
