// VolumeGround: places, moves, changes, and who may be where.
#include "nav/volume/volume_ground.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <cmath>
#include <set>

#include "tests/nav/volume/reference.hpp"
#include "tests/sanitized.hpp"

namespace starbus::nav::volume::test {
namespace {

// A lake under the sky, with a rock between.
Dense lake() {
  Dense world({24, 24, 24});
  world.fill({0, 0, 0, 24, 24, 2}, kWall);
  world.fill({0, 0, 2, 24, 24, 12}, kWater);
  world.fill({10, 0, 2, 14, 24, 14}, kWall);
  return world;
}

TEST(Volumes, SwimmersStayInTheWaterAndFliersOutOfIt) {
  const Dense world = lake();
  const auto ground = ground_of(world);
  const AgentId fish = *ground->add_agent(swimmer());
  const AgentId bird = *ground->add_agent(flier());
  const AgentId both = *ground->add_agent(duck(2));
  const Place left = ground->place({3, 3, 5});
  const Place right = ground->place({20, 3, 5});
  const Place sky = ground->place({3, 3, 20});
  EXPECT_FALSE(ground->reachable(left, right, fish)) << "the rock stands out of the water";
  EXPECT_TRUE(ground->reachable(left, right, both));
  EXPECT_FALSE(ground->reachable(left, sky, fish));
  EXPECT_FALSE(ground->reachable(sky, left, bird));
  EXPECT_EQ(ground->area_at(left), kWater);
  EXPECT_EQ(ground->area_at(sky), kAir);
  // Neither a move nor a ray leaves an element.
  const Place jumped = *ground->move_along_surface(left, {3.5F, 8, 20}, fish);
  EXPECT_EQ(ground->area_at(jumped), kWater);
  EXPECT_NEAR(jumped.point.y, 8, 0.01) << "it slides below the surface";
  EXPECT_NEAR(jumped.point.z, 12, 0.01);
  EXPECT_TRUE(ground->raycast(sky, {3.5F, 3.5F, 5}, bird)->hit);
  EXPECT_FALSE(ground->raycast(sky, {3.5F, 3.5F, 5}, both)->hit);
  Path path;
  auto search = ground->make_search();
  ASSERT_TRUE(search->find({.from = left, .to = right, .agent = both}, path));
  for (std::size_t i = 0; i + 1 < path.points.size(); ++i) {
    EXPECT_FALSE(
        ground->raycast(*ground->nearest(path.points[i], {}, both), path.points[i + 1], both)->hit);
  }
}

TEST(Volumes, AnAgentKeepsItsRadiusWhereverItIs) {
  Dense world({20, 20, 20});
  world.fill({9, 9, 9, 10, 10, 10}, kWall);
  const auto ground = ground_of(world);
  const AgentId id = *ground->add_agent(flier(2.5F));
  const auto radius = [](Voxel at) {
    // From the nearest point of the voxel to the solid one.
    const auto gap = [](int d) { return std::max(std::abs(d) - 1, 0); };
    return std::hypot(gap(at.x - 9), gap(at.y - 9), gap(at.z - 9));
  };
  std::uint64_t free = 0;
  world.each([&](Voxel at) {
    const bool may = ground->layer(id)->free(at);
    free += may ? 1u : 0u;
    const int border = std::min({at.x + 0, at.y + 0, at.z + 0, 19 - at.x, 19 - at.y, 19 - at.z});
    EXPECT_EQ(may, radius(at) >= 2.5 && border >= 3) << at.x << " " << at.y << " " << at.z;
  });
  EXPECT_EQ(free, ground->layer(id)->free_voxels());
}

// Larger than a chunk, so that solids reach across.
TEST(Volumes, SolidsAreInflatedAcrossChunks) {
  Chance chance(31);
  const Dense world = random_world(chance, {70, 66, 9}, 4, 6);
  const auto ground = ground_of(world);
  for (const float radius : {0.0F, 1.0F, 3.2F}) {
    const AgentId id = *ground->add_agent(flier(radius));
    const auto costs = costs_of(world, flier(radius), static_cast<double>(radius));
    world.each([&](Voxel at) {
      ASSERT_EQ(ground->layer(id)->free(at), costs[world.extent.index(at)] != 0);
    });
  }
}

TEST(Volumes, PartsAcrossChunksAreThoseOfAFlood) {
  Chance chance(32);
  for (const std::uint32_t blocked : {30u, 60u, 69u, 75u}) {
    const Dense world = random_world(chance, {66, 67, 12}, blocked, 1);
    const auto ground = ground_of(world);
    const AgentId id = *ground->add_agent(flier());
    const auto costs = costs_of(world, flier(), 0);
    // Floods number the parts; a part of the ground and one of a flood go together.
    std::vector<std::uint32_t> flood(world.areas.size());
    std::vector<std::uint64_t> queue;
    std::uint32_t floods = 0;
    for (std::uint64_t first = 0; first < flood.size(); ++first) {
      if (costs[first] == 0 || flood[first] != 0) continue;
      flood[first] = ++floods;
      queue.assign(1, first);
      while (!queue.empty()) {
        const Voxel at = world.extent.voxel(queue.back());
        queue.pop_back();
        for (Face face = 0; face < kFaces; ++face) {
          const Voxel to{static_cast<std::uint16_t>(at.x + kFaceX[face]),
                         static_cast<std::uint16_t>(at.y + kFaceY[face]),
                         static_cast<std::uint16_t>(at.z + kFaceZ[face])};
          if (!world.extent.contains(to)) continue;
          const std::uint64_t index = world.extent.index(to);
          if (costs[index] == 0 || flood[index] != 0) continue;
          flood[index] = floods;
          queue.push_back(index);
        }
      }
    }
    const Layer& layer = *ground->layer(id);
    EXPECT_EQ(layer.parts().count(), floods);
    std::vector<std::uint32_t> part(floods + 1, ~0u);
    world.each([&](Voxel at) {
      const std::uint32_t of = flood[world.extent.index(at)];
      if (of == 0) return;
      const std::uint32_t now = layer.part(layer.tree().at(at));
      if (part[of] == ~0u) part[of] = now;
      ASSERT_EQ(part[of], now);
    });
  }
}

// -- Places

RC_GTEST_PROP(Volumes, NearestIsTheNearestOfAllVoxels, ()) {
  const Dense world = any_world(7);
  const auto ground = ground_of(world);
  const AgentId id = *ground->add_agent(flier());
  const auto coordinate =
      rc::gen::map(rc::gen::inRange(-24, 80), [](int n) { return static_cast<float>(n) * 0.125F; });
  const Point at{*coordinate, *coordinate, *coordinate};
  const auto length = rc::gen::element(0.0F, 0.5F, 2.0F, 20.0F);
  const Point reach{*length, *length, *length};
  std::optional<Voxel> best;
  double least = std::numeric_limits<double>::infinity();
  world.each([&](Voxel voxel) {
    if (world.at(voxel) != kAir) return;
    const auto gap = [](float of, std::uint16_t low) {
      return std::max(
          {1.0 * low - static_cast<double>(of), static_cast<double>(of) - (low + 1.0), 0.0});
    };
    const double x = gap(at.x, voxel.x);
    const double y = gap(at.y, voxel.y);
    const double z = gap(at.z, voxel.z);
    if (x > static_cast<double>(reach.x) || y > static_cast<double>(reach.y) ||
        z > static_cast<double>(reach.z)) {
      return;
    }
    if (x * x + y * y + z * z >= least) return;
    least = x * x + y * y + z * z;
    best = voxel;
  });
  const auto inside = [&](Voxel voxel) {
    return at.x >= voxel.x && at.x < voxel.x + 1 && at.y >= voxel.y && at.y < voxel.y + 1 &&
           at.z >= voxel.z && at.z < voxel.z + 1;
  };
  world.each([&](Voxel voxel) {
    if (inside(voxel) && world.at(voxel) == kAir) best = voxel;
  });
  const auto found = ground->nearest(at, reach, id);
  RC_ASSERT(found.has_value() == best.has_value());
  if (!best) {
    RC_ASSERT(found.error() == Errc::bad_start);
    return;
  }
  RC_ASSERT(*ground->voxel(*found) == *best);
  if (inside(*best)) RC_ASSERT(found->point == at);
}

RC_GTEST_PROP(Volumes, NoMoveEntersASolid, ()) {
  const Dense world = any_world(8);
  const auto ground = ground_of(world);
  const AgentId id = *ground->add_agent(flier());
  const auto start = ground->random_point(id, *rc::gen::arbitrary<std::uint64_t>());
  RC_PRE(start.has_value());
  Place at = *start;
  const auto step =
      rc::gen::map(rc::gen::inRange(-40, 41), [](int n) { return static_cast<float>(n) * 0.07F; });
  for (int i = 0; i < 40; ++i) {
    const Point to{at.point.x + *step, at.point.y + *step, at.point.z + *step};
    const Place before = at;
    at = *ground->move_along_surface(at, to, id);
    RC_ASSERT(ground->layer(id)->free(*ground->voxel(at)));
    RC_ASSERT(voxel_of(ground->frame().fine(at.point)) == *ground->voxel(at));
    RC_ASSERT(ground->reachable(before, at, id));
    // No further than was asked for along any axis, and not the other way.
    const auto within = [](float from, float goal, float now) {
      constexpr float kUnit = 1.0F / 128;
      return now >= std::min(from, goal) - kUnit && now <= std::max(from, goal) + kUnit;
    };
    RC_ASSERT(within(before.point.x, to.x, at.point.x));
    RC_ASSERT(within(before.point.y, to.y, at.point.y));
    RC_ASSERT(within(before.point.z, to.z, at.point.z));
  }
}

TEST(Volumes, MovesSlideAlongWhatIsInTheWay) {
  Dense world({10, 10, 10});
  world.fill({5, 0, 0, 6, 10, 10}, kWall);
  const auto ground = ground_of(world);
  const AgentId id = *ground->add_agent(flier());
  const Place from = ground->place({3, 3, 3});
  const Place end = *ground->move_along_surface(from, {7, 5.5F, 6.25F}, id);
  EXPECT_NEAR(end.point.x, 5, 0.01);
  EXPECT_LT(end.point.x, 5);
  EXPECT_NEAR(end.point.y, 5.5, 0.01);
  EXPECT_NEAR(end.point.z, 6.25, 0.01);
  const Place free = *ground->move_along_surface(from, {1, 2, 9}, id);
  EXPECT_EQ(free.point, (Point{1, 2, 9}));
}

TEST(Volumes, RandomPointsAreSpreadEvenlyAndRepeat) {
  Dense world({6, 6, 6});
  world.fill({0, 0, 0, 6, 6, 3}, kWater);
  world.fill({2, 2, 2, 5, 5, 5}, kWall);
  const auto ground = ground_of(world);
  const AgentId id = *ground->add_agent(flier());
  std::map<std::uint64_t, int> hits;
  constexpr int kDraws = 45'000;
  for (int seed = 0; seed < kDraws; ++seed) {
    const Place place = *ground->random_point(id, static_cast<std::uint64_t>(seed));
    EXPECT_EQ(place, *ground->random_point(id, static_cast<std::uint64_t>(seed)));
    ++hits[place.piece];
  }
  const auto free = ground->layer(id)->free_voxels();
  EXPECT_EQ(free, 6u * 6 * 3 - 3 * 3 * 2);
  EXPECT_EQ(hits.size(), free);
  for (const auto& [piece, count] : hits) {
    EXPECT_EQ(ground->area_at({{}, piece}), kAir);
    EXPECT_NEAR(count, 500, 110);
  }
}

RC_GTEST_PROP(Volumes, RandomPointsNearLieWithinAndCanBeReached, ()) {
  const Dense world = any_world(8);
  const auto ground = ground_of(world);
  const AgentId id = *ground->add_agent(flier());
  const auto start = ground->random_point(id, *rc::gen::arbitrary<std::uint64_t>());
  RC_PRE(start.has_value());
  const auto radius = *rc::gen::element(0.0F, 1.0F, 2.3F, 9.0F);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Place near = *ground->random_point_near(*start, radius, id, seed);
    RC_ASSERT(ground->reachable(*start, near, id));
    RC_ASSERT(std::hypot(near.point.x - start->point.x, near.point.y - start->point.y,
                         near.point.z - start->point.z) <= radius + 1e-4F);
  }
}

TEST(Volumes, RefuseWhatIsNoQuestion) {
  const auto ground = ground_of(Dense({4, 4, 4}));
  const AgentId id = *ground->add_agent(flier());
  const AgentId other{7};
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Place here = ground->place({1, 1, 1});
  EXPECT_EQ(ground->nearest({nan, 0, 0}, {}, id).error(), Errc::bad_position);
  EXPECT_EQ(ground->nearest({}, {}, other).error(), Errc::unknown_agent);
  EXPECT_EQ(ground->nearest({-3, 0, 0}, {1, 1, 1}, id).error(), Errc::bad_start);
  EXPECT_EQ(ground->raycast(here, {0, nan, 0}, id).error(), Errc::bad_position);
  EXPECT_EQ(ground->raycast({here.point, 65}, {}, id).error(), Errc::bad_start);
  EXPECT_EQ(ground->raycast(here, {}, other).error(), Errc::unknown_agent);
  EXPECT_EQ(ground->random_point(other, 1).error(), Errc::unknown_agent);
  EXPECT_EQ(ground->random_point_near(here, -1, id, 1).error(), Errc::bad_position);
  EXPECT_EQ(ground->prepare(id, Algorithm::hierarchical).error(), Errc::bad_option);
  EXPECT_EQ(ground->set_present({}, true).error(), Errc::unknown_obstacle);
  EXPECT_EQ(ground->remove_link({}).error(), Errc::unknown_link);
  EXPECT_EQ(ground->add_link({.from = here, .to = here, .cost = 1}).error(), Errc::bad_option);
  EXPECT_EQ(ground->add_link({.from = {}, .to = here, .cost = 1}).error(), Errc::bad_start);
  auto search = ground->make_search();
  Path path;
  PathRequest request{.from = here, .to = ground->place({3, 3, 3}), .agent = other};
  EXPECT_EQ(search->find(request, path).error(), Errc::unknown_agent);
  request.agent = id;
  for (const Algorithm none :
       {Algorithm::jps, Algorithm::jps_plus, Algorithm::hierarchical, Algorithm::breadth_first}) {
    request.algorithm = none;
    EXPECT_EQ(search->find(request, path).error(), Errc::bad_option);
  }
  request.algorithm = Algorithm::a_star;
  request.weight = 99;
  EXPECT_EQ(search->find(request, path).error(), Errc::bad_option);
  Agent odd = flier();
  odd.radius = nan;
  EXPECT_EQ(ground->add_agent(odd).error(), Errc::bad_option);
  VolumeOptions options;
  options.voxel_size = 0;
  EXPECT_EQ(VolumeGround::create(*Columns::create({1, 1, 1}), options).error(), Errc::bad_option);
  EXPECT_EQ(*ground->add_agent(flier()), id) << "known already";
}

// -- Changes

TEST(Volumes, ADoorOpensAndCloses) {
  Dense world({30, 30, 30});
  world.fill({15, 0, 0, 16, 30, 30}, kWall);
  world.fill({15, 10, 10, 16, 13, 13}, kAir);
  const auto ground = ground_of(world);
  const AgentId id = *ground->add_agent(flier());
  const Place from = ground->place({2, 2, 2});
  const Place to = ground->place({28, 28, 28});
  auto search = ground->make_search();
  Path path;
  const PathRequest request{.from = from, .to = to, .agent = id};
  ASSERT_TRUE(search->find(request, path));
  EXPECT_EQ(path.version, ground->version());
  const std::uint64_t before = ground->version();
  const ObstacleId door = *ground->add_obstacle({{{15, 10, 10}, {16, 13, 13}}});
  EXPECT_GT(ground->version(), before);
  EXPECT_FALSE(ground->reachable(from, to, id));
  EXPECT_EQ(search->find(request, path).error(), Errc::unreachable);
  ASSERT_TRUE(ground->set_present(door, false));
  EXPECT_TRUE(ground->reachable(from, to, id));
  const std::uint64_t open = ground->version();
  ASSERT_TRUE(ground->set_present(door, false));
  EXPECT_EQ(ground->version(), open) << "nothing has changed";
  ASSERT_TRUE(search->begin(request));
  ASSERT_TRUE(search->advance(1));
  ASSERT_TRUE(ground->set_present(door, true));
  EXPECT_EQ(search->advance(1).error(), Errc::changed);
  EXPECT_EQ(search->path(path).error(), Errc::changed);
  ASSERT_TRUE(ground->remove_obstacle(door));
  EXPECT_EQ(ground->set_present(door, true).error(), Errc::unknown_obstacle);
  EXPECT_TRUE(ground->reachable(from, to, id));
}

// The areas that a world has with these obstacles, voxel by voxel.
struct Standing {
  VoxelBox box;
  Area area;
  bool present;
};
Dense with(const Dense& beneath, const std::vector<std::optional<Standing>>& all) {
  Dense world = beneath;
  world.each([&](Voxel at) {
    if (beneath.at(at) == kWall) return;
    std::optional<Area> least;
    for (const auto& one : all) {
      if (one && one->present && one->box.contains(at)) {
        least = std::min(least.value_or(one->area), one->area);
      }
    }
    if (least) world.at(at) = *least;
  });
  return world;
}

RC_GTEST_PROP(Volumes, AreAfterAnyChangesAsOnesMadeFromNothing, ()) {
  Dense beneath = any_world(9);
  const auto ground = ground_of(beneath);
  const Agent wide = flier(1);
  const AgentId id = *ground->add_agent(flier());
  const AgentId wide_id = *ground->add_agent(wide);
  std::vector<std::optional<Standing>> standing;
  std::vector<ObstacleId> ids;
  const auto length = rc::gen::inRange<std::uint32_t>(1, 7);
  for (int i = *rc::gen::inRange(1, 12); i > 0; --i) {
    const Voxel low = any_voxel(beneath.extent);
    const VoxelBox box =
        VoxelBox{low.x, low.y, low.z, low.x + *length, low.y + *length, low.z + *length}
            .intersection(beneath.extent.box());
    const auto at = [](std::uint32_t n) { return static_cast<float>(n); };
    const Box metres{{at(box.x0), at(box.y0), at(box.z0)}, {at(box.x1), at(box.y1), at(box.z1)}};
    const auto area = *rc::gen::element(Area{kWall}, Area{kAir}, Area{kWater});
    const int kind = *rc::gen::inRange(0, 4);
    const auto which = ids.empty() ? 0 : *rc::gen::inRange<std::size_t>(0, ids.size());
    if (kind == 0) {
      beneath.fill(box, area);
      RC_ASSERT(ground->set_area(metres, area));
    } else if (kind == 1 || ids.empty()) {
      standing.push_back(Standing{box, area, true});
      ids.push_back(*ground->add_obstacle(Obstacle{metres, area}));
    } else if (kind == 2) {
      const auto did = ground->set_present(ids[which], i % 2 == 0);
      RC_ASSERT(did.has_value() == standing[which].has_value());
      if (standing[which]) standing[which]->present = i % 2 == 0;
    } else {
      RC_ASSERT(ground->remove_obstacle(ids[which]).has_value() == standing[which].has_value());
      standing[which].reset();
    }
  }
  const Dense now = with(beneath, standing);
  RC_ASSERT(Dense(ground->columns()) == now);
  const auto made = ground_of(now);
  RC_ASSERT(made->columns() == ground->columns());
  const AgentId same = *made->add_agent(flier());
  const AgentId same_wide = *made->add_agent(wide);
  for (const auto& [a, b] : {std::pair{id, same}, std::pair{wide_id, same_wide}}) {
    const Layer& x = *ground->layer(a);
    const Layer& y = *made->layer(b);
    RC_ASSERT(x.free_voxels() == y.free_voxels());
    RC_ASSERT(x.parts().count() == y.parts().count());
    RC_ASSERT(x.tree().leaves() == y.tree().leaves());
    RC_ASSERT(x.tree().groups() == y.tree().groups());
    now.each([&](Voxel at) {
      const Block p = x.tree().at(at);
      const Block q = y.tree().at(at);
      RC_ASSERT(p.low == q.low && p.level == q.level && p.value == q.value);
      if (p.value != 0) RC_ASSERT(x.part(p) == y.part(q));
    });
  }
}

TEST(Volumes, ADoorRebuildsTheChunksThatItTouchesWhateverTheVolume) {
  Dense world({192, 192, 128});
  const auto ground = ground_of(world);
  const AgentId id = *ground->add_agent(flier(1));
  const std::uint64_t before = ground->layer(id)->built();
  EXPECT_EQ(before, 3u * 3 * 2);
  const ObstacleId door = *ground->add_obstacle({{{100, 80, 20}, {104, 81, 24}}});
  EXPECT_EQ(ground->layer(id)->built() - before, 1u);
  ASSERT_TRUE(ground->set_present(door, false));
  EXPECT_EQ(ground->layer(id)->built() - before, 2u);
  // At a corner of eight chunks.
  ASSERT_TRUE(ground->add_obstacle({{{127, 127, 63}, {129, 129, 65}}}));
  EXPECT_EQ(ground->layer(id)->built() - before, 10u);
}

TEST(Volumes, ALinkIsUsedWhileBothOfItsEndsAreFree) {
  Dense world({20, 20, 20});
  world.fill({10, 0, 0, 11, 20, 20}, kWall);
  const auto ground = ground_of(world);
  const AgentId id = *ground->add_agent(flier());
  const Place from = ground->place({2, 2, 2});
  const Place to = ground->place({18, 2, 2});
  const LinkId portal = *ground->add_link(
      {.from = ground->place({4, 4, 4}), .to = ground->place({14, 4, 4}), .cost = 1, .area = kAir});
  EXPECT_TRUE(ground->reachable(from, to, id));
  EXPECT_FALSE(ground->reachable(to, from, id)) << "one way";
  Path path;
  auto search = ground->make_search();
  ASSERT_TRUE(search->find({.from = from, .to = to, .agent = id}, path));
  ASSERT_EQ(path.links.size(), 1u);
  EXPECT_EQ(path.links[0].link, portal);
  EXPECT_EQ(path.points[path.links[0].point], ground->place({4, 4, 4}).point);
  EXPECT_EQ(path.points[path.links[0].point + 1], ground->place({14, 4, 4}).point);
  const ObstacleId lid = *ground->add_obstacle({{{14, 4, 4}, {15, 5, 5}}});
  EXPECT_FALSE(ground->reachable(from, to, id));
  ASSERT_TRUE(ground->set_present(lid, false));
  EXPECT_TRUE(ground->reachable(from, to, id));
  ASSERT_TRUE(ground->remove_link(portal));
  EXPECT_FALSE(ground->reachable(from, to, id));
}

TEST(Volumes, ReachableTakesLessThanAMicrosecond) {
  Chance chance(41);
  const auto ground = ground_of(random_world(chance, {96, 64, 32}, 30, 6));
  const AgentId id = *ground->add_agent(flier());
  std::vector<Place> places;
  for (std::uint64_t i = 0; i < 1'000; ++i) places.push_back(*ground->random_point(id, i));
  std::size_t yes = 0;
  auto least = std::chrono::nanoseconds::max();
  for (int round = 0; round < 20; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < places.size(); ++i) {
      yes += ground->reachable(places[i], places[(i * 7 + 1) % places.size()], id) ? 1u : 0u;
    }
    const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - begin;
    least = std::min(least, took / static_cast<std::int64_t>(places.size()));
  }
  EXPECT_GT(yes, 0u);
  RecordProperty("nanoseconds", std::to_string(least.count()));
  if (!kAddressSanitizer && !kThreadSanitizer) {
    EXPECT_LT(least.count(), 1'000);
  }
}

}  // namespace
}  // namespace starbus::nav::volume::test
