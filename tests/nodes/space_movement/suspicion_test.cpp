/// What is counted against players.
#include "nodes/space/movement/suspicion.hpp"

#include <gtest/gtest.h>

#include "nodes/space/movement/limits.hpp"

namespace starbus::nodes::movement {
namespace {

TEST(Suspicion, IsBoundedAndLeaks) {
  Suspicion suspicion;
  for (std::uint64_t i = 0; i < kMaxSuspicion + 50; ++i) suspicion.add(Violation::too_fast, 1000);
  EXPECT_EQ(suspicion.count(Violation::too_fast), kMaxSuspicion + 50);
  EXPECT_EQ(suspicion.level(Violation::too_fast, 1000), static_cast<double>(kMaxSuspicion));
  EXPECT_DOUBLE_EQ(suspicion.level(Violation::too_fast, 1000 + 3 * kSuspicionLeak.count()),
                   static_cast<double>(kMaxSuspicion) - 3);
  EXPECT_EQ(suspicion.level(Violation::too_fast, 1000 + 101 * kSuspicionLeak.count()), 0);
}

TEST(Suspicion, KindsAreCountedApart) {
  Suspicion suspicion;
  suspicion.add(Violation::deaf, 0);
  suspicion.add(Violation::blocked, 0);
  suspicion.add(Violation::blocked, 0);
  EXPECT_EQ(suspicion.level(Violation::deaf, 0), 1);
  EXPECT_EQ(suspicion.level(Violation::blocked, 0), 2);
  EXPECT_EQ(suspicion.level(Violation::clock, 0), 0);
  EXPECT_EQ(suspicion.level(0), 3);
  EXPECT_EQ(name_of(Violation::blocked), "blocked");
  EXPECT_EQ(name_of(Violation::none), "none");
}

}  // namespace
}  // namespace starbus::nodes::movement
