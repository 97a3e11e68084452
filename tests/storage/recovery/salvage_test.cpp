/// Tables whose end is cut off, or whose index is damaged: a repair finds the rows of their blocks.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>

#include "base/text_of_file.hpp"
#include "storage/check/table_blocks.hpp"
#include "storage/check/table_keys.hpp"
#include "storage/recovery/repair.hpp"
#include "storage/testing/fault_env.hpp"
#include "tests/storage/support.hpp"

namespace starbus::storage {
namespace {

namespace fs = std::filesystem;

constexpr int kSalvageRecords = 200;

std::string salvage_key(int i) {
  const std::string text = std::to_string(i);
  return "key/" + std::string(4 - text.size(), '0') + text;
}

void write_file(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<long>(bytes.size()));
}

std::vector<std::string> keys_in(std::string_view table) {
  std::vector<std::string> keys;
  visit_blocks(table, [&](const TableRow& row) { keys.emplace_back(row.key); });
  return keys;
}

/// Reads LevelDB's index as its format says: where the data blocks end, with their trailers.
class TableIndex {
 public:
  explicit TableIndex(std::string_view table) : bytes_(table.substr(table.size() - 48)) {
    number();
    number();  // the block of filters
    const std::uint64_t offset = number();
    const std::uint64_t size = number();
    std::string_view index = table.substr(offset, size);
    const auto restarts = static_cast<unsigned char>(index[index.size() - 4]) |
                          static_cast<unsigned char>(index[index.size() - 3]) << 8;
    bytes_ = index.substr(0, index.size() - 4 - static_cast<std::size_t>(restarts) * 4);
    while (!bytes_.empty()) {
      EXPECT_EQ(number(), 0u) << "nothing is shared in an index";
      const std::uint64_t key = number();
      number();  // length of the value
      bytes_.remove_prefix(key);
      const std::uint64_t begin = number();
      ends.push_back(begin + number() + 5);
    }
  }
  std::vector<std::uint64_t> ends;

 private:
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
  }
  std::string_view bytes_;
};

