/// The parts below a world: hashed cells, axis lists, regions, bytes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "aoi/index/axis_list.hpp"
#include "aoi/index/cells.hpp"
#include "aoi/index/kernels.hpp"
#include "aoi/replay/recording.hpp"
#include "aoi/wire/wire.hpp"
#include "tests/aoi/script.hpp"

namespace starbus::aoi {
namespace {

TEST(HashedCells, CollidingCellsAreKeptApart) {
  HashedCells cells(30);
  std::vector<CellAt> same;
  for (std::int32_t x = 0; same.size() < 3; ++x) {
    if (HashedCells::slot_of({x, 7}, 64) == HashedCells::slot_of({0, 7}, 64))
      same.push_back({x, 7});
  }
  std::vector<CellIndex> opened;
  for (const CellAt& at : same) opened.push_back(cells.open(at));
  EXPECT_NE(opened[0], opened[1]);
  cells.close(opened[0]);
  EXPECT_EQ(cells.find(same[0]), kNone);
  EXPECT_EQ(cells.find(same[1]), opened[1]);
  EXPECT_EQ(cells.find(same[2]), opened[2]);
}

TEST(HashedCells, EmptyWorldNeedsLittleMemory) {
  WorldOptions of;
  of.backend = Backend::hashed_grid;
  of.expected_entities = 4096;
  EXPECT_LE(World::create(of)->memory(), 400u * 1024);
}

RC_GTEST_PROP(AxisList, StaysSortedAndVisitsWhatIsInRange, ()) {
  AxisList list;
  std::map<EntityIndex, std::pair<float, float>> places;
  const auto value = [] { return static_cast<float>(*rc::gen::inRange(0, 200)); };
  const auto count = *rc::gen::inRange<EntityIndex>(1, 300);
  for (EntityIndex i = 0; i < count; ++i) {
    places[i] = {value(), value()};
    list.insert({places[i].first, places[i].second, i});
  }
  for (int i = 0; i < 100; ++i) {
    const auto who = *rc::gen::inRange<EntityIndex>(0, count);
    const bool there = places.count(who) != 0;
    if (there && i % 3 == 0) {
      list.erase(who);
      places.erase(who);
    } else {
      places[who] = {value(), value()};
      const AxisList::Node node{places[who].first, places[who].second, who};
      there ? list.shift(node) : list.insert(node);
    }
    RC_ASSERT(list.is_sorted());
    RC_ASSERT(list.size() == places.size());
  }
  const AxisList::Range keys{value(), value()};
  const AxisList::Range others{value(), value()};
  std::set<EntityIndex> visited;
  std::set<EntityIndex> expected;
  list.visit(keys, others, [&](EntityIndex one) { RC_ASSERT(visited.insert(one).second); });
  for (const auto& [entity, at] : places) {
    if (keys.holds(at.first) && others.holds(at.second)) expected.insert(entity);
  }
  RC_ASSERT(visited == expected);
}

TEST(AxisList, KeepsFewChunksForFewNodes) {
  AxisList list;
  for (EntityIndex i = 0; i < 10'000; ++i) list.insert({static_cast<float>(i), 0, i});
  for (EntityIndex i = 0; i < 10'000; ++i) {
    if (i % 100 != 0) list.erase(i);
  }
  EXPECT_TRUE(list.is_sorted());
  EXPECT_LE(list.chunks(), 6u) << "each two side by side hold more than three quarters of one";
  for (EntityIndex i = 0; i < 10'000; i += 100) list.erase(i);
  EXPECT_EQ(list.size(), 0u);
  list.visit({0, 1e6F}, {0, 1e6F}, [](EntityIndex one) { ADD_FAILURE() << one; });
  list.insert({3, 0, 7});
  EXPECT_TRUE(list.is_sorted());
}

TEST(AxisList, FarJumpVisitsFewNodes) {
  AxisList list;
  std::vector<AxisList::Node> nodes;
  for (EntityIndex i = 0; i < 30'000; ++i) nodes.push_back({static_cast<float>(i), 0, i});
  list.assign(nodes);
  const std::uint64_t before = list.visited();
  list.erase(5);
  list.insert({29'000.5F, 0, 5});
  EXPECT_LE(list.visited() - before, 2u * 64);
  EXPECT_TRUE(list.is_sorted());
}

TEST(Regions, ContainTheirInsideAndBorder) {
  const float right = std::numbers::pi_v<float> / 2;
  const Region sector{Sector{{0, 0, 0}, 10, 0, right}, {}};
  EXPECT_TRUE(sector.contains({7, 6.9F, 0}));
  EXPECT_FALSE(sector.contains({7, 7.5F, 0}));
  EXPECT_FALSE(sector.contains({-1, 0, 0}));
  EXPECT_FALSE(sector.contains({10.1F, 0, 0}));
  const std::vector<Position> corners = {{0, 0, 0}, {10, 0, 0}, {10, 10, 0}, {5, 3, 0}, {0, 10, 0}};
  const Region polygon{*make_polygon(corners), {}};
  EXPECT_TRUE(polygon.contains({5, 2, 0}));
  EXPECT_FALSE(polygon.contains({5, 5, 0}));
  EXPECT_TRUE(polygon.contains({10, 5, 0}));
  const std::vector<Position> twice = {{0, 0, 0}, {0, 0, 0}, {10, 0, 0}, {10, 10, 0}};
  EXPECT_FALSE((Region{*make_polygon(twice), {}}.contains({50, 50, 0}))) << "a corner twice";
  const Region ray{RayBand{{0, 0, 0}, {10, 10, 0}, 1}, {0, 2}};
  EXPECT_TRUE(ray.contains({5, 6, 0}));
  EXPECT_FALSE(ray.contains({5, 7, 0}));
  EXPECT_FALSE(ray.contains({5, 5, 3}));
  EXPECT_FALSE(ray.contains({-1, -1, 0}));
  EXPECT_FALSE((Region{Circle{{0, 0, 0}, -1}, {}}.check()));
  EXPECT_EQ(make_polygon({}).error(), Errc::bad_option);
}

TEST(Migration, ImportedStateHasDenseIndices) {
  const auto build = [](World& world, std::vector<EntityId>& targets, std::size_t count) {
    EntityOptions of;
    of.position = {10, 10, 0};
    of.key = 100;
    SensorOptions sensor;
    sensor.indexed = true;
    const SensorId id = *world.add_sensor(*world.add(of), sensor);
    for (std::size_t i = 0; i < count; ++i) {
      of.position = {10 + static_cast<float>(i), 11, 0};
      of.key = i + 1;
      targets.push_back(*world.add(of));
    }
    return id;
  };
  World from = *World::create({});
  World to = *World::create({});
  std::vector<EntityId> here;
  std::vector<EntityId> there;
  const SensorId old = build(from, here, 5);
  const SensorId fresh = build(to, there, 4);
  ASSERT_TRUE(from.force(old, here[1]));
  (void)from.update();
  ASSERT_TRUE(to.move(there[0], {500, 500, 0}));
  const ObserverState state = *from.export_state(old);
  ASSERT_EQ(state.targets.size(), 5u);
  const auto decoded = decode_observer_state(encode(state));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(*decoded, state);
  const auto resolve = [&](std::uint64_t key) { return key <= 4 ? there[key - 1] : EntityId{}; };
  const auto batch = to.import_state(fresh, *decoded, resolve);
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->kept.size(), 4u);
  EXPECT_EQ(batch->gone.size(), 1u);
  EXPECT_EQ(to.wire_index(fresh, there[1]), batch->kept[1].to);
  (void)to.update();
  ASSERT_EQ(to.events().size(), 1u) << "only who is out of range here leaves";
  EXPECT_EQ(to.events()[0].target, there[0]);
  EXPECT_EQ(to.events()[0].kind, Kind::leave);
  ASSERT_EQ(batches(to).size(), 1u);
  EXPECT_EQ(batches(to)[0].leaves, std::vector<std::uint16_t>{to.events()[0].index});
  EXPECT_EQ(receivers(to, there[2]).size(), 1u);
  EXPECT_FALSE(to.import_state(fresh, *decoded, resolve)) << "it sees something already";
}

// A target that the client knows gets a leave, also if it was removed as it came, or has no key.
TEST(Wire, EveryLeaveFollowsAnEnter) {
  World world = *World::create({});
  EntityOptions of;
  of.key = 7;
  const EntityId observer = *world.add(of);
  SensorOptions sensor;
  sensor.indexed = true;
  const SensorId eye = *world.add_sensor(observer, sensor);
  of.key = 8;
  const EntityId target = *world.add(of);
  of.key = 0;
  const EntityId nameless = *world.add(of);
  (void)world.update([&](const Event& event) {
    if (event.target == target) {
      EXPECT_TRUE(world.remove(target));
    }
  });
  ASSERT_EQ(batches(world).size(), 1u);
  const std::vector<EnterEntry> entered = batches(world)[0].enters;
  EXPECT_EQ(entered, (std::vector<EnterEntry>{{1, 8}, {2, 0}}));
  (void)world.update();
  ASSERT_EQ(batches(world).size(), 1u);
  EXPECT_EQ(batches(world)[0].leaves, std::vector<std::uint16_t>{1});
  EXPECT_EQ(receivers(world, nameless)[0].index, 2);
  const ObserverState state = *world.export_state(eye);
  EXPECT_EQ(state.targets, (std::vector<ObserverState::Target>{{0, 2, false}}));
  EXPECT_EQ(*decode_observer_state(encode(state)), state);
  World other = *World::create({});
  const SensorId there = *other.add_sensor(*other.add(of), sensor);
  const auto batch = other.import_state(there, state, [](std::uint64_t) { return EntityId{1}; });
  EXPECT_EQ(batch->gone, std::vector<std::uint16_t>{2});
}

// Dense, the lowest first; but one that was given back rests as long as a client may still mean
// its predecessor by it.
TEST(Wire, FreedIndicesRestBeforeReuse) {
  WorldOptions of;
  of.quarantine = 3;
  World world = *World::create(of);
  SensorOptions sensor;
  sensor.indexed = true;
  sensor.radius = 10;
  const SensorId eye = *world.add_sensor(*world.add({}), sensor);
  std::vector<EntityId> all;
  for (int i = 0; i < 4; ++i) all.push_back(*world.add({}));
  (void)world.update();
  for (std::uint16_t i = 0; i < 4; ++i) EXPECT_EQ(world.wire_index(eye, all[i]), i + 1);
  ASSERT_TRUE(world.move(all[1], {500, 500, 0}));
  (void)world.update();
  ASSERT_EQ(world.events().size(), 1u);
  EXPECT_EQ(world.events()[0].index, 2) << "a leave is reported under the index of its enter";
  EXPECT_EQ(world.wire_index(eye, all[1]), 0);
  std::vector<std::uint16_t> given;
  for (int tick = 0; tick < 6; ++tick) {
    const EntityId fresh = *world.add({});
    (void)world.update();
    given.push_back(world.wire_index(eye, fresh));
  }
  EXPECT_EQ(given, (std::vector<std::uint16_t>{5, 6, 7, 2, 8, 9}));
}

TEST(Migration, RefusesMalformedStates) {
  ObserverState state;
  state.targets = {{2, 1, false}, {2, 2, false}};
  EXPECT_EQ(check(state).error(), Errc::corrupt);
  state.targets = {{1, 1, false}, {2, 1, false}};
  EXPECT_EQ(check(state).error(), Errc::corrupt);
  EXPECT_EQ(decode_observer_state("").error(), Errc::corrupt);
  EXPECT_EQ(decode_observer_state("\x03rest").error(), Errc::newer_format);
  state.targets = {{1, 1, false}};
  state.epoch = 9;
  std::string bytes = encode(state);
  EXPECT_EQ(decode_observer_state(bytes)->epoch, 9u);
  bytes[0] = 1;
  EXPECT_EQ(decode_observer_state(bytes).error(), Errc::corrupt) << "it had no epoch";
}

TEST(Wire, DecodedBatchEqualsTheEncodedOne) {
  ObserverBatch batch;
  batch.observer = 77;
  batch.epoch = 3;
  batch.reindex = {{{4, 1}, {9, 2}}, {3}};
  batch.leaves = {1, 5};
  batch.enters = {{6, 0x1122334455667788}};
  const std::string bytes = encode(batch);
  EXPECT_EQ(*decode_batch(bytes), batch);
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    EXPECT_FALSE(decode_batch(bytes.substr(0, cut))) << cut;
  }
}

// A replay reports the events of the run, on whatever backend.
TEST(Recording, ReplaysToTheSameEvents) {
  EXPECT_TRUE(rc::check("replay", [] {
    const test::Taste taste;
    const auto script = *rc::gen::resize(300, test::scripts(taste));
    WorldOptions of;
    of.bounds = {{0, 0, 0}, {100, 100, 0}};
    of.quarantine = 2;
    Recorder recorder(of);
    test::Player player(of, taste);
    player.world().record_to(&recorder);
    std::vector<std::vector<Event>> reported;
    for (const test::Step& step : script) {
      player.play(step);
      if (step.what == test::Do::update) reported.push_back(player.last_events());
    }
    const std::string bytes = recorder.take();
    for (const Backend backend : {Backend::grid, Backend::cross_list}) {
      auto replay = Replay::open(bytes);
      test::demand(replay.has_value(), "a recording opens");
      WorldOptions other = replay->options();
      other.backend = backend;
      World world = *World::create(other);
      for (const auto& events : reported) {
        const auto step = replay->step(world);
        test::demand(step && *step, "a step");
        const std::vector<Event> now(world.events().begin(), world.events().end());
        test::demand(now == events, "the replay differs");
      }
    }
  }));
}

}  // namespace
}  // namespace starbus::aoi
