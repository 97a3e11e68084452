/// What happens between two updates: entities move far and leave their old places to others, cells
/// grow and shrink around them, ids are used again. Until the next update the sets are those that
/// events have reported.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/aoi/worlds.hpp"

namespace starbus::aoi::test {
namespace {

class BetweenUpdates : public testing::TestWithParam<Backend> {
 protected:
  BetweenUpdates() : world_(make(GetParam())) {
    observer_ = add(world_, 500, 500);
    sight_ = see(world_, observer_, 30);
  }

  EntityId come(float x, float y) { return add(world_, x, y); }
  void go_far(EntityId one) {
    ASSERT_TRUE(world_.move(one, {50, 50, 0}));
    // A query finishes the moves that wait.
    ASSERT_EQ(world_.find({Circle{{50, 50, 0}, 1}})->size(), 1u);
  }
  std::vector<Event> update() {
    std::vector<Event> reported;
    EXPECT_TRUE(world_.update([&](const Event& event) { reported.push_back(event); }));
    return reported;
  }
  Event leave(EntityId target, Reason reason = Reason::geometry) const {
    return {sight_, observer_, target, Kind::leave, reason, 0};
  }
  Event enter(EntityId target) const {
    return {sight_, observer_, target, Kind::enter, Reason::geometry, 0};
  }
  void expect_seen(EntityId target) {
    EXPECT_TRUE(world_.sees(sight_, target));
    EXPECT_EQ(world_.observers(target), std::vector<SensorId>{sight_});
  }
  void expect_unseen(EntityId target) {
    EXPECT_FALSE(world_.sees(sight_, target));
    EXPECT_TRUE(world_.observers(target).empty());
  }

