/// How long the id of an entity that is gone names nobody: 12 bits count the uses of an index.
#include <gtest/gtest.h>

#include "tests/aoi/worlds.hpp"

namespace starbus::aoi::test {
namespace {

class Ids : public ::testing::TestWithParam<std::uint16_t> {};
INSTANTIATE_TEST_SUITE_P(Spaces, Ids, ::testing::Values(0, 3));

// The worst case: one index in use, and taken again as soon as it has rested.
TEST_P(Ids, AnIdComesAgainAfter4096UsesOfItsIndexAtTheEarliest) {
  World world = make(Backend::brute_force, GetParam());
  const EntityId first = add(world, 1, 1);
  ASSERT_TRUE(world.remove(first));
  std::uint64_t updates = 0;
  std::uint64_t uses = 1;
  EntityId last;
  while (last != first) {
    (void)world.update();
    ++updates;
    const EntityId fresh = add(world, 1, 1);
    if (fresh.index() == first.index()) {
      last = fresh;
      ++uses;
      ASSERT_TRUE(last == first || !world.position(first)) << "refused until then";
    }
    ASSERT_TRUE(world.remove(fresh));
    ASSERT_LT(updates, 100'000u);
  }
  EXPECT_EQ(uses, 4'097u);
  EXPECT_GE(updates, 4'096u * (std::uint64_t{GetParam()} + 1));
}

}  // namespace
}  // namespace starbus::aoi::test
