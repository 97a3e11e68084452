/// What the key of a host entitles it to: names, receivers, amounts, questions and answers.
#include <gtest/gtest.h>

#include "tests/bus/core/routers/root_fixture.hpp"

namespace starbus::bus::test {
namespace {

TEST(HostRightsTest, LeaveTheNamesOfOtherHostsAlone) {
  const HostRights all;
  EXPECT_TRUE(all.may_bind("a", "entity/1"));
  EXPECT_TRUE(all.may_bind("a", "node/a.gate-1"));
  EXPECT_FALSE(all.may_bind("a", "node/b.gate-1"));
  EXPECT_FALSE(all.may_bind("a", "process/b.gate-1"));
  EXPECT_FALSE(all.may_bind("a", "node/ab.gate-1"));
}

TEST(HostRightsTest, NameShardsAndPrefixes) {
  HostRights rights;
  EXPECT_TRUE(rights.may_bind("a", "store/7"));
  rights.stores = {7};
  EXPECT_TRUE(rights.may_bind("a", "store/7"));
  EXPECT_FALSE(rights.may_bind("a", "store/8"));
  rights.bind = {"gate/"};
  EXPECT_FALSE(rights.may_bind("a", "entity/1"));
  EXPECT_TRUE(rights.may_bind("a", "gate/1"));
}

TEST(HostRightsTest, SayWhatMayBeAsked) {
  HostRights rights;
  EXPECT_TRUE(rights.may_ask("/mail/peek?name=player/1"));
  rights.admin = HostRights::Admin::observe;
  EXPECT_TRUE(rights.may_ask("/status"));
  EXPECT_FALSE(rights.may_ask("/mail/peek?name=player/1"));
  EXPECT_FALSE(rights.may_ask("/tail?name=x/1"));
  rights.admin = HostRights::Admin::read;
  EXPECT_TRUE(rights.may_ask("/mail/peek?name=player/1"));
  rights.admin = HostRights::Admin::none;
  EXPECT_FALSE(rights.may_ask("/status"));
}

class RootRights : public RootTest {
 protected:
  Refused refused(Peer& peer, const Process& process, const std::string& name) {
    peer.say(Bind{process, ++number_, name});
    harness->run();
    const auto all = peer.take<Refused>();
    EXPECT_EQ(all.size(), 1u) << name;
    return all.empty() ? Refused{} : all.front();
  }

 private:
  std::uint64_t number_ = 100;
};

/// A host that was taken over binds the presence of another host's node.
TEST_F(RootRights, AHostDoesNotGetTheNamesOfAnother) {
  shell.rights["B"].bind = {"gate/", "node/"};
  Peer& b = join("B");
  EXPECT_EQ(refused(b, kB, "node/A.n1").reason, Errc::denied);
  EXPECT_EQ(refused(b, kB, "entity/1").reason, Errc::denied);
  bind(b, kB, "gate/1", 1);
  bind(b, kB, "node/B.n1", 2);
  b.take<RowsTaken>();
  b.say(Table{kB, {{"node/A.n1", Epoch::of(1, 1), Epoch::of(1, 1), RowState::active, {}}}});
  b.say(up_of("B", "n1"));
  harness->run();
  EXPECT_EQ(b.take<RowsTaken>().at(0).left_out.size(), 1u);
  EXPECT_EQ(entry("node/A.n1"), nullptr);
}

TEST_F(RootRights, NothingArrivesWhereItMayNotBe) {
  Peer& a = join("A");
  shell.rights["B"].bind = {"gate/"};
  Peer& b = join("B");
  const Epoch epoch = bind(a, kA, "x/1");
  const Ticket ticket{kA, kB, 7};
  a.say(Move{kA, channel_id("x/1"), epoch, ticket});
  b.say(Attach{kB, "x/1", ticket});
  harness->run();
  const auto refused = b.take<Refused>();
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].reason, Errc::denied);
  EXPECT_EQ(entry("x/1")->owner().process(), kA);
}

TEST_F(RootRights, NamesOfAHostAreCounted) {
  shell.rights["A"].max_names = 2;
  Peer& a = join("A");
  bind(a, kA, "x/1", 1);
  const Epoch second = bind(a, kA, "x/2", 2);
  EXPECT_EQ(refused(a, kA, "x/3").reason, Errc::too_many_names);
  a.say(Unbind{kA, channel_id("x/2"), second});
  harness->run();
  bind(a, kA, "x/3", 3);
}

