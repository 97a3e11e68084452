/// Flocks: groups that follow a flow field.
#include "nav/crowd/flock.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

namespace starbus::nav::crowd::test {
namespace {

struct March {
  explicit March(grid::Terrain terrain, const FlockOptions& options = {})
      : ground(*grid::GridGround::create(std::move(terrain), {})),
        agent(*ground->add_agent({})),
        flock(*Flock::create(*ground, agent, options)) {}

  GroupId group(grid::Cell goal) {
    EXPECT_TRUE(field.build(*ground->layer(agent), goal));
    return *flock->add_group(field, ground->place(goal));
  }
  UnitId add(GroupId of, float x, float y) {
    units.push_back(*flock->add(of, *ground->nearest({x, y, 0}, {}, agent)));
    return units.back();
  }
  void step() {
    ASSERT_TRUE(flock->step(0.1F));
    for (const UnitId id : units) {
      const UnitState state = *flock->unit(id);
      ASSERT_TRUE(ground->reachable(state.place, state.place, agent)) << "within an obstacle";
      // The point lies in the cell that it says.
      const auto cell = *ground->cell(state.place);
      ASSERT_GE(state.place.point.x, static_cast<float>(cell.x) - 1e-3F);
      ASSERT_LE(state.place.point.x, static_cast<float>(cell.x + 1) + 1e-3F);
      ASSERT_GE(state.place.point.y, static_cast<float>(cell.y) - 1e-3F);
      ASSERT_LE(state.place.point.y, static_cast<float>(cell.y + 1) + 1e-3F);
    }
  }

  std::unique_ptr<grid::GridGround> ground;
  AgentId agent;
  std::unique_ptr<Flock> flock;
  grid::FlowField field;
  std::vector<UnitId> units;
};

// A wall across the map with a gap of two cells.
grid::Terrain gap() {
  grid::Terrain terrain = grid::plain(80, 60);
  for (std::uint32_t y = 0; y < 60; ++y) {
    if (y != 30 && y != 31) terrain.areas[y * 80 + 40] = kWall;
  }
  return terrain;
}

TEST(Flocks, TwoHundredGoThroughAGap) {
  March march(gap());
  const GroupId group = march.group({70, 30});
  for (int i = 0; i < 200; ++i) {
    march.add(group, 10 + static_cast<float>(i % 20), 20 + static_cast<float>(i / 20));
  }
  for (int i = 0; i < 900 && march.flock->group(group)->arrived < 200; ++i) march.step();
  const GroupState state = *march.flock->group(group);
  EXPECT_EQ(state.arrived, 200u);
  EXPECT_EQ(state.strays, 0u);
  for (const UnitId id : march.units) EXPECT_GT(march.flock->unit(id)->place.point.x, 41);
}

TEST(Flocks, UnitsKeepApartAndStayWhereTheyHaveArrived) {
  March march(grid::plain(60, 60));
  const GroupId group = march.group({40, 30});
  for (int i = 0; i < 50; ++i) {
    march.add(group, 10 + static_cast<float>(i % 10) * 0.5F,
              28 + static_cast<float>(i / 10) * 0.5F);
  }
  for (int i = 0; i < 400; ++i) march.step();
  EXPECT_EQ(march.flock->group(group)->arrived, 50u);
  float nearest = 100;
  for (std::size_t i = 0; i < march.units.size(); ++i) {
    const UnitState one = *march.flock->unit(march.units[i]);
    EXPECT_LT(std::abs(one.velocity.x) + std::abs(one.velocity.y), 0.2F) << "at rest";
    EXPECT_LE(length(flat(one.place.point) - Vec{40.5F, 30.5F}),
              march.flock->group(group)->radius * 1.5F);
    for (std::size_t j = 0; j < i; ++j) {
      const UnitState other = *march.flock->unit(march.units[j]);
      nearest = std::min(nearest, length(flat(one.place.point) - flat(other.place.point)));
    }
  }
  EXPECT_GE(nearest, 0.8F) << "as far as two radii";
}

TEST(Flocks, GroupsWithOneFieldGoTheirOwnWay) {
  March march(gap());
  const GroupId one = march.group({70, 30});
  const GroupId two = *march.flock->add_group(march.field, march.ground->place({70, 30}));
  march.add(one, 10.5F, 30.5F);
  const UnitId other = march.add(two, 10.5F, 20.5F);
  grid::FlowField back;
  ASSERT_TRUE(back.build(*march.ground->layer(march.agent), {5, 5}));
  for (int i = 0; i < 50; ++i) march.step();
  ASSERT_TRUE(march.flock->send(two, back, march.ground->place({5, 5})));
  for (int i = 0; i < 300; ++i) march.step();
  EXPECT_EQ(march.flock->group(one)->arrived, 1u);
  EXPECT_EQ(march.flock->group(two)->arrived, 1u);
  EXPECT_LT(march.flock->unit(other)->place.point.x, 10);
  ASSERT_TRUE(march.flock->remove(other));
  EXPECT_EQ(march.flock->group(two)->units, 0u);
  EXPECT_EQ(march.flock->group(two)->arrived, 0u);
  EXPECT_EQ(march.flock->unit(other).error(), Errc::unknown_walker);
}

TEST(Flocks, AClosedGapHoldsThemUntilTheFieldIsBuiltAgain) {
  March march(gap());
  const GroupId group = march.group({70, 30});
  march.add(group, 38.5F, 30.5F);
  const auto door = *march.ground->add_obstacle({.box = {{40, 30, 0}, {41, 32, 0}}});
  for (int i = 0; i < 30; ++i) march.step();
  EXPECT_TRUE(march.flock->group(group)->old_field);
  EXPECT_LT(march.flock->unit(march.units[0])->place.point.x, 40);
  ASSERT_TRUE(march.ground->remove_obstacle(door));
  ASSERT_TRUE(march.field.build(*march.ground->layer(march.agent), {70, 30}));
  EXPECT_FALSE(march.flock->group(group)->old_field);
  for (int i = 0; i < 200; ++i) march.step();
  EXPECT_EQ(march.flock->group(group)->arrived, 1u);
}

TEST(Flocks, GiveTheSameBitsAgain) {
  const auto run = [] {
    March march(gap());
    const GroupId group = march.group({70, 30});
    for (int i = 0; i < 300; ++i) {
      march.add(group, 5 + static_cast<float>(i % 30), 20 + static_cast<float>(i / 30));
    }
    for (int i = 0; i < 60; ++i) march.step();
    std::vector<std::uint32_t> bits;
    for (const UnitId id : march.units) {
      const UnitState state = *march.flock->unit(id);
      for (const float value : {state.place.point.x, state.place.point.y, state.velocity.x}) {
        bits.push_back(std::bit_cast<std::uint32_t>(value));
      }
    }
    return bits;
  };
  EXPECT_EQ(run(), run());
}

}  // namespace
}  // namespace starbus::nav::crowd::test
