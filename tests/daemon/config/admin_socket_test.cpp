#include "daemon/config/admin_socket.hpp"

#include <gtest/gtest.h>

#include "tests/daemon/support.hpp"

namespace starbus::daemon {
namespace {

TEST(AdminSocket, IsBesideTheFirstUnixSocketOfTheBus) {
  EXPECT_EQ(admin_socket_beside({"unix:///run/starbus/busd.sock"}), "/run/starbus/busd-admin.sock");
  EXPECT_EQ(admin_socket_beside({"ipc:///run/x.ipc", "unix:///tmp/bus", "unix:///tmp/b.sock"}),
            "/tmp/bus-admin.sock");
  EXPECT_EQ(admin_socket_beside({"ipc:///run/x.ipc"}), "");
  EXPECT_EQ(admin_socket_beside({"unix:///" + std::string(100, 'x')}), "") << "it would not fit";
}

TEST(AdminSocket, ToolsFindItByTheEnvironment) {
  const test::Environment admin("STARBUS_ADMIN", "");
  {
    const test::Environment busd("STARBUS_BUSD", "");
    EXPECT_EQ(admin_url_of_environment(), kDefaultAdminUrl);
  }
  const test::Environment busd("STARBUS_BUSD", "unix:///tmp/a.sock");
  EXPECT_EQ(admin_url_of_environment(), "unix:///tmp/a-admin.sock");
  const test::Environment named("STARBUS_ADMIN", "unix:///tmp/other.sock");
  EXPECT_EQ(admin_url_of_environment(), "unix:///tmp/other.sock");
}

}  // namespace
}  // namespace starbus::daemon
