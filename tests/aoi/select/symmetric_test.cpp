/// Mutual lists: their parts, and worlds that use them.
#include <gtest/gtest.h>

#include <algorithm>

#include "aoi/select/symmetric.hpp"
#include "aoi/world.hpp"

namespace starbus::aoi {
namespace {

TEST(Symmetric, ApproximateDistanceIsWithinTwelvePercent) {
  EXPECT_EQ(approximate_distance(3, 4), 5.5F);
  EXPECT_EQ(approximate_distance(10, 0), 10);
  EXPECT_EQ(approximate_distance(-10, 5), 12.5F);
}

TEST(Symmetric, MarksFindTheDifference) {
  std::vector<std::uint8_t> marks(8);
  std::vector<EntityIndex> enters;
  std::vector<EntityIndex> leaves;
  difference_by_marks(std::vector<EntityIndex>{1, 2, 3, 4}, std::vector<EntityIndex>{3, 4, 5},
                      marks, enters, leaves);
  EXPECT_EQ(enters, std::vector<EntityIndex>{5});
  EXPECT_EQ(leaves, (std::vector<EntityIndex>{1, 2}));
  EXPECT_EQ(marks, std::vector<std::uint8_t>(8));
}

TEST(Symmetric, FourOrdersBeginWithTheInnerNine) {
  for (std::size_t quarter = 0; quarter < 4; ++quarter) {
    const auto& order = cell_order(quarter);
    EXPECT_EQ(order[0].x, 0);
    EXPECT_EQ(order[0].y, 0);
    EXPECT_EQ(order[1].x + order[1].y != 0, true);
    for (std::size_t i = 0; i < kBlockCells; ++i) {
      const bool inner = std::abs(order[i].x) <= 1 && std::abs(order[i].y) <= 1;
      EXPECT_EQ(inner, i < kInnerCells);
    }
  }
}

// A member that stands in a corner of its cell looks into that corner first.
TEST(Symmetric, FourOrdersDifferByTheCornerTheyAreFor) {
  for (std::size_t quarter = 0; quarter < 4; ++quarter) {
    const int x = quarter % 2 == 0 ? -1 : 1;
    const int y = quarter / 2 == 0 ? -1 : 1;
    const auto& order = cell_order(quarter);
    for (std::size_t i = 1; i < 3; ++i) {
      EXPECT_EQ(order[i].x * x + order[i].y * y, 1) << "the two sides of the corner";
      EXPECT_EQ(order[i].x * order[i].y, 0);
    }
    EXPECT_EQ(order[3].x, x);
    EXPECT_EQ(order[3].y, y);
    EXPECT_EQ(order[8].x, -x);
    EXPECT_EQ(order[8].y, -y) << "the opposite corner is the last of the inner nine";
  }
}

class SymmetricWorld : public ::testing::Test {
 protected:
  EntityId add(float x, float y) {
    EntityOptions of;
    of.position = {x, y, 0};
    all_.push_back(*world_.add(of));
    SensorOptions sensor;
    sensor.limit.policy = LimitPolicy::symmetric;
    sensors_.push_back(*world_.add_sensor(all_.back(), sensor));
    return all_.back();
  }
  void update() {
    (void)world_.update();
    for (std::size_t i = 0; i < all_.size(); ++i) {
      EXPECT_LE(world_.sees(sensors_[i]).size(), 60u);
      for (const EntityId other : world_.sees(sensors_[i])) {
        EXPECT_TRUE(world_.sees(sensor_of(other), all_[i])) << "not mutual";
      }
    }
  }
  SensorId sensor_of(EntityId entity) { return world_.sensors_of(entity).front(); }
  bool mutual(EntityId a, EntityId b) { return world_.sees(sensor_of(a), b); }

