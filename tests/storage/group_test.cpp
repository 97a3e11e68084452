/// What goes into one write of LevelDB, and what a damaged log may do to it.
#include "storage/group.hpp"

#include <gtest/gtest.h>
#include <leveldb/db.h>

#include "tests/storage/support.hpp"

namespace starbus::storage {
namespace {

class GroupTest : public ::testing::Test {
 protected:
  GroupTest() {
    leveldb::Options options;
    options.create_if_missing = true;
    leveldb::DB* db = nullptr;
    EXPECT_TRUE(leveldb::DB::Open(options, (folder_.path() / "db").string(), &db).ok());
    db_.reset(db);
  }
  /// As the writer does it, on a disk that works.
  void write(Group& group) { EXPECT_TRUE(db_->Write({}, &group.finish()).ok()); }
  void put_many(std::uint64_t count) {
    Batch batch;
    for (std::uint64_t i = 0; i < count; ++i) batch.put("r/" + std::to_string(i), "v");
    Group group(*db_, ranges_);
    ASSERT_TRUE(group.add(batch));
    write(group);
    ranges_.confirm();
  }

  test::TempFolder folder_;
  std::unique_ptr<leveldb::DB> db_;
  ErasingRanges ranges_;
};

TEST_F(GroupTest, ManyRangesOverTheSamePutsStaySmall) {
  Batch puts;
  for (int i = 0; i < 1000; ++i) puts.put("r/" + std::to_string(i), "v");
  Group group(*db_, ranges_);
  ASSERT_TRUE(group.add(puts));
  const Batch range = test::erase_range("r/", "r0");
  ASSERT_TRUE(group.add(range));
  const std::size_t once = group.finish().ApproximateSize();
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(group.add(range));
  EXPECT_EQ(group.finish().ApproximateSize(), once);
  const Batch again = test::put("r/1", "again");
  ASSERT_TRUE(group.add(again));
  ASSERT_TRUE(group.add(range));
  write(group);
  std::string value;
  EXPECT_TRUE(db_->Get({}, "r/1", &value).IsNotFound()) << "put again, and erased again";
}

TEST_F(GroupTest, WhatIsPutAfterARangeIsNotHiddenByADamagedLog) {
  put_many(kRangeInline + 1);
  const Batch range = test::erase_range("r/", "r0");
  Group hides(*db_, ranges_);
  ASSERT_TRUE(hides.add(range));
  write(hides);
  ranges_.confirm();
  ASSERT_EQ(load_erasing(*db_, {}).value().size(), 1u);
  Group erases(*db_, ranges_);
  ASSERT_TRUE(erases.add_chunk(kRangeChunk));
  (void)erases.finish();  // a damaged log has lost this write
  ranges_.confirm();
  ASSERT_TRUE(ranges_.empty());
  const Batch put = test::put("r/7", "new");
  Group later(*db_, ranges_);
  ASSERT_TRUE(later.add(put));
  write(later);
  EXPECT_TRUE(load_erasing(*db_, {}).value().empty()) << "it would hide r/7, and erase it";
}

TEST_F(GroupTest, OneBatchMayGoBeyondTheLimitOfHiddenRangesAndTheNextWaits) {
  put_many(kRangeCrowded + 1);
  Batch ranges;
  for (std::uint64_t i = 0; i < kMaxBatchRanges; ++i) ranges.erase_range("r/", "r0");
  Group group(*db_, ranges_);
  ASSERT_TRUE(group.add(ranges));
  EXPECT_TRUE(group.complete());
  write(group);
  ranges_.confirm();
  EXPECT_EQ(ranges_.size(), kMaxBatchRanges);
  Group next(*db_, ranges_);
  EXPECT_TRUE(next.must_wait(test::erase_range("a", "b")));
  EXPECT_FALSE(next.must_wait(test::put("s", "v")));
  EXPECT_TRUE(next.must_wait(test::put("r/5", "v")));
}

}  // namespace
}  // namespace starbus::storage