/// Rows without end, before the end of the table: 186 MB of them were a gigabyte of memory.
TEST_F(RootRights, RowsAreCountedWhileTheyCome) {
  shell.rights["A"].max_names = 10;
  Peer& a = connect("A");
  a.say(up_of("A", "n1"));
  const Row row{"x/1", Epoch::of(1, 1), Epoch::of(1, 1), RowState::active, {}};
  const Table table{kA, std::vector<Row>(256, row)};
  for (int i = 0; i < 100 && !harness->closed(a); ++i) {
    a.say(table);
    harness->run();
    if (i > 6) {
      ASSERT_TRUE(harness->closed(a)) << i;
    }
  }
  EXPECT_EQ(reset_of(a), Errc::too_many_names);
}

TEST_F(RootRights, ProcessesOfAHostAreCounted) {
  shell.rights["A"].max_processes = 2;
  Peer& a = connect("A");
  for (const char* node : {"n1", "n2", "n3"}) a.say(up_of("A", node));
  harness->run();
  EXPECT_EQ(reset_of(a), Errc::too_many_processes);
}

TEST_F(RootRights, AHostSendsWhereItMay) {
  Peer& a = join("A");
  bind(a, kA, "db/main", 1);
  bind(a, kA, "gate/1", 2);
  shell.rights["B"].send = {"gate/"};
  Peer& b = join("B");
  b.say_run(run_to(kB, "db/main", 1), "m");
  b.say_run(run_to(kB, "gate/1", 2), "m");
  harness->run();
  EXPECT_EQ(a.take_payloads(Kind::data).size(), 1u);
  const auto nacks = b.take<Nack>();
  ASSERT_EQ(nacks.size(), 1u);
  EXPECT_EQ(nacks[0].channel, channel_id("db/main"));
  EXPECT_EQ(nacks[0].reason, NackReason::no_owner);
}

TEST_F(RootRights, AChangeBeginsTheSessionAgain) {
  Peer& a = join("A");
  Peer& b = join("B");
  shell.rights["A"].bind = {"gate/"};
  root->review_hosts();
  harness->run();
  EXPECT_EQ(reset_of(a), Errc::shutting_down);
  EXPECT_EQ(reset_of(b), Errc::ok);
}

/// Any host could hold any sender back.
TEST_F(RootRights, OnlyTheOwnersHostSaysOverflow) {
  Peer& a = join("A");
  Peer& b = join("B");
  Peer& c = join("C");
  bind(a, kA, "x/1");
  Nack overflow;
  overflow.lane = Lane::call;
  overflow.origin = process_on("C", "n1");
  overflow.channel = channel_id("x/1");
  overflow.seq = 1;
  overflow.reason = NackReason::overflow;
  b.say(overflow);
  harness->run();
  EXPECT_EQ(c.take<Nack>().size(), 0u);
  a.say(overflow);
  harness->run();
  EXPECT_EQ(c.take<Nack>().size(), 1u);
}

/// Numbers of questions are 1, 2, 3: any host could answer another one's.
TEST_F(RootRights, OnlyTheHostThatWasAskedAnswersAndOnce) {
  Peer& a = join("A");
  Peer& b = join("B");
  Peer& evil = join("evil");
  a.say(Query{"", 7, "B", "/status"});
  harness->run();
  const Answer answer{"A", 7, 200, Bytes(10)};
  evil.say(answer);
  harness->run();
  EXPECT_EQ(a.take<Answer>().size(), 0u);
  b.say(answer);
  b.say(answer);
  harness->run();
  EXPECT_EQ(a.take<Answer>().size(), 1u);
  a.say(Query{"", 8, "B", "/status"});
  harness->run();
  harness->advance(6'000);
  b.say(Answer{"A", 8, 200, {}});
  harness->run();
  EXPECT_EQ(a.take<Answer>().size(), 0u) << "nobody waits for it any more";
}

TEST_F(RootRights, AQuestionThatIsForbiddenIsAnsweredSo) {
  shell.rights["A"].admin = HostRights::Admin::observe;
  Peer& a = join("A");
  Peer& b = join("B");
  a.say(Query{"", 7, "B", "/tail?name=x/1"});
  harness->run();
  EXPECT_EQ(b.count(Kind::query), 0u);
  EXPECT_EQ(a.take<Answer>().at(0).status, 403);
}

/// One key that connects and says nothing kept all other hosts out.
TEST_F(RootRights, LinksOfOneKeyBeforeTheirHelloAreFew) {
  PeerFacts facts = facts_at("10.0.0.9:1");
  facts.key = "key";
  std::vector<Peer*> silent;
  for (int i = 0; i < 5; ++i) silent.push_back(&harness->connect(facts));
  harness->run();
  EXPECT_EQ(std::ranges::count_if(silent, [&](Peer* peer) { return harness->closed(*peer); }), 3);
}

}  // namespace
}  // namespace starbus::bus::test
