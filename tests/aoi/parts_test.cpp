/// The parts below a world: hashed cells, axis lists, regions, bytes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>

#include "aoi/axis_list.hpp"
#include "aoi/cells.hpp"
#include "aoi/kernels.hpp"
#include "aoi/recording.hpp"
#include "aoi/wire.hpp"
#include "tests/aoi/script.hpp"
#include "tests/places.hpp"

namespace starbus::aoi {
namespace {

TEST(HashedCells, ThatCollideAreKeptApart) {
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

TEST(HashedCells, AnEmptyWorldIsSmall) {
  WorldOptions of;
  of.backend = Backend::hashed_grid;
  of.expected_entities = 4096;
  EXPECT_LE(World::create(of)->memory(), 400u * 1024);
}

RC_GTEST_PROP(AxisList, StaysSortedAndPassesWhatLiesBetween, ()) {
  AxisList list;
  std::vector<float> keys;
  const auto count = *rc::gen::inRange(1, 300);
  for (int i = 0; i < count; ++i) {
    keys.push_back(static_cast<float>(*rc::gen::inRange(0, 200)));
    list.insert({AxisList::Kind::centre, static_cast<std::uint32_t>(i)}, keys.back());
  }
  for (int i = 0; i < 50; ++i) {
    const auto who = *rc::gen::inRange<std::size_t>(0, keys.size());
    const auto to = static_cast<float>(*rc::gen::inRange(0, 200));
    std::vector<bool> passed(keys.size());
    list.shift({AxisList::Kind::centre, static_cast<std::uint32_t>(who)}, to,
               AxisList::Kind::centre, [&](std::uint32_t other) { passed[other] = true; });
    const float low = std::min(keys[who], to);
    const float high = std::max(keys[who], to);
    keys[who] = to;
    for (std::size_t j = 0; j < keys.size(); ++j) {
      if (j != who && keys[j] > low && keys[j] < high) RC_ASSERT(passed[j]);
      if (keys[j] < low || keys[j] > high) RC_ASSERT(!passed[j]);
    }
    RC_ASSERT(list.is_sorted());
  }
  RC_ASSERT(list.size() == keys.size());
}

TEST(AxisList, AFarJumpVisitsFewNodes) {
  AxisList list;
  std::vector<AxisList::Node> nodes;
  for (std::uint32_t i = 0; i < 30'000; ++i) {
    nodes.push_back({static_cast<float>(i), {AxisList::Kind::centre, i}});
  }
  list.assign(nodes);
  const std::uint64_t before = list.visited();
  list.erase({AxisList::Kind::centre, 5});
  list.insert({AxisList::Kind::centre, 5}, 29'000.5F);
  EXPECT_LE(list.visited() - before, 70u);
  EXPECT_TRUE(list.is_sorted());
}

TEST(Regions, HoldWhatTheyShould) {
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

TEST(Migration, StateTravelsAndComesBackDense) {
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

TEST(Migration, RefusesWhatNoExportWrites) {
  ObserverState state;
  state.targets = {{2, 1, false}, {2, 2, false}};
  EXPECT_EQ(check(state).error(), Errc::corrupt);
  state.targets = {{1, 1, false}, {2, 1, false}};
  EXPECT_EQ(check(state).error(), Errc::corrupt);
  EXPECT_EQ(decode_observer_state("").error(), Errc::corrupt);
  EXPECT_EQ(decode_observer_state("\x02rest").error(), Errc::newer_format);
}

TEST(Wire, BatchesSurviveTheirBytes) {
  ObserverBatch batch;
  batch.observer = 77;
  batch.reindex = {{{4, 1}, {9, 2}}, {3}};
  batch.leaves = {1, 5};
  batch.enters = {{6, 0x1122334455667788}};
  const std::string bytes = encode(batch);
  EXPECT_EQ(*decode_batch(bytes), batch);
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    EXPECT_FALSE(decode_batch(bytes.substr(0, cut))) << cut;
  }
}

// What a run was told is what its replay tells, on whatever backend.
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
    std::vector<std::vector<Event>> told;
    for (const test::Step& step : script) {
      player.play(step);
      if (step.what == test::Do::update) told.push_back(player.last_events());
    }
    const std::string bytes = recorder.take();
    for (const Backend backend : {Backend::grid, Backend::cross_list}) {
      auto replay = Replay::open(bytes);
      test::demand(replay.has_value(), "a recording opens");
      WorldOptions other = replay->options();
      other.backend = backend;
      World world = *World::create(other);
      for (const auto& events : told) {
        const auto step = replay->step(world);
        test::demand(step && *step, "a step");
        const std::vector<Event> now(world.events().begin(), world.events().end());
        test::demand(now == events, "the replay differs");
      }
    }
  }));
}

TEST(Limits, AreTheOnesOfThePage) {
  std::ifstream file(source_file("docs/aoi.md"));
  std::stringstream page;
  page << file.rdbuf();
  for (const LimitInfo& limit : limit_catalogue()) {
    std::ostringstream row;
    row << "| `" << limit.name << "` | " << limit.value << " " << limit.unit << " | "
        << limit.reason << " | " << limit.when_reached << " |";
    EXPECT_NE(page.str().find(row.str()), std::string::npos) << row.str();
  }
}

}  // namespace
}  // namespace starbus::aoi
