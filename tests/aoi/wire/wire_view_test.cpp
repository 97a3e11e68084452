/// A client knows by its batches what its observer sees, also when it comes back, migrates, and
/// gets batches late.
#include "aoi/wire/wire_view.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "tests/aoi/worlds.hpp"

namespace starbus::aoi::test {
namespace {

SensorOptions eyes() {
  SensorOptions of;
  of.radius = 40;
  of.indexed = true;
  return of;
}

/// Over the wire and back.
ObserverBatch sent(const ObserverBatch& batch) {
  const auto decoded = decode_batch(encode(batch));
  EXPECT_TRUE(decoded);
  EXPECT_EQ(*decoded, batch);
  return *decoded;
}

/// Two worlds with the same entities, by key 1 to 80, and one observer that is in one of them.
class Travels : public ::testing::TestWithParam<Backend> {
 protected:
  static constexpr std::uint64_t kOthers = 80;
  static constexpr std::uint64_t kObserver = 1'000;

  Travels() {
    for (const int which : {0, 1}) {
      worlds_.push_back(make(GetParam()));
      for (std::uint64_t key = 1; key <= kOthers; ++key) {
        // A few are in one of the two only.
        if (key % 10 == static_cast<std::uint64_t>(which)) {
          others_[which].push_back({});
          continue;
        }
        others_[which].push_back(add(worlds_.back(), key));
      }
    }
    observer_ = add(worlds_[0], kObserver);
    sensor_ = *worlds_[0].add_sensor(observer_, eyes());
  }

  EntityId add(World& world, std::uint64_t key) {
    EntityOptions of;
    of.position = anywhere();
    of.key = key;
    return *world.add(of);
  }
  Position anywhere() {
    return {static_cast<float>(chance_() % 150), static_cast<float>(chance_() % 150), 0};
  }
  World& here() { return worlds_[at_]; }

  void update() {
    for (const int which : {0, 1}) {
      for (const EntityId one : others_[which]) {
        if (one && chance_() % 4 == 0) {
          ASSERT_TRUE(worlds_[static_cast<std::size_t>(which)].move(one, anywhere()));
        }
      }
    }
    for (World& world : worlds_) (void)world.update();
    for (const ObserverBatch& batch : batches(here())) apply(batch);
    check();
  }

  void apply(const ObserverBatch& batch) {
    ASSERT_EQ(batch.observer, kObserver);
    const auto done = view_.apply(sent(batch));
    // A batch of the numbering that has just ended comes to the same.
    ASSERT_TRUE(done || done.error() == Errc::stale);
    late_.push_back(batch);
  }

  void check() {
    std::vector<std::uint64_t> keys;
    for (const EntityId one : here().sees(sensor_)) keys.push_back(here().key_of(one));
    std::sort(keys.begin(), keys.end());
    ASSERT_EQ(view_.keys(), keys);
    const std::uint32_t epoch = here().epoch(sensor_);
    ASSERT_TRUE(keys.empty() || view_.epoch() == epoch);
    for (const EntityId one : here().sees(sensor_)) {
      const auto target = view_.target(epoch, here().wire_index(sensor_, one));
      ASSERT_TRUE(target);
      ASSERT_EQ(*target, here().key_of(one));
    }
  }

  /// Batches that were under way when a numbering ended change nothing, whenever they arrive.
  void deliver_late() {
    for (const ObserverBatch& batch : late_) {
      if (batch.epoch >= view_.epoch()) continue;
      const auto keys = view_.keys();
      ASSERT_EQ(view_.apply(batch).error(), Errc::stale);
      ASSERT_EQ(view_.target(batch.epoch, 1).error(), Errc::stale);
      ASSERT_EQ(view_.keys(), keys);
    }
  }

  /// The client has lost its session: the same observer begins a new numbering for it.
  void come_back() {
    ASSERT_TRUE(here().remove_sensor(sensor_));
    sensor_ = *here().add_sensor(observer_, eyes());
  }

  void migrate() {
    const ObserverState state = *decode_observer_state(encode(*here().export_state(sensor_)));
    ASSERT_TRUE(here().remove(observer_));
    at_ = 1 - at_;
    observer_ = add(here(), kObserver);
    sensor_ = *here().add_sensor(observer_, eyes());
    const auto reindex = here().import_state(
        sensor_, state, [&](std::uint64_t key) { return others_[at_][key - 1]; });
    ASSERT_TRUE(reindex);
    EXPECT_GT(here().epoch(sensor_), state.epoch);
    apply(*arrival(here(), sensor_, *reindex));
    check();
  }

