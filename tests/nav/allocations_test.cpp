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

}  // namespace
}  // namespace starbus::nav::grid::test
