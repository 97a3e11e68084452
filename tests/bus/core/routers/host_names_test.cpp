// Names on one host: requests, grants, quotas, the access list, hostile bytes.
#include <gtest/gtest.h>

#include "tests/bus/core/routers/host_fixture.hpp"

namespace starbus::bus::test {
namespace {

class HostNames : public HostRouterTest {
 protected:
  static HostConfig roles() {
    HostConfig roles = config();
    Role open;
    open.name = "node";
    open.bind = {""};
    open.send = {""};
    Role gate;
    gate.name = "gate";
    gate.users = {1000};
    gate.bind = {"gate/"};
    gate.send = {"player/"};
    gate.max_names = 2;
    roles.access = AccessList({open, gate});
    return roles;
  }
  HostNames() : HostRouterTest(roles()) {}
  Peer& join_gate() { return join("gate-1", {.role = "gate", .uid = 1000}); }
  Errc refusal(Peer& peer) {
    const auto refused = peer.take<Refused>();
    return refused.empty() ? Errc::ok : refused.front().reason;
  }
};

TEST_F(HostNames, TheTableFollowsTheGrantsThatPass) {
  Peer& busroot = root();
  Peer& peer = join("one");
  peer.say(Bind{local("one"), 1, "x/1"});
  harness.run();
  ASSERT_EQ(busroot.take<Bind>().size(), 1u);
  EXPECT_EQ(router.table().name_count(), 0u);
  grant(busroot, local("one"), "x/1");
  EXPECT_EQ(peer.take<Attached>().size(), 1u);
  const LocalName* name = router.table().find(channel_id("x/1"));
  ASSERT_NE(name, nullptr);
  EXPECT_FALSE(name->confirmed);

  peer.say(Active{local("one"), channel_id("x/1"), Epoch::of(1, 1)});
  harness.run();
  EXPECT_EQ(busroot.take<Active>().size(), 1u);
  EXPECT_TRUE(name->confirmed);  // the process has it
  busroot.say(ActiveOk{local("one"), channel_id("x/1"), Epoch::of(1, 1)});
  harness.run();
  EXPECT_EQ(peer.take<ActiveOk>().size(), 1u);

  peer.say(Unbind{local("one"), channel_id("x/1"), Epoch::of(1, 1)});
  harness.run();
  EXPECT_EQ(busroot.take<Unbind>().size(), 1u);
  EXPECT_EQ(router.table().name_count(), 1u);
  busroot.say(Unbound{local("one"), channel_id("x/1"), Epoch::of(1, 1)});
  harness.run();
  EXPECT_EQ(router.table().name_count(), 0u);
  EXPECT_EQ(peer.take<Unbound>().size(), 1u);
}

TEST_F(HostNames, ARepeatedUnboundSparesANewerGrant) {
  Peer& busroot = root();
  join("one");
  grant(busroot, local("one"), "x/1", 9);
  busroot.say(Unbound{local("one"), channel_id("x/1"), Epoch::of(1, 8)});
  harness.run();
  EXPECT_EQ(router.table().name_count(), 1u);
}

TEST_F(HostNames, AGrantThatNobodyWantsIsForgotten) {
  Peer& busroot = root();
  Peer& peer = join("one");
  grant(busroot, local("one"), "x/1", 1, 4);
  peer.say(Freed{local("one"), channel_id("x/1"),
                 Ticket::of_bind(local("one"), 3)});  // of an earlier attempt
  harness.run();
  EXPECT_EQ(router.table().name_count(), 1u);
  peer.say(Freed{local("one"), channel_id("x/1"), Ticket::of_bind(local("one"), 4)});
  harness.run();
  EXPECT_EQ(router.table().name_count(), 0u);
  EXPECT_EQ(busroot.take<Freed>().size(), 2u);
}

TEST_F(HostNames, ARefusalRemovesTheName) {
  Peer& busroot = root();
  Peer& peer = join("one");
  grant(busroot, local("one"), "x/1", 1, 4);
  busroot.say(Refused{local("one"), Ticket::of_bind(local("one"), 3), "x/1", Errc::busy, "late"});
  harness.run();
  EXPECT_EQ(router.table().name_count(), 1u);  // about an earlier attempt
  EXPECT_EQ(refusal(peer), Errc::busy);
  busroot.say(
      Refused{local("one"), Ticket::of_bind(local("one"), 4), "x/1", Errc::already_bound, "b.x"});
  harness.run();
  EXPECT_EQ(router.table().name_count(), 0u);
  EXPECT_EQ(refusal(peer), Errc::already_bound);
}

TEST_F(HostNames, AGrantForAProcessWithoutSessionIsDropped) {
  Peer& busroot = root();
  Peer& peer = join("one");
  harness.cut(peer);
  grant(busroot, local("one"), "x/1");
  EXPECT_EQ(router.table().name_count(), 0u);
  grant(busroot, local("stranger"), "x/1");
  EXPECT_EQ(router.table().name_count(), 0u);
}

TEST_F(HostNames, ANameOfALivingNeighbourIsRefusedAtOnce) {
  Peer& busroot = root();
  join("one", {.rows = {row("x/1")}});
  Peer& two = join("two");
  two.say(Bind{local("two"), 1, "x/1"});
  harness.run();
  const auto refused = two.take<Refused>();
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].reason, Errc::already_bound);
  EXPECT_EQ(refused[0].detail, "a.one");
  EXPECT_EQ(busroot.count(Kind::bind), 0u);
}

