#include "storage/measured_store.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <mutex>

#include "storage/testing/fault_env.hpp"
#include "tests/storage/support.hpp"

namespace starbus::storage {
namespace {

TEST(MeasuredStore, TimesWhatIsDurableAndTellsWhatIsNot) {
  test::TempFolder folder;
  testing::FaultEnv env;
  auto store = test::open_or_fail({.folder = folder.path() / "s", .env = &env});
  std::mutex mutex;
  std::vector<MeasuredStore::Commit> commits;
  MeasuredStore measured(*store, [&](const MeasuredStore::Commit& commit) {
    const std::lock_guard lock(mutex);
    commits.push_back(commit);
  });
  env.set_sync_delay(std::chrono::milliseconds(20));
  EXPECT_TRUE(test::commit(measured, test::put("a", "1")));
  env.fail(testing::Call::sync, 1, EIO);
  EXPECT_FALSE(test::commit(measured, test::put("b", "2")));
  EXPECT_EQ(measured.report().state, State::stopped);
  const std::lock_guard lock(mutex);
  ASSERT_EQ(commits.size(), 2U);
  EXPECT_TRUE(commits[0].durable);
  EXPECT_GE(commits[0].seconds, 0.02);
  EXPECT_EQ(commits[0].operations, 1U);
  EXPECT_FALSE(commits[1].durable);
}

}  // namespace
}  // namespace starbus::storage
