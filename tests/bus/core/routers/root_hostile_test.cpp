/// Hosts, and processes behind them, that claim or answer for what is not theirs.
#include <gtest/gtest.h>

#include "bus/core/wire/record_readers.hpp"
#include "tests/bus/core/routers/root_fixture.hpp"

namespace starbus::bus::test {
namespace {

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

/// A busd of 1.1 routes by the row until it is told; one of 1.2 has not replaced the owner, which
/// may even have frozen the name meanwhile.
TEST_F(RootHostile, AnOwnerBesideAFalseClaimIsGrantedItsNameAgainAtAnOlderBusd) {
  for (const int speaks : {kRowsTakenMinor - 1, kRowsTakenMinor + 0}) {
    restart(1);
    Peer& a = harness->connect(facts_at("10.0.0.A:1"));
    Hello hello = hello_of("A");
    hello.minor = static_cast<std::uint8_t>(speaks);
    a.say(hello);
    for (const char* node : {"n1", "n2"}) a.say(up_of("A", node));
    a.say(TableEnd{});
    harness->run();
    bind(a, kA, "x/1");
    const Epoch owned = entry_of("x/1").epoch;
    a.say(Table{process_on("A", "n2"), {{"x/1", owned, owned, RowState::active, {}}}});
    harness->run();
    EXPECT_EQ(a.take<Unbound>().size(), 1u);
    const auto attached = a.take<Attached>();
    ASSERT_EQ(attached.size(), speaks < kRowsTakenMinor ? 1u : 0u);
    if (attached.empty()) continue;
    EXPECT_EQ(attached[0].process, kA);
    EXPECT_EQ(attached[0].epoch, owned);
  }
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

/// A made-up epoch: the busd of the liar must learn that the row does not count.
TEST_F(RootHostile, ARowThatWasNeverGrantedIsLeftOutAndItsBusdIsTold) {
  Peer& a = join("A");
  bind(a, kA, "x/1");
  const Epoch beyond = Epoch::of(1, (std::uint64_t{1} << 40) - 1);
  const Table lie{kB, {{"x/1", beyond, beyond, RowState::active, {}}}};
  Peer& b = connect("B");
  b.say(up_of("B", "n1"));
  b.say(lie);
  b.say(TableEnd{});
  harness->run();
  for (const bool later : {false, true}) {
    if (later) {
      b.say(lie);
      b.say(up_of("B", "n1"));
      harness->run();
    }
    EXPECT_EQ(b.take<Unbound>().size(), 1u) << later;
    const auto taken = b.take<RowsTaken>();
    ASSERT_EQ(taken.size(), 1u) << later;
    EXPECT_EQ(taken[0].process, kB);
    EXPECT_EQ(taken[0].left_out, std::vector{channel_id("x/1")});
    EXPECT_EQ(entry_of("x/1").owner().process(), kA);
  }
}

TEST_F(RootHostile, EveryReportIsAnsweredOnceItIsComplete) {
  Peer& a = connect("A");
  EXPECT_EQ(a.take<Welcome>().at(0).granted, 0u);
  ProcessUp up = up_of("A", "n1");
  up.pending = true;
  a.say(up);
  a.say(TableEnd{});
  harness->run();
  EXPECT_EQ(a.count(Kind::rows_taken), 0u);
  up.pending = false;
  a.say(up);
  harness->run();
  EXPECT_EQ(a.take<RowsTaken>().size(), 1u);
  bind(a, kA, "x/1");
  Peer& b = connect("B");
  EXPECT_EQ(b.take<Welcome>().at(0).granted, 1u);
}

TEST_F(RootHostile, AFrozenRowThatIsNotKnownIsLeftOut) {
  Peer& a = join("A");
  Peer& b = join("B");
  bind(a, kA, "x/1");
  const Epoch owned = entry_of("x/1").epoch;
  b.take<RowsTaken>();
  b.say(Table{kB, {{"x/1", owned, owned, RowState::frozen, {kB, kA, 9}}}});
  b.say(up_of("B", "n1"));
  harness->run();
  EXPECT_EQ(b.take<RowsTaken>().at(0).left_out, std::vector{channel_id("x/1")});
}

/// In grace no name of a host that is not back yet is in the directory.
TEST_F(RootHostile, InGraceNoHostRepliesForAnUnknownName) {
  restart(2, {"A", "C"});
  Peer& b = join("B");
  Peer& c = join("C");
  ASSERT_TRUE(root->in_grace());
  b.say(Ack{Lane::call, process_on("C", "n1"), channel_id("x/1"), Epoch::of(1, 1), 1'000});
  b.say(Ack{Lane::call, process_on("C", "n1"), kA.channel(), Epoch::of(1, 1), 1'000});
  harness->run();
  EXPECT_EQ(c.count(Kind::ack), 0u);
  b.say(Ack{Lane::call, process_on("C", "n1"), kB.channel(), Epoch::of(1, 1), 1'000});
  harness->run();
  EXPECT_EQ(c.count(Kind::ack), 1u) << "for its own process";
}

TEST_F(RootHostile, OnlyTheLastHostRepliesForANameThatIsFree) {
  Peer& a = join("A");
  Peer& b = join("B");
  Peer& c = join("C");
  const Epoch epoch = bind(a, kA, "x/1");
  a.say(Unbind{kA, channel_id("x/1"), epoch});
  harness->run();
  const Ack ack{Lane::call, process_on("C", "n1"), channel_id("x/1"), epoch, 1};
  b.say(ack);
  harness->run();
  EXPECT_EQ(c.take<Ack>().size(), 0u);
  a.say(ack);
  harness->run();
  EXPECT_EQ(c.take<Ack>().size(), 1u);
  harness->advance(kQueueAge + from_ms(100));
  a.say(ack);
  harness->run();
  EXPECT_EQ(c.take<Ack>().size(), 0u) << "no reply is that late";
}

/// A host whose busd was replaced opens the mailbox of another host's name, by the highest epoch.
TEST_F(RootHostile, AHostNamesNoEpochOfAMailboxThatItDoesNotOwn) {
  Peer& a = join("A");
  Peer& b = join("B");
  const Epoch owned = bind(a, kA, "player/1", 1);
  bind(a, kA, "process/A.n1", 2);
  bind(b, kB, "process/B.n1", 3);
  const auto open_by = [&](Peer& peer, const Process& reader, Epoch epoch, Peer& store,
                           const Process& at) {
    MailOpen open;
    open.token = 1;
    open.name = "player/1";
    open.epoch = epoch;
    Bytes body;
    encode(open, body);
    Bytes items;
    Writer writer(items);
    writer.put(static_cast<std::uint32_t>(body.size()) | kSystem);
    writer.put(0U);
    writer.bytes(body);
    bus::Run run = run_to(reader, "x");
    run.channel = at.channel();
    run.count = 1;
    run.items = items;
    Bytes record;
    encode_run(run, record);
    peer.say_record(record, Lane::sync);
    harness->run();
    const auto came = store.take_payloads(Kind::data);
    EXPECT_EQ(came.size(), 1u);
    if (came.empty()) return Epoch{};
    const auto received = decode_run(came.front());
    RunReader items_of(*received);
    return decode<MailOpen>(items_of.next()->body.subspan(kRecordHeader))->epoch;
  };
  EXPECT_EQ(open_by(b, kB, Epoch{~std::uint64_t{0}}, a, kA), Epoch{});
  EXPECT_EQ(open_by(b, kB, owned, a, kA), Epoch{});
  EXPECT_EQ(open_by(a, kA, owned, b, kB), owned);
  EXPECT_EQ(open_by(a, kA, Epoch{~std::uint64_t{0}}, b, kB), owned);
}

// --- after a restart -----------------------------------------------------------------------------

/// busroot restarts, and the first host to come back names an epoch of the term before.
TEST_F(RootHostile, ARestartMakesNoEpochOfTheTermBeforePlausible) {
  restart(1);  // with what it has reserved on its disk
  Peer& a = join("A");
  const Epoch epoch = bind(a, kA, "x/1");
  restart(2, {"A", "B"});
  const auto claim = [&](const std::string& host, const Process& process, Epoch by) {
    Peer& peer = connect(host);
    peer.say(up_of(host, "n1"));
    peer.say(Table{process, {{"x/1", by, by, RowState::active, {}}}});
    peer.say(TableEnd{});
    harness->run();
    return peer.take<RowsTaken>().at(0).left_out.size();
  };
  EXPECT_EQ(claim("B", kB, Epoch::of(1, (std::uint64_t{1} << 40) - 1)), 1u);
  EXPECT_EQ(claim("A", kA, epoch), 0u);
  EXPECT_EQ(entry_of("x/1").owner().process(), kA);
}

TEST(GrantBoundsTest, KnowTheTermsThatWereKept) {
  const GrantBounds bounds(9, {{7, 100}, {5, 10}});
  EXPECT_TRUE(bounds.plausible(Epoch::of(5, 10)));
  EXPECT_FALSE(bounds.plausible(Epoch::of(5, 11)));
  EXPECT_FALSE(bounds.plausible(Epoch::of(6, 1))) << "it never granted";
  EXPECT_TRUE(bounds.plausible(Epoch::of(4, 1'000))) << "of an earlier version";
  EXPECT_EQ(bounds.with(3), (std::vector<GrantBound>{{5, 10}, {7, 100}, {9, 3}}));
  std::vector<GrantBound> many;
  for (std::uint64_t term = 1; term <= 100; ++term) many.push_back({term, 1});
  EXPECT_EQ(GrantBounds(101, many).with(1).size(), GrantBounds::kTerms);
}

/// A number that the disk does not know of would be implausible after the next restart.
TEST_F(RootHostile, NothingIsGrantedBeyondWhatTheDiskKnows) {
  shell.no_numbers = true;
  restart(1);
  Peer& a = join("A");
  a.say(Bind{kA, 1, "x/1"});
  harness->run();
  EXPECT_EQ(a.count(Kind::attached) + a.count(Kind::refused), 0u);
  shell.no_numbers = false;
  bind(a, kA, "x/1");
}

}  // namespace
}  // namespace starbus::bus::test
