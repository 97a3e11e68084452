/// Files that are damaged beneath a store that is open: the check says so, and with which keys.
#include <gtest/gtest.h>

#include <fstream>

#include "storage/check/file_names.hpp"
#include "storage/check/live_tables.hpp"
#include "storage/testing/fault_env.hpp"
#include "tests/storage/support.hpp"

namespace starbus::storage {
namespace {

namespace fs = std::filesystem;

constexpr int kFileRecords = 300;

std::string file_key(int i) {
  const std::string text = std::to_string(i);
  return "key/" + std::string(4 - text.size(), '0') + text;
}

class FileCheckTest : public ::testing::Test {
 protected:
  FileCheckTest() {
    store_ = test::open_or_fail(options());
    for (int i = 0; i < kFileRecords; ++i) {
      EXPECT_TRUE(test::commit(*store_, test::put(file_key(i), std::string(200, 'v'))));
    }
    store_.reset();
    store_ = test::open_or_fail(options());  // moves the log into a table
    EXPECT_TRUE(store_->get(file_key(0)).has_value()) << "the table is open, as in a store in use";
  }
  StoreOptions options() {
    return {.folder = folder_.path() / "store", .env = &env_, .headroom = 1};
  }
  fs::path file_of(const std::string& extension) {
    fs::path largest;
    for (const auto& entry : fs::directory_iterator(folder_.path() / "store")) {
      if (entry.path().filename().string().find(extension) == std::string::npos) continue;
      if (largest.empty() || entry.file_size() > fs::file_size(largest)) largest = entry.path();
    }
    return largest;
  }
  void flip(const fs::path& path, std::uint64_t at) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(static_cast<std::streamoff>(at));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(byte ^ 1));
  }
  std::vector<FileDamage> check() {
    std::vector<FileDamage> damage;
    read_ = 0;
    const auto checked =
        store_->check_files({[&](std::uint64_t bytes) {
                               read_ += bytes;
                               return true;
                             },
                             [&](const FileDamage& one) { damage.push_back(one); }});
    EXPECT_TRUE(checked) << checked.error().to_string();
    return damage;
  }

  test::TempFolder folder_;
  testing::FaultEnv env_;
  std::unique_ptr<Store> store_;
  std::uint64_t read_ = 0;
};

TEST_F(FileCheckTest, ASoundStoreIsReadAsAWhole) {
  EXPECT_TRUE(check().empty());
  EXPECT_GE(read_, kFileRecords * 200u);
}

TEST_F(FileCheckTest, EachFlippedByteOfATableIsFoundWithItsKeys) {
  const fs::path table = file_of(".ldb");
  for (std::uint64_t at = 0; at < fs::file_size(table); at += 211) {
    SCOPED_TRACE("byte " + std::to_string(at));
    flip(table, at);
    const auto damage = check();
    flip(table, at);
    // What pads the end of the file says nothing.
    if (damage.empty() && at + 48 > fs::file_size(table)) continue;
    ASSERT_EQ(damage.size(), 1u);
    EXPECT_EQ(damage[0].file, table.filename());
    EXPECT_LE(damage[0].from, damage[0].to);
    EXPECT_FALSE(damage[0].reason.empty());
    int within = 0;
    for (int i = 0; i < kFileRecords; ++i) {
      within += damage[0].from <= file_key(i) && file_key(i) < damage[0].to ? 1 : 0;
    }
    EXPECT_LE(within, 40) << "a block or two, not the table";
  }
  EXPECT_TRUE(check().empty());
}