  World world_ = *World::create({});
  std::vector<EntityId> all_;
  std::vector<SensorId> sensors_;
};

TEST_F(SymmetricWorld, SixtyOneSeeEachOther) {
  for (int i = 0; i < 61; ++i) add(100 + static_cast<float>(i % 8) / 4, 100);
  update();
  for (const SensorId sensor : sensors_) EXPECT_EQ(world_.sees(sensor).size(), 60u);
}

TEST_F(SymmetricWorld, StandingCrowdKeepsItsLists) {
  for (int i = 0; i < 80; ++i) add(100 + static_cast<float>(i % 8) / 4, 100);
  for (int tick = 0; tick < 30; ++tick) update();
  for (int tick = 0; tick < 60; ++tick) {
    update();
    EXPECT_TRUE(world_.events().empty());
  }
}

TEST_F(SymmetricWorld, SpecialRelationIsSeenPastAHundredStrangers) {
  const EntityId a = add(112, 112);
  const EntityId spouse = add(160, 112);
  ASSERT_TRUE(world_.set_special(a, spouse, true));
  for (int i = 0; i < 100; ++i) add(115, 112 + static_cast<float>(i % 10) / 10);
  update();
  EXPECT_TRUE(mutual(a, spouse));
}

TEST_F(SymmetricWorld, FarMembersGiveWayToNearOnes) {
  const EntityId b = add(112, 112);
  for (int i = 0; i < 59; ++i) add(104, 113);
  const EntityId far = add(150, 112);
  update();
  EXPECT_TRUE(mutual(b, far));
  const EntityId a = add(122, 112);
  update();
  EXPECT_TRUE(mutual(a, b));
  EXPECT_FALSE(mutual(b, far));
  EXPECT_GE(world_.sees(sensor_of(far)).size(), 30u) << "nor is the far one blind now";
}

// Whoever is full of others that are nearer has a place for a stranger that sees nobody: of one of
// those that see many.
TEST_F(SymmetricWorld, StrangerBesideFullListsIsNotBlind) {
  for (int i = 0; i < 61; ++i) add(112 + static_cast<float>(i % 4), 113);
  update();
  const EntityId late = add(112, 121);
  update();
  EXPECT_GE(world_.sees(sensor_of(late)).size(), 30u);
  for (const SensorId sensor : sensors_) EXPECT_GE(world_.sees(sensor).size(), 30u);
}

TEST_F(SymmetricWorld, TwoHundredOnOneSpotSeeHalfAListAtLeast) {
  for (const bool at_once : {true, false}) {
    world_ = *World::create({});
    all_.clear();
    sensors_.clear();
    for (int i = 0; i < 200; ++i) {
      add(100, 100);
      if (!at_once && i % 10 == 9) {
        (void)world_.update();
        for (const SensorId sensor : sensors_) {
          ASSERT_GE(world_.sees(sensor).size(),
                    std::min<std::size_t>(static_cast<std::size_t>(i), 30))
              << i;
        }
      }
    }
    update();
    for (const SensorId sensor : sensors_) ASSERT_GE(world_.sees(sensor).size(), 30u);
    for (int tick = 0; tick < 30; ++tick) (void)world_.update();
    (void)world_.update();
    EXPECT_TRUE(world_.events().empty()) << "a crowd that stands still comes to rest";
  }
}

// Those that leave take no one's sight with them.
TEST_F(SymmetricWorld, CrowdThatLosesMembersSeesHalfAListAtLeast) {
  for (int i = 0; i < 200; ++i) add(100 + static_cast<float>(i % 10) / 4, 100);
  update();
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 25; ++i) {
      ASSERT_TRUE(world_.remove(all_.front()));
      all_.erase(all_.begin());
      sensors_.erase(sensors_.begin());
    }
    update();
    for (const SensorId sensor : sensors_) ASSERT_GE(world_.sees(sensor).size(), 30u);
  }
}

// In a crowd in which all could be seen by all, each sees those beside it.
TEST_F(SymmetricWorld, NearestComeFirstInACrowd) {
  std::vector<Position> at;
  std::uint32_t chance = 1;
  const auto next = [&] {
    chance = chance * 1'664'525 + 1'013'904'223;
    return static_cast<float>(chance >> 8) / static_cast<float>(1u << 24) * 10;
  };
  for (int i = 0; i < 300; ++i) {
    const float x = 100 + next();
    at.push_back({x, 100 + next(), 0});
    add(at.back().x, at.back().y);
  }
  for (int tick = 0; tick < 60; ++tick) (void)world_.update();
  std::size_t seen = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    EXPECT_GE(world_.sees(sensors_[i]).size(), 30u);
    std::size_t nearest = i == 0 ? 1 : 0;
    const auto away = [&](std::size_t other) {
      return approximate_distance(at[other].x - at[i].x, at[other].y - at[i].y);
    };
    for (std::size_t other = 0; other < at.size(); ++other) {
      if (other != i && away(other) < away(nearest)) nearest = other;
    }
    seen += world_.sees(sensors_[i], all_[nearest]) ? 1 : 0;
  }
  EXPECT_GE(seen, at.size() * 9 / 10);
}

