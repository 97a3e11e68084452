/// After the largest search that it has done, a search allocates nothing. Counts what operator new
/// is asked for in this program.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

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

}  // namespace
}  // namespace starbus::nav::grid::test
