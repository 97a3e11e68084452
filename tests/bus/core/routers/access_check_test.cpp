#include "bus/core/routers/host/access_check.hpp"

#include "tests/bus/core/routers/host_fixture.hpp"

namespace starbus::bus::test {
namespace {

/// One process of a role, and what its role allows.
class AccessCheckTest : public ::testing::Test, private LinkObserver, private ReplyRoutes {
 protected:
  AccessCheckTest() {
    set_role({.name = "gate", .users = {}, .groups = {}, .bind = {"gate/"}, .send = {"entity/"}});
  }

  void set_role(Role role) { process.role = std::make_shared<const Role>(std::move(role)); }
  static LocalProcess gate() {
    LocalProcess process;
    process.id = local("gate-1");
    process.node = "gate-1";
    return process;
  }
  static HostConfig config() {
    HostConfig config;
    config.host = kHost;
    return config;
  }
  Result<> open(const std::string& name, Lane lane = Lane::call) {
    Bytes record;
    encode(Open{lane, name}, record);
    return access.on_open(process, ByteView(record).subspan(kRecordHeader));
  }

  FakeHostShell shell;
  Links links{shell, *this, {}};
  Forwarding forwarding{links, *this};
  HostState host{links, forwarding, shell, config()};
  AccessCheck access{host};
  LocalProcess process = gate();

 private:
  void on_link_gone(RouterLink&, const Error&) override {}
  RouterLink* link_towards(const Process&) override { return nullptr; }
};

TEST_F(AccessCheckTest, HoldsNamesOfItsRoleAndItsOwnChannel) {
  EXPECT_TRUE(access.may_hold(process, "gate/1"));
  EXPECT_FALSE(access.may_hold(process, "entity/1"));
  EXPECT_TRUE(access.may_hold(process, process_channel_name(kHost, "gate-1")));
  EXPECT_FALSE(access.may_hold(process, process_channel_name(kHost, "gate-2")));
}

TEST_F(AccessCheckTest, OnlyARoleThatIsTrustedHoldsANameOfAServer) {
  // The attacker may bind every name, and would be a server for everybody who watches.
  Role role{.name = "tools", .users = {}, .groups = {}, .bind = {""}, .send = {""}};
  set_role(role);
  EXPECT_FALSE(access.may_hold(process, server_channel_name(kHost, "gate-1")));
  EXPECT_FALSE(access.may_hold(process, "server/anything"));
  role.trust = Trust::server;
  role.bind = {};
  set_role(role);
  EXPECT_TRUE(access.may_hold(process, server_channel_name(kHost, "gate-1")));
  EXPECT_FALSE(access.may_hold(process, server_channel_name(kHost, "gate-2")));
  EXPECT_FALSE(access.may_hold(process, server_channel_name("b", "gate-1")));
}

TEST_F(AccessCheckTest, ClaimsEndAtTheLimitOfTheRole) {
  set_role(
      {.name = "gate", .users = {}, .groups = {}, .bind = {"gate/"}, .send = {}, .max_names = 1});
  EXPECT_TRUE(access.check_claim(process, "gate/1", false));
  process.names.insert(channel_id("gate/1"));
  EXPECT_EQ(access.check_claim(process, "gate/2", false).error(), Errc::too_many_names);
  EXPECT_TRUE(access.check_claim(process, "gate/1", true)) << "it holds this name already";
  EXPECT_EQ(access.check_claim(process, "space/1", false).error(), Errc::denied);
}

TEST_F(AccessCheckTest, OpensAChannelForOneLane) {
  EXPECT_FALSE(access.is_open(process, channel_id("entity/1"), Lane::call));
  EXPECT_TRUE(open("entity/1"));
  EXPECT_TRUE(access.is_open(process, channel_id("entity/1"), Lane::call));
  EXPECT_FALSE(access.is_open(process, channel_id("entity/1"), Lane::sync));
}

TEST_F(AccessCheckTest, RefusesToOpenForbiddenAndInvalidNames) {
  EXPECT_EQ(open("space/1").error(), Errc::denied);
  EXPECT_EQ(host.counters.denied, 1u);
  const auto invalid = open("");
  ASSERT_FALSE(invalid);
  EXPECT_EQ(invalid.error(), Errc::bad_bytes);
}

TEST_F(AccessCheckTest, UnrestrictedRolesNeedNotOpen) {
  set_role({.name = "node", .users = {}, .groups = {}, .bind = {""}, .send = {""}});
  EXPECT_TRUE(access.is_open(process, channel_id("space/1"), Lane::call));
}

TEST_F(AccessCheckTest, CountsMessagesAboveTheRate) {
  set_role({.name = "gate",
            .users = {},
            .groups = {},
            .bind = {},
            .send = {""},
            .messages_per_second = 2});
  EXPECT_TRUE(access.within_rate(process, 2, 10));
  EXPECT_FALSE(access.within_rate(process, 1, 10));
  EXPECT_EQ(host.counters.over_rate, 1u);
  links.advance_to(std::chrono::seconds(1));
  EXPECT_TRUE(access.within_rate(process, 1, 10));
}

}  // namespace
}  // namespace starbus::bus::test
