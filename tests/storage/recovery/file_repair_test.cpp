/// A store whose files a disk has changed, cut or lost: one wrong byte is put right, whatever file
/// it is in; what is lost is noted, with the keys; the rest stays.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <functional>
#include <random>

#include "base/text_of_file.hpp"
#include "storage/recovery/repair.hpp"
#include "storage/testing/fault_env.hpp"
#include "tests/storage/support.hpp"

namespace starbus::storage {
namespace {

namespace fs = std::filesystem;
using test::commit;
using test::Content;
using test::put;
using testing::Call;

constexpr int kRepairRecords = 240;

std::string repair_key(int i) {
  const std::string text = std::to_string(i);
  return "key/" + std::string(4 - text.size(), '0') + text;
}
std::string repair_value(int i) {
  return std::string(500, static_cast<char>('a' + i % 26)) + std::to_string(i);
}

class FileRepairTest : public ::testing::Test {
 protected:
  /// A third of the records in each of two tables and the log, which is more than a block; of those
  /// in the first table some are erased in the second, others in the log.
  FileRepairTest() {
    for (int part = 0; part < 3; ++part) {
      const auto store = test::open_or_fail(options("original"));
      for (int i = part; i < kRepairRecords; i += 3) {
        EXPECT_TRUE(commit(*store, put(repair_key(i), repair_value(i))));
        expected_[repair_key(i)] = repair_value(i);
      }
      for (int i = part - 1; part > 0 && i < kRepairRecords; i += 30) {
        Batch batch;
        batch.erase(repair_key(i));
        EXPECT_TRUE(commit(*store, std::move(batch)));
        expected_.erase(repair_key(i));
      }
    }
  }
  StoreOptions options(const std::string& name = "copy") {
    return {
        .folder = folder_.path() / name, .env = &env_, .headroom = 1, .repair_logs = repair_logs};
  }
  fs::path copy() const { return folder_.path() / "copy"; }
  void copy_original() {
    fs::remove_all(copy());
    fs::copy(folder_.path() / "original", copy(), fs::copy_options::recursive);
  }
  std::vector<fs::path> files(const std::string& part, const fs::path& folder) const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder)) {
      const bool wanted = entry.path().filename().string().find(part) != std::string::npos;
      if (entry.is_regular_file() && wanted) found.push_back(entry.path());
    }
    std::ranges::sort(found);
    return found;
  }
  /// The two large ones; the format has one of its own.
  std::vector<fs::path> tables() const {
    auto found = files(".ldb", copy());
    std::erase_if(found, [](const fs::path& table) { return fs::file_size(table) < 1'000; });
    EXPECT_EQ(found.size(), 2u);
    return found;
  }
  fs::path file(const std::string& part) const { return files(part, copy()).front(); }
  static void write(const fs::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }
  static void change(const fs::path& path, const std::function<void(std::string&)>& how) {
    std::string bytes = text_of_file(path);
    how(bytes);
    write(path, bytes);
  }
  std::vector<DamageNote> notes() {
    auto notes = read_damage(options());
    EXPECT_TRUE(notes);
    return notes ? std::move(*notes) : std::vector<DamageNote>();
  }
  /// Opens the copy, after a repair if it needs one; null: not even then.
  std::unique_ptr<Store> open() {
    auto store = open_store(options());
    if (!store) {
      EXPECT_EQ(store.error(), Errc::corrupt) << store.error().to_string();
      const auto repaired = repair_store(options());
      EXPECT_TRUE(repaired) << repaired.error().to_string();
      store = open_store(options());
      EXPECT_TRUE(store) << store.error().to_string();
    }
    return store ? std::move(*store) : nullptr;
  }
  /// What is missing, or back though it was erased, is told by a note.
  void expect_all_but_what_is_noted(const Content& content) {
    const auto told = notes();
    const auto is_told = [&](const std::string& key) {
      return std::ranges::any_of(told, [&](const DamageNote& note) {
        return note.lost && (note.elsewhere || std::ranges::any_of(note.ranges, [&](const auto& r) {
                               return r.from <= key && (r.to.empty() || key < r.to);
                             }));
      });
    };
    for (const auto& [key, value] : expected_) {
      const auto found = content.find(key);
      if (found == content.end()) {
        ASSERT_TRUE(is_told(key)) << key << " is missing without a word";
      } else {
        ASSERT_EQ(found->second, value);
      }
    }
    for (const auto& [key, value] : content) {
      if (expected_.contains(key)) continue;
      ASSERT_TRUE(is_told(key)) << printable(key) << " is back without a word";
    }
  }

  test::TempFolder folder_;
  testing::FaultEnv env_;
  Content expected_;
};

TEST_F(FileRepairTest, OneWrongByte_OfAnyFile_IsCorrected) {
  std::mt19937 random(7);
  for (const fs::path& original : files("", folder_.path() / "original")) {
    const std::string name = original.filename();
    const std::uint64_t size = fs::file_size(original);
    for (std::uint64_t at = 0; at < size; at += 1 + random() % (size / 60 + 1)) {
      const auto flipped = static_cast<unsigned char>(1 + random() % 255);
      SCOPED_TRACE(name + " byte " + std::to_string(at) + " by " + std::to_string(flipped));
      copy_original();
      change(copy() / name, [&](std::string& bytes) {
        bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ flipped);
      });
      auto store = open();
      ASSERT_NE(store, nullptr);
      const test::Found found = test::read_all(*store);
      if (found.content != expected_) {
        ASSERT_FALSE(found.damage.empty()) << "missing without a word";
        store.reset();
        ASSERT_TRUE(repair_store(options()));
        store = open();
        ASSERT_NE(store, nullptr);
        ASSERT_TRUE(test::content_of(*store) == expected_);
      }
      for (const DamageNote& note : notes()) EXPECT_FALSE(note.lost) << note.reason;
      ASSERT_TRUE(commit(*store, put("z", "goes on")));
      store.reset();
      store = open();
      ASSERT_EQ(test::content_of(*store).size(), expected_.size() + 1);
    }
  }
}