TEST_F(HostNames, OwnChannelsAreForTheirProcessOnly) {
  Peer& busroot = root();
  Peer& peer = join_gate();
  peer.say(Bind{local("gate-1"), 1, "process/a.gate-1"});
  peer.say(Bind{local("gate-1"), 2, "process/a.other"});
  harness.run();
  EXPECT_EQ(busroot.take<Bind>().size(), 1u);
  EXPECT_EQ(refusal(peer), Errc::denied);
}

TEST_F(HostNames, TheAccessListLimitsBinds) {
  Peer& busroot = root();
  Peer& peer = join_gate();
  peer.say(Bind{local("gate-1"), 1, "gate/1"});
  peer.say(Bind{local("gate-1"), 2, "bank/1"});
  peer.say(Bind{local("gate-1"), 3, "nonsense"});
  harness.run();
  EXPECT_EQ(busroot.take<Bind>().size(), 1u);
  const auto refused = peer.take<Refused>();
  ASSERT_EQ(refused.size(), 2u);
  EXPECT_EQ(refused[0].reason, Errc::denied);
  EXPECT_EQ(refused[1].reason, Errc::bad_name);
}

TEST_F(HostNames, TheAccessListLimitsTables) {
  Peer& peer = connect("gate-1", {.role = "gate", .uid = 1000});
  peer.say(Table{local("gate-1"), {row("bank/1")}});
  peer.say(TableEnd{});
  harness.run();
  EXPECT_EQ(reset_of(peer), Errc::denied);
  EXPECT_EQ(router.table().name_count(), 0u);
}

TEST_F(HostNames, RolesAreForTheirUsers) {
  Peer& peer = join("gate-1", {.role = "gate", .uid = 1001});
  EXPECT_EQ(reset_of(peer), Errc::unauthorized);
}

TEST_F(HostNames, NamesAreBoundedByTheRole) {
  Peer& busroot = root();
  Peer& peer = join_gate();
  const auto bind = [&](std::uint64_t number) {
    peer.say(Bind{local("gate-1"), number, "gate/" + std::to_string(number)});
    harness.run();
  };
  for (std::uint64_t number = 1; number <= 3; ++number) bind(number);
  EXPECT_EQ(busroot.take<Bind>().size(), 3u);  // none is granted yet
  for (std::uint64_t n = 1; n <= 3; ++n) {
    grant(busroot, local("gate-1"), "gate/" + std::to_string(n), n, n);
  }
  EXPECT_EQ(router.table().name_count(), 2u);
  EXPECT_EQ(refusal(peer), Errc::too_many_names);
  const auto freed = busroot.take<Freed>();
  ASSERT_EQ(freed.size(), 1u);
  EXPECT_EQ(freed[0].ticket.number, 3u);
  bind(4);
  EXPECT_EQ(refusal(peer), Errc::too_many_names);

  Peer& greedy = connect("gate-2", {.role = "gate", .uid = 1000});
  greedy.say(Table{{}, {row("gate/5"), row("gate/6"), row("gate/7")}});
  harness.run();
  EXPECT_EQ(reset_of(greedy), Errc::too_many_names);
}

