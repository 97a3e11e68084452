/// What a store takes while there is little space, and that it frees some by itself.
#include <gtest/gtest.h>

#include <cerrno>

#include "storage/testing/fault_env.hpp"
#include "tests/storage/support.hpp"

namespace starbus::storage {
namespace {

using test::commit;
using test::content_of;
using test::put;
using testing::Call;
using testing::FaultEnv;

Batch bookkeeping(const std::string& key, std::size_t bytes = 10) {
  Batch batch = put(key, std::string(bytes, 'v'));
  batch.use_reserve();
  return batch;
}

class ReserveTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kSpace = 1 << 20;
  ReserveTest() { open(std::chrono::milliseconds(5)); }
  void open(std::chrono::milliseconds space_retry) {
    store_.reset();
    store_ = test::open_or_fail({.folder = folder_.path() / "s",
                                 .env = &env_,
                                 .headroom = kSpace,
                                 .write_buffer = 65536,
                                 .space_retry = space_retry});
  }
  void put_many(std::uint64_t count) {
    Batch batch;
    for (std::uint64_t i = 0; i < count; ++i) batch.put("r/" + std::to_string(i), "v");
    ASSERT_TRUE(commit(*store_, std::move(batch)));
  }
  bool all_erased(int tries) {
    for (int i = 0; i < tries; ++i) {
      if (store_->report().erasing_ranges == 0) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

  test::TempFolder folder_;
  FaultEnv env_;
  std::unique_ptr<Store> store_;
};

TEST_F(ReserveTest, BookkeepingIsTakenAsErasesAre) {
  env_.set_available(kSpace - 1);
  EXPECT_EQ(commit(*store_, put("a", "1")).error(), Errc::store_full);
  EXPECT_TRUE(commit(*store_, bookkeeping("b")));
  Batch mixed = bookkeeping("c");
  mixed.erase("b");
  mixed.erase_range("d", "e");
  EXPECT_TRUE(commit(*store_, std::move(mixed)));
  EXPECT_EQ(content_of(*store_).size(), 1u);
  EXPECT_EQ(store_->report().state, State::full);
  env_.set_available(kSpace / 4 - 1);
  EXPECT_EQ(commit(*store_, bookkeeping("d")).error(), Errc::store_full);
  env_.set_available(kSpace / 4);
  bool taken = false;
  for (int i = 0; i < 2000 && !taken; ++i) {
    taken = static_cast<bool>(commit(*store_, bookkeeping("d")));
    if (!taken) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(taken) << "there is a quarter again";
  env_.set_available(2 * kSpace);
  EXPECT_TRUE(test::reaches(*store_, State::running));
}

TEST_F(ReserveTest, GivesBackWhatIsErasedInSmallPieces) {
  constexpr std::size_t kMessages = 300;
  for (std::size_t i = 0; i < kMessages; ++i) {
    ASSERT_TRUE(commit(*store_, put("m/" + std::to_string(i), std::string(40'000, 'v'))));
  }
  const auto used = [this] {
    std::uintmax_t bytes = 0;
    std::error_code gone;
    for (const auto& file : std::filesystem::directory_iterator(folder_.path() / "s", gone)) {
      const std::uintmax_t size = file.file_size(gone);
      if (!gone) bytes += size;
    }
    return bytes;
  };
  // A file whose records go to a table meanwhile may be gone before that is listed.
  std::uintmax_t full = used();
  for (int i = 0; i < 4'000 && full <= kMessages * 40'000; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    full = used();
  }
  EXPECT_GT(full, kMessages * 40'000);
  env_.set_available(kSpace - 1);
  for (std::size_t i = 0; i < kMessages; ++i) {
    Batch erase;
    erase.erase("m/" + std::to_string(i));
    ASSERT_TRUE(commit(*store_, std::move(erase)));
  }
  for (int i = 0; i < 4'000 && used() > full / 10; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_LE(used(), full / 10) << "of " << full;
  EXPECT_EQ(store_->report().state, State::full) << "the disk says so still";
  env_.set_available(2 * kSpace);
  EXPECT_TRUE(test::reaches(*store_, State::running));
}

TEST_F(ReserveTest, IsNotForALogThatIsTorn) {
  env_.fail(Call::append, 1, ENOSPC, true);
  EXPECT_EQ(commit(*store_, bookkeeping("a")).error(), Errc::store_full);
  EXPECT_EQ(store_->commit(bookkeeping("b"), {}).error(), Errc::store_full);
  env_.heal();
  ASSERT_TRUE(test::reaches(*store_, State::running));
  EXPECT_TRUE(commit(*store_, bookkeeping("c")));
  EXPECT_EQ(content_of(*store_).size(), 1u);
}

TEST_F(ReserveTest, SpaceIsLookedAtBeforeEachGroup) {
  open(std::chrono::hours(1));
  env_.set_available(kSpace - 1);
  EXPECT_EQ(commit(*store_, put("a", "1")).error(), Errc::store_full);
  EXPECT_TRUE(commit(*store_, bookkeeping("b")));
  env_.set_available(kSpace / 4 - 1);
  EXPECT_EQ(commit(*store_, bookkeeping("c")).error(), Errc::store_full);
  EXPECT_EQ(store_->commit(test::erase_range("a", "z"), {}).error(), Errc::store_full);
  EXPECT_EQ(content_of(*store_).size(), 1u);
}

TEST_F(ReserveTest, LargeRangesAreErasedWhileTheDiskIsFull) {
  put_many(4 * kRangeChunk);
  env_.set_available(kSpace - 1);
  EXPECT_EQ(commit(*store_, put("a", "1")).error(), Errc::store_full);
  EXPECT_TRUE(commit(*store_, test::erase_range("r/", "r0")));
  EXPECT_TRUE(all_erased(6000)) << "else it never has space again";
  EXPECT_EQ(store_->report().state, State::full);
  EXPECT_TRUE(content_of(*store_).empty());
}

TEST_F(ReserveTest, LargeRangesWaitBelowAQuarter) {
  put_many(4 * kRangeChunk);
  test::HeldWriter writer(*store_, test::erase_range("r/", "r0"));
  env_.set_available(kSpace / 4 - 1);
  writer.release();
  EXPECT_FALSE(all_erased(20));
  EXPECT_TRUE(content_of(*store_).empty());
  env_.set_available(kSpace / 4);
  EXPECT_TRUE(all_erased(6000));
}

TEST_F(ReserveTest, BookkeepingIntoAHiddenRangeWaitsForItAlsoWhileFull) {
  put_many(4 * kRangeChunk);
  test::Outcomes outcomes;
  test::HeldWriter writer(*store_, put("x", ""));
  ASSERT_TRUE(store_->commit(test::erase_range("r/", "r0"), outcomes.next()));
  ASSERT_TRUE(store_->commit(bookkeeping("r/7"), outcomes.next()));
  env_.set_available(kSpace - 1);
  writer.release();
  outcomes.wait(2);
  EXPECT_EQ(outcomes.acknowledged(), 2u);
  EXPECT_EQ(content_of(*store_).size(), 2u);
}

TEST_F(ReserveTest, IsBoundedPerBatchAlsoWhenThereIsSpace) {
  EXPECT_TRUE(commit(*store_, bookkeeping("a", kReserveBatch - 100)));
  EXPECT_EQ(store_->commit(bookkeeping("a", kReserveBatch), {}).error(), Errc::too_large);
  Batch erases = bookkeeping("a", kReserveBatch - 100);
  for (int i = 0; i < 10'000; ++i) erases.erase("key/" + std::to_string(i));
  EXPECT_TRUE(commit(*store_, std::move(erases))) << "what is erased does not count";
}

}  // namespace
}  // namespace starbus::storage
