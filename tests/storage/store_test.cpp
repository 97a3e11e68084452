/// A store on a disk that works.
#include "storage/store.hpp"
#include "storage/recovery/repair.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <leveldb/db.h>
#include <sys/stat.h>

#include <atomic>
#include <thread>

#include "storage/envelope.hpp"
#include "storage/internal_keys.hpp"
#include "storage/testing/fault_env.hpp"
#include "tests/storage/support.hpp"

namespace starbus::storage {
namespace {

using test::commit;
using test::content_of;
using test::put;

class StoreTest : public ::testing::Test {
 protected:
  StoreTest() { open(); }
  void open() {
    store_.reset();
    store_ = test::open_or_fail(options());
  }
  StoreOptions options() {
    return {.folder = folder_.path() / "store",
            .env = &env_,
            .headroom = 1,
            .write_buffer = 65536,
            .repair_logs = repair_logs};
  }
  std::string number(int i) {
    std::string text = std::to_string(i);
    return std::string(6 - text.size(), '0') + text;
  }
  void put_many(int count, const std::string& prefix = "r/") {
    Batch batch;
    for (int i = 0; i < count; ++i) batch.put(prefix + number(i), "v" + std::to_string(i));
    ASSERT_TRUE(commit(*store_, std::move(batch)));
  }

