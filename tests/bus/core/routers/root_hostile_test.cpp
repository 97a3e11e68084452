/// Hosts, and processes behind them, that claim or answer for what is not theirs.
#include <gtest/gtest.h>

#include "tests/bus/core/routers/root_fixture.hpp"

namespace starbus::bus::test {
namespace {

const Process kA = process_on("A", "n1");
const Process kB = process_on("B", "n1");

class RootHostile : public RootTest {
 protected:
  const Directory::Entry& entry_of(const std::string& name) {
    const Directory::Entry* const entry = root->directory().find(channel_id(name));
    EXPECT_NE(entry, nullptr);
    return *entry;
  }
};

TEST_F(RootHostile, AHigherEpochOfAnotherNameIsNoClaim) {
  Peer& a = join("A");
  Peer& b = join("B");
  bind(a, kA, "x/1");
  bind(b, kB, "mine/1");
  const Epoch newest = entry_of("mine/1").epoch;
  b.say(Table{kB, {{"x/1", newest, newest, RowState::active, {}}}});
  harness->run();
  EXPECT_EQ(entry_of("x/1").owner().process(), kA);
}

TEST_F(RootHostile, AnEqualOrLowerEpochIsNoClaimAndIsTakenBack) {
  Peer& a = join("A");
  Peer& b = join("B");
  bind(b, kB, "mine/1");
  bind(a, kA, "x/1");
  const Epoch owned = entry_of("x/1").epoch;
  for (const Epoch epoch : {owned, entry_of("mine/1").epoch}) {
    b.say(Table{kB, {{"x/1", epoch, epoch, RowState::active, {}}}});
    harness->run();
    EXPECT_EQ(entry_of("x/1").owner().process(), kA);
    EXPECT_EQ(entry_of("x/1").epoch, owned);
    const auto unbound = b.take<Unbound>();
    ASSERT_EQ(unbound.size(), 1u) << "its busd has taken it for true";
    EXPECT_EQ(unbound[0].epoch, epoch);
  }
}

TEST_F(RootHostile, AnOwnerOnTheHostOfAFalseClaimIsGrantedItsNameAgain) {
  Peer& a = join("A", {"n1", "n2"});
  bind(a, kA, "x/1");
  a.take<Attached>();
  const Epoch owned = entry_of("x/1").epoch;
  a.say(Table{process_on("A", "n2"), {{"x/1", owned, owned, RowState::active, {}}}});
  harness->run();
  EXPECT_EQ(a.take<Unbound>().size(), 1u);
  const auto attached = a.take<Attached>();
  ASSERT_EQ(attached.size(), 1u);
  EXPECT_EQ(attached[0].process, kA);
  EXPECT_EQ(attached[0].epoch, owned);
}

TEST_F(RootHostile, AFrozenCopyThatNobodySawFreezeHoldsNothingUp) {
  Peer& a = join("A");
  Peer& b = join("B");
  bind(b, kB, "mine/1");
  bind(a, kA, "x/1");
  const Epoch older = entry_of("mine/1").epoch;
  b.say(Table{kB, {{"x/1", older, older, RowState::frozen, {kB, kA, 9}}}});
  harness->run();
  a.say(Unbind{kA, channel_id("x/1"), entry_of("x/1").epoch});
  harness->run();
  EXPECT_EQ(a.take<Unbound>().size(), 1u);
  EXPECT_EQ(root->directory().find(channel_id("x/1")), nullptr);
}

TEST_F(RootHostile, RepliesComeFromTheOwnersHost) {
  Peer& a = join("A");
  Peer& b = join("B");
  Peer& c = join("C");
  bind(a, kA, "x/1");
  const Process sender = process_on("C", "n1");
  const Ack lie{Lane::call, sender, channel_id("x/1"), entry_of("x/1").lineage, 1'000};
  b.say(lie);
  Nack no_owner;
  no_owner.lane = Lane::call;
  no_owner.origin = sender;
  no_owner.channel = channel_id("x/1");
  no_owner.seq = 1;
  no_owner.reason = NackReason::no_owner;
  b.say(no_owner);
  harness->run();
  EXPECT_EQ(c.count(Kind::ack) + c.count(Kind::nack), 0u);
  a.say(lie);
  harness->run();
  EXPECT_EQ(c.count(Kind::ack), 1u);
}

TEST_F(RootHostile, ATraceEndsWhereItWasSentTo) {
  Peer& a = join("A");
  Peer& b = join("B");
  bind(a, kA, "x/1");
  HopTrace forged;
  forged.host = host_id("A");
  forged.number = 1;
  forged.channel = channel_id("x/1");
  forged.end = TraceEnd::no_owner;
  b.say(forged);
  harness->run();
  EXPECT_EQ(a.count(Kind::trace), 0u);
}

}  // namespace
}  // namespace starbus::bus::test