TEST_F(HostNames, RequestsInTheNameOfOthersEndTheSession) {
  Peer& busroot = root();
  join("one", {.rows = {row("x/1")}});
  Peer& two = join("two");
  two.say(Unbind{local("one"), channel_id("x/1"), Epoch::of(1, 1)});
  harness.run();
  EXPECT_EQ(reset_of(two), Errc::bad_bytes);
  EXPECT_EQ(busroot.count(Kind::unbind), 0u);
  EXPECT_EQ(router.counters().hostile_bytes, 1u);
}

TEST_F(HostNames, GarbageEndsItsSessionOnly) {
  Peer& good = join("good");
  Peer& torn = join("torn");
  torn.say_bundle(Bytes(100, std::byte{0x41}));
  Peer& strange = join("strange");
  Bytes record(kRecordHeader + 3, std::byte{0});
  store(record.data(), std::uint32_t{4});
  record[4] = std::byte{0xee};
  strange.say_record(record);
  Peer& root_only = join("root-only");
  root_only.say(Query{"", 1, "root", "/status"});
  harness.run();
  EXPECT_TRUE(harness.closed(torn));
  EXPECT_TRUE(harness.closed(strange));
  EXPECT_TRUE(harness.closed(root_only));
  EXPECT_FALSE(harness.closed(good));
  EXPECT_EQ(router.counters().hostile_bytes, 3u);
}

TEST_F(HostNames, ImpossibleRowsEndTheSession) {
  root(3);
  const Row rows[] = {{"x/1", {}, {}, RowState::active},
                      {"x/1", Epoch::of(1, 1), Epoch::of(1, 2), RowState::active},
                      {"x/1", Epoch::of(4, 1), Epoch::of(1, 1), RowState::active},
                      {"nonsense", Epoch::of(1, 1), Epoch::of(1, 1), RowState::active}};
  for (const Row& impossible : rows) {
    Peer& peer = connect("one", {});
    peer.say(Table{local("one"), {impossible}});
    harness.run();
    EXPECT_EQ(reset_of(peer), Errc::bad_bytes);
  }
}

TEST_F(HostNames, ATableDoesNotTakeTheNameOfANeighbourWithAHigherEpoch) {
  join("one", {.rows = {row("x/1", 5)}});
  join("two", {.rows = {row("x/1", 4)}});
  EXPECT_EQ(router.table().find(channel_id("x/1"))->owner->node, "one");
  join("three", {.rows = {row("x/1", 6)}});
  EXPECT_EQ(router.table().find(channel_id("x/1"))->owner->node, "three");
  router.pid_ended(router.table().by_id(local("one"))->pid);
  EXPECT_NE(router.table().find(channel_id("x/1")), nullptr);
}

TEST_F(HostNames, AChangedRoleBeginsTheSessionAnew) {
  Peer& gate = join_gate();
  Peer& node = join("one");
  Role role;
  role.name = "node";
  role.bind = {""};
  role.send = {""};
  router.set_access_list(AccessList({role}));
  harness.run();
  EXPECT_EQ(reset_of(gate), Errc::unauthorized);
  EXPECT_FALSE(harness.closed(node));
  role.max_names = 5;
  router.set_access_list(AccessList({role}));
  harness.run();
  EXPECT_EQ(reset_of(node), Errc::shutting_down);
}

TEST_F(HostNames, AreListedInPages) {
  std::vector<Row> rows;
  for (int i = 9; i >= 0; --i) rows.push_back(row("x/" + std::to_string(i)));
  rows.push_back(row("y/1"));
  join("one", {.rows = rows});
  const auto page = router.table().page("x/", "x/3", 4);
  ASSERT_EQ(page.size(), 4u);
  EXPECT_EQ(page[0]->name, "x/4");
  EXPECT_EQ(page[3]->name, "x/7");
  EXPECT_EQ(router.table().count("x/"), 10u);
  EXPECT_TRUE(router.table().page("x/", "x/9", 4).empty());
}

}  // namespace
}  // namespace starbus::bus::test
