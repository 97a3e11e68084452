// A backup that is written into a folder whose place belongs to the user who asked for it.
#include "mail/repair/backup_folder.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "mail/repair/backup.hpp"
#include "tests/mail/filled_store.hpp"

namespace starbus::mail {
namespace {

namespace fs = std::filesystem;
using test::FilledStore;
using testing::HasSubstr;

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

storage::Error refusal_of(const fs::path& path) {
  const auto made = BackupFolder::make(path);
  return made ? storage::Error{} : made.error();
}

TEST(BackupFolder, IsMadeForItsUserAlone) {
  const FilledStore filled;
  const fs::path path = filled.folder() / "backup";
  const auto folder = BackupFolder::make(path / "");
  ASSERT_TRUE(folder) << folder.error().to_string();
  struct stat status {};
  ASSERT_EQ(::lstat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0700U);
  EXPECT_EQ(folder->place().value(), fs::canonical(path));
  EXPECT_TRUE(folder->write("BACKUP", "text"));
  EXPECT_EQ(text_of(path / "BACKUP"), "text");
  EXPECT_THAT(refusal_of(path).detail, HasSubstr("is not empty"));
  EXPECT_EQ(folder->named({storage::Errc::io_error, folder->path().string() + "/LOCK: no"}).detail,
            (path / "LOCK: no").string());
}

TEST(BackupFolder, MadeByAnOperatorIsTakenIfItIsEmptyAndHis) {
  const FilledStore filled;
  const fs::path path = filled.folder() / "backup";
  fs::create_directory(path);
  fs::permissions(path, fs::perms{0750});
  EXPECT_TRUE(BackupFolder::make(path));
  for (const unsigned mode : {0770U, 0703U}) {
    fs::permissions(path, fs::perms{mode});
    EXPECT_THAT(refusal_of(path).detail, HasSubstr("may be written by other users"));
  }
}

TEST(BackupFolder, ALinkInItsPlaceIsRefused) {
  const FilledStore filled;
  const fs::path victim = filled.folder() / "victim";
  fs::create_directory(victim);
  fs::create_directory_symlink(victim, filled.folder() / "link");
  fs::create_symlink(filled.folder() / "nothing", filled.folder() / "dangling");
  std::ofstream(filled.folder() / "file") << "text";
  for (const char* name : {"link", "dangling", "file"}) {
    const auto error = refusal_of(filled.folder() / name);
    EXPECT_EQ(error, storage::Errc::bad_batch) << name;
    EXPECT_THAT(error.detail, HasSubstr("is a link, or not a folder"));
  }
  EXPECT_FALSE(fs::exists(filled.folder() / "nothing"));
}

TEST(BackupFolder, AFileBehindALinkIsNotOverwritten) {
  const FilledStore filled;
  const fs::path victim = filled.folder() / "victim";
  std::ofstream(victim) << "precious";
  const auto folder = BackupFolder::make(filled.folder() / "backup");
  ASSERT_TRUE(folder);
  fs::create_symlink(victim, filled.folder() / "backup" / "BACKUP");
  EXPECT_EQ(folder->write("BACKUP", "text").error(), storage::Errc::io_error);
  EXPECT_EQ(text_of(victim), "precious");
}

// The owner of the folder above renames the backup and puts a link in its place, while it is
// written: to where only the daemon may write.
TEST(BackupFolder, ALinkSwappedInWhileABackupRunsIsNotFollowed) {
  FilledStore filled;
  for (int i = 0; i < 100; ++i) filled.fill("player/" + std::to_string(i), 0, 20);
  const auto content = storage::test::content_of(filled.store());
  const fs::path target = filled.folder() / "backup";
  const fs::path aside = filled.folder() / "aside";
  const fs::path victim = filled.folder() / "victim";
  fs::create_directory(victim);
  std::ofstream(victim / kBackupFile) << "precious";
  bool swapped = false;
  const auto copied = copy_store(*filled.snapshot(), target, {.host = "a"}, [&](const auto&) {
    if (!std::exchange(swapped, true)) {
      fs::rename(target, aside);
      fs::create_directory_symlink(victim, target);
    }
    return true;
  });
  ASSERT_TRUE(copied) << copied.error().to_string();
  EXPECT_TRUE(swapped);
  EXPECT_EQ(text_of(victim / kBackupFile), "precious");
  EXPECT_EQ(std::distance(fs::directory_iterator(victim), fs::directory_iterator()), 1);
  EXPECT_TRUE(read_backup_facts(aside)) << "the backup is where it was begun";
  const auto copy = storage::test::open_or_fail({.folder = aside, .headroom = 1});
  EXPECT_EQ(storage::test::content_of(*copy), content);
}

}  // namespace
}  // namespace starbus::mail
