// Each broken variant of a move is noticed within a few seeds (tests/nodes/hosting_broken).
#include <gtest/gtest.h>

#include "tests/nodes/hosting_broken/rules.hpp"
#include "tests/sim/entities/entity_run.hpp"

namespace starbus::sim {
namespace {

using entity::BrokenMove;

class EntityVariants : public testing::TestWithParam<BrokenMove> {};

TEST_P(EntityVariants, IsNoticed) {
  EntityRunOptions options{.seed = 1, .steps = 600};
  EXPECT_EQ(run_entities(options).violation, "") << "sound, this seed must pass";
  entity::broken_move = GetParam();
  while (options.seed < 10 && run_entities(options).violation.empty()) ++options.seed;
  entity::broken_move = BrokenMove::none;
  EXPECT_LT(options.seed, 10U);
}

INSTANTIATE_TEST_SUITE_P(Broken, EntityVariants,
                         testing::Values(BrokenMove::acts_while_frozen, BrokenMove::drops_machines,
                                         BrokenMove::wakes_twice));

}  // namespace
}  // namespace starbus::sim
