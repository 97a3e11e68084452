/// Places, rays, small moves and random points of navmeshes: none leaves the ground.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <span>
#include <thread>

#include "nav/mesh/kind.hpp"
#include "nav/mesh/stand.hpp"
#include "tests/nav/mesh/world.hpp"
#include "tests/nav/reference.hpp"

namespace starbus::nav::mesh::test {
namespace {

using grid::test::Chance;

// How far a point lies from a polygon, in the plane; of its corners alone.
double gap(const Tiles& tiles, Polygon of, const Point& point) {
  const int count = tiles.data(of).vertCount;
  double least = INFINITY;
  bool left = false;
  bool right = false;
  for (int i = 0; i < count; ++i) {
    const float* const a = tiles.corner(of, i);
    const float* const b = tiles.corner(of, (i + 1) % count);
    const double x = double{b[0]} - a[0];
    const double y = double{b[2]} - a[2];
    const double px = double{point.x} - a[0];
    const double py = double{point.y} - a[2];
    left = left || x * py - y * px > 0;
    right = right || x * py - y * px < 0;
    const double part = std::clamp((px * x + py * y) / (x * x + y * y), 0.0, 1.0);
    least = std::min(least, std::hypot(px - x * part, py - y * part));
  }
  return left && right ? least : 0;
}

class MeshMoves : public testing::Test {
 protected:
  const std::unique_ptr<MeshGround> ground_ = ground_of(valley());
  const AgentId agent_ = *ground_->add_agent({});