  test::TempFolder folder_;
  testing::FaultEnv env_;
  std::unique_ptr<Store> store_;
};

TEST_F(StoreTest, KeepsWhatWasAcknowledged) {
  Batch batch;
  batch.put("a", "1");
  batch.put("b", "");
  batch.put("c", std::string("\0\xff", 2));
  batch.erase("b");
  batch.put("a", "2");  // the later one counts
  ASSERT_TRUE(commit(*store_, std::move(batch)));
  const test::Content expected = {{"a", "2"}, {"c", std::string("\0\xff", 2)}};
  EXPECT_EQ(content_of(*store_), expected);
  EXPECT_EQ(store_->get("a").value(), "2");
  EXPECT_EQ(store_->get("b").value(), std::nullopt);
  EXPECT_EQ(store_->get("").value(), std::nullopt);
  open();
  EXPECT_EQ(content_of(*store_), expected);
  struct stat status {};
  ASSERT_EQ(::stat(options().folder.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0077, 0u) << "others may not read it";
}

TEST_F(StoreTest, CompletesInOrderWithOneSyncForMany) {
  test::Outcomes outcomes;
  std::promise<void> release;
  // While the first completion holds the writer, all others queue.
  ASSERT_TRUE(
      store_->commit(put("first", ""), [&](const Result<>&) { release.get_future().wait(); }));
  while (store_->report().committed == 0) std::this_thread::yield();
  const Report before = store_->report();
  constexpr std::size_t kMany = 1000;
  for (std::size_t i = 0; i < kMany; ++i) {
    ASSERT_TRUE(store_->commit(put("k" + std::to_string(i), "v"), outcomes.next()));
  }
  EXPECT_EQ(store_->report().queued_batches, kMany);
  release.set_value();
  outcomes.wait(kMany);
  outcomes.expect_once_in_order();
  EXPECT_EQ(outcomes.acknowledged(), kMany);
  EXPECT_EQ(store_->report().groups, before.groups + 1);
  EXPECT_LE(store_->report().syncs, before.syncs + 8) << "one of the log, few of LevelDB's tables";
}

TEST_F(StoreTest, GroupsWhatManyThreadsCommit) {
  env_.set_sync_delay(std::chrono::milliseconds(2));
  constexpr int kThreads = 16;
  constexpr int kEach = 25;
  const Report before = store_->report();
  std::vector<std::thread> threads;
  std::atomic<int> acknowledged = 0;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        const std::string key = "t" + std::to_string(t) + "/" + std::to_string(i);
        if (commit(*store_, put(key, key))) ++acknowledged;
        EXPECT_EQ(store_->get(key).value(), key) << "what was acknowledged can be read";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(acknowledged, kThreads * kEach);
  EXPECT_LT(store_->report().groups - before.groups, kThreads * kEach / 2);
}

TEST_F(StoreTest, SnapshotsStandStill) {
  ASSERT_TRUE(commit(*store_, put("a", "old")));
  const auto snapshot = store_->snapshot().value();
  Batch batch;
  batch.put("a", "new");
  batch.put("b", "new");
  ASSERT_TRUE(commit(*store_, std::move(batch)));
  EXPECT_EQ(snapshot->get("a").value(), "old");
  EXPECT_EQ(snapshot->get("b").value(), std::nullopt);
  EXPECT_EQ(snapshot->scan("", "").value().records.size(), 1u);
  EXPECT_EQ(store_->get("a").value(), "new");
  EXPECT_EQ(store_->report().snapshots, 1u);
}

TEST_F(StoreTest, SnapshotsAreBoundedAndMayOutliveTheStore) {
  std::vector<std::unique_ptr<Snapshot>> snapshots;
  for (std::uint64_t i = 0; i < kMaxSnapshots; ++i) {
    snapshots.push_back(store_->snapshot().value());
  }
  EXPECT_EQ(store_->snapshot().error(), Errc::would_block);
  snapshots.pop_back();
  EXPECT_TRUE(store_->snapshot());
  store_.reset();
  EXPECT_EQ(snapshots.front()->get("a").error(), Errc::closed);
  EXPECT_EQ(snapshots.front()->scan("", "").error(), Errc::closed);
}

TEST_F(StoreTest, PagesAreBounded) {
  put_many(1000);
  const auto snapshot = store_->snapshot().value();
  const Page page = snapshot->scan("r/000010", "r/000020", {.records = 4}).value();
  ASSERT_EQ(page.records.size(), 4u);
  EXPECT_EQ(page.records.front().key, "r/000010");
  EXPECT_EQ(page.next, "r/000014");
  const Page rest = snapshot->scan(*page.next, "r/000020").value();
  EXPECT_EQ(rest.records.size(), 6u);
  EXPECT_EQ(rest.next, std::nullopt);
  EXPECT_EQ(snapshot->scan("", "", {.records = 5, .bytes = 0}).value().records.size(), 1u);
  EXPECT_EQ(test::read_all(*store_, {.records = 7}).content.size(), 1000u);
  EXPECT_EQ(test::read_all(*store_, {.bytes = 100}).content.size(), 1000u);
}

TEST_F(StoreTest, SmallRangesAreErasedWithTheirBatch) {
  put_many(100);
  Batch batch;
  batch.erase_range("r/000010", "r/000070");
  batch.put("r/000070", "new");
  ASSERT_TRUE(commit(*store_, std::move(batch)));
  EXPECT_EQ(content_of(*store_).size(), 40u);
  EXPECT_EQ(store_->report().erasing_ranges, 0u);
}

TEST_F(StoreTest, RangesEraseWhatTheSameGroupHasPut) {
  test::Outcomes outcomes;
  std::promise<void> release;
  ASSERT_TRUE(store_->commit(put("x", ""), [&](const Result<>&) { release.get_future().wait(); }));
  ASSERT_TRUE(store_->commit(put("r/1", "erased"), outcomes.next()));
  ASSERT_TRUE(store_->commit(test::erase_range("r/", "r0"), outcomes.next()));
  ASSERT_TRUE(store_->commit(put("r/2", "stays"), outcomes.next()));
  release.set_value();
  outcomes.wait(3);
  EXPECT_EQ(content_of(*store_), (test::Content{{"r/2", "stays"}, {"x", ""}}));
}

TEST_F(StoreTest, LargeRangesAreGoneAtOnceAndErasedInChunks) {
  constexpr int kMany = 3 * kRangeChunk;
  put_many(kMany);
  ASSERT_TRUE(commit(*store_, put("s", "behind")));
  test::HeldWriter writer(*store_, test::erase_range("r/", "r0"));
  EXPECT_EQ(store_->report().erasing_ranges, 1u);
  EXPECT_EQ(content_of(*store_), (test::Content{{"s", "behind"}}));
  EXPECT_EQ(store_->get("r/000001").value(), std::nullopt);
  EXPECT_EQ(store_->get("s").value(), "behind");
  const auto snapshot = store_->snapshot().value();
  writer.release();
  while (store_->report().erasing_ranges != 0) std::this_thread::yield();
  EXPECT_EQ(snapshot->get("r/000001").value(), std::nullopt) << "not back in older snapshots";
  EXPECT_EQ(content_of(*store_), (test::Content{{"s", "behind"}}));
}

TEST_F(StoreTest, RangesThatContinueAHiddenOneMakeItLonger) {
  put_many(3'000);
  test::HeldWriter writer(*store_, test::erase_range("r/", "r/001000"));
  test::Outcomes outcomes;
  ASSERT_TRUE(store_->commit(test::erase_range("r/001000", "r/001010"), outcomes.next()));
  ASSERT_TRUE(store_->commit(test::erase_range("r/001010", "r/002000"), outcomes.next()));
  ASSERT_TRUE(store_->commit(put("r/002000", "new"), outcomes.next()));
  EXPECT_TRUE(store_->erases("r/000999", "").value());
  EXPECT_FALSE(store_->erases("r/001000", "").value());
  EXPECT_FALSE(store_->erases("", "r/").value());
  writer.release();
  outcomes.wait(3);
  EXPECT_LE(store_->report().erasing_ranges, 1u);
  EXPECT_EQ(content_of(*store_).size(), 1'000u);
  while (store_->report().erasing_ranges != 0) std::this_thread::yield();
  EXPECT_EQ(content_of(*store_).size(), 1'000u);
  EXPECT_EQ(store_->get("r/002000").value(), "new");
  EXPECT_FALSE(store_->erases("", "").value());
  store_->close();  // the completion has the promises of this frame
}

TEST_F(StoreTest, SnapshotsFromBeforeALargeRangeStillHaveIt) {
  constexpr std::uint64_t kMany = 2 * kRangeChunk;
  put_many(static_cast<int>(kMany));
  const auto before = store_->snapshot().value();
  ASSERT_TRUE(commit(*store_, test::erase_range("r/", "r0")));
  while (store_->report().erasing_ranges != 0) std::this_thread::yield();
  ASSERT_TRUE(commit(*store_, put("r/000001", "new")));
  EXPECT_EQ(before->get("r/000001").value(), "v1");
  std::uint64_t seen = 0;
  for (std::optional<std::string> from = ""; from;) {
    const Page page = before->scan(*from, "").value();
    seen += page.records.size();
    from = page.next;
  }
  EXPECT_EQ(seen, kMany);
  EXPECT_EQ(content_of(*store_), (test::Content{{"r/000001", "new"}}));
}

TEST_F(StoreTest, LargeRangesMayOverlap) {
  constexpr std::size_t kMany = 16'384;
  put_many(kMany);
  test::Outcomes outcomes;
  ASSERT_TRUE(store_->commit(test::erase_range("r/001000", "r/012000"), outcomes.next()));
  ASSERT_TRUE(store_->commit(test::erase_range("r/004000", "r/016000"), outcomes.next()));
  ASSERT_TRUE(store_->commit(test::erase_range("r/002000", "r/013000"), outcomes.next()));
  ASSERT_TRUE(store_->commit(put("r/005000", "new"), outcomes.next()));
  outcomes.wait(4);
  outcomes.expect_once_in_order();
  EXPECT_EQ(content_of(*store_).size(), kMany - 15'000 + 1);
  open();
  EXPECT_EQ(content_of(*store_).size(), kMany - 15'000 + 1);
}

TEST_F(StoreTest, ReadsWithoutASnapshotWhileARangeIsHidden) {
  put_many(2 * kRangeChunk);
  ASSERT_TRUE(commit(*store_, put("s", "behind")));
  test::HeldWriter writer(*store_, test::erase_range("r/", "r0"));
  std::vector<std::unique_ptr<Snapshot>> all;
  for (std::uint64_t i = 0; i < kMaxSnapshots; ++i) all.push_back(store_->snapshot().value());
  const auto behind = store_->get("s");
  ASSERT_TRUE(behind) << behind.error().to_string();
  EXPECT_EQ(*behind, "behind");
  EXPECT_EQ(store_->get("r/000001").value(), std::nullopt);
  writer.release();
  store_->close();  // the completion has the promises of this frame
}

TEST_F(StoreTest, WhatIsPutIntoALargeErasedRangeStays) {
  put_many(3 * kRangeChunk);
  test::Outcomes outcomes;
  ASSERT_TRUE(store_->commit(test::erase_range("r/", "r0"), outcomes.next()));
  ASSERT_TRUE(store_->commit(put("r/000007", "new"), outcomes.next()));
  outcomes.wait(2);
  EXPECT_EQ(content_of(*store_), (test::Content{{"r/000007", "new"}}));
  open();
  EXPECT_EQ(content_of(*store_), (test::Content{{"r/000007", "new"}}));
}

TEST_F(StoreTest, ErasesOnAfterARestart) {
  put_many(4 * kRangeChunk);
  test::Outcomes outcomes;
  ASSERT_TRUE(store_->commit(test::erase_range("r/", "r0"), outcomes.next()));
  open();  // closing does not wait for the chunks
  EXPECT_TRUE(content_of(*store_).empty());
  while (store_->report().erasing_ranges != 0) std::this_thread::yield();
  store_->compact("", "");
  EXPECT_TRUE(content_of(*store_).empty());
}

TEST_F(StoreTest, TheQueueIsBoundedInBatches) {
  test::HeldWriter writer(*store_, put("x", ""));
  std::atomic<std::uint64_t> completed = 0;
  std::uint64_t queued = 0;
  Result<> last;
  while (last) {
    last = store_->commit(put("k", "v"), [&](const Result<>& r) { completed += r ? 1 : 0; });
    if (last) ++queued;
  }
  EXPECT_EQ(last.error(), Errc::would_block);
  EXPECT_EQ(queued, kQueueBatches);
  writer.release();
  store_->close();
  EXPECT_EQ(completed, queued) << "close writes what is queued";
}

TEST_F(StoreTest, TheQueueIsBoundedInBytes) {
  test::HeldWriter writer(*store_, put("x", ""));
  const std::string large(kMaxValue, 'v');
  test::Outcomes outcomes;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(store_->commit(put("k", large), outcomes.next()));
  EXPECT_EQ(store_->commit(put("k", large), {}).error(), Errc::would_block);
  EXPECT_LE(store_->report().queued_bytes, kQueueBytes);
  writer.release();
  outcomes.wait(3);
  EXPECT_EQ(store_->get("k").value(), large);
  EXPECT_EQ(store_->report().queued_bytes, 0u);
}

TEST_F(StoreTest, CompletionsMayCommit) {
  std::promise<Result<>> second;
  ASSERT_TRUE(store_->commit(put("a", "1"), [&](const Result<>&) {
    EXPECT_TRUE(store_->commit(put("b", "2"), [&](const Result<>& r) { second.set_value(r); }));
  }));
  EXPECT_TRUE(second.get_future().get());
}

TEST_F(StoreTest, TheDestructorCompletesEverythingOnce) {
  test::Outcomes outcomes;
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(store_->commit(put("k" + number(i), "v"), outcomes.next()));
  }
  store_.reset();
  outcomes.expect_once_in_order();
  EXPECT_EQ(outcomes.acknowledged(), 500u);
  open();
  EXPECT_EQ(content_of(*store_).size(), 500u);
}

TEST_F(StoreTest, IsClosedAfterClose) {
  store_->close();
  store_->close();
  EXPECT_EQ(store_->commit(put("a", "1"), {}).error(), Errc::closed);
  EXPECT_EQ(store_->get("a").error(), Errc::closed);
  EXPECT_EQ(store_->snapshot().error(), Errc::closed);
  EXPECT_EQ(store_->report().state, State::closed);
  EXPECT_EQ(name_of(State::closed), "closed");
}

TEST_F(StoreTest, ManyThreadsMayCloseIt) {
  test::Outcomes outcomes;
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(store_->commit(put("k" + number(i), "v"), outcomes.next()));
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      store_->close();
      EXPECT_EQ(store_->get("k").error(), Errc::closed);
    });
  }
  for (std::thread& thread : threads) thread.join();
  outcomes.expect_once_in_order();
  EXPECT_EQ(outcomes.acknowledged(), 200u);
}

TEST_F(StoreTest, RefusesWrongBatches) {
  EXPECT_EQ(store_->commit(put("", "v"), {}).error(), Errc::bad_batch);
  EXPECT_EQ(store_->commit(put(std::string(kMaxKey + 1, 'k'), "v"), {}).error(), Errc::too_large);
  EXPECT_EQ(store_->report().refused, 2u);
}

TEST_F(StoreTest, AFolderHasOneStore) {
  const auto second = open_store(options());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::in_use);
}

TEST_F(StoreTest, AFolderHasOneStoreAlsoWithoutItsLockFile) {
  // Under another name: LevelDB would otherwise find it among those of this process.
  StoreOptions other = options();
  other.folder /= ".";
  std::filesystem::remove(options().folder / "LOCK");
  EXPECT_EQ(open_store(other).error(), Errc::in_use);
  EXPECT_EQ(repair_store(other).error(), Errc::in_use);
  store_->close();
  EXPECT_TRUE(open_store(other));
}

TEST_F(StoreTest, ANewerFormatIsRefusedAndAForeignDatabaseToo) {
  store_.reset();
  const std::string path = options().folder.string();
  leveldb::DB* raw = nullptr;
  for (const std::string format : {"2", "1.1"}) {
    ASSERT_TRUE(leveldb::DB::Open({}, path, &raw).ok());
    std::string sealed;
    seal(kFormatKey, format, sealed);
    ASSERT_TRUE(raw->Put({}, to_slice(kFormatKey), sealed).ok());
    delete raw;
    const auto newer = open_store(options());
    ASSERT_FALSE(newer);
    EXPECT_EQ(newer.error().code, Errc::newer_format);
    EXPECT_EQ(newer.error().detail,
              path + " has storage format " + format + "; this version knows 1");
  }

  ASSERT_TRUE(leveldb::DB::Open({}, path, &raw).ok());
  ASSERT_TRUE(raw->Delete({}, to_slice(kFormatKey)).ok());
  ASSERT_TRUE(raw->Put({}, "foreign", "value").ok());
  delete raw;
  EXPECT_EQ(open_store(options()).error(), Errc::corrupt);
}

TEST_F(StoreTest, ReadersAndWritersAndCompactionsAtOnce) {
  std::atomic<bool> done = false;
  std::vector<std::thread> readers;
  for (int t = 0; t < 2; ++t) {
    readers.emplace_back([&] {
      while (!done) {
        const auto snapshot = store_->snapshot().value();
        const auto first = snapshot->get("pair/a").value();
        const auto second = snapshot->get("pair/b").value();
        EXPECT_EQ(first, second) << "a batch is seen whole or not at all";
        EXPECT_TRUE(snapshot->scan("", "", {.records = 50}).value().damage.empty());
        (void)store_->report();
      }
    });
  }
  for (int i = 0; i < 300; ++i) {
    Batch batch;
    batch.put("pair/a", number(i));
    batch.put("r/" + number(i), std::string(500, 'v'));
    batch.put("pair/b", number(i));
    if (i % 10 == 9) batch.erase_range("r/", "r/" + number(i - 5));
    ASSERT_TRUE(commit(*store_, std::move(batch)));
    if (i % 100 == 99) store_->compact("", "");
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
}

}  // namespace
}  // namespace starbus::storage