  World world_;
  EntityId observer_;
  SensorId sight_;
};

TEST_P(BetweenUpdates, ArrivalInTheOldPlaceIsNotSeenInstead) {
  const EntityId old = come(505, 505);
  EXPECT_EQ(update(), std::vector<Event>{enter(old)});
  go_far(old);
  const EntityId fresh = come(505, 505);
  expect_seen(old);
  expect_unseen(fresh);
  EXPECT_EQ(world_.sees(sight_), std::vector<EntityId>{old});
  EXPECT_EQ(update(), (std::vector<Event>{leave(old), enter(fresh)}));
  expect_unseen(old);
  expect_seen(fresh);
}

TEST_P(BetweenUpdates, FarMoverIsSeenOnlyByItsOldObservers) {
  const EntityId old = come(505, 505);
  const SensorId near = see(world_, come(510, 530), 20);
  const SensorId there = see(world_, come(55, 50), 30);
  (void)update();
  go_far(old);
  expect_seen(old);
  EXPECT_FALSE(world_.sees(near, old));
  EXPECT_FALSE(world_.sees(there, old)) << "not reported yet";
  (void)update();
  EXPECT_FALSE(world_.sees(near, old));
  EXPECT_FALSE(world_.sees(sight_, old));
  EXPECT_EQ(world_.observers(old), std::vector<SensorId>{there});
}

TEST_P(BetweenUpdates, RemovalInAHandlerShowsAfterTheHandlers) {
  const EntityId near = come(505, 505);
  const EntityId far = come(50, 50);
  int handled = 0;
  EXPECT_TRUE(world_.update([&](const Event& event) {
    ++handled;
    EXPECT_EQ(event, enter(near));
    EXPECT_TRUE(world_.remove(near));
    EXPECT_TRUE(world_.remove(far));
    expect_seen(near);
    expect_unseen(far);
  }));
  EXPECT_EQ(handled, 1);
  expect_unseen(near);
  EXPECT_EQ(update(), std::vector<Event>{leave(near, Reason::removed)});
}

TEST_P(BetweenUpdates, FarMoverIsKnownAfterACrowdArrives) {
  const EntityId old = come(505, 505);
  (void)update();
  go_far(old);
  std::vector<Event> expected{leave(old)};
  for (int i = 0; i < 100; ++i) expected.push_back(enter(come(505, 505)));
  expect_seen(old);
  EXPECT_EQ(world_.sees(sight_), std::vector<EntityId>{old});
  EXPECT_EQ(update(), expected);
  EXPECT_TRUE(update().empty());
  expect_unseen(old);
}

TEST_P(BetweenUpdates, FarMoverIsKnownAfterItsCrowdLeaves) {
  std::vector<EntityId> crowd;
  for (int i = 0; i < 100; ++i) crowd.push_back(come(505, 505));
  EXPECT_EQ(update().size(), 100u);
  go_far(crowd.back());
  std::vector<Event> expected;
  for (std::size_t i = 0; i < 98; ++i) {
    ASSERT_TRUE(world_.remove(crowd[i]));
    expected.push_back(leave(crowd[i], Reason::removed));
  }
  expected.push_back(leave(crowd.back()));
  expect_seen(crowd.back());
  EXPECT_EQ(world_.sees(sight_), (std::vector<EntityId>{crowd[98], crowd[99]}));
  EXPECT_EQ(update(), expected);
  expect_unseen(crowd.back());
  expect_seen(crowd[98]);
  // The places of all are free again.
  expected.clear();
  for (int i = 0; i < 200; ++i) expected.push_back(enter(come(505, 505)));
  EXPECT_EQ(update(), expected);
}

TEST_P(BetweenUpdates, FarMoverIsKnownAfterTheWorldGrows) {
  const EntityId old = come(505, 505);
  (void)update();
  go_far(old);
  for (int i = 0; i < 1'000; ++i) (void)come(950, 950);
  expect_seen(old);
  ASSERT_TRUE(world_.move(old, {505, 506, 0}));
  EXPECT_TRUE(update().empty()) << "it is back";
  expect_seen(old);
}

TEST_P(BetweenUpdates, FarMoverThatIsRemovedLeavesOnce) {
  for (const float to : {50.F, 430.F, 460.F, 570.F, 950.F}) {
    const EntityId one = come(505, 505);
    EXPECT_EQ(update(), std::vector<Event>{enter(one)});
    ASSERT_TRUE(world_.move(one, {to, to, 0}));
    ASSERT_TRUE(world_.find({Circle{{to, to, 0}, 1}}));
    expect_seen(one);
    ASSERT_TRUE(world_.remove(one));
    expect_unseen(one);
    EXPECT_TRUE(world_.sees(sight_).empty());
    EXPECT_EQ(update(), std::vector<Event>{leave(one, Reason::removed)});
    EXPECT_TRUE(update().empty());
  }
}

TEST_P(BetweenUpdates, RemovedSensorLosesFarMoversToo) {
  for (const float to : {50.F, 430.F, 460.F, 570.F, 950.F}) {
    const EntityId one = come(505, 505);
    EXPECT_EQ(update(), std::vector<Event>{enter(one)});
    ASSERT_TRUE(world_.move(one, {to, to, 0}));
    ASSERT_TRUE(world_.find({Circle{{to, to, 0}, 1}}));
    ASSERT_TRUE(world_.remove_sensor(sight_));
    EXPECT_TRUE(world_.observers(one).empty());
    EXPECT_EQ(update(), std::vector<Event>{leave(one, Reason::removed)});
    ASSERT_TRUE(world_.remove(one));
    sight_ = see(world_, observer_, 30);
    EXPECT_TRUE(update().empty());
  }
}

// In range before and after: nothing has happened, however far the step was.
TEST_P(BetweenUpdates, JumpPastTheObserverIsNoLeave) {
  std::vector<EntityId> all;
  for (int i = 0; i < 40; ++i) all.push_back(come(400 + 5 * static_cast<float>(i), 500));
  std::vector<SensorId> sensors;
  for (const EntityId one : all) sensors.push_back(see(world_, one, 30));
  (void)update();
  for (const float step : {59.F, -59.F, 57.F, -57.F}) {
    for (std::size_t i = 0; i < all.size(); i += 2) {
      const Position at = *world_.position(all[i]);
      ASSERT_TRUE(world_.move(all[i], {at.x + step, at.y, 0}));
    }
    std::vector<std::vector<EntityId>> saw;
    for (const SensorId sensor : sensors) saw.push_back(world_.sees(sensor));
    for (const Event& event : update()) {
      const auto at = std::find(sensors.begin(), sensors.end(), event.sensor) - sensors.begin();
      if (event.sensor == sight_) continue;
      const auto& before = saw[static_cast<std::size_t>(at)];
      const bool was = std::find(before.begin(), before.end(), event.target) != before.end();
      EXPECT_EQ(was, event.kind == Kind::leave);
      EXPECT_EQ(was, !world_.sees(event.sensor, event.target)) << "both at once is neither";
    }
  }
}

TEST_P(BetweenUpdates, OldIdAnswersNothingAfterIndexReuse) {
  const EntityId old = come(505, 505);
  (void)update();
  ASSERT_TRUE(world_.remove(old));
  EntityId fresh;
  for (int i = 0; i < 10 && fresh.index() != old.index(); ++i) {
    (void)update();
    fresh = come(505, 505);
  }
  ASSERT_EQ(fresh.index(), old.index());
  (void)update();
  expect_seen(fresh);
  expect_unseen(old);
  EXPECT_FALSE(world_.position(old));
  EXPECT_FALSE(world_.position(old));
  EXPECT_FALSE(world_.entity(old));
  EXPECT_TRUE(world_.sensors_of(old).empty());
  EXPECT_EQ(world_.move(old, {1, 1, 0}).error(), Errc::unknown_entity);
  EXPECT_EQ(world_.remove(old).error(), Errc::unknown_entity);
  EXPECT_EQ(world_.force(sight_, old).error(), Errc::unknown_entity);
}

INSTANTIATE_TEST_SUITE_P(Backends, BetweenUpdates, testing::ValuesIn(kBackends));

}  // namespace
}  // namespace starbus::aoi::test