TEST_F(FileCheckTest, TwoBlocksAreTwo) {
  const fs::path table = file_of(".ldb");
  flip(table, 9'000);
  flip(table, 40'000);
  const auto damage = check();
  ASSERT_EQ(damage.size(), 2u);
  EXPECT_LE(damage[0].to, damage[1].from);
}

TEST_F(FileCheckTest, ACutTableIsFoundThoughItIsOpen) {
  const fs::path table = file_of(".ldb");
  fs::resize_file(table, fs::file_size(table) / 2);
  const auto damage = check();
  ASSERT_EQ(damage.size(), 1u);
  EXPECT_GT(damage[0].from, file_key(kFileRecords / 4)) << "what is whole is not lost";
  EXPECT_LT(damage[0].from, file_key(kFileRecords * 3 / 4));
  EXPECT_GT(damage[0].to, file_key(kFileRecords - 1));
  EXPECT_NE(damage[0].reason.find("should have"), std::string::npos) << damage[0].reason;
  EXPECT_TRUE(store_->get(file_key(1))) << "the rest goes on";
}

TEST_F(FileCheckTest, ALostTableIsFoundThoughItIsOpen) {
  const fs::path table = file_of(".ldb");
  fs::remove(table);
  const auto damage = check();
  ASSERT_EQ(damage.size(), 1u);
  EXPECT_EQ(damage[0].file, table.filename());
  EXPECT_LE(damage[0].from, file_key(0));
  EXPECT_GT(damage[0].to, file_key(kFileRecords - 1));
}

TEST_F(FileCheckTest, OtherFilesAreMissed) {
  for (const char* name : {".log", "MANIFEST-", "CURRENT"}) {
    SCOPED_TRACE(name);
    if (name == std::string(".log")) {
      ASSERT_TRUE(test::commit(*store_, test::put("z", std::string(1'000, 'z'))));
    }
    const fs::path path = file_of(name);
    const fs::path aside = folder_.path() / "aside";
    fs::rename(path, aside);
    auto damage = check();
    ASSERT_EQ(damage.size(), 1u);
    EXPECT_EQ(damage[0].file, path.filename());
    EXPECT_TRUE(damage[0].from.empty() && damage[0].to.empty());
    fs::rename(aside, path);
    EXPECT_TRUE(check().empty());
  }
  fs::resize_file(file_of(".log"), 10);
  EXPECT_EQ(check().size(), 1u) << "shorter than what the disk had confirmed";
}

TEST_F(FileCheckTest, ASectorThatCannotBeReadIsDamage) {
  env_.fail_reads(EIO);
  const auto damage = check();
  ASSERT_GE(damage.size(), 1u);
  EXPECT_NE(damage[0].reason.find("Input/output error"), std::string::npos) << damage[0].reason;
}

TEST_F(FileCheckTest, EndsWhenItIsToldTo) {
  int calls = 0;
  const auto stop = [&](std::uint64_t) { return ++calls < 1; };
  EXPECT_TRUE(store_->check_files({stop, [](const FileDamage&) {}}));
  EXPECT_EQ(calls, 1);
  store_->close();
  EXPECT_EQ(store_->check_files({stop, [](const FileDamage&) {}}).error(), Errc::closed);
}

TEST_F(FileCheckTest, CompactionsMeanwhileAreNoDamage) {
  std::atomic<bool> ended = false;
  std::thread writer([&] {
    for (int i = 0; !ended; ++i) {
      (void)test::commit(*store_, test::put(file_key(i % kFileRecords), std::string(2'000, 'w')));
      if (i % 20 == 0) store_->compact("", "");
    }
  });
  for (int i = 0; i < 200; ++i) {
    const auto damage = check();
    EXPECT_TRUE(damage.empty()) << damage[0].file << ": " << damage[0].reason;
  }
  ended = true;
  writer.join();
}

TEST(LiveTablesTest, ReadsWhatLevelDbSaysOfThem) {
  const auto tables = read_live_tables(
      "--- level 0 ---\n 17:123['d\\x00' @ 5 : 1 .. 'g' @ 9 : 0]\n--- level 1 ---\n"
      " x:1['a' @ 1 : 1 .. 'b' @ 1 : 1]\n 18:9['' @ 1 : 1 .. '\\xff' @ 1 : 1]\n 19:2[\n");
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(tables[0].number, 17u);
  EXPECT_EQ(tables[0].bytes, 123u);
  EXPECT_EQ(tables[0].first, std::string("d\0", 2));
  EXPECT_EQ(tables[0].last, "g");
  EXPECT_EQ(tables[1].first, "");
  EXPECT_EQ(tables[1].last, "\xff");
  EXPECT_EQ(table_file_name(17), "000017.ldb");
  EXPECT_EQ(table_file_name(1'234'567), "1234567.ldb");
  EXPECT_EQ(file_number("MANIFEST-000005"), 5u);
  EXPECT_EQ(file_number("LOCK"), 0u);
}

}  // namespace
}  // namespace starbus::storage
