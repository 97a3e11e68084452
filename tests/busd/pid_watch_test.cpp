// A process that ends right after it has connected, and whose number another one gets.
#include "busd/pid_watch.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bus/io/clock.hpp"
#include "bus/io/socket.hpp"
#include "busd/process_start.hpp"

namespace starbus::busd {
namespace {

using namespace std::chrono_literals;

/// A child of this process, until it is told to end.
class Child {
 public:
  /// Its end of `pair` is the second one, on which it waits.
  explicit Child(const int (&pair)[2]) : pid_(::fork()) {
    if (pid_ != 0) return;
    ::close(pair[0]);
    char byte = 0;
    ::_exit(static_cast<int>(::read(pair[1], &byte, 1)));
  }
  ~Child() { end(); }
  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

class PidWatchTest : public testing::Test {
 protected:
  PidWatchTest() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair_), 0); }
  ~PidWatchTest() override {
    for (const int fd : pair_) ::close(fd);
  }
  void run(std::chrono::milliseconds time) {
    loop_.restart();
    loop_.run_for(time);
  }

  int pair_[2]{-1, -1};
  boost::asio::io_context loop_;
  std::vector<std::int64_t> ended_;
  PidWatch watch_{loop_, [this](std::int64_t pid) { ended_.push_back(pid); }};
};

TEST_F(PidWatchTest, ReportsTheEndOnce) {
  Child child(pair_);
  watch_.add(child.pid(), -1, bus::io::boot_now());
  run(50ms);
  EXPECT_FALSE(watch_.has_ended(child.pid()));
  const std::int64_t pid = child.pid();
  child.end();
  EXPECT_TRUE(watch_.has_ended(pid));
  run(2s);
  EXPECT_EQ(ended_, std::vector{pid});
}

TEST_F(PidWatchTest, WatchesTheProcessOfTheSocketNotTheOneWithItsNumber) {
  // Both ends of a pair belong to this process.
  const auto own = bus::io::open_peer_process(pair_[0]);
  ASSERT_TRUE(own);
  if (*own < 0) GTEST_SKIP() << "Linux before 6.5";
  Child other(pair_);
  watch_.add(other.pid(), own);
  const std::int64_t pid = other.pid();
  other.end();
  run(50ms);
  EXPECT_TRUE(ended_.empty()) << "the process of the socket lives";
  watch_.remove(pid);
}

TEST_F(PidWatchTest, AnEndedPeerIsReportedWhateverHasItsNumber) {
  watch_.add(::getpid(), Error{bus::Errc::closed, "the process has ended"});
  EXPECT_TRUE(watch_.has_ended(::getpid()));
  run(2s);
  EXPECT_EQ(ended_, std::vector{std::int64_t{::getpid()}});
}

// What is left where the kernel does not tell the process of a socket.
TEST_F(PidWatchTest, AProcessThatBeganAfterTheSocketIsAnother) {
  const auto begun = start_of(::getpid());
  ASSERT_TRUE(begun);
  EXPECT_LE(*begun, bus::io::boot_now());
  watch_.add(::getpid(), -1, *begun);
  run(50ms);
  EXPECT_TRUE(ended_.empty());
  watch_.add(::getpid(), -1, *begun - 1ms);
  run(2s);
  EXPECT_EQ(ended_, std::vector{std::int64_t{::getpid()}});
}

TEST_F(PidWatchTest, ANumberOfNobodyHasEnded) {
  Child child(pair_);
  const std::int64_t pid = child.pid();
  child.end();
  EXPECT_EQ(start_ticks(pid), 0U);
  EXPECT_FALSE(start_of(pid));
  watch_.add(pid, -1, bus::io::boot_now());
  run(2s);
  EXPECT_EQ(ended_, std::vector{pid});
}

}  // namespace
}  // namespace starbus::busd
