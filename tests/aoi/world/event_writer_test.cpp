#include "aoi/world/event_writer.hpp"

#include <gtest/gtest.h>

#include "tests/aoi/world/parts.hpp"

namespace starbus::aoi::test {
namespace {

class EventWriterTest : public ::testing::Test {
 protected:
  std::vector<Event> write() {
    writer_.write();
    const auto all = writer_.log().all();
    return {all.begin(), all.end()};
  }
  Parts parts_;
  Endings endings_;
  EventWriter writer_{parts_.tables, parts_.flags, parts_.pins, parts_.numberings,
                      parts_.deltas, parts_.extra, endings_};
};

TEST_F(EventWriterTest, WriteDeltaExtraAndEndingsAreMergedByTarget) {
  const EntityIndex owner = parts_.add_entity(0);
  const SensorIndex sensor = parts_.add_sensor(owner);
  std::vector<EntityIndex> targets;
  for (int i = 0; i < 4; ++i) targets.push_back(parts_.add_entity(1));
  (void)parts_.evaluate();
  EXPECT_EQ(write().size(), 4u);
  parts_.move(targets[2], 500);
  const EntityId removed = parts_.tables.id_of(targets[0]);
  std::vector<SensorIndex> had;
  parts_.index->erase(targets[0], had);
  endings_.lose(sensor, targets[0]);
  parts_.tables.scene.spots[targets[0]].id = 0;
  Event extra;
  extra.sensor = parts_.tables.sensor_id(sensor);
  extra.observer = parts_.tables.id_of(owner);
  extra.target = parts_.tables.id_of(targets[1]);
  extra.reason = Reason::limit;
  extra.index = 5;
  parts_.extra.add(extra);
  (void)parts_.evaluate();
  const auto events = write();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].target, removed);
  EXPECT_EQ(events[0].reason, Reason::removed);
  EXPECT_EQ(events[1], extra);
  EXPECT_EQ(events[2].target, parts_.tables.id_of(targets[2]));
  EXPECT_EQ(events[2].reason, Reason::geometry);
}

TEST_F(EventWriterTest, WriteRemovedSensorNamesItsObserver) {
  const EntityIndex owner = parts_.add_entity(0);
  const SensorIndex sensor = parts_.add_sensor(owner);
  const EntityIndex target = parts_.add_entity(1);
  (void)parts_.evaluate();
  (void)write();
  const EntityId observer = parts_.tables.id_of(owner);
  std::vector<EntityIndex> saw;
  parts_.index->detach(sensor, saw);
  endings_.end(sensor, observer, saw);
  parts_.tables.scene.watches[sensor] = {};
  (void)parts_.evaluate();
  const auto events = write();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].observer, observer);
  EXPECT_EQ(events[0].target, parts_.tables.id_of(target));
  EXPECT_EQ(events[0].reason, Reason::removed);
}

// A sensor that shows what is in range costs nothing but its numbers, indexed or not.
TEST_F(EventWriterTest, WritePlainIndexedSensorNumbersItsTargets) {
  SensorOptions of;
  of.indexed = true;
  const SensorIndex sensor = parts_.add_sensor(parts_.add_entity(0), of);
  const EntityIndex first = parts_.add_entity(1);
  (void)parts_.add_entity(1);
  (void)parts_.evaluate();
  EXPECT_EQ(parts_.tables.sensors[sensor].managed, nullptr);
  const auto enters = write();
  ASSERT_EQ(enters.size(), 2u);
  EXPECT_EQ(enters[0].index, 1u);
  EXPECT_EQ(enters[1].index, 2u);
  parts_.move(first, 500);
  (void)parts_.evaluate();
  const auto leaves = write();
  ASSERT_EQ(leaves.size(), 1u);
  EXPECT_EQ(leaves[0].index, 1u);
}

}  // namespace
}  // namespace starbus::aoi::test
