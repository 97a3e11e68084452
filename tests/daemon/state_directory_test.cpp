#include "daemon/state_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>

#include "tests/daemon/support.hpp"

namespace starbus::daemon {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

class StateDirectoryTest : public testing::Test {
 protected:
  std::filesystem::path path() const { return folder_.path() / "deep" / "state"; }
  test::TempFolder folder_;
};

TEST_F(StateDirectoryTest, CreatesTheFolderWhateverTheUmask) {
  const mode_t former = ::umask(0077);
  const auto state = StateDirectory::open(path());
  ::umask(former);
  ASSERT_TRUE(state);
  struct stat status {};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0700U);
  EXPECT_EQ(state->path(), path());
}

TEST_F(StateDirectoryTest, OtherUsersReachNeitherFolderNorLock) {
  // The attacker has the folder's group, and waits in flock(2), which needs no right to write.
  std::filesystem::create_directories(path());
  ASSERT_EQ(::chmod(path().c_str(), 0755), 0);
  test::LogCapture log;
  ASSERT_TRUE(StateDirectory::open(path()));
  struct stat status {};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0700U);
  EXPECT_THAT(log.text(), HasSubstr("other users could reach it (mode 0755)"));
  ASSERT_EQ(::stat((path() / "lock").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
}

TEST_F(StateDirectoryTest, ASecondOneIsRefusedAndToldWhoHoldsIt) {
  auto first = StateDirectory::open(path());
  ASSERT_TRUE(first);
  const auto second = StateDirectory::open(path());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, bus::Errc::name_taken);
  EXPECT_EQ(second.error().detail, "state folder " + path().string() + " is in use by process " +
                                       std::to_string(::getpid()));
  first = StateDirectory::open(folder_.path() / "other");  // lets go of the first
  EXPECT_TRUE(StateDirectory::open(path()));
}

TEST_F(StateDirectoryTest, TheLockEndsWithAProcessThatIsKilled) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto state = StateDirectory::open(path());
    [[maybe_unused]] const auto size = ::write(ready[1], state ? "y" : "n", 1);
    ::pause();
    ::_exit(0);
  }
  char answer = 0;
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');
  const auto refused = StateDirectory::open(path());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().detail, HasSubstr("process " + std::to_string(child)));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(StateDirectory::open(path()));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(StateDirectoryTest, WritesAndReads) {
  auto state = StateDirectory::open(path()).value();
  EXPECT_EQ(state.read("term").value(), std::nullopt);
  ASSERT_TRUE(state.write("term", "7"));
  EXPECT_EQ(state.read("term").value(), "7");
  const std::string binary = std::string(100'000, 'x') + '\0' + "end";
  ASSERT_TRUE(state.write("term", binary));
  EXPECT_EQ(state.read("term").value(), binary);
  ASSERT_TRUE(state.write("term", ""));
  EXPECT_EQ(state.read("term").value(), "");
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path())) ++files;
  EXPECT_EQ(files, 2) << "term and lock, no temporary file";
}

TEST_F(StateDirectoryTest, RefusesNamesThatAreNotPlain) {
  auto state = StateDirectory::open(path()).value();
  for (const std::string name : {"", "lock", "..", ".hidden", "a/b", "/etc/passwd"}) {
    EXPECT_EQ(state.write(name, "x").error(), bus::Errc::io_error) << name;
    EXPECT_EQ(state.read(name).error(), bus::Errc::io_error) << name;
  }
  EXPECT_EQ(state.read(std::string("a\0b", 3)).error(), bus::Errc::io_error);
  EXPECT_EQ(state.write("x", std::string(StateDirectory::kMaxFile + 1, 'x')).error(),
            bus::Errc::too_large);
}

TEST_F(StateDirectoryTest, AFailedWriteKeepsTheOldContent) {
  auto state = StateDirectory::open(path()).value();
  ASSERT_TRUE(state.write("term", "old"));
  // A folder in the place of the temporary file: it cannot be opened for writing.
  std::filesystem::create_directory(path() / ".term.new");
  const auto written = state.write("term", "new");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, bus::Errc::io_error);
  EXPECT_EQ(state.read("term").value(), "old");
}

TEST_F(StateDirectoryTest, ALeftoverOfACrashIsOverwritten) {
  auto state = StateDirectory::open(path()).value();
  folder_.write("deep/state/.term.new", "half a file, longer than what follows");
  ASSERT_TRUE(state.write("term", "new"));
  EXPECT_EQ(state.read("term").value(), "new");
}

