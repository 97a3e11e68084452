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

  /// Under which epoch a store hears that this process owns the mailbox.
  Epoch heard_by_store(LocalProcess& reader, const std::string& box, Epoch said) {
    MailOpen open;
    open.token = 7;
    open.name = box;
    open.epoch = said;
    Bytes message;
    encode(open, message);
    Bytes items;
    Writer writer(items);
    writer.put(static_cast<std::uint32_t>(message.size()) | kSystem);
    writer.put(0U);
    writer.bytes(message);
    Bytes record;
    encode_run({Lane::call, 1, reader.id, {}, {}, 0, 1, items, true}, record);
    const ByteView payload = ByteView(record).subspan(kRecordHeader);
    Bytes stamped(payload.begin(), payload.end());
    const auto run = decode_run(payload);
    EXPECT_TRUE(run);
    access.state_epochs(reader, *run, payload, stamped);
    const auto passed = decode_run(stamped);
    EXPECT_TRUE(passed);
    const auto after =
        decode<MailOpen>(RunReader(*passed).next()->body.subspan(kRecordHeader)).value();
    EXPECT_EQ(after.name, box);
    EXPECT_EQ(after.token, 7U);
    return after.epoch;
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

// A process says that it owns a mailbox under an epoch that no later owner will reach, and one of a
// name that another process owns.
TEST_F(AccessCheckTest, AReaderOwnsItsMailboxUnderTheEpochThatWasGrantedAtMost) {
  Hello hello;
  hello.name = "gate-1";
  hello.incarnation = 1;
  LocalProcess& reader = host.table.add(hello, 1);
  hello.name = "gate-2";
  LocalProcess& other = host.table.add(hello, 2);
  const std::string box = "player/1";
  EXPECT_EQ(heard_by_store(reader, box, {~std::uint64_t{0}}), Epoch{}) << "nobody owns it";
  host.table.grant(reader, {box, &reader, Epoch::of(1, 5), Epoch::of(1, 5)});
  EXPECT_EQ(heard_by_store(reader, box, {~std::uint64_t{0}}), Epoch::of(1, 5));
  EXPECT_EQ(heard_by_store(reader, box, Epoch::of(1, 5)), Epoch::of(1, 5));
  EXPECT_EQ(heard_by_store(reader, box, Epoch::of(1, 4)), Epoch::of(1, 4)) << "said long ago";
  EXPECT_EQ(heard_by_store(other, box, Epoch::of(1, 5)), Epoch{}) << "it is another's";
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
