#include "base/loop_thread.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace starbus {
namespace {

TEST(LoopThreadTest, AcceptsTheThreadThatConstructed) {
  const LoopThread owner;
  owner.check();
  EXPECT_TRUE(owner.is_current());
}

TEST(LoopThreadTest, RebindHandsTheObjectToTheCaller) {
  LoopThread owner;
  std::thread other([&owner] {
    EXPECT_FALSE(owner.is_current());
    owner.rebind();
    owner.check();
  });
  other.join();
  EXPECT_FALSE(owner.is_current());
}

TEST(LoopThreadTest, CopyBelongsToTheCopyingThread) {
  const LoopThread owner;
  std::thread other([&owner] {
    const LoopThread copy(owner);
    copy.check();
  });
  other.join();
}

TEST(LoopThreadDeathTest, AbortsInAnotherThreadNamingBoth) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        const LoopThread owner;
        std::thread other([&owner] { owner.check(); });
        other.join();
      },
      "an object of thread [0-9]+ \\(.+\\) was used by thread [0-9]+ \\(.+\\)");
}

}  // namespace
}  // namespace starbus
