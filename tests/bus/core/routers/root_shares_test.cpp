/// What one host takes of busroot is bounded, and leaves room for the others.
#include <gtest/gtest.h>

#include <string>

#include "bus/core/routers/accounts.hpp"
#include "tests/bus/core/routers/root_fixture.hpp"

namespace starbus::bus::test {
namespace {

using RootShares = RootTest;

Errc bind_result(RouterHarness& harness, Peer& peer, const Process& process,
                 const std::string& name) {
  peer.say(Bind{process, channel_id(name).low, name});
  harness.run();
  const auto refused = peer.take<Refused>();
  EXPECT_EQ(peer.take<Attached>().size() + refused.size(), 1u) << name;
  return refused.empty() ? Errc::ok : refused[0].reason;
}

TEST(Shares, AnAccountAloneGetsNearlyAll) {
  std::size_t held = 0;
  while (within_share(held, 1, held, 900)) ++held;
  EXPECT_EQ(held, 800u);
  held = 0;
  while (within_share(held, 1, held, 5)) ++held;
  EXPECT_EQ(held, 5u) << "a small total is not divided";
  EXPECT_FALSE(within_share(0, 6, 0, 5));
  EXPECT_FALSE(within_share(0, 1, 6, 5));
}

TEST(Shares, ANewcomerAlwaysHasRoom) {
  std::size_t first = 0;
  while (within_share(first, 1, first, 9'000)) ++first;
  std::size_t second = 0;
  while (within_share(second, 1, first + second, 9'000)) ++second;
  EXPECT_GE(second, 880u);
  std::size_t third = 0;
  while (within_share(third, 1, first + second + third, 9'000)) ++third;
  EXPECT_GE(third, 90u);
}

TEST_F(RootShares, OneHostsNamesOfAWatchedKindLeaveRoomForOthers) {
  restart(3);
  Peer& hostile = join("A");
  Peer& honest = join("B");
  honest.say(Watch{"gate/"});
  harness->run();
  claim_many(hostile, kA, kMaxWatchRows + 1, "gate/x");
  harness->advance(5'000);
  EXPECT_GE(hostile.count(Kind::unbound), 10'000u) << "it is told to give the others up";
  EXPECT_EQ(bind_result(*harness, hostile, kA, "gate/y"), Errc::too_many_names);
  EXPECT_EQ(bind_result(*harness, honest, kB, "gate/B"), Errc::ok);
  EXPECT_EQ(honest.count(Kind::watch_refused), 0u);
}

TEST_F(RootShares, AKindThatAllWatchIsBoundedBeforeTheyDo) {
  restart(3, {"B"});  // in grace: nothing is watched yet
  Peer& hostile = join("A");
  claim_many(hostile, kA, kMaxWatchRows + 1, "gate/x");
  Peer& honest = join("B");
  harness->advance(1'000);
  ASSERT_FALSE(root->in_grace());
  honest.say(Watch{"gate/"});
  harness->advance(5'000);
  EXPECT_EQ(honest.count(Kind::watch_refused), 0u);
  EXPECT_EQ(bind_result(*harness, honest, kB, "gate/B"), Errc::ok);
}

TEST_F(RootShares, AMoveBetweenHostsTakesItsCountAlong) {
  Peer& a = join("A");
  Peer& b = join("B");
  a.say(Watch{"gate/"});
  harness->run();
  const Epoch epoch = bind(a, kA, "gate/x");
  const Ticket ticket{kA, kB, 1};
  a.say(Move{kA, channel_id("gate/x"), epoch, ticket});
  harness->run();
  b.say(Attach{kB, "gate/x", ticket});
  harness->run();
  ASSERT_EQ(b.take<Attached>().size(), 1u);
  b.say(Active{kB, channel_id("gate/x"), entry("gate/x")->epoch});
  b.say(Unbind{kB, channel_id("gate/x"), entry("gate/x")->epoch});
  a.say(Freed{kA, channel_id("gate/x"), ticket});
  b.say(Unbind{kB, channel_id("gate/x"), entry("gate/x")->epoch});
  harness->run();
  EXPECT_EQ(entry("gate/x"), nullptr);
  EXPECT_EQ(bind_result(*harness, b, kB, "gate/x"), Errc::ok);
}

TEST_F(RootShares, AHostHasALimitOfNames) {
  shell.rights["A"].max_names = 3;
  restart(3);
  Peer& hostile = connect("A");
  hostile.say(up_of("A", "n1"));
  claim_many(hostile, kA, 5, "m/");
  hostile.say(TableEnd{});
  Peer& honest = join("B");
  harness->run();
  EXPECT_EQ(hostile.count(Kind::unbound), 2u);
  EXPECT_EQ(bind_result(*harness, hostile, kA, "m/more"), Errc::too_many_names);
  EXPECT_EQ(bind_result(*harness, honest, kB, "m/mine"), Errc::ok);
  EXPECT_FALSE(harness->closed(hostile)) << "its host has other processes";
}

}  // namespace
}  // namespace starbus::bus::test
