#include "aoi/world/interest.hpp"

#include <gtest/gtest.h>

#include "tests/aoi/world/parts.hpp"

namespace starbus::aoi::test {
namespace {

SensorOptions limited(std::uint16_t count) {
  SensorOptions of;
  of.limit = {LimitPolicy::nearest, count, 0};
  return of;
}

TEST(Interest, SensorWithALimitIsManagedOnlyWhileItIsCrowded) {
  Parts parts;
  const SensorIndex sensor = parts.add_sensor(parts.add_entity(0), limited(4));
  std::vector<EntityIndex> targets;
  for (int i = 0; i < 4; ++i) targets.push_back(parts.add_entity(1));
  (void)parts.evaluate();
  EXPECT_EQ(parts.tables.sensors[sensor].managed, nullptr) << "exactly its limit";
  targets.push_back(parts.add_entity(2));
  (void)parts.evaluate();
  EXPECT_NE(parts.tables.sensors[sensor].managed, nullptr);
  for (int i = 0; i < 4; ++i) {
    parts.move(targets.back(), 500);
    targets.pop_back();
    (void)parts.evaluate();
  }
  parts.move(targets.back(), 500);
  (void)parts.evaluate();
  EXPECT_EQ(parts.tables.sensors[sensor].managed, nullptr) << "far below its limit";
}

TEST(Interest, ManageSensorThatSeesHasReportedItAlready) {
  Parts parts;
  const SensorIndex sensor = parts.add_sensor(parts.add_entity(0));
  const EntityIndex target = parts.add_entity(1);
  (void)parts.evaluate();
  parts.interest.manage(sensor);
  EXPECT_EQ(parts.tables.sensors[sensor].managed->reported, std::vector<EntityIndex>{target});
  EXPECT_EQ(parts.tables.sensors[sensor].in_range, 1u);
  (void)parts.evaluate();
  EXPECT_TRUE(parts.extras(sensor, Kind::enter).empty());
}

TEST(Interest, DecideForcedTargetEntersAndLeavesForThatReason) {
  Parts parts;
  const SensorIndex sensor = parts.add_sensor(parts.add_entity(0));
  const EntityIndex target = parts.add_entity(500);
  parts.interest.manage(sensor);
  parts.pins.force(sensor, target);
  parts.tables.sensors[sensor].managed->pinned = true;
  parts.interest.decide_later(sensor);
  (void)parts.evaluate();
  const auto enters = parts.extras(sensor, Kind::enter);
  ASSERT_EQ(enters.size(), 1u);
  EXPECT_EQ(enters[0].reason, Reason::forced);
  parts.pins.unforce(sensor, target);
  parts.interest.decide_later(sensor);
  (void)parts.evaluate();
  const auto leaves = parts.extras(sensor, Kind::leave);
  ASSERT_EQ(leaves.size(), 1u);
  EXPECT_EQ(leaves[0].reason, Reason::forced);
}

TEST(Interest, ReleasedTargetLeavesASensorThatIsPlainAgain) {
  Parts parts;
  const SensorIndex sensor = parts.add_sensor(parts.add_entity(0));
  const EntityIndex target = parts.add_entity(500);
  parts.interest.manage(sensor);
  parts.pins.force(sensor, target);
  parts.tables.sensors[sensor].managed->pinned = true;
  parts.interest.decide_later(sensor);
  (void)parts.evaluate();
  parts.rest();
  ASSERT_NE(parts.tables.sensors[sensor].managed, nullptr) << "its target is out of range";
  parts.pins.unforce(sensor, target);
  parts.interest.decide_later(sensor);
  (void)parts.evaluate();
  parts.rest();
  EXPECT_EQ(parts.tables.sensors[sensor].managed, nullptr);
  EXPECT_FALSE(parts.tables.scene.watches[sensor].tracked);
}

TEST(Interest, BeaconThatAllHaveSeenLeavesSensorsPlain) {
  Parts parts;
  const SensorIndex sensor = parts.add_sensor(parts.add_entity(0));
  const EntityIndex beacon = parts.add_entity(500);
  for (const bool on : {true, false}) {
    parts.interest.manage_for_beacons();
    parts.pins.set_beacon(beacon, on);
    ASSERT_NE(parts.tables.sensors[sensor].managed, nullptr);
    (void)parts.evaluate();
    const auto events = parts.extras(sensor, on ? Kind::enter : Kind::leave);
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].reason, Reason::forced);
    parts.rest();
    EXPECT_EQ(parts.tables.sensors[sensor].managed, nullptr);
  }
}

}  // namespace
}  // namespace starbus::aoi::test