class SalvageTest : public ::testing::Test {
 protected:
  SalvageTest() {
    std::mt19937 random(1);
    auto store = test::open_or_fail(options("original"));
    for (int i = 0; i < kSalvageRecords; ++i) {
      // Some are as long as several blocks, some empty.
      std::string value(i % 50 == 7 ? 9'000 : i % 11 == 0 ? 0 : 150, '\0');
      for (char& c : value) c = static_cast<char>(random());
      EXPECT_TRUE(test::commit(*store, test::put(salvage_key(i), value)));
      expected_[salvage_key(i)] = value;
    }
    // Erased in the table, too.
    Batch batch;
    for (int i = 0; i < kSalvageRecords; i += 29) {
      batch.erase(salvage_key(i));
      expected_.erase(salvage_key(i));
    }
    EXPECT_TRUE(test::commit(*store, std::move(batch)));
    store.reset();
    (void)test::open_or_fail(options("original"));  // moves the log into a table
    table_ = largest_table("original");
    bytes_ = text_of_file(table_);
  }

  StoreOptions options(const std::string& name) {
    return {
        .folder = folder_.path() / name, .env = &env_, .headroom = 1, .repair_logs = repair_logs};
  }
  fs::path largest_table(const std::string& name) {
    fs::path largest;
    for (const auto& entry : fs::directory_iterator(folder_.path() / name)) {
      if (entry.path().extension() != ".ldb") continue;
      if (largest.empty() || entry.file_size() > fs::file_size(largest)) largest = entry.path();
    }
    return largest;
  }
  /// A copy of the store in which the table has these bytes, repaired and opened.
  std::unique_ptr<Store> repaired_with(std::string_view bytes) {
    fs::remove_all(folder_.path() / "copy");
    fs::copy(folder_.path() / "original", folder_.path() / "copy");
    write_file(folder_.path() / "copy" / table_.filename(), bytes);
    const auto repaired = repair_store(options("copy"));
    EXPECT_TRUE(repaired) << repaired.error().to_string();
    return test::open_or_fail(options("copy"));
  }

  test::TempFolder folder_;
  testing::FaultEnv env_;
  test::Content expected_;
  fs::path table_;
  std::string bytes_;
};

TEST_F(SalvageTest, EachCutGivesTheRowsOfAllWholeBlocksAndNothingElse) {
  const std::vector<std::string> all = keys_in(bytes_);
  ASSERT_GT(all.size(), kSalvageRecords * 1u);
  const TableIndex index(bytes_);
  ASSERT_GT(index.ends.size(), 8u);
  std::size_t whole = 0;  // rows of blocks that end before the cut
  auto next = index.ends.begin();
  for (std::size_t cut = 0; cut <= bytes_.size(); ++cut) {
    const auto keys = keys_in(std::string_view(bytes_).substr(0, cut));
    if (next != index.ends.end() && cut == *next) {
      ASSERT_GT(keys.size(), whole) << "a whole block ends at " << cut;
      whole = keys.size();
      ++next;
    }
    ASSERT_EQ(keys.size(), whole) << "cut at " << cut;
    ASSERT_TRUE(std::equal(keys.begin(), keys.end(), all.begin())) << "cut at " << cut;
  }
  EXPECT_EQ(next, index.ends.end());
  EXPECT_EQ(whole, all.size());
}

TEST_F(SalvageTest, ARepairGivesBackWhatACutTableStillHas) {
  const TableIndex index(bytes_);
  for (const std::uint64_t end : index.ends) {
    for (const std::uint64_t cut : {end - 1, end, end + 1}) {
      SCOPED_TRACE("cut at " + std::to_string(cut));
      const auto keys = keys_in(std::string_view(bytes_).substr(0, cut));
      const auto store = repaired_with(std::string_view(bytes_).substr(0, cut));
      ASSERT_NE(store, nullptr);
      test::Content whole;
      for (const std::string& key : keys) {
        const std::string user = std::string(read_table_key(key)->key);
        if (const auto found = expected_.find(user); found != expected_.end()) whole.insert(*found);
      }
      EXPECT_EQ(test::content_of(*store), whole);
      EXPECT_TRUE(test::commit(*store, test::put("z", "goes on")));
      if (!keys.empty()) {
        EXPECT_TRUE(fs::exists(folder_.path() / "copy" / "lost" / table_.filename()));
      }
      EXPECT_FALSE(fs::exists(folder_.path() / "copy" / "salvaged"));
    }
    if (HasFailure()) return;
  }
}

TEST_F(SalvageTest, ADamagedIndexCostsNothing) {
  const std::uint64_t data = TableIndex(bytes_).ends.back();
  for (std::uint64_t at = data; at < bytes_.size(); at += 7) {
    SCOPED_TRACE("byte " + std::to_string(at));
    std::string damaged = bytes_;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    const auto store = repaired_with(damaged);
    ASSERT_NE(store, nullptr);
    EXPECT_EQ(test::content_of(*store), expected_);
    if (HasFailure()) return;
  }
}

TEST_F(SalvageTest, NewerWritesElsewhereStayNewer) {
  {
    const auto store = test::open_or_fail(options("original"));
    Batch batch;
    for (int i = 0; i < kSalvageRecords; i += 2) {
      expected_[salvage_key(i)] = "newer";
      batch.put(salvage_key(i), "newer");
    }
    ASSERT_TRUE(test::commit(*store, std::move(batch)));
  }
  const auto store = repaired_with(std::string_view(bytes_).substr(0, bytes_.size() - 1));
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(test::content_of(*store), expected_);
}

TEST_F(SalvageTest, BehindADamagedBlockNothingIsBelieved) {
  // A body that is itself a part of a table, which somebody could have posted.
  const TableIndex index(bytes_);
  std::string damaged = bytes_.substr(0, index.ends[3]);
  damaged[index.ends[0] + 20] = static_cast<char>(damaged[index.ends[0] + 20] ^ 1);
  EXPECT_EQ(keys_in(damaged), keys_in(bytes_.substr(0, index.ends[0])));
}

TEST_F(SalvageTest, WhereverARepairIsCutOffTheNextOneGoesOn) {
  const std::string_view cut = std::string_view(bytes_).substr(0, bytes_.size() - 1);
  std::uint64_t calls = 0;
  {
    const std::uint64_t before = env_.calls();
    ASSERT_NE(repaired_with(cut), nullptr);
    calls = env_.calls() - before;
  }
  for (std::uint64_t at = 1; at <= calls; ++at) {
    SCOPED_TRACE("call " + std::to_string(at));
    fs::remove_all(folder_.path() / "copy");
    fs::copy(folder_.path() / "original", folder_.path() / "copy");
    write_file(folder_.path() / "copy" / table_.filename(), cut);
    env_.cut_power_at(at);
    (void)repair_store(options("copy"));
    env_.heal();
    ASSERT_TRUE(repair_store(options("copy")));
    const auto store = test::open_or_fail(options("copy"));
    ASSERT_NE(store, nullptr);
    EXPECT_EQ(test::content_of(*store), expected_);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace starbus::storage
