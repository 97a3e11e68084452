#include "aoi/world/pins.hpp"

#include <gtest/gtest.h>

#include "tests/aoi/world/parts.hpp"

namespace starbus::aoi::test {
namespace {

TEST(Pins, ForceAndUnforceAreKnownFromBothSides) {
  Parts parts;
  const EntityIndex owner = parts.add_entity(0);
  const EntityIndex target = parts.add_entity(500);
  const SensorIndex sensor = parts.add_sensor(owner);
  EXPECT_FALSE(parts.pins.is_forced(sensor, target)) << "a plain sensor";
  parts.interest.manage(sensor);
  parts.pins.force(sensor, target);
  EXPECT_TRUE(parts.pins.is_forced(sensor, target));
  EXPECT_TRUE(parts.pins.pins(sensor, target));
  ASSERT_EQ(parts.pins.forced_for(target).size(), 1u);
  EXPECT_FALSE(parts.pins.is_or_was_pinned(target)) << "its sensors are known by name";
  parts.pins.unforce(sensor, target);
  EXPECT_TRUE(parts.pins.forced_for(target).empty());
  EXPECT_TRUE(parts.pins.is_or_was_pinned(target)) << "released since the last update";
  parts.pins.clear_released();
  EXPECT_FALSE(parts.pins.is_or_was_pinned(target));
}

TEST(Pins, BeaconsAreShownToSensorsWhoseFilterTheyPass) {
  Parts parts;
  const EntityIndex owner = parts.add_entity(0, 1);
  const EntityIndex red = parts.add_entity(400, 1);
  const EntityIndex blue = parts.add_entity(500, 2);
  SensorOptions of;
  of.filter.need = 1;
  const SensorIndex sensor = parts.add_sensor(owner, of);
  parts.interest.manage(sensor);
  for (const EntityIndex beacon : {blue, owner, red}) parts.pins.set_beacon(beacon, true);
  std::vector<EntityIndex> shown = {red};
  parts.pins.add_to(sensor, shown);
  EXPECT_EQ(shown, std::vector<EntityIndex>{red}) << "neither itself nor what fails the filter";
  parts.pins.set_beacon(red, false);
  EXPECT_FALSE(parts.pins.pins(sensor, red));
  EXPECT_EQ(parts.pins.beacons().size(), 2u);
}

TEST(Pins, ForgetRemovedEntityIsNoTargetAndNoBeacon) {
  Parts parts;
  const EntityIndex target = parts.add_entity(500);
  const SensorIndex sensor = parts.add_sensor(parts.add_entity(0));
  parts.interest.manage(sensor);
  parts.pins.force(sensor, target);
  parts.pins.set_beacon(target, true);
  parts.pins.forget(target);
  EXPECT_FALSE(parts.pins.is_forced(sensor, target));
  EXPECT_TRUE(parts.pins.beacons().empty());
}

TEST(Pins, DropSensorRemovesItFromItsTargets) {
  Parts parts;
  const EntityIndex target = parts.add_entity(500);
  const SensorIndex sensor = parts.add_sensor(parts.add_entity(0));
  parts.interest.manage(sensor);
  parts.pins.force(sensor, target);
  parts.pins.drop_sensor(sensor);
  EXPECT_TRUE(parts.pins.forced_for(target).empty());
}

}  // namespace
}  // namespace starbus::aoi::test
