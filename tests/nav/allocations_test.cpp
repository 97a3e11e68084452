/// After the largest search that it has done, a search allocates nothing. Counts what operator new
/// is asked for in this program.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "nav/crowd/crowd.hpp"
#include "nav/crowd/flock.hpp"
#include "nav/grid/flow_field.hpp"
#include "nav/grid/grid_ground.hpp"
#include "nav/volume/volume_ground.hpp"
#include "tests/nav/reference.hpp"

namespace {

std::atomic<std::uint64_t> allocated = 0;

}  // namespace

void* operator new(std::size_t size) {
  ++allocated;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocated;
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}

namespace starbus::nav::grid::test {
namespace {

TEST(Allocations, NoneOnceASearchIsWarm) {
  Chance chance(31);
  auto ground = *GridGround::create(random_terrain(chance, 420, 120, 25), {});
  const AgentId agent = *ground->add_agent({});
  ASSERT_TRUE(*ground->prepare(agent, Algorithm::jps_plus));
  ASSERT_TRUE(*ground->prepare(agent, Algorithm::hierarchical));
  const Layer& layer = *ground->layer(agent);
  auto search = ground->make_search();
  Path path;
  FlowField field;
  const auto all = [&] {
    Chance pairs(32);
    for (int i = 0; i < 40; ++i) {
      PathRequest request{.from = ground->place(random_place(pairs, layer)),
                          .to = ground->place(random_place(pairs, layer)),
                          .agent = agent,
                          .partial = i % 2 == 0};
      for (const Algorithm algorithm :
           {Algorithm::a_star, Algorithm::dijkstra, Algorithm::breadth_first, Algorithm::jps,
            Algorithm::jps_plus, Algorithm::hierarchical}) {
        request.algorithm = algorithm;
        (void)search->find(request, path);
      }
      request.algorithm = Algorithm::a_star;
      request.weight = 200;
      (void)search->find(request, path);
    }
    ASSERT_TRUE(field.build(layer, random_place(pairs, layer)));
  };
  all();
  const std::uint64_t before = allocated;
  all();
  EXPECT_EQ(allocated - before, 0u);
  EXPECT_GT(before, 0u) << "it does count";
}

TEST(Allocations, NoneOnceACrowdIsWarm) {
  Chance chance(33);
  auto ground = *GridGround::create(rooms(chance, 80, 80), {});
  const AgentId agent = *ground->add_agent({});
  const Layer& layer = *ground->layer(agent);
  auto crowd = *crowd::Crowd::create(*ground, {.walkers = 200, .searches = 1});
  auto flock = *crowd::Flock::create(*ground, agent, {.units = 200});
  FlowField field;
  const Cell goal = random_place(chance, layer);
  ASSERT_TRUE(field.build(layer, goal));
  const auto group = *flock->add_group(field, ground->place(goal));
  std::vector<crowd::Report> reports;
  std::vector<crowd::WalkerId> ids;
  std::vector<Place> places;
  for (int i = 0; i < 200; ++i) {
    const Place at = ground->place(random_place(chance, layer));
    places.push_back(at);
    ids.push_back(*crowd->add({.agent = agent}, at));
    ASSERT_TRUE(flock->add(group, at));
  }
  std::size_t ended = 0;
  const auto all = [&] {
    Chance same(34);
    for (std::size_t i = 0; i < ids.size(); ++i) {  // from where it began
      ASSERT_TRUE(crowd->teleport(ids[i], places[i]));
      crowd->take_reports(reports);
    }
    for (int step = 0; step < 200; ++step) {
      for (int i = 0; i < 5; ++i) {
        const Place at = ground->place(random_place(same, layer));
        const auto one = ids[same.below(200)];
        const auto other = ids[same.below(200)];
        (void)crowd->go_to(one, at, {.partial = i % 2 == 0});
        if (i == 3) (void)crowd->follow(other, one, {.distance = 2});
        if (i == 4) (void)crowd->teleport(other, at);
      }
      ASSERT_TRUE(crowd->step(0.1F));
      ASSERT_TRUE(flock->step(0.1F));
      crowd->take_reports(reports);
      ended += reports.size();
    }
  };
  all();
  all();
  const std::uint64_t before = allocated;
  all();
  EXPECT_EQ(allocated - before, 0u);
  EXPECT_GT(ended, 1'000u);
}

TEST(Allocations, NoneOnceASearchOfAVolumeIsWarm) {
  using volume::Columns;
  using volume::VolumeGround;
  using volume::Voxel;
  Chance chance(33);
  Columns columns = *Columns::create({48, 48, 24});
  for (int i = 0; i < 60; ++i) {
    const std::uint32_t x = chance.below(48);
    const std::uint32_t y = chance.below(48);
    const std::uint32_t z = chance.below(24);
    ASSERT_TRUE(columns.set({x, y, z, x + 7, y + 5, z + 6}, kWall));
  }
  auto ground = *VolumeGround::create(std::move(columns), {});
  const AgentId agent = *ground->add_agent({});
  ASSERT_TRUE(ground->add_link(
      {.from = ground->place(Voxel{0, 0, 23}), .to = ground->place(Voxel{45, 45, 23}), .cost = 3}));
  auto search = ground->make_search();
  Path path;
  const auto all = [&] {
    for (std::uint64_t i = 0; i < 20; ++i) {
      PathRequest request{.from = *ground->random_point(agent, i),
                          .to = *ground->random_point(agent, i + 1'000),
                          .agent = agent};
      for (const Smoothing smoothing :
           {Smoothing::none, Smoothing::corners, Smoothing::line_of_sight}) {
        request.smoothing = smoothing;
        (void)search->find(request, path);
      }
      request.algorithm = Algorithm::dijkstra;
      (void)search->find(request, path);
      // A goal within a wall.
      request.to = ground->place(Voxel{static_cast<std::uint16_t>(i), 30, 20});
      request.partial = true;
      (void)search->find(request, path);
      (void)ground->reachable(request.from, request.to, agent);
      (void)ground->raycast(request.from, request.to.point, agent);
      (void)ground->move_along_surface(request.from, request.to.point, agent);
      (void)ground->nearest(request.to.point, {9, 9, 9}, agent);
      (void)ground->random_point_near(request.from, 9, agent, i);
    }
  };
  all();
  const std::uint64_t before = allocated;
  all();
  EXPECT_EQ(allocated - before, 0u);
  EXPECT_GT(before, 0u) << "it does count";
}

}  // namespace
}  // namespace starbus::nav::grid::test