// Writes whole A's and whole B's in turn, and tells after each.
[[noreturn]] void write_for_ever(const std::filesystem::path& path, int progress) {
  auto state = StateDirectory::open(path).value();
  for (int i = 0;; ++i) {
    if (!state.write("term", std::string(64 * 1024, i % 2 == 0 ? 'A' : 'B'))) ::_exit(1);
    if (::write(progress, "w", 1) != 1) ::_exit(1);
  }
}

TEST_F(StateDirectoryTest, AWriterThatIsKilledLeavesTheOldOrTheNewContent) {
  const std::string a(64 * 1024, 'A');
  const std::string b(64 * 1024, 'B');
  for (int round = 1; round <= 10; ++round) {
    int progress[2];
    ASSERT_EQ(::pipe(progress), 0);
    const pid_t child = ::fork();
    if (child == 0) write_for_ever(path(), progress[1]);
    ::close(progress[1]);
    char signs[16];
    for (int i = 0; i < round; ++i) ASSERT_EQ(::read(progress[0], signs, 1), 1);
    ::usleep(static_cast<useconds_t>(round * 37));  // somewhere within the next write
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(progress[0]);
    const auto content = StateDirectory::open(path()).value().read("term").value();
    ASSERT_TRUE(content);
    EXPECT_THAT(*content, AnyOf(a, b));
  }
}

TEST_F(StateDirectoryTest, AFolderThatCannotBeMadeIsAnError) {
  const auto file = folder_.write("file", "x");
  EXPECT_EQ(StateDirectory::open(file / "state").error(), bus::Errc::io_error);
  EXPECT_EQ(StateDirectory::open(file).error(), bus::Errc::io_error);
}

/// A process that holds the folder until SIGTERM, or for ever.
class Holder {
 public:
  Holder(const std::filesystem::path& path, bool stubborn) {
    int ready[2];
    if (::pipe(ready) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) {
      std::signal(SIGTERM, stubborn ? SIG_IGN : SIG_DFL);
      const auto state = StateDirectory::open(path);
      [[maybe_unused]] const auto size = ::write(ready[1], state ? "y" : "n", 1);
      while (true) ::pause();
    }
    char answer = 0;
    EXPECT_EQ(::read(ready[0], &answer, 1), 1);
    EXPECT_EQ(answer, 'y');
    ::close(ready[0]);
    ::close(ready[1]);
  }
  ~Holder() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

TEST_F(StateDirectoryTest, ATakeoverStopsTheHolderAndComesInItsPlace) {
  const Holder holder(path(), false);
  const auto state = StateDirectory::take_over(path(), std::chrono::seconds(20));
  ASSERT_TRUE(state) << state.error().to_string();
  EXPECT_EQ(state->path(), path());
}

TEST_F(StateDirectoryTest, ATakeoverOfWhatNobodyHoldsIsAnOpen) {
  EXPECT_TRUE(StateDirectory::take_over(path(), std::chrono::milliseconds(0)));
}

TEST_F(StateDirectoryTest, ATakeoverThatCouldNotStartStopsNobody) {
  const Holder holder(path(), false);
  std::filesystem::create_directory(path() / ".takeover");  // nothing can be written there
  const auto state = StateDirectory::take_over(path(), std::chrono::seconds(20));
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().code, bus::Errc::io_error);
  EXPECT_EQ(::kill(holder.pid(), 0), 0);
  EXPECT_EQ(::waitpid(holder.pid(), nullptr, WNOHANG), 0) << "it runs on";
}

TEST_F(StateDirectoryTest, ATakeoverGivesUpOnAHolderThatDoesNotEnd) {
  const Holder holder(path(), true);
  const auto state = StateDirectory::take_over(path(), std::chrono::milliseconds(50));
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().code, bus::Errc::name_taken);
  EXPECT_THAT(state.error().detail, HasSubstr(std::to_string(holder.pid())));
  EXPECT_THAT(state.error().detail, HasSubstr("50 ms"));
}

TEST_F(StateDirectoryTest, ATakeoverStopsNobodyButTheHolder) {
  const Holder holder(path(), true);
  const Holder bystander(folder_.path() / "another", false);
  // As a holder that has the lock and has not noted itself yet leaves it: an old number.
  std::ofstream(path() / "lock") << bystander.pid() << "\n";
  const auto state = StateDirectory::take_over(path(), std::chrono::milliseconds(50));
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().code, bus::Errc::name_taken);
  EXPECT_THAT(state.error().detail, HasSubstr("was not asked"));
  EXPECT_EQ(::waitpid(bystander.pid(), nullptr, WNOHANG), 0) << "it runs on";
}

}  // namespace
}  // namespace starbus::daemon