  std::mt19937 chance_{3};
  std::vector<World> worlds_;
  std::vector<EntityId> others_[2];
  std::size_t at_ = 0;
  EntityId observer_;
  SensorId sensor_;
  WireView view_;
  std::vector<ObserverBatch> late_;
};
INSTANTIATE_TEST_SUITE_P(Wire, Travels, ::testing::ValuesIn(kBackends));

TEST_P(Travels, ClientKnowsWhatItsObserverSees) {
  for (int tick = 0; tick < 200 && !HasFatalFailure(); ++tick) {
    if (tick % 17 == 5) come_back();
    if (tick % 23 == 11) migrate();
    update();
    deliver_late();
  }
  EXPECT_EQ(view_.epoch(), here().epoch(sensor_));
}

// The old numbering's leaves and the new one's enters are reported with one update: whichever batch
// comes first, the client knows the same.
TEST(WireView, AcceptsTheEndAndTheBeginOfNumberingsInAnyOrder) {
  World world = make();
  EntityOptions of;
  of.position = {100, 100, 0};
  of.key = 1;
  const EntityId observer = *world.add(of);
  for (of.key = 2; of.key < 6; ++of.key) (void)*world.add(of);
  const SensorId first = *world.add_sensor(observer, eyes());
  (void)world.update();
  WireView view;
  ASSERT_TRUE(view.apply(batches(world).at(0)));
  ASSERT_TRUE(world.remove_sensor(first));
  const SensorId second = *world.add_sensor(observer, eyes());
  (void)world.update();
  const auto both = batches(world);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].epoch, 1u);
  EXPECT_EQ(both[1].epoch, 2u);
  EXPECT_EQ(world.epoch(first), 1u) << "until the next update";
  for (const bool swapped : {false, true}) {
    WireView one = view;
    const auto done = one.apply(both[swapped ? 1 : 0]);
    const auto other = one.apply(both[swapped ? 0 : 1]);
    EXPECT_TRUE(done);
    EXPECT_EQ(other.has_value(), !swapped);
    EXPECT_EQ(one.keys(), (std::vector<std::uint64_t>{2, 3, 4, 5}));
    EXPECT_EQ(one.epoch(), 2u);
  }
  (void)world.update();
  EXPECT_EQ(world.epoch(first), 0u);
  EXPECT_EQ(world.epoch(second), 2u);
}

TEST(WireView, RefusesOutOfStepBatchesWithoutChange) {
  WireView view;
  ObserverBatch batch{7, 3};
  batch.enters = {{1, 11}, {2, 12}};
  ASSERT_TRUE(view.apply(batch));
  const auto refused = [&](const ObserverBatch& wrong, Errc why) {
    EXPECT_EQ(view.apply(wrong).error(), why);
    EXPECT_EQ(view.keys(), (std::vector<std::uint64_t>{11, 12}));
    EXPECT_EQ(view.epoch(), 3u);
  };
  refused({7, 2}, Errc::stale);
  refused({7, 3, {{}, {2}}}, Errc::out_of_step);
  refused({7, 3, {}, {3}}, Errc::out_of_step);
  refused({7, 3, {}, {1}, {{2, 13}}}, Errc::out_of_step);
  refused({7, 3, {}, {1, 2}, {{1, 13}, {2, 14}, {1, 15}}}, Errc::out_of_step);
  refused({7, 3, {}, {1, 1}}, Errc::out_of_step);
  EXPECT_EQ(*view.target(3, 1), 11u);
  EXPECT_EQ(*view.target(3, 2), 12u);
  refused({7, 4, {{{9, 1}}, {}}}, Errc::out_of_step);
  refused({7, 4, {{}, {9}}}, Errc::out_of_step);
  refused({7, 4, {{{1, 5}, {2, 5}}, {}}}, Errc::out_of_step);
  EXPECT_EQ(view.target(4, 1).error(), Errc::out_of_step);
  EXPECT_EQ(view.target(3, 9).error(), Errc::out_of_step);
  ASSERT_TRUE(view.apply({7, 4, {{{1, 2}}, {2}}, {}, {{1, 14}}}));
  EXPECT_EQ(*view.target(4, 2), 11u);
  EXPECT_EQ(*view.target(4, 1), 14u);
  ASSERT_TRUE(view.apply({7, 9})) << "a numbering that begins with nothing";
  EXPECT_EQ(view.size(), 0u);
}

