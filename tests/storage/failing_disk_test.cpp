/// Disks that are full, and disks that fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "storage/recovery/repair.hpp"
#include "storage/testing/fault_env.hpp"
#include "tests/storage/support.hpp"

namespace starbus::storage {
namespace {

using test::commit;
using test::content_of;
using test::put;
using testing::Call;
using testing::FaultEnv;
using ::testing::HasSubstr;

class FailingDiskTest : public ::testing::Test {
 protected:
  FailingDiskTest() { open(); }
  StoreOptions options() {
    return {.folder = folder_.path() / "s",
            .env = &env_,
            .headroom = 1 << 20,
            .write_buffer = 65536,
            .space_retry = std::chrono::milliseconds(5),
            .repair_logs = repair_logs};
  }
  void open() { store_ = test::open_or_fail(options()); }
  void crash() {
    store_.reset();
    env_.lose_unsynced(FaultEnv::Loss::all, 1);
    env_.heal();
    open();
  }

  test::TempFolder folder_;
  FaultEnv env_;
  std::unique_ptr<Store> store_;
};

TEST_F(FailingDiskTest, AFullDiskRefusesReadsOnAndRecovers) {
  ASSERT_TRUE(commit(*store_, put("a", "1")));
  env_.fail(Call::append, 2, ENOSPC, true);  // the header of the record fits, the rest does not
  const auto refused = commit(*store_, put("b", std::string(50'000, 'b')));
  EXPECT_EQ(refused.error(), Errc::store_full);
  EXPECT_THAT(refused.error().detail, HasSubstr("No space left on device"));
  EXPECT_EQ(store_->report().state, State::full);
  EXPECT_EQ(store_->commit(put("c", "3"), {}).error(), Errc::store_full);
  EXPECT_EQ(store_->get("a").value(), "1");
  EXPECT_EQ(content_of(*store_), (test::Content{{"a", "1"}}));
  env_.heal();
  ASSERT_TRUE(test::reaches(*store_, State::running));
  EXPECT_EQ(store_->report().reopened, 1u);
  EXPECT_EQ(store_->get("b").value(), std::nullopt) << "refused for good";
  ASSERT_TRUE(commit(*store_, put("d", "4")));
  crash();
  EXPECT_EQ(content_of(*store_), (test::Content{{"a", "1"}, {"d", "4"}}))
      << "what is acknowledged behind the torn record is there";
}

TEST_F(FailingDiskTest, AFullDiskStaysFullUntilTheProbeFits) {
  env_.fail(Call::append, 1, EDQUOT, true);
  EXPECT_EQ(commit(*store_, put("a", "1")).error(), Errc::store_full);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(store_->report().state, State::full);
  EXPECT_EQ(store_->report().reopened, 0u);
  env_.heal();
  EXPECT_TRUE(test::reaches(*store_, State::running));
}

TEST_F(FailingDiskTest, SnapshotsAreStaleAfterARecovery) {
  ASSERT_TRUE(commit(*store_, put("a", "1")));
  const auto snapshot = store_->snapshot().value();
  env_.fail(Call::append, 1, ENOSPC);
  EXPECT_EQ(commit(*store_, put("b", "2")).error(), Errc::store_full);
  ASSERT_TRUE(test::reaches(*store_, State::running));
  EXPECT_EQ(snapshot->get("a").error(), Errc::stale);
  EXPECT_EQ(store_->snapshot().value()->get("a").value(), "1");
}

TEST_F(FailingDiskTest, LittleSpaceIsKeptForErasing) {
  ASSERT_TRUE(commit(*store_, put("a", "1")));
  ASSERT_TRUE(commit(*store_, put("b", "2")));
  env_.set_available(options().headroom - 1);
  EXPECT_EQ(commit(*store_, put("c", "3")).error(), Errc::store_full);
  Batch erase;
  erase.erase("a");
  EXPECT_TRUE(commit(*store_, std::move(erase)));
  EXPECT_EQ(content_of(*store_), (test::Content{{"b", "2"}}));
  env_.set_available(options().headroom / 4 - 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(store_->commit(test::erase_range("a", "z"), {}).error(), Errc::store_full);
  env_.set_available(options().headroom + 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(store_->report().state, State::full) << "not at once, or it would flap";
  env_.set_available(2 * options().headroom);
  EXPECT_TRUE(test::reaches(*store_, State::running));
  EXPECT_EQ(store_->report().reopened, 0u);
  EXPECT_TRUE(commit(*store_, put("c", "3")));
}

TEST_F(FailingDiskTest, AFullDiskUnderATableIsMetAtTheNextCommits) {
  // Enough to take commits, too little to open again: that must not happen while this test reads.
  env_.set_available(options().headroom + 1);
  env_.fail(Call::append, 1, ENOSPC, true, ".ldb");
  test::Content kept;
  for (int i = 0; i < 1000; ++i) {
    const std::string key = "k" + std::to_string(i);
    const auto result = commit(*store_, put(key, std::string(5000, 'v')));
    if (!result) {
      EXPECT_EQ(result.error(), Errc::store_full);
      break;
    }
    kept[key] = std::string(5000, 'v');
  }
  EXPECT_EQ(store_->report().state, State::full);
  EXPECT_EQ(content_of(*store_), kept);
  env_.heal();
  env_.set_available(std::nullopt);
  ASSERT_TRUE(test::reaches(*store_, State::running));
  EXPECT_EQ(content_of(*store_), kept);
  crash();
  EXPECT_EQ(content_of(*store_), kept);
}

TEST_F(FailingDiskTest, AFullDiskAtASyncLeavesTheOutcomeOpen) {
  env_.fail(Call::sync, 1, ENOSPC, false, ".log");
  const auto result = commit(*store_, put("a", "1"));
  EXPECT_EQ(result.error(), Errc::io_error) << "the record may be in the log";
  ASSERT_TRUE(test::reaches(*store_, State::running));
  ASSERT_TRUE(commit(*store_, put("b", "2")));
  crash();
  EXPECT_EQ(store_->get("b").value(), "2");
}

TEST_F(FailingDiskTest, WithoutDescriptorsItRefusesAndRecovers) {
  test::Content kept;
  int number = 0;
  for (const char* kind : {".log", ".ldb"}) {
    for (const int error : {EMFILE, ENFILE}) {
      SCOPED_TRACE(kind + std::to_string(error));
      env_.fail(Call::open, 1, error, true, kind);
      Result<> last;
      for (int i = 0; i < 1000 && last; ++i) {
        const std::string key = "k" + std::to_string(number++);
        last = commit(*store_, put(key, std::string(5000, 'v')));
        if (last) kept[key] = std::string(5000, 'v');
      }
      EXPECT_EQ(last.error(), Errc::store_full);
      EXPECT_EQ(store_->report().state, State::full);
      EXPECT_THAT(store_->report().reason.detail, HasSubstr("Too many open files"));
      env_.heal();
      ASSERT_TRUE(test::reaches(*store_, State::running)) << store_->report().reason.to_string();
      EXPECT_EQ(content_of(*store_), kept);
    }
  }
  crash();
  EXPECT_EQ(content_of(*store_), kept);
}

TEST_F(FailingDiskTest, AnInterruptedSyncLeavesTheOutcomeOpenAndNothingIsSyncedTwice) {
  test::Content kept;
  for (int round = 0; round < 5; ++round) {
    const std::string key = std::to_string(round);
    env_.fail(Call::sync, 1, EINTR, false, ".log");
    // Only the first fails: had it been called again, this would be on the disk. (Calls cannot be
    // counted: the store opens itself anew, and syncs, before or behind this answer.)
    const auto result = commit(*store_, put("open/" + key, "1"));
    EXPECT_EQ(result.error(), Errc::io_error);
    ASSERT_TRUE(test::reaches(*store_, State::running)) << store_->report().reason.to_string();
    ASSERT_TRUE(commit(*store_, put(key, "2")));
    kept[key] = "2";
    crash();
    for (const auto& [one, value] : kept) EXPECT_EQ(store_->get(one).value(), value);
  }
}

TEST_F(FailingDiskTest, FullAgainAndAgainKeepsExactlyWhatWasAcknowledged) {
  test::Content kept;
  for (std::uint64_t round = 0; round < 60; ++round) {
    env_.fail(Call::append, 1 + round % 7, ENOSPC, round % 3 == 0);
    for (int i = 0; i < 8; ++i) {
      const std::string key = std::to_string(round) + "/" + std::to_string(i);
      const std::string value(1000 * static_cast<std::size_t>(i), 'v');
      const auto result = commit(*store_, put(key, value));
      if (result) {
        kept[key] = value;
      } else {
        EXPECT_EQ(result.error(), Errc::store_full);
      }
    }
    env_.heal();
    ASSERT_TRUE(test::reaches(*store_, State::running)) << store_->report().reason.to_string();
    if (round % 5 == 4) crash();
    EXPECT_TRUE(content_of(*store_) == kept) << "round " << round;
  }
}

TEST_F(FailingDiskTest, AnFsyncErrorStopsTheStore) {
  ASSERT_TRUE(commit(*store_, put("a", "1")));
  env_.fail(Call::sync, 1, EIO, false, ".log");  // once: asking again would succeed
  const auto result = commit(*store_, put("b", "2"));
  EXPECT_EQ(result.error(), Errc::io_error);
  EXPECT_THAT(result.error().detail, HasSubstr("Input/output error"));
  const Report report = store_->report();
  EXPECT_EQ(report.state, State::stopped);
  EXPECT_EQ(report.reason.code, Errc::io_error);
  const auto later = store_->commit(put("c", "3"), {});
  EXPECT_EQ(later.error(), Errc::stopped);
  EXPECT_THAT(later.error().detail, HasSubstr("Input/output error"));
  EXPECT_EQ(store_->get("a").value(), "1");
  EXPECT_EQ(content_of(*store_).count("c"), 0u);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_EQ(store_->report().state, State::stopped) << "does not come back by itself";
  crash();
  EXPECT_EQ(content_of(*store_), (test::Content{{"a", "1"}}));
}

TEST_F(FailingDiskTest, WhatIsQueuedBehindAnErrorFailsOnceAndInOrder) {
  test::Outcomes outcomes;
  test::HeldWriter writer(*store_, put("x", ""));
  env_.fail(Call::append, 1, EIO, false, ".log");
  // More than one group.
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(
        store_->commit(put("k" + std::to_string(i), std::string(20'000, 'v')), outcomes.next()));
  }
  writer.release();
  store_.reset();
  outcomes.expect_once_in_order();
  EXPECT_EQ(outcomes.acknowledged(), 0u);
  EXPECT_EQ(outcomes.at(0).error(), Errc::io_error);
  EXPECT_EQ(outcomes.at(299).error(), Errc::stopped);
}

TEST_F(FailingDiskTest, ClosingAFullStoreFailsWhatIsQueued) {
  test::Outcomes outcomes;
  test::HeldWriter writer(*store_, put("x", ""));
  env_.fail(Call::append, 1, ENOSPC, true);
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(
        store_->commit(put("k" + std::to_string(i), std::string(20'000, 'v')), outcomes.next()));
  }
  writer.release();
  store_.reset();
  outcomes.expect_once_in_order();
  for (std::size_t i = 0; i < 300; ++i) EXPECT_EQ(outcomes.at(i).error(), Errc::store_full);
}

TEST_F(FailingDiskTest, WhatWaitsForARangeThatCannotBeErasedIsNotThere) {
  Batch many;
  for (std::uint64_t i = 0; i < 3 * kRangeChunk; ++i) many.put("r/" + std::to_string(i), "v");
  ASSERT_TRUE(commit(*store_, std::move(many)));
  test::Outcomes outcomes;
  test::HeldWriter writer(*store_, test::erase_range("r/", "r0"));
  ASSERT_TRUE(store_->commit(put("r/1", "new"), outcomes.next()));
  env_.fail(Call::sync, 1, EIO, false, ".log");
  writer.release();
  outcomes.wait(1);
  EXPECT_EQ(outcomes.at(0).error(), Errc::stopped) << "known: nothing of it was written";
  crash();
  EXPECT_TRUE(content_of(*store_).empty()) << "and the range stays erased";
}

TEST_F(FailingDiskTest, ADiskThatFailsWhenItIsOpenedSaysSo) {
  store_.reset();
  env_.fail(Call::open, 1, EACCES, true);
  EXPECT_EQ(open_store(options()).error(), Errc::io_error);
  env_.heal();
  env_.fail(Call::open, 1, ENOSPC, true);
  EXPECT_EQ(open_store(options()).error(), Errc::store_full);
  env_.heal();
  open();
  EXPECT_TRUE(commit(*store_, put("a", "1")));
}

TEST_F(FailingDiskTest, EveryCallThatFailsIsNoticedOrHarmless) {
  // One EIO at each call in turn: nothing acknowledged is lost, nothing refused for good appears.
  for (const Call call : {Call::open, Call::append, Call::sync, Call::rename, Call::sync_folder}) {
    for (std::uint64_t nth = 1; nth < 60; ++nth) {
      env_.fail(call, nth, EIO);
      test::Content kept = content_of(*store_);
      test::Content open_ended;
      for (int i = 0; i < 20; ++i) {
        const std::string key =
            std::to_string(static_cast<int>(call)) + std::to_string(nth) + "/" + std::to_string(i);
        const auto result = commit(*store_, put(key, std::string(4000, 'v')));
        if (result) {
          kept[key] = std::string(4000, 'v');
        } else if (result.error() == Errc::io_error) {
          open_ended[key] = std::string(4000, 'v');
        } else {
          EXPECT_EQ(result.error(), Errc::stopped);
        }
      }
      crash();
      ASSERT_NE(store_, nullptr);
      test::Content content = content_of(*store_);
      if (content != kept) {
        for (const auto& [key, value] : open_ended) kept[key] = value;
      }
      ASSERT_TRUE(content == kept) << "call " << static_cast<int>(call) << " number " << nth;
      if (nth % 10 == 9) {
        ASSERT_TRUE(commit(*store_, test::erase_range("0", "9999")));
      }
    }
  }
}

}  // namespace
}  // namespace starbus::storage
