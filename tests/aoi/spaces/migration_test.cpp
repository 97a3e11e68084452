/// Observers that change space nodes: what was forced stays forced, lists stay as they are, and the
/// client is told only what is different.
#include <gtest/gtest.h>

#include <map>

#include "aoi/wire/wire.hpp"
#include "tests/aoi/worlds.hpp"

namespace starbus::aoi::test {
namespace {

SensorOptions indexed_eyes() {
  SensorOptions of;
  of.radius = 30;
  of.indexed = true;
  return of;
}

/// Entities by key, and one observer.
struct Node {
  explicit Node(Backend backend, const WorldOptions& base = {}) : world(create(backend, base)) {}
  static World create(Backend backend, WorldOptions of) {
    of.backend = backend;
    of.bounds = {{0, 0, 0}, {1000, 1000, 0}};
    of.reach = 30;
    return *World::create(of);
  }
  EntityId add(std::uint64_t key, float x, float y, bool observable = true) {
    EntityOptions of;
    of.position = {x, y, 0};
    of.key = key;
    of.observable = observable;
    return by_key[key] = *world.add(of);
  }
  Result<ReindexBatch> import(SensorId sensor, const ObserverState& state) {
    return world.import_state(sensor, state, [this](std::uint64_t key) {
      const auto at = by_key.find(key);
      return at == by_key.end() ? EntityId{} : at->second;
    });
  }
  World world;
  std::map<std::uint64_t, EntityId> by_key;
};

class Migrations : public ::testing::TestWithParam<Backend> {};
INSTANTIATE_TEST_SUITE_P(Spaces, Migrations, ::testing::ValuesIn(kBackends));

// A forced target is seen wherever it is, and whether it is observable or not; here, too.
TEST_P(Migrations, ForcedTargetsStayForced) {
  std::vector<Node> nodes;
  std::vector<SensorId> sensors;
  for (int i = 0; i < 2; ++i) {
    Node& node = nodes.emplace_back(GetParam());
    node.add(1, 100, 100);
    node.add(2, 110, 100);
    node.add(3, 900, 900, false);
    node.add(4, 800, 800);
    sensors.push_back(*node.world.add_sensor(node.by_key[1], indexed_eyes()));
  }
  Node& from = nodes[0];
  Node& to = nodes[1];
  ASSERT_TRUE(from.world.force(sensors[0], from.by_key[3]));
  ASSERT_TRUE(from.world.force(sensors[0], from.by_key[2]));
  (void)from.world.update();
  ASSERT_TRUE(from.world.force(sensors[0], from.by_key[4])) << "of which the client has not heard";
  const ObserverState state = *decode_observer_state(encode(*from.world.export_state(sensors[0])));
  const auto batch = to.import(sensors[1], state);
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->kept.size(), 2u);
  EXPECT_TRUE(batch->gone.empty());
  (void)to.world.update();
  ASSERT_EQ(to.world.events().size(), 1u);
  EXPECT_EQ(to.world.events()[0].target, to.by_key[4]);
  EXPECT_EQ(to.world.events()[0].reason, Reason::forced);
  ASSERT_TRUE(to.world.move(to.by_key[2], {500, 500, 0}));
  (void)to.world.update();
  EXPECT_TRUE(to.world.events().empty());
  EXPECT_EQ(to.world.sees(sensors[1]).size(), 3u);
  for (std::uint64_t key = 2; key <= 4; ++key) {
    ASSERT_TRUE(to.world.force(sensors[1], to.by_key[key], false));
  }
  (void)to.world.update();
  EXPECT_EQ(to.world.events().size(), 3u) << "they were forced, and are no more";
}

// Lists survive, also if the budget leaves no room for a search.
TEST_P(Migrations, SymmetricListsStayAsTheyAre) {
  WorldOptions base;
  base.budget.pair_tests = 1;
  base.symmetric.capacity = 10;
  SensorOptions mutual = indexed_eyes();
  mutual.limit.policy = LimitPolicy::symmetric;
  std::vector<Node> nodes;
  for (int i = 0; i < 2; ++i) {
    Node& node = nodes.emplace_back(GetParam(), base);
    for (std::uint64_t key = 1; key <= 9; ++key) {
      node.add(key, 100 + static_cast<float>(key), 100);
      (void)*node.world.add_sensor(node.by_key[key], mutual);
    }
    for (std::uint64_t key = 20; key < 60; ++key) {
      node.add(key, 600 + static_cast<float>(key), 600);
      (void)*node.world.add_sensor(node.by_key[key], mutual);
    }
    for (int tick = 0; tick < 60; ++tick) (void)node.world.update();
  }
  Node& from = nodes[0];
  Node& to = nodes[1];
  const EntityId traveller = from.add(10, 105, 100);
  const SensorId old = *from.world.add_sensor(traveller, mutual);
  for (int tick = 0; tick < 60; ++tick) (void)from.world.update();
  ASSERT_EQ(from.world.sees(old).size(), 9u);
  const ObserverState state = *from.world.export_state(old);
  const EntityId arrived = to.add(10, 105, 100);
  const SensorId fresh = *to.world.add_sensor(arrived, mutual);
  // The others are busy: their searches come before any new one.
  for (std::uint64_t key = 20; key < 60; ++key) {
    ASSERT_TRUE(to.world.move(to.by_key[key], {600, 500, 0}));
  }
  const auto batch = to.import(fresh, state);
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->kept.size(), 9u);
  for (int tick = 0; tick < 10; ++tick) {
    (void)to.world.update();
    for (const Event& event : to.world.events()) {
      EXPECT_NE(event.sensor, fresh) << "update " << tick << ": nothing has changed for it";
    }
    EXPECT_EQ(to.world.sees(fresh).size(), 9u);
  }
  for (const EntityId other : to.world.sees(fresh)) {
    EXPECT_TRUE(to.world.sees(to.world.sensors_of(other).front(), arrived));
  }
}

