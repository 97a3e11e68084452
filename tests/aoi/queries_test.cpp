/// Region queries and the nearest, on all backends, beside a walk over all entities; also between
/// updates: they answer of now.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/aoi/script.hpp"

namespace starbus::aoi::test {
namespace {

Position point(std::uint32_t number, float size) {
  const float x = static_cast<float>(number % 131) / 100 - 0.15F;
  const float y = static_cast<float>(number / 131 % 137) / 100 - 0.15F;
  return {x * size, y * size, 0};
}

Region region(std::uint32_t number, float size) {
  const Position at = point(number, size);
  const Position other = point(number * 7 + 3, size);
  const auto length = static_cast<float>(number % 53);
  Region region{Circle{at, length}, {}};
  switch (number % 5) {
    case 1:
      region.shape = Rectangle{{std::min(at.x, other.x), std::min(at.y, other.y), 0},
                               {std::max(at.x, other.x), std::max(at.y, other.y), 0}};
      break;
    case 2:
      region.shape = Sector{at, length, static_cast<float>(number % 7),
                            static_cast<float>(number % 9) * std::numbers::pi_v<float> / 4};
      break;
    case 3: {
      const std::vector<Position> corners = {at, other, point(number * 11 + 5, size),
                                             point(number * 13 + 1, size)};
      region.shape = *make_polygon(corners);
      break;
    }
    case 4:
      region.shape = RayBand{at, other, length / 8};
      break;
    default:
      break;
  }
  if (number % 3 == 0) region.height = {0, 3};
  return region;
}

void check_find(const World& world, const Region& region, const Filter& filter) {
  std::vector<EntityId> expected;
  for (const EntityId id : world.entities()) {
    const EntityOptions of = *world.entity(id);
    if (of.observable && filter.passes(of.flags) && region.contains(of.position)) {
      expected.push_back(id);
    }
  }
  const auto found = world.find(region, filter);
  demand(found && *found == expected, "find differs from a walk over all");
}

void check_nearest(const World& world, const Position& at, std::size_t k, float radius,
                   const Filter& filter) {
  std::vector<std::pair<float, EntityId>> all;
  for (const EntityId id : world.entities()) {
    const EntityOptions of = *world.entity(id);
    if (!of.observable || !filter.passes(of.flags)) continue;
    const float dx = of.position.x - at.x;
    const float dy = of.position.y - at.y;
    const float squared = dx * dx + dy * dy;
    if (squared <= radius * radius) all.emplace_back(squared, id);
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second.index() < b.second.index();
  });
  all.resize(std::min(k, all.size()));
  const auto found = world.nearest(at, k, radius, filter);
  demand(found && found->size() == all.size(), "a different number of nearest");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Neighbour& one = (*found)[i];
    demand(one.entity == all[i].second && one.distance == std::sqrt(all[i].first),
           "the nearest differ from a walk over all");
  }
}

void check_queries(const World& world, std::uint32_t number, float size) {
  const Filter filter = number % 2 == 0 ? Filter{} : Filter{number % 8, 0, number / 8 % 4};
  check_find(world, region(number, size), filter);
  check_nearest(world, point(number * 3 + 1, size), number % 6, static_cast<float>(number % 97),
                filter);
}

class Queries : public ::testing::TestWithParam<Backend> {};
INSTANTIATE_TEST_SUITE_P(World, Queries,
                         ::testing::Values(Backend::grid, Backend::hashed_grid, Backend::cross_list,
                                           Backend::brute_force));

TEST_P(Queries, AgreeWithAScanOfAllEntities) {
  EXPECT_TRUE(rc::check("queries", [&] {
    const Taste taste;
    const auto script = *rc::gen::resize(300, scripts(taste));
    WorldOptions of;
    of.backend = GetParam();
    of.bounds = {{0, 0, 0}, {100, 100, 0}};
    of.reach = 20;
    of.quarantine = 2;
    Player player(of, taste);
    for (const Step& step : script) {
      player.play(step);
      check_queries(player.world(), step.b, taste.size);
    }
  }));
}

TEST_P(Queries, ReachBeyondTheMap) {
  WorldOptions of;
  of.backend = GetParam();
  of.bounds = {{0, 0, 0}, {100, 100, 0}};
  of.reach = 20;
  World world = *World::create(of);
  EntityOptions far;
  far.position = {1e30F, -1e30F, 0};
  const EntityId one = *world.add(far);
  const Region all{Rectangle{{-3e38F, -3e38F, 0}, {3e38F, 3e38F, 0}}, {}};
  EXPECT_EQ(*world.find(all), std::vector{one});
  const auto most = static_cast<float>(kMaxCoordinate);
  EXPECT_EQ(world.nearest({most, -most, 0}, 1, 10)->size(), 1u);
}

}  // namespace
}  // namespace starbus::aoi::test