TEST(Symmetric, BandsAreFilledInTheirOrder) {
  WorldOptions of;
  of.symmetric.capacity = 3;
  World world = *World::create(of);
  SensorOptions mutual;
  mutual.limit.policy = LimitPolicy::symmetric;
  std::vector<EntityId> all;
  EntityOptions entity;
  for (const float x : {100.0F, 140.0F, 120.0F, 110.0F, 104.0F}) {
    entity.position = {x, 100, 0};
    all.push_back(*world.add(entity));
  }
  (void)*world.add_sensor(all[0], mutual);
  for (std::size_t i = 1; i < all.size(); ++i) (void)*world.add_sensor(all[i], mutual);
  for (int tick = 0; tick < 60; ++tick) (void)world.update();
  const SensorId first = world.sensors_of(all[0]).front();
  EXPECT_FALSE(world.sees(first, all[1])) << "the farthest";
  EXPECT_EQ(world.sees(first).size(), 3u);
}

TEST_F(SymmetricWorld, HiddenEntityIsInNoList) {
  EntityOptions hidden;
  hidden.observable = false;
  SensorOptions sensor;
  sensor.limit.policy = LimitPolicy::symmetric;
  const EntityId spy = *world_.add(hidden);
  EXPECT_EQ(world_.add_sensor(spy, sensor).error(), Errc::bad_option);
}

// Tests of the lists count, and half of the budget is for other sensors.
TEST(Symmetric, ListsStayWithinTheBudgetAndItsReport) {
  WorldOptions of;
  of.budget.pair_tests = 400;
  of.budget.max_staleness = 4;
  World world = *World::create(of);
  SensorOptions mutual;
  mutual.limit.policy = LimitPolicy::symmetric;
  EntityOptions at;
  for (int i = 0; i < 60; ++i) {
    at.position = {100 + static_cast<float>(i % 8), 100, 0};
    const EntityId one = *world.add(at);
    (void)*world.add_sensor(one, mutual);
    (void)*world.add_sensor(one, {});
  }
  std::uint32_t put_off = 0;
  for (int tick = 0; tick < 4; ++tick) {
    const auto report = *world.update();
    // The last search, and the last evaluation, may exceed the budget by its own cost.
    EXPECT_LE(report.pair_tests, 400u + 2 * 60u);
    EXPECT_GT(report.looked, 2u);
    EXPECT_LE(report.staleness, 4u);
    EXPECT_EQ(report.overdue, 0u);
    put_off += report.put_off;
  }
  EXPECT_GT(put_off, 0u);
  std::uint32_t overdue = 0;
  for (int tick = 0; tick < 15; ++tick) {
    const auto report = *world.update();
    EXPECT_LE(report.staleness, 4u) << "who has waited so long looks, budget or not";
    if (tick < 3) overdue += report.overdue;
  }
  EXPECT_GT(overdue, 0u);
  for (const EntityId one : world.entities()) {
    for (const SensorId sensor : world.sensors_of(one)) EXPECT_EQ(world.sees(sensor).size(), 59u);
  }
}

// No member moves, so none wants a search: those that have lost a member are refreshed.
TEST(Symmetric, StandingMemberFillsFreePlaces) {
  WorldOptions of;
  of.symmetric.capacity = 2;
  of.symmetric.refresh = 4;
  World world = *World::create(of);
  SensorOptions mutual;
  mutual.limit.policy = LimitPolicy::symmetric;
  EntityOptions at;
  std::vector<SensorId> sensors;
  std::vector<EntityId> all;
  for (int i = 0; i < 6; ++i) {
    at.position = {100 + static_cast<float>(i) / 4, 100, 0};
    all.push_back(*world.add(at));
    sensors.push_back(*world.add_sensor(all.back(), mutual));
  }
  for (int tick = 0; tick < 8; ++tick) (void)world.update();
  // Removes one member of each of the two rings of three that see each other.
  const EntityId gone = all[0];
  const auto ring = world.sees(sensors[0]);
  ASSERT_EQ(ring.size(), 2u);
  std::size_t other = 1;
  while (world.sees(sensors[0], all[other])) ++other;
  ASSERT_TRUE(world.remove(all[other]));
  ASSERT_TRUE(world.remove(gone));
  for (int tick = 0; tick < 8; ++tick) (void)world.update();
  std::size_t full = 0;
  for (const EntityId one : world.entities()) {
    full += world.sees(world.sensors_of(one).front()).size() == 2 ? 1 : 0;
  }
  EXPECT_GE(full, 2u) << "of four with a free place each, all of whom are near";
}

TEST_F(SymmetricWorld, MoveWithinASearchCellChangesNothing) {
  const EntityId a = add(101, 101);
  add(110, 101);
  update();
  for (int i = 0; i < 3; ++i) update();
  ASSERT_TRUE(world_.move(a, {101.5F, 101.2F, 0}));
  WorldOptions of = world_.options();
  EXPECT_GT(of.symmetric.search_cell, 1);
  update();
  EXPECT_TRUE(world_.events().empty());
}

}  // namespace
}  // namespace starbus::aoi
