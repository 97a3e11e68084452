/// What a space needs to feed gates: receivers by gate, results in its own buffers, many entities
/// at once.
#include <gtest/gtest.h>

#include <algorithm>

#include "aoi/wire/wire.hpp"
#include "tests/aoi/worlds.hpp"

namespace starbus::aoi::test {
namespace {

SensorOptions eyes_of(std::uint32_t gate) {
  SensorOptions of;
  of.radius = 40;
  of.indexed = true;
  of.group = gate;
  return of;
}

EntityId add_key(World& world, std::uint64_t key) {
  EntityOptions of;
  of.position = {100, 100, 0};
  of.key = key;
  return *world.add(of);
}

class Gates : public ::testing::TestWithParam<Backend> {
 protected:
  Gates() {
    for (std::uint64_t key = 1; key <= 12; ++key) {
      all_.push_back(add_key(world_, key));
      sensors_.push_back(
          *world_.add_sensor(all_.back(), eyes_of(static_cast<std::uint32_t>(key % 3))));
    }
    (void)world_.update();
  }
  World world_ = make(GetParam());
  std::vector<EntityId> all_;
  std::vector<SensorId> sensors_;
};
INSTANTIATE_TEST_SUITE_P(Wire, Gates, ::testing::ValuesIn(kBackends));

TEST_P(Gates, ReceiversOfOneGateLieSideBySide) {
  std::vector<Receiver> found;
  world_.receivers(all_[0], found);
  ASSERT_EQ(found.size(), 11u);
  EXPECT_EQ(found.size(), receivers(world_, all_[0]).size());
  std::size_t sum = 0;
  for (std::uint32_t gate = 0; gate < 4; ++gate) {
    const auto of = of_group(found, gate);
    sum += of.size();
    for (std::size_t i = 0; i < of.size(); ++i) {
      EXPECT_EQ(of[i].group, gate);
      EXPECT_EQ(world_.key_of(of[i].observer) % 3, gate);
      EXPECT_EQ(of[i].index, world_.wire_index(of[i].sensor, all_[0]));
      EXPECT_EQ(of[i].epoch, world_.epoch(of[i].sensor));
      EXPECT_TRUE(i == 0 || of[i - 1].sensor.index() < of[i].sensor.index());
    }
  }
  EXPECT_EQ(sum, found.size());
  EXPECT_TRUE(of_group(found, 9).empty());
}

// The client has come back by another gate; what it knows stays as it is.
TEST_P(Gates, ANewGateChangesNoSet) {
  SensorOptions of = *world_.sensor(sensors_[0]);
  EXPECT_EQ(of.group, 1u);
  of.group = 8;
  ASSERT_TRUE(world_.set_options(sensors_[0], of));
  EXPECT_EQ(world_.group(sensors_[0]), 8u);
  (void)world_.update();
  EXPECT_TRUE(world_.events().empty());
  const auto found = receivers(world_, all_[1]);
  ASSERT_EQ(of_group(found, 8).size(), 1u);
  EXPECT_EQ(of_group(found, 8)[0].observer, all_[0]);
}

TEST_P(Gates, BatchesComeByGateAndNameTheirEntities) {
  ASSERT_TRUE(world_.remove(all_[5]));
  const EntityId fresh = add_key(world_, 99);
  (void)world_.update();
  std::vector<ObserverBatch> all;
  for (int round = 0; round < 2; ++round) {  // the buffer is used again
    batches(world_, all);
    ASSERT_EQ(all.size(), 11u);
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i].group, all[i].observer % 3);
      EXPECT_EQ(all[i].leaves.size(), 1u);
      ASSERT_EQ(all[i].enters.size(), 1u);
      EXPECT_EQ(all[i].enters[0].entity, fresh);
      EXPECT_EQ(all[i].enters[0].key, 99u);
      EXPECT_EQ(world_.owner(all[i].sensor), all_[all[i].observer - 1]);
      EXPECT_TRUE(i == 0 || all[i - 1].group <= all[i].group);
    }
  }
  EXPECT_EQ(batches(world_), all);
}

