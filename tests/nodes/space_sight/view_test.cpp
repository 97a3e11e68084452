/// What one observer's client is told, in which order, and what of it is made once for all.
#include "tests/nodes/space_sight/sight_world.hpp"

namespace starbus::nodes::sight {
namespace {

using namespace test;

/// An observer in the middle of the space, and nobody else.
struct SightViews : ::testing::Test {
  SightViews() { world.add({500, 500, 0}); }
  SightWorld::Observer& observer(const ViewOptions& options = {}) {
    return world.watch(0, options);
  }
  Thing& near(float metres = 5, std::size_t nick = 0) {
    return world.add({500 + metres, 500, 0}, nick);
  }
  SightWorld world;
};

TEST_F(SightViews, NothingIsToldBeforeTheClientIsReady) {
  SightWorld::Observer& alice = observer();
  alice.answers = false;
  near();
  for (int i = 0; i < 5; ++i) world.tick();
  EXPECT_EQ(alice.client.bodies, 1U) << "the scene";
  EXPECT_TRUE(alice.client.seen.empty());
  EXPECT_FALSE(alice.view.ready(alice.client.number + 1));
  EXPECT_FALSE(alice.view.ready(0));
  world.ready(alice);
  world.tick();
  EXPECT_EQ(alice.client.seen.size(), 1U);
}

TEST_F(SightViews, ANewSceneTellsAllAgainUnderTheNextNumber) {
  SightWorld::Observer& alice = observer();
  near();
  near(6);
  for (int i = 0; i < 3; ++i) world.tick();
  EXPECT_EQ(alice.client.enters, 2U);
  const std::uint32_t before = alice.client.number;
  alice.view.begin_scene();
  EXPECT_FALSE(alice.view.ready(before)) << "of the scene before";
  for (int i = 0; i < 3; ++i) world.tick();
  EXPECT_EQ(alice.client.number, before + 1);
  EXPECT_EQ(alice.client.enters, 4U);
  EXPECT_EQ(alice.client.leaves, 0U);
  world.expect_equal(alice);
}

TEST_F(SightViews, WhatComesAndGoesWithoutCreditIsNeverTold) {
  SightWorld::Observer& alice = observer();
  Thing& wolf = near();
  for (int i = 0; i < 3; ++i) world.tick();
  alice.credit = false;
  world.go(wolf, {600, 500, 0});
  Thing& bear = near(7);
  world.tick();
  world.go(wolf, {505, 500, 0});
  world.go(bear, {700, 500, 0});
  wolf.state.hp = 1;
  world.tick();
  alice.credit = true;
  world.tick();
  EXPECT_EQ(alice.client.enters, 1U);
  EXPECT_EQ(alice.client.leaves, 0U);
  EXPECT_EQ(alice.client.news_told, 1U);
  world.expect_equal(alice);
}

TEST_F(SightViews, AWalkerTakesAtMostTwelveBytesPerUpdate) {
  SightWorld::Observer& alice = observer();
  Thing& fine = near(5);
  Thing& coarse = near(25);
  for (int i = 0; i < 3; ++i) world.tick();
  alice.client.move_bytes = alice.client.moves_told = 0;
  for (int i = 1; i <= 20; ++i) {
    const float step = 0.5F * static_cast<float>(i % 2);
    world.go(fine, {505 + step, 500, 0});
    world.go(coarse, {525 - step, 500, 0});
    world.tick();
  }
  ASSERT_GE(alice.client.moves_told, 25U);
  EXPECT_LE(alice.client.move_bytes, 12 * alice.client.moves_told);
  world.tick();
  world.tick();
  world.expect_equal(alice);
}

TEST_F(SightViews, OneThatStandsCostsNothing) {
  SightWorld::Observer& alice = observer();
  near();
  for (int i = 0; i < 4; ++i) world.tick();
  const std::size_t before = alice.client.bodies;
  for (int i = 0; i < 10; ++i) world.tick();
  EXPECT_EQ(alice.client.bodies, before);
}

TEST_F(SightViews, DetailFollowsTheDistance) {
  SightWorld::Observer& alice = observer({.fine = 10});
  Thing& wolf = near(20);
  for (int i = 0; i < 3; ++i) world.tick();
  const std::uint64_t moves = world.store.counters().moves;
  // The observer comes near to one that stands: its fine heading is told once.
  world.go(*world.things[0], {515, 500, 0});
  world.tick();
  world.tick();
  EXPECT_EQ(world.store.counters().moves, moves + 1);
  EXPECT_TRUE(alice.client.seen.begin()->second.place);
  world.go(wolf, {520, 501, 0});
  world.tick();
  EXPECT_EQ(world.store.counters().moves, moves + 2);
}

TEST_F(SightViews, AByteThatChangesCostsSixteenAndIsEncodedOnceForAll) {
  Thing& wolf = near();
  std::vector<SightWorld::Observer*> all;
  for (int i = 0; i < 10; ++i) all.push_back(&observer());
  for (int i = 0; i < 3; ++i) world.tick();
  const std::size_t before = all[0]->client.total;
  const std::uint64_t deltas = world.store.counters().deltas_encoded;
  wolf.state.hp = 50;
  world.tick();
  EXPECT_LE(all[0]->client.total - before, 16U + 1) << "and the format of the body";
  EXPECT_LE(all[0]->client.news_bytes, 16U);
  EXPECT_EQ(world.store.counters().deltas_encoded, deltas + 1);
  for (const SightWorld::Observer* each : all) {
    EXPECT_EQ(each->client.news_told, 1U);
    world.expect_equal(*each);
  }
}

TEST_F(SightViews, MovesAndSnapshotsAreEncodedOnceForAll) {
  Thing& wolf = near(5);
  for (int i = 0; i < 10; ++i) observer();
  for (int i = 0; i < 3; ++i) world.tick();
  EXPECT_EQ(world.store.counters().enters, 10U);
  EXPECT_EQ(world.store.counters().snapshots_encoded, 1U);
  const std::uint64_t encoded = world.store.counters().moves_encoded;
  world.go(wolf, {505, 501, 0});
  world.tick();
  EXPECT_EQ(world.store.counters().moves, 10U);
  EXPECT_EQ(world.store.counters().moves_encoded, encoded + 1);
}

TEST_F(SightViews, AnObserverThatComesSeldomGetsTheNewestOnce) {
  SightWorld::Observer& alice = observer();
  Thing& wolf = near();
  for (int i = 0; i < 3; ++i) world.tick();
  alice.credit = false;
  for (int i = 0; i < 50; ++i) {
    wolf.state.hp = i;
    wolf.state.gold = i;
    world.go(wolf, {505, 500 + static_cast<float>(i) / 10, 0});
    world.tick();
  }
  alice.credit = true;
  world.tick();
  EXPECT_EQ(alice.client.news_told, 1U);
  EXPECT_LE(alice.client.news_bytes, 20U);
  EXPECT_EQ(alice.client.moves_told, 1U);
  world.expect_equal(alice);
}

TEST_F(SightViews, ABudgetIsKeptAndTheRestFollows) {
  SightWorld::Observer& alice = observer({.budget = 1'000});
  for (int i = 0; i < 40; ++i) near(1 + static_cast<float>(i) / 4, 100);
  world.tick();
  world.tick();
  EXPECT_GT(alice.client.seen.size(), 2U);
  EXPECT_LT(alice.client.seen.size(), 10U);
  for (const auto& [index, seen] : alice.client.seen) {
    EXPECT_LT(seen.place->x, 504) << "the nearest come first";
  }
  for (int i = 0; i < 12; ++i) world.tick();
  EXPECT_LE(world.largest, 1'000U);
  world.expect_equal(alice);
}

TEST_F(SightViews, MoversAreToldWhileMuchElseIsNew) {
  SightWorld::Observer& alice = observer({.budget = 400});
  for (int i = 0; i < 10; ++i) near(1 + static_cast<float>(i));
  for (int i = 0; i < 12; ++i) world.tick();
  ASSERT_EQ(alice.client.seen.size(), 10U);
  for (int i = 0; i < 30; ++i) {
    for (std::size_t each = 1; each <= 10; ++each) {
      Thing& thing = *world.things[each];
      thing.state.nick = std::string(80, static_cast<char>('a' + i % 26));
      world.go(thing, {500 + static_cast<float>(each), 500 + static_cast<float>(i % 3), 0});
    }
    world.tick();
  }
  for (const auto& [id, moves] : alice.client.moves_of) EXPECT_GE(moves, 5) << id;
  EXPECT_EQ(alice.client.moves_of.size(), 10U);
}

TEST_F(SightViews, AnEntityThatIsTooLargeIsNotShown) {
  SightWorld::Observer& alice = observer();
  Thing& wolf = near();
  near(6);
  for (int i = 0; i < 3; ++i) world.tick();
  EXPECT_EQ(alice.client.seen.size(), 2U);
  wolf.state.fill(3);
  for (int i = 0; i < 5; ++i) world.tick();
  EXPECT_EQ(alice.client.seen.size(), 1U);
  EXPECT_EQ(alice.client.leaves, 1U);
  EXPECT_EQ(world.store.counters().too_large, 1U);
  wolf.state.fill(1);
  for (int i = 0; i < 2; ++i) world.tick();
  world.expect_equal(alice);
}

TEST_F(SightViews, ALargeEntityThatChangesIsCountedOnce) {
  SightWorld::Observer& alice = observer();
  Thing& wolf = near();
  for (int i = 0; i < 3; ++i) world.tick();
  wolf.state.fill(3);
  for (int i = 0; i < 10; ++i) {
    wolf.state.hp = i;
    world.tick();
  }
  EXPECT_EQ(alice.client.leaves, 1U);
  EXPECT_EQ(world.store.counters().too_large, 1U);
  wolf.state.fill(0);
  for (int i = 0; i < 2; ++i) world.tick();
  world.expect_equal(alice);
  wolf.state.fill(3);
  for (int i = 0; i < 2; ++i) world.tick();
  EXPECT_EQ(world.store.counters().too_large, 2U) << "it has become so again";
}

TEST_F(SightViews, OneLargeEntityGoesAlone) {
  SightWorld::Observer& alice = observer({.budget = 500});
  near(5, 50'000);
  near(6, 50'000);
  for (int i = 0; i < 4; ++i) world.tick();
  EXPECT_LT(world.largest, 60'000U);
  world.expect_equal(alice);
}

TEST_F(SightViews, SeesABoundedNumber) {
  SightView view = *SightView::create();
  const auto subject = std::make_shared<Subject>(1, "thing", nullptr);
  for (std::uint32_t i = 1; i <= kMostSeen; ++i) EXPECT_TRUE(view.enters({i}, subject));
  EXPECT_FALSE(view.has_room());
  EXPECT_FALSE(view.enters({kMostSeen + 1}, subject));
  EXPECT_FALSE(view.knows({kMostSeen + 1}));
  EXPECT_TRUE(view.enters({7}, subject)) << "it is known";
  view.leaves({7});
  EXPECT_TRUE(view.enters({kMostSeen + 1}, subject));
}

TEST_F(SightViews, FlappingWithoutCreditTakesNoMemory) {
  SightView view = *SightView::create();
  const auto subject = std::make_shared<Subject>(1, "thing", nullptr);
  for (std::uint32_t i = 1; i <= 100'000; ++i) {
    view.enters({i}, subject);
    view.leaves({i});
  }
  EXPECT_EQ(view.size(), 0U);
  view.enters({1}, subject);
  EXPECT_EQ(view.size(), 1U);
}

TEST_F(SightViews, RefusesOptionsThatContradictThemselves) {
  EXPECT_FALSE(SightView::create({.budget = kLeastBudget - 1}));
  EXPECT_FALSE(SightView::create({.budget = kMostBudget + 1}));
  EXPECT_FALSE(SightView::create({.fine = -1}));
  EXPECT_FALSE(SightView::create({.schedule = {.base = 0}}));
}

TEST(Subjects, FurtherDeltasAreEncodedAgain) {
  ThingState state;
  Subject subject(1, "thing", &state);
  TickStore store{MoveGrid{}};
  std::vector<entity::Version> versions;
  for (int i = 0; i < 7; ++i) {
    state.hp = i;
    store.begin(1, 0);
    subject.refresh(store);
    versions.push_back(subject.version());
  }
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < 6; ++i) EXPECT_TRUE(subject.changes(store, versions[i]));
  }
  const std::uint64_t beyond = 6 - kKeptDeltas;
  EXPECT_EQ(store.counters().deltas_encoded, 6 + beyond);
}

TEST(Subjects, TheBytesOfATickAreBounded) {
  TickStore store{MoveGrid{}};
  store.begin(1, 0);
  std::vector<std::unique_ptr<ThingState>> states;
  std::vector<std::unique_ptr<Subject>> subjects;
  const std::size_t enough = kTickBytes / (2 * ThingState::kPage) + 10;
  std::size_t made = 0;
  for (std::size_t i = 0; i < enough; ++i) {
    states.push_back(std::make_unique<ThingState>());
    states.back()->fill(2);
    subjects.push_back(std::make_unique<Subject>(i + 1, "thing", states.back().get()));
    if (subjects.back()->snapshot(store)) ++made;
  }
  EXPECT_LT(made, enough);
  EXPECT_LE(store.bytes().size(), kTickBytes + kSightState);
  EXPECT_TRUE(subjects.back()->shown()) << "it is told in the next tick";
  store.begin(2, 100);
  EXPECT_TRUE(subjects.back()->snapshot(store));
}

TEST(Subjects, ALongClassNameIsNotShown) {
  static const std::string name(kSightClass + 1, 'x');
  Subject subject(1, name, nullptr);
  TickStore store{MoveGrid{}};
  for (std::uint64_t i = 1; i <= 3; ++i) {
    store.begin(i, 0);
    subject.refresh(store);
    EXPECT_FALSE(subject.snapshot(store));
  }
  EXPECT_EQ(store.counters().too_large, 1U);
}

}  // namespace
}  // namespace starbus::nodes::sight
