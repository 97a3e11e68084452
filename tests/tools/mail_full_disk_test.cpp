// starbus-mail where the disk has no room: it says so, how much is missing, and what to do.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "mail/repair/backup.hpp"
#include "tests/cluster/chaos/private_mounts.hpp"
#include "tests/mail/filled_store.hpp"
#include "tests/places.hpp"

namespace starbus::mail_tool {
namespace {

namespace fs = std::filesystem;
using cluster_test::SmallDisk;
using mail::test::FilledStore;
using testing::HasSubstr;

/// The program itself, in the mounts of this test: threads of earlier tests have others.
struct Ran {
  int code = -1;
  std::string said;
};
Ran run(const std::string& arguments) {
  const std::string command = program("starbus-mail") + " " + arguments + " 2>&1";
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  Ran ran;
  char part[4096];
  while (const std::size_t size = std::fread(part, 1, sizeof part, pipe))
    ran.said.append(part, size);
  ran.code = WEXITSTATUS(::pclose(pipe));
  return ran;
}

class MailFullDisk : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto refused = cluster_test::enter_private_mounts(); !refused.empty()) {
      GTEST_SKIP() << refused;
    }
    for (int i = 0; i < 50; ++i) filled_.fill("player/" + std::to_string(i), 2, 40);
    filled_.close();
    fs::create_directory(small());
  }
  fs::path small() const { return filled_.folder() / "small"; }
  std::string store() const { return " --directory " + filled_.path().string(); }

  FilledStore filled_;
};

TEST_F(MailFullDisk, AnExportThatDoesNotFitSaysSoAndLeavesNoFile) {
  const SmallDisk disk(small(), 16 * 1024);
  const fs::path file = small() / "all.jsonl";
  const Ran ran = run("export " + file.string() + store());
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.said, HasSubstr("the disk of " + file.string() + " is full: "));
  EXPECT_THAT(ran.said, HasSubstr(" are free, and at least "));
  EXPECT_THAT(ran.said, HasSubstr("are needed; make room there, or give a file on another disk"));
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(MailFullDisk, AnImportThatDoesNotFitIsNotBegun) {
  const fs::path file = filled_.folder() / "all.jsonl";
  ASSERT_EQ(run("export " + file.string() + store()).code, 0);
  const SmallDisk disk(small(), 1024 * 1024);
  const fs::path target = small() / "mail";
  const Ran ran = run("import " + file.string() + " --directory " + target.string());
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.said, HasSubstr("the disk of " + target.string() + " is full: "));
  EXPECT_THAT(ran.said, HasSubstr("at least 68 MB are needed; make room there, or "));
  EXPECT_FALSE(fs::exists(target));
}

TEST_F(MailFullDisk, ABackupThatDoesNotFitIsNotBegun) {
  const SmallDisk disk(small(), 1024 * 1024);
  filled_.open();
  const auto copied = mail::copy_store(*filled_.snapshot(), small() / "backup", {},
                                       [](const mail::BackupFacts&) { return true; });
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error(), storage::Errc::store_full);
  EXPECT_THAT(copied.error().detail, HasSubstr("at least 68 MB are needed"));
  EXPECT_THAT(copied.error().detail, HasSubstr("give a folder on another disk"));
  EXPECT_TRUE(fs::is_empty(small()));
}

TEST_F(MailFullDisk, ARestoreThatDoesNotFitIsNotBegun) {
  filled_.open();
  const fs::path backup = filled_.folder() / "backup";
  ASSERT_TRUE(mail::copy_store(*filled_.snapshot(), backup, {.host = "a"},
                               [](const mail::BackupFacts&) { return true; }));
  const SmallDisk disk(small(), 1024 * 1024);
  const fs::path target = small() / "mail";
  const Ran ran = run("restore " + backup.string() + " --directory " + target.string());
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.said, HasSubstr("the disk of " + target.string() + " is full: "));
  EXPECT_THAT(ran.said, HasSubstr("are needed; make room there, or give a --directory on another"));
  EXPECT_TRUE(fs::is_empty(small()));
}

TEST_F(MailFullDisk, AStoreOnAFullDiskIsToldApartFromABrokenOne) {
  const SmallDisk disk(small(), 4 * 1024 * 1024);
  const fs::path target = small() / "mail";
  fs::copy(filled_.path(), target, fs::copy_options::recursive);
  std::ofstream(small() / "others") << std::string(8 * 1024 * 1024, 'x');
  for (const std::string command : {"check", "stats", "ls", "repair"}) {
    const Ran ran = run(command + " --directory " + target.string());
    EXPECT_EQ(ran.code, 1) << command;
    EXPECT_THAT(ran.said, HasSubstr("the disk of " + target.string() + " is full: ")) << command;
    EXPECT_THAT(ran.said, HasSubstr("copy the folder to a disk that has room")) << command;
  }
  fs::remove(small() / "others");
  EXPECT_EQ(run("check --directory " + target.string()).code, 0);
}

}  // namespace
}  // namespace starbus::mail_tool
