/// Whom a publisher tells, by the clock of the test.
#include "nodes/replica/followers.hpp"

#include <gmock/gmock.h>

namespace starbus::nodes::replica {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

TEST(Followers, AreToldUntilTheyHaveNotAskedForAWhile) {
  Followers followers;
  EXPECT_TRUE(followers.asked("mirror/a.x/1", 100s));
  EXPECT_TRUE(followers.asked("mirror/a.x/2", 105s));
  EXPECT_THAT(followers.names(105s), ElementsAre("mirror/a.x/1", "mirror/a.x/2"));
  EXPECT_THAT(followers.names(112s), ElementsAre("mirror/a.x/2"));
  EXPECT_TRUE(followers.asked("mirror/a.x/1", 113s));
  EXPECT_THAT(followers.names(116s), ElementsAre("mirror/a.x/1"));
  EXPECT_THAT(followers.names(124s), IsEmpty());
}

TEST(Followers, EndedFollowersFreeRoomWithoutPublishing) {
  Followers followers;
  for (std::size_t i = 0; i < kMaxMirrors; ++i) {
    EXPECT_TRUE(followers.asked("mirror/a.x/" + std::to_string(i), 100s));
  }
  EXPECT_FALSE(followers.asked("mirror/b.y/1", 101s));
  EXPECT_TRUE(followers.asked("mirror/a.x/1", 105s)) << "one that it has";
  EXPECT_TRUE(followers.asked("mirror/b.y/1", 112s));
  EXPECT_EQ(followers.size(), 2u);
}

}  // namespace
}  // namespace starbus::nodes::replica
