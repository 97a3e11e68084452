#include "aoi/world/tables.hpp"

#include <gtest/gtest.h>

#include "tests/aoi/world/parts.hpp"

namespace starbus::aoi::test {
namespace {

std::vector<SensorIndex> sensors_of(const Tables& tables, EntityIndex entity) {
  std::vector<SensorIndex> found;
  tables.each_sensor_of(entity, [&](SensorIndex sensor) { found.push_back(sensor); });
  return found;
}

TEST(Tables, SensorsLinkedAndUnlinkedAreThoseOfTheOwner) {
  Parts parts;
  const EntityIndex owner = parts.add_entity(0);
  const SensorIndex first = parts.add_sensor(owner);
  const SensorIndex second = parts.add_sensor(owner);
  const SensorIndex third = parts.add_sensor(owner);
  EXPECT_EQ(sensors_of(parts.tables, owner), (std::vector<SensorIndex>{third, second, first}));
  parts.tables.unlink(second);
  EXPECT_EQ(sensors_of(parts.tables, owner), (std::vector<SensorIndex>{third, first}));
  EXPECT_EQ(parts.tables.owner_of(third), owner);
}

TEST(Tables, LivesIdOfAnotherGenerationReturnsFalse) {
  Parts parts;
  const EntityId id = parts.tables.id_of(parts.add_entity(0));
  EXPECT_TRUE(parts.tables.lives(id));
  EXPECT_FALSE(parts.tables.lives(EntityId{id.value + (1u << EntityId::kIndexBits)}));
  EXPECT_FALSE(parts.tables.lives(EntityId{id.value + 1})) << "beyond the table";
  EXPECT_FALSE(parts.tables.lives(EntityId{}));
  EXPECT_FALSE(parts.tables.lives(SensorId{id.value})) << "no sensor has a row";
}

TEST(Tables, FitEntityAfterALaterRowKeepsIt) {
  Tables tables(brute_force());
  tables.entities.resize(8);
  tables.entities[7].sensors = 3;
  tables.fit_entity(4);
  EXPECT_EQ(tables.scene.spots.size(), 5u);
  EXPECT_EQ(tables.entities[7].sensors, 3u);
}

}  // namespace
}  // namespace starbus::aoi::test
