/// Single bytes of the files are changed: what is read is right, or is said to be damaged.
#include <gtest/gtest.h>
#include <leveldb/db.h>
#include <leveldb/write_batch.h>

#include <algorithm>
#include <fstream>

#include "storage/envelope.hpp"
#include "storage/internal_keys.hpp"
#include "storage/recovery/repair.hpp"
#include "storage/testing/fault_env.hpp"
#include "tests/storage/support.hpp"

namespace starbus::storage {
namespace {

namespace fs = std::filesystem;

constexpr int kRecords = 150;

std::string key_of(int i) {
  const std::string text = std::to_string(i);
  return "key/" + std::string(4 - text.size(), '0') + text;
}
std::string value_of(int i) {
  return std::string(200, static_cast<char>('a' + i % 26)) + std::to_string(i);
}

class CorruptionTest : public ::testing::Test {
 protected:
  CorruptionTest() {
    auto store = test::open_or_fail(options("original"));
    for (int i = 0; i < kRecords; ++i) {
      EXPECT_TRUE(test::commit(*store, test::put(key_of(i), value_of(i))));
      expected_[key_of(i)] = value_of(i);
    }
  }
  StoreOptions options(const std::string& name) {
    return {
        .folder = folder_.path() / name, .env = &env_, .headroom = 1, .repair_logs = repair_logs};
  }
  /// Opening moves the log into a table.
  void move_into_a_table() { (void)test::open_or_fail(options("original")); }
  fs::path file_of(const std::string& name, const std::string& extension) {
    fs::path largest;
    for (const auto& entry : fs::directory_iterator(folder_.path() / name)) {
      if (entry.path().extension() != extension) continue;
      if (largest.empty() || entry.file_size() > fs::file_size(largest)) largest = entry.path();
    }
    return largest;
  }
  /// A copy of the store in which one bit of one file is flipped.
  void damage_copy(const std::string& extension, std::uint64_t at) {
    copy();
    flip(file_of("copy", extension), at);
  }
  void copy() {
    fs::remove_all(folder_.path() / "copy");
    fs::copy(folder_.path() / "original", folder_.path() / "copy");
  }
  void flip(const fs::path& path, std::uint64_t at) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(static_cast<std::streamoff>(at));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(byte ^ (1 << (at % 8))));
  }
  void expect_only_right_records(const test::Content& content) {
    for (const auto& [key, value] : content) {
      const auto right = expected_.find(key);
      ASSERT_NE(right, expected_.end()) << printable(key);
      ASSERT_EQ(value, right->second) << printable(key);
    }
  }

  test::TempFolder folder_;
  testing::FaultEnv env_;
  test::Content expected_;
};

