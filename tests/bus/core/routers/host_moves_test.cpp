/// Moves as busd sees them pass.
#include "tests/bus/core/routers/host_fixture.hpp"

namespace starbus::bus::test {
namespace {

HostConfig with_gates() {
  HostConfig config;
  config.host = kHost;
  Role open;
  open.name = "node";
  open.bind = open.send = {""};
  Role gate;
  gate.name = "gate";
  gate.bind = {"gate/"};
  config.access = AccessList({open, gate});
  return config;
}

struct HostMoves : HostRouterTest {
  HostMoves() : HostRouterTest(with_gates()) {}
  const ChannelId x = channel_id("x/1");
  const Ticket away{local("one"), remote("two"), 5};
  const Ticket here{remote("two"), local("one"), 6};
};

TEST_F(HostMoves, AFrozenNameIsNotRoutedToAndIsAnnouncedWithItsTicket) {
  Peer& busroot = root();
  Peer& one = join("one", {.rows = {row("x/1")}});
  busroot.say(MoveOk{local("one"), x, Epoch::of(1, 1), Epoch::of(1, 1), away});
  harness.run();
  EXPECT_EQ(router.table().owner_of(x), nullptr);
  Peer& again = root(2);
  const auto tables = again.take<Table>();
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].rows.at(0).state, RowState::frozen);
  EXPECT_EQ(tables[0].rows.at(0).ticket, away);
  const auto rows = [&] { return router.table().rows_of(*router.table().by_id(local("one"))); };
  again.say(Moved{local("one"), x, away});
  harness.run();
  EXPECT_EQ(rows().size(), 1u) << "the process may not have heard it";
  one.say(Freed{local("one"), x, away});
  harness.run();
  EXPECT_TRUE(rows().empty());
}

TEST_F(HostMoves, AMoveIsKnownBeforeTheReportIsAnswered) {
  Peer& busroot = root();
  Peer& one = join("one", {.rows = {row("x/1")}, .confirmed = false});
  busroot.say(MoveOk{local("one"), x, Epoch::of(1, 1), Epoch::of(1, 1), away});
  harness.run();
  Peer& again = root(2);
  const auto tables = again.take<Table>();
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].rows.at(0).state, RowState::frozen);
  one.say(Reclaim{local("one"), "x/1", away});
  harness.run();
  EXPECT_EQ(again.count(Kind::reclaim), 1u);
}

TEST_F(HostMoves, BetweenTwoProcessesOfOneHostBothCopiesAreKnown) {
  Peer& busroot = root();
  join("one", {.rows = {row("x/1")}});
  join("three");
  const Ticket across{local("one"), local("three"), 5};
  busroot.say(MoveOk{local("one"), x, Epoch::of(1, 1), Epoch::of(1, 1), across});
  busroot.say(Attached{local("three"), across, "x/1", Epoch::of(1, 2), Epoch::of(1, 1)});
  harness.run();
  EXPECT_EQ(router.table().owner_of(x)->node, "three");
  EXPECT_EQ(router.table().rows_of(*router.table().by_id(local("one"))).size(), 1u);
}

TEST_F(HostMoves, AReclaimedNameIsRoutedToAgain) {
  Peer& busroot = root();
  join("one", {.rows = {row("x/1")}});
  busroot.say(MoveOk{local("one"), x, Epoch::of(1, 1), Epoch::of(1, 1), away});
  busroot.say(Reclaimed{local("one"), x, Epoch::of(1, 3), Epoch::of(1, 1), away});
  harness.run();
  ASSERT_NE(router.table().owner_of(x), nullptr);
  EXPECT_EQ(router.table().find(x)->epoch, Epoch::of(1, 3));
}

TEST_F(HostMoves, ALateRefusalOfARepeatedAttachTakesNothingAway) {
  Peer& busroot = root();
  join("one");
  busroot.say(Attached{local("one"), here, "x/1", Epoch::of(1, 2), Epoch::of(1, 1)});
  busroot.say(Refused{local("one"), here, "x/1", Errc::busy, ""});
  harness.run();
  EXPECT_NE(router.table().owner_of(x), nullptr);
}

TEST_F(HostMoves, WhatARoleMayNotHoldCannotArrive) {
  Peer& busroot = root();
  Peer& peer = join("one", {.role = "gate"});
  peer.say(Attach{local("one"), "entity/1", here});
  harness.run();
  EXPECT_EQ(busroot.count(Kind::attach), 0u);
  const auto refused = peer.take<Refused>();
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].reason, Errc::denied);
  EXPECT_EQ(refused[0].ticket, here);
}

TEST_F(HostMoves, RequestsInAnothersNameEndTheSession) {
  root();
  Peer& peer = join("one");
  peer.say(Attach{local("one"), "x/1", {remote("two"), local("other"), 1}});
  harness.run();
  EXPECT_TRUE(harness.closed(peer));
}

}  // namespace
}  // namespace starbus::bus::test
