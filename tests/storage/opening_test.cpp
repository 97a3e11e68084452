/// Opening: disks that fail meanwhile, and folders that are not whole.
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>

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
namespace fs = std::filesystem;

class OpeningTest : public ::testing::Test {
 protected:
  StoreOptions options(const std::string& name = "s") {
    return {.folder = folder_.path() / name,
            .env = &env_,
            .headroom = 1,
            .write_buffer = 65536,
            .repair_logs = repair_logs};
  }
  std::vector<fs::path> files(const std::string& extension) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_.path() / "s")) {
      if (entry.path().extension() == extension) found.push_back(entry.path());
    }
    return found;
  }

  test::TempFolder folder_;
  FaultEnv env_;
};

TEST_F(OpeningTest, CanBeRepeatedWhicheverCallHasFailed) {
  for (const bool power_cut : {false, true}) {
    for (const Call call :
         {Call::open, Call::append, Call::sync, Call::rename, Call::remove, Call::sync_folder}) {
      bool reached = true;
      for (std::uint64_t nth = 1; reached; ++nth) {
        reached = false;
        SCOPED_TRACE("call " + std::to_string(static_cast<int>(call)) + " number " +
                     std::to_string(nth) + (power_cut ? " and a power cut" : ""));
        for (const bool fresh : {true, false}) {
          const std::string name = std::to_string(power_cut) +
                                   std::to_string(static_cast<int>(call)) + "-" +
                                   std::to_string(nth) + (fresh ? "new" : "old");
          test::Content kept;
          if (!fresh) {
            auto store = test::open_or_fail(options(name));
            ASSERT_NE(store, nullptr);
            for (int i = 0; i < 30; ++i) {
              const std::string key = "k" + std::to_string(i);
              ASSERT_TRUE(commit(*store, put(key, std::string(4000, 'v'))));
              kept[key] = std::string(4000, 'v');
            }
          }
          const std::uint64_t before = env_.calls(call);
          env_.fail(call, nth, EIO);
          (void)open_store(options(name));
          reached = reached || env_.calls(call) - before >= nth;
          if (power_cut) env_.lose_unsynced(FaultEnv::Loss::all, nth);
          env_.heal();
          const auto store = test::open_or_fail(options(name));
          ASSERT_NE(store, nullptr);
          ASSERT_TRUE(content_of(*store) == kept);
          ASSERT_TRUE(commit(*store, put("z", "goes on")));
        }
      }
    }
  }
}

TEST_F(OpeningTest, SyncsTheParentOfANewFolderAlsoWithASlashAtItsEnd) {
  for (const char* name : {"a", "b/", "c//", "d/."}) {
    env_.fail(Call::sync_folder, 1, EIO, false, folder_.path().string());
    EXPECT_EQ(open_store(options(name)).error(), Errc::io_error) << name;
    env_.heal();
  }
}

TEST_F(OpeningTest, AFolderWithoutCurrentIsNotTakenForANewOne) {
  {
    const auto store = test::open_or_fail(options());
    ASSERT_TRUE(commit(*store, put("a", "1")));
  }
  (void)test::open_or_fail(options());  // into a table
  fs::remove(options().folder / "CURRENT");
  EXPECT_EQ(open_store(options()).error(), Errc::corrupt);
  EXPECT_EQ(open_store(options()).error(), Errc::corrupt);
  ASSERT_TRUE(repair_store(options()));
  EXPECT_EQ(content_of(*test::open_or_fail(options())), (test::Content{{"a", "1"}}));
}

TEST_F(OpeningTest, ATableThatIsGoneIsNotAKeyThatIsNotThere) {
  {
    const auto store = test::open_or_fail(options());
    ASSERT_TRUE(commit(*store, put("a", "1")));
  }
  (void)test::open_or_fail(options());  // into a table
  const auto store = test::open_or_fail(options());
  ASSERT_NE(store, nullptr);
  for (const fs::path& table : files(".ldb")) fs::remove(table);
  EXPECT_EQ(store->get("a").error(), Errc::io_error);
  EXPECT_EQ(store->snapshot().value()->scan("", "").error(), Errc::io_error);
}

TEST_F(OpeningTest, ATableThatIsCutOrCannotBeReadIsAnErrorOfItsReads) {
  const std::string value(10'000, 'x');
  {
    const auto store = test::open_or_fail(options());
    for (const std::string key : {"a", "b", "c", "d"}) {
      ASSERT_TRUE(commit(*store, put(key, value)));
    }
  }
  (void)test::open_or_fail(options());  // into a table
  const auto store = test::open_or_fail(options());
  EXPECT_EQ(**store->get("a"), value);
  env_.fail_reads(EIO);
  EXPECT_EQ(store->get("b").error(), Errc::io_error);
  env_.fail_reads(0);
  EXPECT_EQ(**store->get("b"), value);
  for (const fs::path& table : files(".ldb")) fs::resize_file(table, fs::file_size(table) / 2);
  EXPECT_EQ(store->get("d").error(), Errc::corrupt);
  store->close();
  EXPECT_EQ(open_store(options()).error(), Errc::corrupt) << "and not an error of the disk";
  EXPECT_TRUE(repair_store(options()));
}

TEST_F(OpeningTest, ThereIsNothingToRepairWhereNothingIs) {
  EXPECT_EQ(repair_store(options()).error(), Errc::io_error);
  EXPECT_FALSE(fs::exists(options().folder));
  const auto store = test::open_or_fail(options());
  EXPECT_EQ(repair_store(options()).error(), Errc::in_use);
}

}  // namespace
}  // namespace starbus::storage