TEST_F(FileRepairTest, WrongByteOfLog_IsNotedAndOriginalKept) {
  copy_original();
  const std::string name = file(".log").filename();
  const std::uint64_t at = fs::file_size(copy() / name) - 3;  // of the very last record
  change(copy() / name, [&](std::string& bytes) { bytes[at] = static_cast<char>(bytes[at] ^ 16); });
  const std::string damaged = text_of_file(copy() / name);
  EXPECT_TRUE(test::content_of(*open()) == expected_);
  ASSERT_EQ(notes().size(), 1u);
  const DamageNote note = notes().front();
  EXPECT_EQ(note.file, name);
  EXPECT_EQ(note.from, at);
  EXPECT_EQ(note.to, at + 1);
  EXPECT_FALSE(note.lost);
  EXPECT_GT(note.time_ms, 1'600'000'000'000u);
  EXPECT_EQ(text_of_file(copy() / "lost" / name), damaged);
  (void)open();
  EXPECT_EQ(notes().size(), 1u) << "told once";
  ASSERT_TRUE(acknowledge_damage(options()));
  EXPECT_TRUE(notes().empty());
  EXPECT_EQ(files("DAMAGE-", copy() / "lost").size(), 1u) << "and kept";
}

TEST_F(FileRepairTest, LogWithHole_KeepsTheRest) {
  copy_original();
  const std::string name = file(".log").filename();
  const std::uint64_t size = fs::file_size(copy() / name);
  ASSERT_GT(size, 32'768u) << "more than one block";
  std::uint64_t kept = 0;
  std::uint64_t rounds = 0;
  for (const std::size_t length : {2u, 40u, 512u, 5000u}) {
    for (std::uint64_t at = 0; at + length < size; at += 1997) {
      SCOPED_TRACE(std::to_string(length) + " bytes at " + std::to_string(at));
      copy_original();
      change(copy() / name, [&](std::string& bytes) {
        for (std::size_t i = 0; i < length; ++i) {
          bytes[at + i] = length == 512 ? '\0' : static_cast<char>(~bytes[at + i]);
        }
      });
      const auto store = open();
      ASSERT_NE(store, nullptr);
      const Content content = test::content_of(*store);
      kept += content.size();
      ++rounds;
      const auto told = notes();
      const bool lost = std::ranges::any_of(told, &DamageNote::lost);
      if (!lost && content != expected_) {
        // What was not told must be a torn end: nothing of the log is there behind the damage.
        for (int i = 2; i < kRepairRecords; i += 3) {
          if (content.contains(repair_key(i)) || !expected_.contains(repair_key(i))) continue;
          for (int j = i; j < kRepairRecords; j += 3) ASSERT_FALSE(content.contains(repair_key(j)));
          break;
        }
        ASSERT_GT(at + length + 900, size) << "only of the last record";
        continue;
      }
      expect_all_but_what_is_noted(content);
      ASSERT_TRUE(commit(*store, put("z", "goes on")));
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(kept, rounds * expected_.size() * 9 / 10) << "records behind damage are kept";
}

TEST_F(FileRepairTest, TornEnd_IsNotDamage) {
  copy_original();
  const std::string name = file(".log").filename();
  const std::string whole = text_of_file(copy() / name);
  for (std::size_t size = 0; size < whole.size(); size += 573) {
    SCOPED_TRACE(std::to_string(size));
    for (const bool zeros : {false, true}) {
      copy_original();
      std::string torn = whole.substr(0, size);
      if (zeros) torn.resize(whole.size(), '\0');
      write(copy() / name, torn);
      const auto store = test::open_or_fail(options());
      ASSERT_NE(store, nullptr);
      const Content content = test::content_of(*store);
      ASSERT_TRUE(std::ranges::none_of(notes(), &DamageNote::lost));
      bool missing = false;
      for (int i = 2; i < kRepairRecords; i += 3) {
        if (!expected_.contains(repair_key(i))) continue;
        missing = missing || !content.contains(repair_key(i));
        ASSERT_EQ(content.contains(repair_key(i)), !missing) << "a prefix";
      }
    }
  }
}

TEST_F(FileRepairTest, LostLog_IsNoted) {
  copy_original();
  const std::string name = file(".log").filename();
  fs::remove(copy() / name);
  const auto store = test::open_or_fail(options());
  ASSERT_NE(store, nullptr);
  ASSERT_EQ(notes().size(), 1u);
  EXPECT_EQ(notes().front().file, name);
  EXPECT_TRUE(notes().front().lost);
  expect_all_but_what_is_noted(test::content_of(*store));
  ASSERT_TRUE(settle_damage(options(), notes()));
  EXPECT_TRUE(notes().front().settled);
}

TEST_F(FileRepairTest, LostTable_IsNotedWithKeys) {
  for (const std::size_t which : {0u, 1u}) {
    copy_original();
    fs::remove(tables().at(which));
    const auto opened = open_store(options());
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error(), Errc::corrupt);
    EXPECT_EQ(repair_store(options(), {.most_gone_tables = 0}).error(), Errc::corrupt);
    ASSERT_TRUE(notes().empty()) << "nothing was changed";
    ASSERT_TRUE(repair_store(options(), {.most_gone_tables = 1}));
    const auto store = test::open_or_fail(options());
    ASSERT_NE(store, nullptr);
    const Content content = test::content_of(*store);
    ASSERT_EQ(notes().size(), 1u);
    ASSERT_EQ(notes().front().ranges.size(), 1u);
    EXPECT_GT(content.size(), expected_.size() / 2);
    EXPECT_LT(content.size(), expected_.size());
    expect_all_but_what_is_noted(content);
    ASSERT_TRUE(commit(*store, put("z", "goes on")));
  }
}

TEST_F(FileRepairTest, DamagedTable_KeepsOtherBlocks) {
  copy_original();
  const std::string name = tables().front().filename();
  const std::string other = tables().back().filename();
  const std::uint64_t size = fs::file_size(copy() / name);
  std::uint64_t kept = 0;
  std::uint64_t rounds = 0;
  for (std::uint64_t at = 0; at < size; at += 1409) {
    SCOPED_TRACE(std::to_string(at));
    copy_original();
    change(copy() / name, [&](std::string& bytes) {
      for (std::size_t i = at; i < std::min<std::size_t>(at + 60, size); ++i) bytes[i] = 'x';
    });
    ASSERT_TRUE(repair_store(options()));
    EXPECT_TRUE(fs::exists(copy() / other)) << "what is sound is not touched";
    EXPECT_EQ(fs::exists(copy() / "lost" / name), !notes().empty());
    const auto store = test::open_or_fail(options());
    ASSERT_NE(store, nullptr);
    const Content content = test::content_of(*store);
    expect_all_but_what_is_noted(content);
    if (HasFatalFailure()) return;
    kept += content.size();
    ++rounds;
    for (int i = 0; i < 3 * kRepairRecords; ++i)
      ASSERT_TRUE(commit(*store, put("z", repair_value(i))));
  }
  EXPECT_GT(kept, rounds * expected_.size() * 9 / 10) << "a block and not a table";
}

TEST_F(FileRepairTest, CutTable_KeepsWholeBlocks) {
  copy_original();
  const std::string name = tables().front().filename();
  const std::uint64_t size = fs::file_size(copy() / name);
  for (std::uint64_t left = 0; left < size; left += 611) {
    SCOPED_TRACE(std::to_string(left));
    copy_original();
    fs::resize_file(copy() / name, left);
    ASSERT_TRUE(repair_store(options()));
    const auto store = test::open_or_fail(options());
    ASSERT_NE(store, nullptr);
    expect_all_but_what_is_noted(test::content_of(*store));
    if (HasFatalFailure()) return;
  }
}

TEST_F(FileRepairTest, LostManifest_IsRebuilt) {
  for (const char* part : {"MANIFEST-", "CURRENT"}) {
    copy_original();
    fs::remove(file(part));
    auto store = open();
    ASSERT_NE(store, nullptr);
    EXPECT_FALSE(notes().empty());
    EXPECT_EQ(std::ranges::any_of(notes(), &DamageNote::lost), std::string(part) == "MANIFEST-");
    EXPECT_TRUE(test::content_of(*store) == expected_);
    store.reset();
    EXPECT_TRUE(test::content_of(*open()) == expected_) << "and can be opened again";
  }
}

TEST_F(FileRepairTest, TruncatedManifest_IsNotTrusted) {
  const std::string manifest = files("MANIFEST-", folder_.path() / "original").front().filename();
  const std::string whole = text_of_file(folder_.path() / "original" / manifest);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    SCOPED_TRACE(std::to_string(size) + " of " + std::to_string(whole.size()));
    copy_original();
    write(copy() / manifest, whole.substr(0, size));
    const auto store = open();
    ASSERT_NE(store, nullptr);
    ASSERT_TRUE(test::content_of(*store) == expected_);
  }
}

TEST_F(FileRepairTest, TableOfLostEdit_IsKept) {
  // One memtable becomes a table while the store is open: an edit of its own, and a log less.
  fs::remove_all(copy());
  StoreOptions small = options();
  small.write_buffer = 64 * 1024;
  Content all;
  {
    const auto store = test::open_or_fail(small);
    for (int i = 0; i < 600; ++i) {
      all[repair_key(i)] = repair_value(i);
      ASSERT_TRUE(commit(*store, put(repair_key(i), repair_value(i))));
    }
  }
  const std::string whole = text_of_file(file("MANIFEST-"));
  const std::string name = file("MANIFEST-").filename();
  fs::rename(copy(), folder_.path() / "original-2");
  std::size_t refused = 0;
  for (std::size_t size = 0; size < whole.size(); size += 3) {
    SCOPED_TRACE(std::to_string(size));
    fs::remove_all(copy());
    fs::copy(folder_.path() / "original-2", copy(), fs::copy_options::recursive);
    write(copy() / name, whole.substr(0, size));
    refused += open_store(options()) ? 0U : 1U;
    const auto store = open();
    ASSERT_NE(store, nullptr);
    ASSERT_TRUE(test::content_of(*store) == all);
  }
  EXPECT_GT(refused, 0U);
}

TEST_F(FileRepairTest, Repair_MayBeInterruptedAndRepeated) {
  copy_original();
  const std::string table = tables().front().filename();
  const std::string log = file(".log").filename();
  const std::string manifest = file("MANIFEST-").filename();
  const auto damage = [&] {
    copy_original();
    change(copy() / table, [](std::string& bytes) { bytes.replace(9000, 50, 50, 'x'); });
    change(copy() / log, [](std::string& bytes) { bytes.replace(9000, 50, 50, 'x'); });
    change(copy() / manifest, [](std::string& bytes) { bytes[20] ^= 1; });
  };
  damage();
  ASSERT_TRUE(repair_store(options()));
  const Content right = test::content_of(*test::open_or_fail(options()));
  EXPECT_LT(right.size(), expected_.size());
  for (const Call call :
       {Call::open, Call::append, Call::sync, Call::rename, Call::remove, Call::sync_folder}) {
    bool reached = true;
    for (std::uint64_t nth = 1; reached && nth < 100; ++nth) {
      SCOPED_TRACE("call " + std::to_string(static_cast<int>(call)) + " number " +
                   std::to_string(nth));
      damage();
      const std::uint64_t before = env_.calls(call);
      env_.fail(call, nth, EIO, true);
      (void)repair_store(options());
      reached = env_.calls(call) - before >= nth;
      env_.heal();
      ASSERT_TRUE(repair_store(options()));
      const auto store = test::open_or_fail(options());
      ASSERT_NE(store, nullptr);
      const Content content = test::content_of(*store);
      ASSERT_TRUE(content == right) << content.size();
      expect_all_but_what_is_noted(content);
    }
  }
}

TEST_F(FileRepairTest, Notes_AreBoundedAndSurviveWrongByte) {
  copy_original();
  for (int i = 0; i < 3; ++i) {
    change(file(".log"), [&](std::string& bytes) {
      const auto at = static_cast<std::size_t>(3000 + 11000 * i);
      bytes[at] = static_cast<char>(bytes[at] ^ 4);
    });
  }
  (void)open();
  ASSERT_EQ(notes().size(), 3u);
  const std::string text = text_of_file(copy() / "DAMAGE");
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string wrong = text;
    wrong[at] = static_cast<char>(wrong[at] ^ 2);
    write(copy() / "DAMAGE", wrong);
    const auto read = notes();
    ASSERT_GE(read.size(), 2u) << "two lines may have become one; byte " << at;
    EXPECT_TRUE(std::ranges::any_of(read, &DamageNote::lost)) << "a note that cannot be read";
  }
}

}  // namespace
}  // namespace starbus::storage
