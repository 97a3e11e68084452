/// Damage of the files that LevelDB replays: which of it LevelDB reports by itself, and that
/// find_log_damage finds all of it. If a case of "silent" fails because LevelDB reports it now,
/// that part of find_log_damage may go.
#include "storage/check/log_check.hpp"

#include <gtest/gtest.h>
#include <leveldb/db.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <memory>

#include "storage/check/file_names.hpp"
#include "storage/check/log_format.hpp"
#include "tests/storage/support.hpp"

namespace starbus::storage {
namespace {

namespace fs = std::filesystem;

constexpr int kLogRecords = 120;

std::string log_key(int i) {
  return "key/" + std::to_string(1000 + i);
}

/// Copies of a store that has a third of its records in a table and the others in a log of several
/// blocks.
class LogCheckTest : public ::testing::Test {
 protected:
  LogCheckTest() {
    for (int part = 0; part < 2; ++part) {
      const auto store = test::open_or_fail({.folder = original(), .headroom = 1});
      for (int i = part == 0 ? 0 : kLogRecords / 3; i < (part == 0 ? kLogRecords / 3 : kLogRecords);
           ++i) {
        EXPECT_TRUE(test::commit(*store, test::put(log_key(i), std::string(700, 'v'))));
      }
    }
    fs::copy(original(), copy());
  }
  fs::path original() const { return folder_.path() / "original"; }
  fs::path copy() const { return folder_.path() / "copy"; }
  fs::path file(const std::string& part) const {
    for (const auto& entry : fs::directory_iterator(copy())) {
      if (entry.path().filename().string().find(part) != std::string::npos) return entry.path();
    }
    return {};
  }
  static void change(const fs::path& path, const std::function<void(std::string&)>& how) {
    std::ifstream in(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    how(bytes);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }
  std::string found() {
    StoreEnv env(disk_or_real(nullptr));
    const auto damage = find_log_damage(env, copy().string());
    EXPECT_TRUE(damage);
    return damage ? damage->value_or("") : "";
  }
  /// How many records LevelDB has after it opened the copy with its checks; -1: it reports damage.
  int records_of_leveldb(int written = kLogRecords) {
    leveldb::Options options;
    options.paranoid_checks = true;
    leveldb::DB* opened = nullptr;
    const leveldb::Status status = leveldb::DB::Open(options, copy().string(), &opened);
    const std::unique_ptr<leveldb::DB> db(opened);
    if (!status.ok()) return -1;
    int records = 0;
    std::string value;
    for (int i = 0; i < written; ++i) records += db->Get({}, log_key(i), &value).ok() ? 1 : 0;
    return records;
  }
  void expect_silent_loss(const std::string& what) {
    EXPECT_EQ(found(), what);
    const int records = records_of_leveldb();
    EXPECT_GE(records, 0) << "LevelDB reports it by itself";
    EXPECT_LT(records, kLogRecords) << "nothing is lost";
  }
  /// Where the fragment of a log begins that has this byte.
  static std::size_t fragment_at(const std::string& log, std::size_t place) {
    std::size_t at = 0;
    for (std::size_t next = 0; next <= place;) {
      if (kLogBlock - next % kLogBlock < kFragmentHead) next += kLogBlock - next % kLogBlock;
      at = next;
      next += kFragmentHead + static_cast<unsigned char>(log[at + kLengthAt]) +
              256U * static_cast<unsigned char>(log[at + kLengthAt + 1]);
    }
    return at;
  }

  test::TempFolder folder_;
};

TEST_F(LogCheckTest, SoundStore_FindsNothing) {
  EXPECT_EQ(found(), "");
  EXPECT_EQ(records_of_leveldb(), kLogRecords);
}

TEST_F(LogCheckTest, NoStore_FindsNothing) {
  fs::remove(copy() / "CURRENT");
  EXPECT_EQ(found(), "");
}

TEST_F(LogCheckTest, FlippedBit_IsReportedByLevelDbToo) {
  change(file(".log"), [](std::string& log) { log[log.size() / 2] ^= 1; });
  EXPECT_NE(found().find(".log: not as written at byte "), std::string::npos);
  EXPECT_EQ(records_of_leveldb(), -1);
}

TEST_F(LogCheckTest, LengthPastTheEnd_IsSilentInLevelDb) {
  std::size_t at = 0;
  change(file(".log"), [&](std::string& log) {
    at = fragment_at(log, log.size() - 10'000);  // of the last block
    log[at + kLengthAt + 1] = '\x7f';
  });
  expect_silent_loss(file(".log").filename().string() + ": not as written at byte " +
                     std::to_string(at));
}

TEST_F(LogCheckTest, ZerosAtARecord_AreSilentInLevelDb) {
  std::size_t at = 0;
  change(file(".log"), [&](std::string& log) {
    at = fragment_at(log, log.size() - 10'000);  // of the last block
    std::fill_n(log.begin() + static_cast<std::ptrdiff_t>(at), 512, '\0');
  });
  expect_silent_loss(file(".log").filename().string() + ": not as written at byte " +
                     std::to_string(at));
}

TEST_F(LogCheckTest, LostLog_IsSilentInLevelDb) {
  const fs::path log = file(".log");
  fs::remove(log);
  expect_silent_loss(log.filename().string() + ": the file is gone");
}

TEST_F(LogCheckTest, LogWithoutItsBeginning_IsSilentInLevelDb) {
  // As a log before it that has lost its end: what remains is sound.
  change(file(".log"), [](std::string& log) {
    const std::size_t second = fragment_at(log, 1'000);
    std::string rest(log.substr(second, fragment_at(log, 20'000) - second));
    log = rest;
  });
  expect_silent_loss(file(".log").filename().string() + ": writes are missing");
}

TEST_F(LogCheckTest, ManifestWithoutItsEnd_IsSilentInLevelDb) {
  // The edit that had put a log into a table is lost, and that log is gone: LevelDB deletes the
  // table. The copy is that of a crash.
  {
    const auto store =
        test::open_or_fail({.folder = original(), .headroom = 1, .write_buffer = 65'536});
    for (int i = 0; i < 4 * kLogRecords; ++i) {
      EXPECT_TRUE(test::commit(*store, test::put(log_key(i), std::string(700, 'w'))));
    }
    fs::remove_all(copy());
    fs::copy(original(), copy());
  }
  change(file("MANIFEST-"),
         [](std::string& bytes) { bytes.resize(fragment_at(bytes, bytes.size() - 1)); });
  EXPECT_NE(found().find(".log: the file is gone"), std::string::npos) << found();
  const int records = records_of_leveldb(4 * kLogRecords);
  EXPECT_GE(records, 0) << "LevelDB reports it by itself";
  EXPECT_LT(records, 4 * kLogRecords) << "nothing is lost";
}

TEST_F(LogCheckTest, CutManifestEdit_IsFound) {
  change(file("MANIFEST-"), [](std::string& bytes) { bytes.resize(bytes.size() - 1); });
  EXPECT_NE(found().find("MANIFEST-"), std::string::npos);
}

TEST_F(LogCheckTest, LostTable_IsReportedByLevelDb) {
  fs::remove(file(".ldb"));
  EXPECT_EQ(found(), "");
  EXPECT_EQ(records_of_leveldb(), -1);
}

TEST_F(LogCheckTest, UnfinishedWrite_IsFoundForTheRepairStep) {
  change(file(".log"), [](std::string& log) { log.resize(log.size() - 3); });
  EXPECT_NE(found().find(": not as written at byte "), std::string::npos);
}

TEST_F(LogCheckTest, WithoutARepairStep_DamageIsCorrupt) {
  change(file(".log"), [](std::string& log) { log[log.size() / 2] ^= 1; });
  const auto store = open_store({.folder = copy(), .headroom = 1});
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error(), Errc::corrupt);
  EXPECT_NE(store.error().detail.find("repair the store"), std::string::npos);
}

int g_repairs = 0;
Result<std::vector<std::string>> count_repairs(StoreEnv& env, const std::string& folder) {
  ++g_repairs;
  return repair_logs(env, folder);
}

TEST_F(LogCheckTest, RepairStep_RunsForDamageAlone) {
  const StoreOptions options{.folder = copy(), .headroom = 1, .repair_logs = count_repairs};
  g_repairs = 0;
  { ASSERT_TRUE(open_store(options)); }
  EXPECT_EQ(g_repairs, 0);
  {
    const auto store = test::open_or_fail(options);
    ASSERT_TRUE(test::commit(*store, test::put("more", std::string(100, 'm'))));
  }
  change(file(".log"), [](std::string& log) { log[log.size() / 2] ^= 1; });
  const auto store = open_store(options);
  ASSERT_TRUE(store);
  EXPECT_EQ(g_repairs, 1);
  EXPECT_EQ((*store)->get("more").value(), std::string(100, 'm'));
}

}  // namespace
}  // namespace starbus::storage