// A target that is removed between import and update gets its leave.
TEST_P(Migrations, ATargetThatIsRemovedAtOnceLeaves) {
  for (const bool mutual : {false, true}) {
    SensorOptions of = indexed_eyes();
    if (mutual) of.limit.policy = LimitPolicy::symmetric;
    Node from(GetParam());
    Node to(GetParam());
    for (Node* node : {&from, &to}) {
      node->add(1, 100, 100);
      node->add(2, 105, 100);
      if (mutual) (void)*node->world.add_sensor(node->by_key[2], of);
    }
    const SensorId old = *from.world.add_sensor(from.by_key[1], of);
    const SensorId fresh = *to.world.add_sensor(to.by_key[1], of);
    (void)from.world.update();
    ASSERT_TRUE(to.import(fresh, *from.world.export_state(old)));
    ASSERT_TRUE(to.world.sees(fresh, to.by_key[2]));
    ASSERT_TRUE(to.world.remove(to.by_key[2]));
    EXPECT_TRUE(to.world.sees(fresh).empty());
    (void)to.world.update();
    ASSERT_EQ(to.world.events().size(), 1u);
    EXPECT_EQ(to.world.events()[0].reason, Reason::removed);
    EXPECT_EQ(to.world.events()[0].index, 1u);
  }
}

// A number rests for the quarantine after the update that told the leave, however that came.
TEST_P(Migrations, ANumberOfARemovedTargetRestsAsLongAsAnyOther) {
  for (const bool limited : {false, true}) {
    WorldOptions base;
    base.quarantine = 3;
    Node node(GetParam(), base);
    SensorOptions of = indexed_eyes();
    if (limited) of.limit = {LimitPolicy::nearest, 2, 0};
    const SensorId sensor = *node.world.add_sensor(node.add(1, 100, 100), of);
    for (std::uint64_t key = 2; key < 6; ++key) node.add(key, 100 + static_cast<float>(key), 100);
    (void)node.world.update();
    ASSERT_EQ(node.world.wire_index(sensor, node.by_key[2]), 1u);
    ASSERT_TRUE(node.world.remove(node.by_key[2]));
    (void)node.world.update();  // tells it
    std::vector<std::uint16_t> given;
    for (std::uint64_t key = 10; given.size() < 4; ++key) {
      (void)node.world.move(node.by_key[key - 1], {900, 900, 0});
      node.add(key, 100.5F, 100);
      (void)node.world.update();
      given.push_back(node.world.wire_index(sensor, node.by_key[key]));
    }
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NE(given[i], 1u) << i;
    EXPECT_EQ(given[3], 1u);
  }
}

}  // namespace
}  // namespace starbus::aoi::test