TEST(WireView, RefusesEpochsBeyondKMaxEpoch) {
  World world = make();
  const EntityId one = test::add(world, 1, 1);
  EXPECT_EQ(world.set_epoch(one, kMaxEpoch + 1).error(), Errc::bad_option);
  ASSERT_TRUE(world.set_epoch(one, kMaxEpoch - 1));
  ASSERT_TRUE(world.set_epoch(one, 5)) << "no epoch comes twice";
  const SensorId last = *world.add_sensor(one, eyes());
  EXPECT_EQ(world.epoch(last), kMaxEpoch);
  ASSERT_TRUE(world.remove_sensor(last));
  const auto none = world.add_sensor(one, eyes());
  ASSERT_EQ(none.error(), Errc::too_many);
  EXPECT_EQ(none.error().detail, "kMaxEpoch");
  EXPECT_TRUE(world.add_sensor(one, {})) << "who is not indexed needs none";
  ObserverState state;
  state.epoch = kMaxEpoch;
  EXPECT_EQ(check(state).error(), Errc::corrupt);
  ASSERT_TRUE(world.remove(one));
  EXPECT_EQ(world.set_epoch(one, 1).error(), Errc::unknown_entity);
}

/// Of batches with one leave and one enter, to a client that knows so many targets.
std::chrono::nanoseconds cost_of_changes(std::uint16_t known) {
  WireView view;
  ObserverBatch batch{7, 3};
  for (std::uint16_t index = 1; index <= known; ++index) batch.enters.push_back({index, index});
  EXPECT_TRUE(view.apply(batch));
  const ObserverBatch change{7, 3, {}, {1}, {{1, 1}}};
  auto least = std::chrono::nanoseconds::max();
  for (int round = 0; round < 20; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 50; ++i) EXPECT_TRUE(view.apply(change));
    least = std::min<std::chrono::nanoseconds>(least, std::chrono::steady_clock::now() - begin);
  }
  return least;
}

TEST(WireView, ABatchCostsWhatItChangesNotWhatIsKnown) {
  EXPECT_LT(cost_of_changes(65'000), 100 * cost_of_changes(8));
}

// Another node wrote the state: its client must not be left without a numbering here.
TEST(WireView, AnImportedEpochLeavesRoomForNumberings) {
  World world = make();
  const EntityId one = test::add(world, 1, 1);
  const SensorId sensor = *world.add_sensor(one, eyes());
  const auto nobody = [](std::uint64_t) { return EntityId{}; };
  ObserverState state;
  state.epoch = kMaxEpoch - 1;
  const auto refused = world.import_state(sensor, state, nobody);
  ASSERT_EQ(refused.error(), Errc::too_many);
  EXPECT_EQ(refused.error().detail, "kMaxImportedEpoch");
  EXPECT_EQ(world.epoch(sensor), 1u) << "nothing has changed";
  state.epoch = kMaxImportedEpoch;
  ASSERT_TRUE(world.import_state(sensor, state, nobody));
  EXPECT_EQ(world.epoch(sensor), kMaxImportedEpoch + 1);
  ASSERT_TRUE(world.remove_sensor(sensor));
  EXPECT_TRUE(world.add_sensor(one, eyes()));
}

TEST(WireView, ChangesCarryTheEpochOfTheirReceiver) {
  World world = make();
  const EntityId seen = test::add(world, 1, 1);
  const EntityId observer = test::add(world, 2, 2);
  ASSERT_TRUE(world.set_epoch(observer, 41));
  const SensorId sensor = *world.add_sensor(observer, eyes());
  (void)world.update();
  ASSERT_EQ(receivers(world, seen).size(), 1u);
  EXPECT_EQ(receivers(world, seen)[0].epoch, 42u);
  EXPECT_EQ(arrival(world, SensorId{}, {}).error(), Errc::unknown_sensor);
  EXPECT_EQ(arrival(world, see(world, seen, 5), {}).error(), Errc::bad_option);
  EXPECT_EQ(arrival(world, sensor, {})->epoch, 42u);
}

}  // namespace
}  // namespace starbus::aoi::test
