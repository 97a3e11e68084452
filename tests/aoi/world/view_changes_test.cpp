#include "aoi/world/view_changes.hpp"

#include <gtest/gtest.h>

#include "tests/aoi/world/parts.hpp"

namespace starbus::aoi::test {
namespace {

class ViewChangesTest : public ::testing::Test {
 protected:
  ViewChangesTest() {
    SensorOptions of;
    of.indexed = true;
    sensor_ = parts_.add_sensor(parts_.add_entity(0), of);
    for (int i = 0; i < 3; ++i) targets_.push_back(parts_.add_entity(1));
    parts_.interest.manage(sensor_);
  }
  Managed& managed() { return *parts_.tables.sensors[sensor_].managed; }
  std::vector<std::uint16_t> indices() {
    std::vector<std::uint16_t> all;
    for (const EntityIndex target : managed().reported) {
      all.push_back(parts_.numberings.find(sensor_)->of(target));
    }
    return all;
  }

  Parts parts_;
  SensorIndex sensor_ = kNone;
  std::vector<EntityIndex> targets_;
};

TEST_F(ViewChangesTest, ReportNewTargetsGetDenseIndices) {
  (void)parts_.evaluate();
  const auto enters = parts_.extras(sensor_, Kind::enter);
  ASSERT_EQ(enters.size(), 3u);
  for (std::uint16_t i = 0; i < 3; ++i) EXPECT_EQ(enters[i].index, i + 1);
  EXPECT_EQ(managed().reported, targets_);
  EXPECT_EQ(indices(), (std::vector<std::uint16_t>{1, 2, 3}));
}

TEST_F(ViewChangesTest, ReportTargetThatLeftKeepsTheOthersIndices) {
  (void)parts_.evaluate();
  (void)parts_.extras(sensor_, Kind::enter);
  parts_.move(targets_[1], 500);
  (void)parts_.evaluate();
  const auto leaves = parts_.extras(sensor_, Kind::leave);
  ASSERT_EQ(leaves.size(), 1u);
  EXPECT_EQ(leaves[0].index, 2u);
  EXPECT_EQ(leaves[0].reason, Reason::geometry);
  EXPECT_EQ(indices(), (std::vector<std::uint16_t>{1, 3}));
}

TEST_F(ViewChangesTest, EndPairReportsOneLeaveAndForgetsTheTarget) {
  (void)parts_.evaluate();
  (void)parts_.extras(sensor_, Kind::enter);
  parts_.views.end_pair(sensor_, targets_[0]);
  parts_.views.end_pair(sensor_, targets_[0]);
  const auto leaves = parts_.extras(sensor_, Kind::leave);
  ASSERT_EQ(leaves.size(), 1u);
  EXPECT_EQ(leaves[0].reason, Reason::removed);
  EXPECT_EQ(leaves[0].index, 1u);
  EXPECT_EQ(managed().reported.size(), 2u);
  EXPECT_EQ(parts_.numberings.find(sensor_)->in_use(), 2u);
}

TEST_F(ViewChangesTest, EvictionsCountLeavesByLimit) {
  (void)parts_.evaluate();
  (void)parts_.extras(sensor_, Kind::enter);
  SensorRow& row = parts_.tables.sensors[sensor_];
  row.limit = {LimitPolicy::nearest, 1, 0};
  parts_.views.start();
  parts_.interest.decide_later(sensor_);
  (void)parts_.evaluate();
  EXPECT_EQ(parts_.views.evictions(), 2u);
  for (const Event& leave : parts_.extras(sensor_, Kind::leave)) {
    EXPECT_EQ(leave.reason, Reason::limit);
  }
}

}  // namespace
}  // namespace starbus::aoi::test
