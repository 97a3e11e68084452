#include "daemon/service_manager.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <cstring>
#include <optional>
#include <string>

#include "base/file_descriptor.hpp"
#include "tests/daemon/support.hpp"

namespace starbus::daemon {
namespace {

using namespace std::chrono_literals;
using testing::MatchesRegex;

/// Plays systemd's side of NOTIFY_SOCKET.
class FakeSystemd {
 public:
  FakeSystemd() : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path().c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  std::string path() const { return (folder_.path() / "notify").string(); }
  std::optional<std::string> next() {
    char message[4096];
    const ssize_t size = ::recv(socket_.get(), message, sizeof message, MSG_DONTWAIT);
    if (size < 0) return std::nullopt;
    return std::string(message, static_cast<std::size_t>(size));
  }

 private:
  test::TempFolder folder_;
  FileDescriptor socket_;
};

TEST(ServiceManager, TellsItsStates) {
  FakeSystemd systemd;
  const test::Environment socket("NOTIFY_SOCKET", systemd.path());
  boost::asio::io_context loop;
  ServiceManager manager(loop);
  manager.ready();
  EXPECT_EQ(systemd.next(), "READY=1");
  manager.status("3 processes\nREADY=0");
  EXPECT_EQ(systemd.next(), "STATUS=3 processes");
  manager.status("3 processes\nREADY=0");  // unchanged
  manager.reloading();
  EXPECT_THAT(systemd.next().value_or(""), MatchesRegex("RELOADING=1\nMONOTONIC_USEC=[0-9]+"));
  manager.stopping(20s);
  EXPECT_EQ(systemd.next(), "STOPPING=1\nEXTEND_TIMEOUT_USEC=25000000");
  EXPECT_EQ(manager.watchdog_interval(), 0us);
  EXPECT_EQ(systemd.next(), std::nullopt);
}

TEST(ServiceManager, FeedsTheWatchdogOnlyWhileTheLoopRuns) {
  FakeSystemd systemd;
  const test::Environment socket("NOTIFY_SOCKET", systemd.path());
  const test::Environment limit("WATCHDOG_USEC", "20000");
  boost::asio::io_context loop;
  {
    const ServiceManager manager(loop);
    EXPECT_EQ(manager.watchdog_interval(), 10ms);
    EXPECT_EQ(systemd.next(), "WATCHDOG=1");  // the first one at once
    EXPECT_EQ(systemd.next(), std::nullopt);  // a loop that does not run sends nothing
    for (int i = 0; i < 3; ++i) {
      loop.run_one();
      EXPECT_EQ(systemd.next(), "WATCHDOG=1");
    }
  }
  loop.run();  // ends: nothing is left on it
  EXPECT_EQ(systemd.next(), std::nullopt);
}

TEST(ServiceManager, DoesNothingWithoutSystemd) {
  ::unsetenv("NOTIFY_SOCKET");
  boost::asio::io_context loop;
  ServiceManager manager(loop);
  manager.ready();
  manager.reloading();
  manager.status("x");
  manager.stopping(1s);
  EXPECT_EQ(manager.watchdog_interval(), 0us);
}

TEST(ServiceManager, AVanishedSystemdIsNotAnError) {
  const test::Environment socket("NOTIFY_SOCKET", "/no/such/socket");
  boost::asio::io_context loop;
  ServiceManager manager(loop);
  manager.ready();
}

}  // namespace
}  // namespace starbus::daemon