TEST_F(CorruptionTest, OfATableIsReportedAndTheRestIsRead) {
  move_into_a_table();
  const std::uint64_t size = fs::file_size(file_of("original", ".ldb"));
  ASSERT_GT(size, 20'000u);
  std::uint64_t damaged = 0;
  std::uint64_t kept = 0;
  for (std::uint64_t at = 0; at < size; at += 101) {
    SCOPED_TRACE("byte " + std::to_string(at));
    damage_copy(".ldb", at);
    auto store = open_store(options("copy"));
    if (!store) {
      // The format key was in the damaged block.
      EXPECT_EQ(store.error(), Errc::corrupt);
      ++damaged;
      const auto repaired = repair_store(options("copy"));
      ASSERT_TRUE(repaired) << repaired.error().to_string();
      store = open_store(options("copy"));
      ASSERT_TRUE(store) << store.error().to_string();
      expect_only_right_records(test::content_of(**store));
      continue;
    }
    const test::Found found = test::read_all(**store);
    expect_only_right_records(found.content);
    if (found.content != expected_) {
      ++damaged;
      EXPECT_FALSE(found.damage.empty()) << "records are missing without a word";
      for (const Error& error : found.damage) EXPECT_EQ(error.code, Errc::corrupt);
    }
    kept += found.content.size();
    for (const auto& [key, value] : expected_) {
      if (found.content.contains(key)) continue;
      const auto read = (*store)->get(key);
      ASSERT_FALSE(read) << "missing without a word: " << key;
      EXPECT_EQ(read.error().code, Errc::corrupt);
      EXPECT_EQ(read.error().key, key);
    }
    if (HasFailure()) return;
  }
  const std::uint64_t tries = size / 101 + 1;
  EXPECT_GT(damaged, tries * 9 / 10);
  EXPECT_GT(kept, tries * kRecords * 3 / 4) << "one bit takes a block along, not the store";
}

TEST_F(CorruptionTest, BelowLevelDbsChecksumsIsReportedByKey) {
  // As memory that flips a bit before a block is written, or a compaction that carries it on.
  leveldb::DB* raw = nullptr;
  ASSERT_TRUE(leveldb::DB::Open({}, (folder_.path() / "original").string(), &raw).ok());
  std::string sealed;
  ASSERT_TRUE(raw->Get({}, key_of(7), &sealed).ok());
  sealed[20] = static_cast<char>(sealed[20] ^ 1);
  ASSERT_TRUE(raw->Put({}, key_of(7), sealed).ok());
  ASSERT_TRUE(raw->Get({}, key_of(9), &sealed).ok());
  ASSERT_TRUE(raw->Put({}, key_of(8), sealed).ok());  // the value of another key
  delete raw;
  const auto store = test::open_or_fail(options("original"));
  EXPECT_EQ(store->get(key_of(7)).error().key, key_of(7));
  EXPECT_EQ(store->get(key_of(8)).error(), Errc::corrupt);
  const test::Found found = test::read_all(*store);
  EXPECT_EQ(found.content.size(), expected_.size() - 2);
  ASSERT_EQ(found.damage.size(), 2u);
  EXPECT_EQ(found.damage[0].key, key_of(7));
  EXPECT_EQ(found.damage[1].key, key_of(8));
  ASSERT_TRUE(test::commit(*store, test::put(key_of(7), value_of(7)))) << "can be put anew";
  EXPECT_EQ(store->get(key_of(7)).value(), value_of(7));
}

TEST_F(CorruptionTest, NeverBringsAnOlderVersionBack) {
  move_into_a_table();
  {
    // All values anew, and every third key erased: in a second table over the first.
    const auto store = test::open_or_fail(options("original"));
    Batch batch;
    for (int i = 0; i < kRecords; ++i) {
      expected_[key_of(i)] = "new " + value_of(i);
      batch.put(key_of(i), expected_[key_of(i)]);
      if (i % 3 != 0) continue;
      batch.erase(key_of(i));
      expected_.erase(key_of(i));
    }
    ASSERT_TRUE(test::commit(*store, std::move(batch)));
  }
  move_into_a_table();
  copy();
  std::vector<fs::path> tables;
  for (const auto& entry : fs::directory_iterator(folder_.path() / "copy")) {
    if (entry.path().extension() == ".ldb") tables.push_back(entry.path().filename());
  }
  const fs::path newest = *std::max_element(tables.begin(), tables.end());
  const std::uint64_t size = fs::file_size(folder_.path() / "copy" / newest);
  ASSERT_GT(size, 20'000u);
  for (std::uint64_t at = 0; at < size; at += 499) {
    SCOPED_TRACE("byte " + std::to_string(at));
    copy();
    flip(folder_.path() / "copy" / newest, at);
    const auto store = test::open_or_fail(options("copy"));
    ASSERT_NE(store, nullptr);
    const test::Found found = test::read_all(*store);
    expect_only_right_records(found.content);
    if (found.content != expected_) {
      EXPECT_FALSE(found.damage.empty());
    }
    for (int i = 0; i < kRecords; ++i) {
      const auto value = store->get(key_of(i));
      if (!value) {
        EXPECT_EQ(value.error(), Errc::corrupt);
      } else if (*value) {
        EXPECT_EQ(**value, expected_[key_of(i)]);
      } else {
        EXPECT_FALSE(expected_.contains(key_of(i)));
      }
    }
    if (HasFailure()) return;
  }
}

TEST_F(CorruptionTest, WhatWasRepairedIsDurable) {
  move_into_a_table();
  damage_copy(".ldb", 9000);
  ASSERT_TRUE(repair_store(options("copy")));
  env_.lose_unsynced(testing::FaultEnv::Loss::all, 1);
  const auto store = test::open_or_fail(options("copy"));
  ASSERT_NE(store, nullptr);
  EXPECT_GT(test::content_of(*store).size(), kRecords * 3u / 4);
}

TEST_F(CorruptionTest, ARepairKeepsTheListOfErasedRangesOnlyIfItIsSound) {
  std::string list;
  for (const std::string_view key : {std::string_view("key/0100"), std::string_view("key0")}) {
    list += {static_cast<char>(key.size()), '\0'};
    list += key;
  }
  for (const bool sound : {true, false}) {
    fs::remove_all(folder_.path() / "copy");
    fs::copy(folder_.path() / "original", folder_.path() / "copy");
    leveldb::DB* raw = nullptr;
    ASSERT_TRUE(leveldb::DB::Open({}, (folder_.path() / "copy").string(), &raw).ok());
    std::string sealed;
    seal(kErasingKey, list, sealed);
    ASSERT_TRUE(raw->Put({}, to_slice(kErasingKey), sealed).ok());
    delete raw;
    // Without its manifest nobody can say whether this is the newest list.
    for (const auto& entry : fs::directory_iterator(folder_.path() / "copy")) {
      const bool manifest = entry.path().filename().string().starts_with("MANIFEST-");
      if (!sound && manifest) fs::remove(entry.path());
    }
    ASSERT_TRUE(repair_store(options("copy")));
    const auto store = test::open_or_fail(options("copy"));
    ASSERT_NE(store, nullptr);
    EXPECT_EQ(test::content_of(*store).size(), sound ? 100u : kRecords * 1u);
  }
}

TEST_F(CorruptionTest, FoundByACompactionStopsWritingAndCanBeRepaired) {
  move_into_a_table();
  damage_copy(".ldb", 9000);
  auto store = test::open_or_fail(options("copy"));
  store->compact("", "");
  // The compaction is found to have failed by the next commits, maybe by the first.
  Result<> last;
  std::size_t more = 0;  // records
  for (int i = 0; i < 3000 && last; ++i) {
    last = test::commit(*store, test::put("z", std::to_string(i)));
    if (last) more = 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error(), Errc::stopped);
  EXPECT_EQ(store->report().reason.code, Errc::corrupt);
  EXPECT_TRUE(store->get(key_of(0)));
  const std::size_t readable = test::read_all(*store).content.size();
  EXPECT_GT(readable, kRecords * 3u / 4);
  store.reset();
  ASSERT_TRUE(repair_store(options("copy")));
  EXPECT_TRUE(fs::exists(folder_.path() / "copy" / "lost")) << "the original is kept";
  store = test::open_or_fail(options("copy"));
  ASSERT_NE(store, nullptr);
  const test::Found found = test::read_all(*store);
  EXPECT_TRUE(found.damage.empty());
  EXPECT_EQ(found.content.size(), expected_.size() + more) << "one flipped bit is put right";
  EXPECT_TRUE(test::commit(*store, test::put("a", "1")));
}

}  // namespace
}  // namespace starbus::storage