// Sensors that only leave, only enter, or do both: each batch is that of its own sensor.
TEST_P(Gates, BatchesKeepLeavesAndEntersOfASensorTogether) {
  World world = make(GetParam());
  std::vector<EntityId> observers;
  for (std::uint64_t key = 1; key <= 9; ++key) {
    EntityOptions of;
    of.position = {static_cast<float>(key) * 100, 100, 0};
    of.key = key;
    observers.push_back(*world.add(of));
    (void)*world.add_sensor(observers.back(), eyes_of(0));
  }
  const EntityId first = add_key(world, 50);
  const EntityId second = add_key(world, 51);
  (void)world.update();
  ASSERT_TRUE(world.move(first, {500, 110, 0}));
  ASSERT_TRUE(world.move(second, {900, 110, 0}));
  (void)world.update();
  EntityOptions late;
  late.position = {500, 120, 0};
  late.key = 52;
  ASSERT_TRUE(world.add(late));
  ASSERT_TRUE(world.move(first, {300, 110, 0}));
  (void)world.update();
  const auto all = batches(world);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].observer, 3u);
  EXPECT_TRUE(all[0].leaves.empty());
  EXPECT_EQ(all[0].enters, (std::vector<EnterEntry>{{1, 50}}));
  EXPECT_EQ(all[1].observer, 5u);
  EXPECT_EQ(all[1].leaves, std::vector<std::uint16_t>{1});
  EXPECT_EQ(all[1].enters, (std::vector<EnterEntry>{{2, 52}}));
}

TEST_P(Gates, BuffersHoldWhatTheListsWouldBe) {
  std::vector<EntityId> seen(3);
  std::vector<SensorId> observers(3);
  std::vector<Neighbour> near(3);
  world_.sees(sensors_[2], seen);
  EXPECT_EQ(seen, world_.sees(sensors_[2]));
  world_.observers(all_[2], observers);
  EXPECT_EQ(observers, world_.observers(all_[2]));
  const Region around{Circle{{100, 100, 0}, 5}, {}};
  ASSERT_TRUE(world_.find(around, seen));
  EXPECT_EQ(seen, *world_.find(around));
  ASSERT_TRUE(world_.nearest({100, 100, 0}, 4, 9, near));
  EXPECT_EQ(near.size(), 4u);
  EXPECT_FALSE(world_.nearest({100, 100, 0}, 4, -1, near));
  EXPECT_TRUE(near.empty());
  world_.sees(SensorId{}, seen);
  EXPECT_TRUE(seen.empty());
}

TEST_P(Gates, ManyAtOnceAreThoseThatComeOneByOne) {
  World one = make(GetParam());
  World many = make(GetParam());
  std::vector<EntityOptions> all(30);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].position = {static_cast<float>(i) * 7, 50, 0};
    all[i].key = i + 1;
  }
  std::vector<EntityId> ids;
  std::vector<SensorId> sensors;
  ASSERT_TRUE(many.add(all, ids));
  ASSERT_TRUE(many.add_sensors(ids, eyes_of(2), sensors));
  for (const EntityOptions& of : all) (void)*one.add(of);
  for (const EntityId id : ids) (void)*one.add_sensor(id, eyes_of(2));
  (void)one.update();
  (void)many.update();
  EXPECT_TRUE(std::ranges::equal(one.events(), many.events()));
  EXPECT_FALSE(many.events().empty());
  all[1].weight = std::numeric_limits<float>::infinity();
  ids.clear();
  EXPECT_EQ(many.add(all, ids).error(), Errc::bad_option);
  EXPECT_EQ(ids.size(), 1u) << "those before it are added";
  ids.push_back({});
  sensors.clear();
  EXPECT_EQ(many.add_sensors(ids, {}, sensors).error(), Errc::unknown_entity);
  EXPECT_EQ(sensors.size(), 1u);
}

}  // namespace
}  // namespace starbus::aoi::test
