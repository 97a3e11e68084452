#include "aoi/world/flag_changes.hpp"

#include <gtest/gtest.h>

#include "tests/aoi/world/parts.hpp"

namespace starbus::aoi::test {
namespace {

class FlagChangesTest : public ::testing::Test {
 protected:
  void set_flags(EntityIndex entity, std::uint64_t flags) {
    parts_.flags.note(entity);
    parts_.tables.scene.flags[entity] = flags;
  }
  SensorIndex add_sensor(std::uint64_t need) {
    SensorOptions of;
    of.filter.need = need;
    return parts_.add_sensor(parts_.add_entity(0), of);
  }
  Parts parts_;
};

TEST_F(FlagChangesTest, ReasonOfFlagsMadeItEnterIsFilter) {
  const SensorIndex sensor = add_sensor(1);
  const EntityIndex target = parts_.add_entity(1, 0);
  set_flags(target, 1);
  parts_.flags.sort();
  EXPECT_EQ(parts_.flags.reason_of(sensor, target, Kind::enter), Reason::filter);
  EXPECT_EQ(parts_.flags.reason_of(sensor, target, Kind::leave), Reason::geometry) << "it passes";
}

TEST_F(FlagChangesTest, ReasonOfFlagsThatPassedBeforeIsGeometry) {
  const SensorIndex sensor = add_sensor(1);
  const EntityIndex target = parts_.add_entity(1, 1);
  set_flags(target, 0);
  set_flags(target, 3);  // what counts is what they were at the last update
  parts_.flags.sort();
  EXPECT_EQ(parts_.flags.reason_of(sensor, target, Kind::enter), Reason::geometry);
}

TEST_F(FlagChangesTest, ReasonOfSensorWithoutFilterIsGeometry) {
  const SensorIndex sensor = add_sensor(0);
  const EntityIndex target = parts_.add_entity(1, 0);
  set_flags(target, 1);
  EXPECT_EQ(parts_.flags.reason_of(sensor, target, Kind::enter), Reason::geometry);
}

TEST_F(FlagChangesTest, ClearEndsAllChanges) {
  const SensorIndex sensor = add_sensor(1);
  const EntityIndex changed = parts_.add_entity(1, 0);
  const EntityIndex removed = parts_.add_entity(1, 0);
  set_flags(changed, 1);
  set_flags(removed, 1);
  parts_.tables.entities[removed] = {};  // as its removal does
  parts_.flags.clear();
  EXPECT_FALSE(parts_.tables.entities[changed].flags_changed);
  EXPECT_FALSE(parts_.tables.entities[removed].flags_changed);
  EXPECT_EQ(parts_.flags.reason_of(sensor, changed, Kind::enter), Reason::geometry);
}

}  // namespace
}  // namespace starbus::aoi::test