  float any(Chance& chance, float low, float high) const {
    return low + (high - low) * static_cast<float>(chance.below(10'000)) / 10'000;
  }
  // Somewhere, also beyond the ground.
  Point any_point(Chance& chance) const {
    return {any(chance, -20, 68), any(chance, -20, 52), any(chance, -5, 10)};
  }
};

TEST_F(MeshMoves, NearestIsTheNearestInThePlaneAndThenInHeight) {
  Chance chance(1);
  int found = 0;
  for (int i = 0; i < 4'000; ++i) {
    const Point point = any_point(chance);
    const Point reach = {any(chance, 0, 3), any(chance, 0, 3), any(chance, 0, 3)};
    const auto place = ground_->nearest(point, reach, agent_);
    // Of all polygons, by the same words.
    double best = INFINITY;
    double height = INFINITY;
    const Tiles& tiles = ground_->tiles();
    for (std::uint32_t number = 0; number < tiles.count(); ++number) {
      const Polygon of = tiles.at(number);
      const Point spot = point_of(spot_within(tiles, tiles.ref(of), point).data());
      const double x = std::fabs(double{spot.x} - double{point.x});
      const double y = std::fabs(double{spot.y} - double{point.y});
      const double z = std::fabs(double{spot.z} - double{point.z});
      ASSERT_NEAR(std::hypot(x, y), gap(tiles, of, point), 1e-3);
      if (x > reach.x || y > reach.y || z > double{reach.z} + 0.5) continue;
      const double far = x * x + y * y;
      if (far > best + 1e-6 || (far > best - 1e-6 && z >= height)) continue;
      best = far;
      height = z;
    }
    if (!std::isfinite(best)) {
      if (place) {  // but for a millimetre
        EXPECT_LE(std::fabs(place->point.x - point.x), reach.x + 0.002F);
        EXPECT_LE(std::fabs(place->point.z - point.z), reach.z + 0.502F);
      }
      continue;
    }
    ++found;
    ASSERT_TRUE(place);
    EXPECT_NEAR(std::pow(place->point.x - point.x, 2) + std::pow(place->point.y - point.y, 2), best,
                1e-3);
    EXPECT_NEAR(std::fabs(place->point.z - point.z), height, 0.02);
  }
  EXPECT_GT(found, 250);
}

TEST_F(MeshMoves, StoreysAreApart) {
  const Place below = *ground_->nearest({36, 7, 0}, {0.5F, 0.5F, 1}, agent_);
  const Place above = *ground_->nearest({36, 7, 4}, {0.5F, 0.5F, 1}, agent_);
  EXPECT_NEAR(below.point.z, 0, 0.2);
  EXPECT_NEAR(above.point.z, 4, 0.2);
  EXPECT_NE(below.piece, above.piece);
  EXPECT_EQ(ground_->nearest({36, 7, 2}, {0.5F, 0.5F, 0.5F}, agent_).error(), Errc::bad_start);
  // A ray and a move stay on their own, though they cross the other one in the plane.
  const Ray ray = *ground_->raycast(below, {36, 13, 4}, agent_);
  EXPECT_NEAR(ray.end.point.z, 0, 0.2);
  EXPECT_NEAR(ground_->move_along_surface(above, {37, 8, 0}, agent_)->point.z, 4, 0.2);
}

TEST_F(MeshMoves, RaysNeverLeaveTheGround) {
  Chance chance(2);
  int hits = 0;
  for (std::uint64_t seed = 0; seed < 1'500; ++seed) {
    const Place from = *ground_->random_point(agent_, seed);
    const Point to = any_point(chance);
    const auto ray = ground_->raycast(from, to, agent_);
    ASSERT_TRUE(ray);
    hits += ray->hit ? 1 : 0;
    ASSERT_TRUE(on_mesh(*ground_, agent_, ray->end.point));
    const double whole = std::hypot(to.x - from.point.x, to.y - from.point.y);
    const double gone =
        std::hypot(ray->end.point.x - from.point.x, ray->end.point.y - from.point.y);
    ASSERT_LE(gone, whole + 0.01);
    if (!ray->hit) {
      ASSERT_NEAR(ray->end.point.x, to.x, 1e-3);
      ASSERT_NEAR(ray->end.point.y, to.y, 1e-3);
    } else {
      const double along =
          ray->normal.x * (to.x - from.point.x) + ray->normal.y * (to.y - from.point.y);
      ASSERT_LE(along, 1e-3) << "the side that it was hit from";
    }
    // What lies between is ground, too: on each piece of the way another ray goes on.
    Place at = from;
    for (int i = 1; i <= 10; ++i) {
      const auto part = static_cast<float>(i) / 10;
      const Point next = {from.point.x + (ray->end.point.x - from.point.x) * part,
                          from.point.y + (ray->end.point.y - from.point.y) * part, at.point.z};
      at = ground_->move_along_surface(at, next, agent_).value();
      ASSERT_NEAR(at.point.x, next.x, 0.02);
      ASSERT_NEAR(at.point.y, next.y, 0.02);
    }
  }
  EXPECT_GT(hits, 800);
}

// In the plane; 0 on it.
double distance_to(const Wall& wall, const Point& point) {
  const double x = double{wall.to.x} - wall.from.x;
  const double y = double{wall.to.y} - wall.from.y;
  const double px = double{point.x} - wall.from.x;
  const double py = double{point.y} - wall.from.y;
  const double part = std::clamp((px * x + py * y) / (x * x + y * y), 0.0, 1.0);
  return std::hypot(px - x * part, py - y * part);
}

TEST_F(MeshMoves, WallsAreWhereRaysEnd) {
  constexpr float kRange = 3;
  Chance chance(29);
  int hits = 0;
  for (int i = 0; i < 400; ++i) {
    const Place from = *ground_->random_point(agent_, static_cast<std::uint64_t>(i));
    std::array<Wall, 256> out;
    const std::size_t count = ground_->walls_near(from, kRange, agent_, out);
    const std::span walls = std::span(out).first(count);
    for (std::size_t k = 0; k < count; ++k) {
      const Wall& wall = walls[k];
      EXPECT_LE(distance_to(wall, from.point), double{kRange} + 1e-3);
      if (k > 0) {
        EXPECT_GE(distance_to(wall, from.point), distance_to(walls[k - 1], from.point) - 1e-4);
      }
      const double side = (double{wall.to.x} - wall.from.x) * (double{from.point.y} - wall.from.y) -
                          (double{wall.to.y} - wall.from.y) * (double{from.point.x} - wall.from.x);
      EXPECT_GT(side, -1e-3) << "ground is on the left";
    }
    for (int ray = 0; ray < 16; ++ray) {
      const double angle = 6.2831853 * ray / 16;
      const Point to = {from.point.x + kRange * static_cast<float>(std::cos(angle)),
                        from.point.y + kRange * static_cast<float>(std::sin(angle)), from.point.z};
      const auto found = ground_->raycast(from, to, agent_);
      ASSERT_TRUE(found);
      if (!found->hit) continue;
      ++hits;
      double least = INFINITY;
      for (const Wall& wall : walls) least = std::min(least, distance_to(wall, found->end.point));
      EXPECT_LT(least, 0.02) << "ray " << ray << " of place " << i;
    }
    // With less room the nearest of them.
    std::array<Wall, 2> few;
    const std::size_t kept = ground_->walls_near(from, kRange, agent_, few);
    ASSERT_EQ(kept, std::min<std::size_t>(count, few.size()));
    for (std::size_t k = 0; k < kept; ++k) EXPECT_EQ(few[k], walls[k]);
  }
  EXPECT_GT(hits, 500);
  std::array<Wall, 4> none;
  EXPECT_EQ(ground_->walls_near({}, kRange, agent_, none), 0u);
  EXPECT_EQ(ground_->walls_near(*ground_->random_point(agent_, 1), 0, agent_, none), 0u);
}

TEST_F(MeshMoves, SmallMovesNeverLeaveTheGround) {
  Chance chance(3);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Place at = *ground_->random_point(agent_, seed);
    const Place start = at;
    for (int i = 0; i < 200; ++i) {
      const Point to = {at.point.x + any(chance, -1, 1), at.point.y + any(chance, -1, 1),
                        at.point.z};
      const Place before = at;
      at = ground_->move_along_surface(at, to, agent_).value();
      ASSERT_TRUE(on_mesh(*ground_, agent_, at.point));
      ASSERT_TRUE(ground_->reachable(start, at, agent_));
      ASSERT_LE(std::hypot(at.point.x - to.x, at.point.y - to.y),
                std::hypot(before.point.x - to.x, before.point.y - to.y) + 0.01);
    }
  }
}

TEST_F(MeshMoves, SlideAlongWalls) {
  World world;
  world.floor(0, 0, 20, 20, 0);
  const auto ground = ground_of(world);
  const AgentId agent = *ground->add_agent({});
  const Place at = *ground->nearest({18, 10, 0}, {0, 0, 1}, agent);
  const Place end = *ground->move_along_surface(at, {24, 12, 0}, agent);
  EXPECT_NEAR(end.point.x, 19.5, 0.3);
  EXPECT_NEAR(end.point.y, 12, 0.3);
}

TEST_F(MeshMoves, RandomPointsAreSpreadByAreaAndRepeat) {
  std::vector<int> counts(4);
  World world;
  world.floor(0, 0, 41, 21, 0);
  const auto ground = ground_of(world);
  const AgentId agent = *ground->add_agent({});
  for (std::uint64_t seed = 0; seed < 8'000; ++seed) {
    const Place place = *ground->random_point(agent, seed);
    EXPECT_EQ(place, *ground->random_point(agent, seed));
    ++counts[(place.point.x > 20.5F ? 1u : 0u) + (place.point.y > 10.5F ? 2u : 0u)];
  }
  for (const int count : counts) EXPECT_NEAR(count, 2'000, 150);
}

TEST_F(MeshMoves, RandomPointsNearAPlaceCanBeReached) {
  const Place at = *ground_->nearest({10, 27, 0}, {1, 1, 1}, agent_);  // beside the platform
  int far = 0;
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    const Place place = *ground_->random_point_near(at, 6, agent_, seed);
    EXPECT_EQ(place, *ground_->random_point_near(at, 6, agent_, seed));
    const double gone = std::hypot(place.point.x - at.point.x, place.point.y - at.point.y);
    EXPECT_LE(gone, 6.01);
    far += gone > 4.24 ? 1 : 0;  // half of a whole circle's area
    EXPECT_TRUE(ground_->reachable(at, place, agent_));
    EXPECT_LT(place.point.z, 1);
  }
  EXPECT_NEAR(far, 430, 150);
  EXPECT_EQ(ground_->random_point_near(at, -1, agent_, 0).error(), Errc::bad_position);
}

TEST_F(MeshMoves, TakeAnyNumbers) {
  const Place at = *ground_->nearest({2, 2, 0}, {1, 1, 1}, agent_);
  for (const float far : {1e6F, 1e20F, 3e38F, -3e38F}) {
    const Ray ray = *ground_->raycast(at, {far, far, far}, agent_);
    EXPECT_TRUE(ray.hit);
    EXPECT_TRUE(on_mesh(*ground_, agent_, ray.end.point));
    EXPECT_TRUE(
        on_mesh(*ground_, agent_, ground_->move_along_surface(at, {far, 0, far}, agent_)->point));
    EXPECT_EQ(ground_->nearest({far, far, far}, {1, 1, 1}, agent_).error(), Errc::bad_start);
    Place away = at;
    away.point = {far, -far, far};
    EXPECT_TRUE(on_mesh(*ground_, agent_, ground_->raycast(away, {3, 3, 0}, agent_)->end.point));
  }
  EXPECT_TRUE(ground_->nearest({100, 100, 0}, {3e38F, 3e38F, 3e38F}, agent_));
  EXPECT_EQ(ground_->nearest({NAN, 0, 0}, {}, agent_).error(), Errc::bad_position);
  EXPECT_EQ(ground_->raycast(at, {0, INFINITY, 0}, agent_).error(), Errc::bad_position);
  EXPECT_EQ(ground_->raycast({}, {}, agent_).error(), Errc::bad_start);
  EXPECT_EQ(ground_->raycast(at, {}, {7}).error(), Errc::unknown_agent);
  for (std::uint64_t piece = 1; piece < 5'000; ++piece) {
    const Place made_up = {{1, 1, 0}, piece * 0x9e3779b97f4a7c15};
    EXPECT_EQ(ground_->move_along_surface(made_up, {}, agent_).error(), Errc::bad_start);
    EXPECT_EQ(ground_->area_at(made_up), kWall);
  }
}

TEST_F(MeshMoves, AnyNumberOfThreadsGetTheSameAnswers) {
  constexpr std::uint64_t kAsked = 2'000;
  const auto ask = [&](std::vector<Path>& paths, std::vector<Ray>& rays) {
    const auto search = ground_->make_search();
    for (std::uint64_t seed = 0; seed < kAsked; ++seed) {
      const Place from = *ground_->random_point(agent_, 2 * seed);
      const Place to = *ground_->random_point(agent_, 2 * seed + 1);
      paths.emplace_back();
      (void)search->find({.from = from, .to = to, .agent = agent_, .partial = true}, paths.back());
      rays.push_back(*ground_->raycast(from, to.point, agent_));
      rays.back().end = *ground_->move_along_surface(from, to.point, agent_);
    }
  };
  std::vector<std::vector<Path>> paths(5);
  std::vector<std::vector<Ray>> rays(5);
  ask(paths[0], rays[0]);
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < paths.size(); ++i) {
    threads.emplace_back([&, i] { ask(paths[i], rays[i]); });
  }
  for (std::thread& one : threads) one.join();
  for (std::size_t i = 1; i < paths.size(); ++i) {
    for (std::size_t k = 0; k < kAsked; ++k) {
      ASSERT_EQ(paths[0][k].points, paths[i][k].points);
      ASSERT_EQ(paths[0][k].cost, paths[i][k].cost);
      ASSERT_EQ(rays[0][k].end, rays[i][k].end);
      ASSERT_EQ(rays[0][k].hit, rays[i][k].hit);
    }
  }
}

}  // namespace
}  // namespace starbus::nav::mesh::test
