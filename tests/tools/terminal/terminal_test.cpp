// The live view as a program on a terminal of its own: what it draws, and what it leaves behind.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utmp.h>

#include <csignal>

#include "tests/places.hpp"
#include "tests/tools/fake_daemon.hpp"

namespace starbus::bustop::test {
namespace {

using testing::HasSubstr;

class OnTerminal : public testing::Test {
 protected:
  void start() {
    daemon_.set_cluster();
    const std::string bustop = program("bustop");
    const std::string url = daemon_.url();
    const winsize size{20, 100, 0, 0};
    ASSERT_EQ(::openpty(&terminal_, &program_side_, nullptr, nullptr, &size), 0);
    ASSERT_EQ(::tcgetattr(program_side_, &before_), 0);
    child_ = ::fork();
    ASSERT_GE(child_, 0);
    if (child_ == 0) {
      ::close(terminal_);
      ::login_tty(program_side_);
      ::execl(bustop.c_str(), "bustop", "--admin", url.c_str(), nullptr);
      ::_exit(127);
    }
  }
  void TearDown() override {
    if (child_ > 0) ::kill(child_, SIGKILL);
    ::close(terminal_);
    ::close(program_side_);
  }

  /// What is drawn until `text` has been; at most ten seconds.
  std::string read_until(const std::string& text) {
    std::string all;
    while (all.find(text) == std::string::npos) {
      pollfd source{terminal_, POLLIN, 0};
      if (::poll(&source, 1, 10'000) <= 0) break;
      char part[4096];
      const ssize_t size = ::read(terminal_, part, sizeof part);
      if (size <= 0) break;
      all.append(part, static_cast<std::size_t>(size));
    }
    EXPECT_THAT(all, HasSubstr(text));
    return all;
  }
  void type(const std::string& keys) {
    EXPECT_EQ(::write(terminal_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  /// The exit code; -signal if one ended it.
  int wait() {
    int status = 0;
    EXPECT_EQ(::waitpid(child_, &status, 0), child_);
    child_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  void expect_restored() {
    read_until("\x1b[?1049l");
    termios now{};
    ASSERT_EQ(::tcgetattr(program_side_, &now), 0);
    EXPECT_EQ(now.c_lflag, before_.c_lflag);
    EXPECT_EQ(now.c_cc[VMIN], before_.c_cc[VMIN]);
  }

  FakeDaemon daemon_;
  int terminal_ = -1;
  int program_side_ = -1;
  pid_t child_ = 0;
  termios before_{};
};

TEST_F(OnTerminal, DrawsDrillsDownAndQuits) {
  start();
  EXPECT_THAT(read_until("340 us"), HasSubstr("\x1b[?1049h"));
  type("\r");
  read_until("space-1");
  type("\x1b");  // a lone escape goes up
  read_until("by HOST");
  type("q");
  EXPECT_EQ(wait(), 0);
  expect_restored();
}

TEST_F(OnTerminal, RestoresTheTerminalOnSignals) {
  start();
  read_until("340 us");
  ::kill(child_, SIGTERM);
  EXPECT_EQ(wait(), 128 + SIGTERM);
  expect_restored();
}

TEST_F(OnTerminal, InterruptKeyEndsIt) {
  start();
  read_until("340 us");
  type("\x03");
  EXPECT_EQ(wait(), 128 + SIGINT);
  expect_restored();
}

TEST_F(OnTerminal, RestoresTheTerminalOnACrash) {
  start();
  read_until("340 us");
  ::kill(child_, SIGABRT);
  EXPECT_EQ(wait(), -SIGABRT);
  expect_restored();
}

TEST_F(OnTerminal, FollowsTheSizeOfTheTerminal) {
  start();
  read_until("340 us");
  const winsize narrow{5, 30, 0, 0};
  ASSERT_EQ(::ioctl(terminal_, TIOCSWINSZ, &narrow), 0);
  read_until("…");
  type("q");
  EXPECT_EQ(wait(), 0);
}

TEST(WithoutATerminal, TheLiveViewSaysWhatToUse) {
  FakeDaemon daemon;
  daemon.set_cluster();
  const std::string command =
      program("bustop") + " --admin " + daemon.url() + " </dev/null 2>&1 | grep -q 'bustop tree'";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace starbus::bustop::test
