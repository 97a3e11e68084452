#include "aoi/world/removals.hpp"

#include <gtest/gtest.h>

#include "tests/aoi/world/parts.hpp"

namespace starbus::aoi::test {
namespace {

class RemovalsTest : public ::testing::Test {
 protected:
  void remove(EntityIndex entity) {
    parts_.tables.entity_ids.retire(entity);
    parts_.tables.each_sensor_of(
        entity, [&](SensorIndex sensor) { parts_.tables.sensor_ids.retire(sensor); });
    removals_.add(entity);
  }
  SensorIndex add_sensor(EntityIndex owner) {
    ++parts_.tables.entities[owner].sensors;
    return parts_.add_sensor(owner);
  }
  Parts parts_;
  Endings endings_;
  SensorHandlers handlers_;
  Removals removals_{{parts_.tables, *parts_.index, parts_.lists, parts_.pins, parts_.interest,
                      parts_.views, endings_, parts_.numberings, handlers_}};
};

TEST_F(RemovalsTest, SettleRemovedTargetIsLostByItsObservers) {
  const SensorIndex sensor = add_sensor(parts_.add_entity(0));
  const EntityIndex target = parts_.add_entity(1);
  const EntityId id = parts_.tables.id_of(target);
  (void)parts_.evaluate();
  remove(target);
  EXPECT_TRUE(parts_.tables.lives(id)) << "collected only";
  EXPECT_FALSE(removals_.empty());
  removals_.settle();
  EXPECT_FALSE(parts_.tables.lives(id));
  EXPECT_EQ(endings_.size(), 1u);
  EXPECT_FALSE(parts_.index->has(sensor, target));
}

TEST_F(RemovalsTest, SettleRemovedOwnerEndsItsSensors) {
  const EntityIndex owner = parts_.add_entity(0);
  const SensorIndex sensor = add_sensor(owner);
  (void)parts_.add_entity(1);
  (void)parts_.evaluate();
  const SensorId id = parts_.tables.sensor_id(sensor);
  parts_.numberings.begin(owner, id);
  remove(owner);
  removals_.settle();
  EXPECT_FALSE(parts_.tables.lives(id));
  EXPECT_EQ(parts_.tables.geometric_sensors, 0u);
  EXPECT_EQ(endings_.size(), 1u) << "it saw one target";
}

TEST_F(RemovalsTest, AddManySettlesByItself) {
  std::vector<EntityIndex> all;
  for (int i = 0; i < 64; ++i) all.push_back(parts_.add_entity(0));
  for (const EntityIndex entity : all) remove(entity);
  EXPECT_TRUE(removals_.empty());
}

}  // namespace
}  // namespace starbus::aoi::test
