/// Sessions of hosts, tables, requests, grace and leases of busroot.
#include "bus/core/routers/root_router.hpp"

#include <gtest/gtest.h>

#include "tests/bus/core/routers/root_fixture.hpp"

namespace starbus::bus::test {
namespace {

// --- sessions ------------------------------------------------------------------------------------

TEST_F(RootTest, WelcomesABusd) {
  Peer& a = connect("A", 7);
  const auto welcome = a.take<Welcome>();
  ASSERT_EQ(welcome.size(), 1u);
  EXPECT_EQ(welcome[0].you, (Process{host_id("A"), 0, 7}));
  EXPECT_EQ(welcome[0].host, "root-1");
  EXPECT_EQ(welcome[0].term, Epoch::of(1, 0));
  EXPECT_EQ(welcome[0].minor, kVersionMinor);
}

TEST_F(RootTest, RefusesWhoMayNotComeIn) {
  const auto reason = [&](Hello hello) {
    Peer& peer = harness->connect(facts_at("10.0.0.9:1"));
    peer.say(hello);
    harness->run();
    EXPECT_TRUE(harness->closed(peer));
    return reset_of(peer);
  };
  Hello process = hello_of("A");
  process.party = PartyKind::process;
  EXPECT_EQ(reason(process), Errc::unauthorized);
  Hello newer = hello_of("A");
  newer.minor = kVersionMinor + 2;
  EXPECT_EQ(reason(newer), Errc::version_mismatch);
  EXPECT_EQ(reason(hello_of("a.b")), Errc::bad_name);
  EXPECT_EQ(reason(hello_of("root")), Errc::bad_name);
  Hello ahead = hello_of("A");
  ahead.highest_term = Epoch::of(2, 0);
  EXPECT_EQ(reason(ahead), Errc::bad_config);
  shell.keys["A"] = "key";
  EXPECT_EQ(reason(hello_of("A")), Errc::unauthorized);
  EXPECT_EQ(root->host_count(), 0u);
  EXPECT_EQ(root->counters().sessions_refused, 6u);
}

TEST_F(RootTest, SpeaksTheLowerMinorVersion) {
  Peer& peer = harness->connect(facts_at("10.0.0.1:1"));
  Hello newer = hello_of("A");
  newer.minor = kVersionMinor + 1;
  peer.say(newer);
  harness->run();
  ASSERT_EQ(peer.count(Kind::welcome), 1u);
  EXPECT_EQ(peer.take<Welcome>()[0].minor, kVersionMinor);
}

TEST_F(RootTest, ASecondLivingSessionOfAHostIsRefusedByName) {
  connect("A", 1, "10.0.0.1:100");
  Peer& elsewhere = connect("A", 2, "10.0.0.2:100");
  const auto resets = elsewhere.take<Reset>();
  ASSERT_EQ(resets.size(), 1u);
  EXPECT_EQ(resets[0].reason, Errc::name_taken);
  EXPECT_NE(resets[0].detail.find("10.0.0.1:100"), std::string::npos);
  Peer& other_key = connect("A", 2, "10.0.0.1:101", "key");
  EXPECT_EQ(reset_of(other_key), Errc::name_taken);
  Peer& earlier_start = connect("A", 0, "10.0.0.1:102");
  EXPECT_EQ(reset_of(earlier_start), Errc::name_taken);
}

TEST_F(RootTest, ALateHelloOfAnEarlierSessionReplacesNothing) {  // F9
  const auto say_hello = [&](std::uint64_t attempt) -> Peer& {
    Peer& peer = harness->connect(facts_at("10.0.0.1:1"));
    Hello hello = hello_of("A");
    hello.attempt = attempt;
    peer.say(hello);
    harness->run();
    return peer;
  };
  Peer& newer = say_hello(2);
  EXPECT_EQ(reset_of(say_hello(1)), Errc::superseded);
  EXPECT_FALSE(harness->closed(newer));
  say_hello(3);
  EXPECT_TRUE(harness->closed(newer));
}

TEST_F(RootTest, ALateHelloOfAnEarlierBusdFreesNothing) {
  Peer& present = join("A", {"n1"}, 2);
  bind(present, kA, "player/1");
  harness->cut(present);
  EXPECT_EQ(reset_of(connect("A", 1)), Errc::superseded);
  EXPECT_NE(entry("player/1"), nullptr);
  harness->advance(kLease + 2s, true);
  EXPECT_EQ(connect("A", 1).count(Kind::welcome), 1u) << "its state was lost, and it counts anew";
}

TEST_F(RootTest, ARestartedBusdTakesOverAtOnce) {
  Peer& old = connect("A", 1, "10.0.0.1:100");
  Peer& restarted = connect("A", 2, "10.0.0.1:101");
  EXPECT_EQ(reset_of(old), Errc::superseded);
  EXPECT_EQ(restarted.count(Kind::welcome), 1u);
  Peer& again = connect("A", 2, "10.0.0.7:102");  // the same busd over another way
  EXPECT_EQ(reset_of(restarted), Errc::superseded);
  EXPECT_EQ(again.count(Kind::welcome), 1u);
  EXPECT_EQ(root->host_count(), 1u);
}

TEST_F(RootTest, HostsAreBounded) {
  restart(1, {}, 8);
  for (std::size_t i = 0; i < 8; ++i) connect("H" + std::to_string(i), 1, "10.0.0.1:100");
  EXPECT_EQ(root->host_count(), 8u);
  Peer& beyond = connect("beyond", 1, "10.0.0.1:100");
  EXPECT_EQ(reset_of(beyond), Errc::too_many_processes);
}

TEST_F(RootTest, ASilentSessionGivesWayAfterSuspicion) {
  Peer& old = connect("A", 1, "10.0.0.1:100");
  harness->advance(kSuspect + 100ms, true);
  Peer& elsewhere = connect("A", 2, "10.0.0.2:100");
  EXPECT_EQ(elsewhere.count(Kind::welcome), 1u);
  EXPECT_TRUE(harness->closed(old));
}

TEST_F(RootTest, EndsAllSessionsAtShutdownAndThoseNoLongerAllowed) {
  Peer& a = join("A");
  Peer& b = join("B");
  shell.keys["B"] = "another";
  root->review_hosts();
  harness->run();
  EXPECT_FALSE(harness->closed(a));
  EXPECT_EQ(reset_of(b), Errc::unauthorized);
  root->shut_down();
  harness->run();
  EXPECT_EQ(reset_of(a), Errc::shutting_down);
}

// --- requests ------------------------------------------------------------------------------------

TEST_F(RootTest, BindIsGrantedConfirmedAndRepeatable) {
  Peer& a = join("A");
  a.say(Bind{kA, 5, "player/1"});
  a.say(Bind{kA, 5, "player/1"});
  harness->run();
  const auto attached = a.take<Attached>();
  ASSERT_EQ(attached.size(), 2u);
  EXPECT_EQ(attached[0].epoch, attached[1].epoch);
  EXPECT_EQ(attached[0].lineage, attached[0].epoch);
  EXPECT_FALSE(entry("player/1")->confirmed);
  a.say(Active{kA, channel_id("player/1"), attached[0].epoch});
  a.say(Active{kA, channel_id("player/9"), attached[0].epoch});
  harness->run();
  EXPECT_EQ(a.take<ActiveOk>().size(), 2u);
  EXPECT_TRUE(entry("player/1")->confirmed);
}

TEST_F(RootTest, ASecondBindIsRefusedNamingTheOwner) {
  Peer& a = join("A");
  Peer& b = join("B");
  bind(a, kA, "player/1");
  b.say(Bind{kB, 1, "player/1"});
  harness->run();
  const auto refused = b.take<Refused>();
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].reason, Errc::already_bound);
  EXPECT_EQ(refused[0].detail, "A.n1");
  EXPECT_EQ(root->failures().latest().back().reason, "already_bound: A.n1");
  a.say(Bind{kA, 2, "player/1"});  // another attempt of the owner itself
  harness->run();
  EXPECT_EQ(a.take<Refused>().size(), 1u);
}

TEST_F(RootTest, BadNamesAndForeignProcessNamesAreRefused) {
  Peer& a = join("A");
  a.say(Bind{kA, 1, "nonsense"});
  a.say(Bind{kA, 2, "process/A.n2"});
  a.say(Bind{kA, 3, "process/"});
  harness->run();
  const auto refused = a.take<Refused>();
  ASSERT_EQ(refused.size(), 3u);
  EXPECT_EQ(refused[0].reason, Errc::bad_name);
  EXPECT_EQ(refused[1].reason, Errc::denied);
  bind(a, kA, "process/A.n1");
  EXPECT_EQ(entry("process/A.n1")->id(), kA.channel());
}

TEST_F(RootTest, UnbindFreesTheNameAndIsRepeatable) {
  Peer& a = join("A");
  const Epoch epoch = bind(a, kA, "player/1");
  a.say(Unbind{kA, channel_id("player/1"), Epoch::of(1, 77)});
  harness->run();
  EXPECT_NE(entry("player/1"), nullptr);
  a.say(Unbind{kA, channel_id("player/1"), epoch});
  a.say(Unbind{kA, channel_id("player/1"), epoch});
  harness->run();
  EXPECT_EQ(a.take<Unbound>().size(), 3u);
  EXPECT_EQ(entry("player/1"), nullptr);
  EXPECT_GT(bind(a, kA, "player/1", 2), epoch);
}

TEST_F(RootTest, AnUnwantedGrantIsGivenBackWithFreed) {  // M14
  Peer& a = join("A");
  bind(a, kA, "player/1", 5);
  a.say(Freed{kA, channel_id("player/1"), Ticket::of_bind(kA, 4)});
  harness->run();
  EXPECT_NE(entry("player/1"), nullptr);
  a.say(Freed{kA, channel_id("player/1"), Ticket::of_bind(kA, 5)});
  harness->run();
  EXPECT_EQ(a.take<FreedOk>().size(), 2u);
  EXPECT_EQ(entry("player/1"), nullptr);
}

TEST_F(RootTest, RequestsOfUnknownProcessesAreNotAnswered) {
  Peer& a = join("A");
  a.say(Bind{process_on("A", "n1", 99), 1, "player/1"});
  harness->run();
  EXPECT_EQ(a.count(Kind::attached) + a.count(Kind::refused), 0u);
  EXPECT_FALSE(harness->closed(a));
}

// --- tables --------------------------------------------------------------------------------------

TEST_F(RootTest, ATableRestoresWhatAnEarlierBusrootGranted) {
  restart(3, {"A"});
  Peer& a = connect("A");
  a.say(up_of("A", "n1"));
  a.say(Table{kA,
              {{"player/1", Epoch::of(2, 9), Epoch::of(1, 4), RowState::active},
               {"player/2", {}, {}, RowState::attaching}}});
  a.say(TableEnd{});
  harness->run();
  ASSERT_NE(entry("player/1"), nullptr);
  EXPECT_EQ(entry("player/1")->epoch, Epoch::of(2, 9));
  EXPECT_EQ(entry("player/1")->lineage, Epoch::of(1, 4));
  EXPECT_TRUE(entry("player/1")->confirmed);
  EXPECT_EQ(entry("player/2"), nullptr);
  a.say(Freed{kA, channel_id("player/1"), Ticket::of_bind(kA, 0)});  // a claim is no bind attempt
  harness->run();
  EXPECT_NE(entry("player/1"), nullptr);
}

TEST_F(RootTest, TheHigherEpochWins) {
  restart(3);
  Peer& a = join("A");
  Peer& b = join("B");
  const auto claim = [](const Process& p, std::uint64_t n) {
    return Table{p, {{"player/1", Epoch::of(2, n), Epoch::of(2, n), RowState::active}}};
  };
  a.say(claim(kA, 5));
  harness->run();
  b.say(claim(kB, 4));
  harness->run();
  EXPECT_EQ(entry("player/1")->owner().process(), kA);
  b.say(claim(kB, 6));
  harness->run();
  EXPECT_EQ(entry("player/1")->owner().process(), kB);
}

TEST_F(RootTest, AnOmittedNameIsFreedOnlyIfConfirmed) {  // M4
  Peer& a = join("A");
  bind(a, kA, "player/confirmed", 1);
  bind(a, kA, "player/kept", 2);
  a.say(Bind{kA, 3, "player/unconfirmed"});
  harness->run();
  const Epoch kept = entry("player/kept")->epoch;
  harness->cut(a);
  Peer& again = connect("A");
  again.say(up_of("A", "n1"));
  again.say(Table{kA, {{"player/kept", kept, kept, RowState::active}}});
  again.say(TableEnd{});
  harness->run();
  EXPECT_EQ(entry("player/confirmed"), nullptr);
  EXPECT_NE(entry("player/unconfirmed"), nullptr);
  EXPECT_NE(entry("player/kept"), nullptr);
  again.say(Bind{kA, 3, "player/unconfirmed"});
  harness->run();
  EXPECT_EQ(again.take<Attached>().size(), 1u);
}

TEST_F(RootTest, NamesOfTheDeadAreFree) {
  Peer& a = join("A", {"n1", "n2"});
  const Process second = process_on("A", "n2");
  bind(a, kA, "player/1");
  a.say(Bind{second, 1, "player/2"});
  harness->run();
  a.say(ProcessDead{kA});
  harness->run();
  EXPECT_EQ(entry("player/1"), nullptr);
  harness->cut(a);
  join("A", {"n1"});  // n2 is not among the living of the new table
  EXPECT_EQ(entry("player/2"), nullptr);
}

TEST_F(RootTest, AProcessMayDieWhileItsTableIsOnTheWay) {
  restart(3);
  Peer& a = connect("A");
  a.say(up_of("A", "n1"));
  a.say(Table{kA, {{"player/1", Epoch::of(2, 9), Epoch::of(2, 9), RowState::active}}});
  a.say(ProcessDead{kA});
  a.say(TableEnd{});
  harness->run();
  EXPECT_FALSE(harness->closed(a));
  EXPECT_EQ(entry("player/1"), nullptr);
}

TEST_F(RootTest, HostileBytesEndOnlyThatSession) {
  Peer& good = join("G");
  const auto ends = [&](auto&& misbehave) {
    Peer& peer = join("A");
    misbehave(peer);
    harness->run();
    EXPECT_TRUE(harness->closed(peer));
    EXPECT_EQ(reset_of(peer), Errc::bad_bytes);
  };
  ends([](Peer& p) { p.say_bundle(Bytes(100, std::byte{7})); });
  ends([](Peer& p) { p.say_record(as_bytes(std::string_view("\x03\0\0\0\xff\1\1", 7))); });
  ends([](Peer& p) { p.say(RootTest::hello_of("A")); });
  ends([](Peer& p) { p.say(up_of("B", "n1")); });
  ends([](Peer& p) { p.say(ProcessUp{kA, "n7", "", 0}); });
  ends([](Peer& p) { p.say(TableEnd{}); });
  ends([](Peer& p) { p.say(Table{process_on("A", "n9"), {}}); });
  ends([](Peer& p) { p.say(ProcessDead{kB}); });
  ends([](Peer& p) { p.say(Bind{kB, 1, "player/1"}); });
  ends([](Peer& p) { p.say_run(RootTest::run_to(kB, "player/1"), "forged"); });
  ends([](Peer& p) { p.say(Probe{Lane::call, kB, channel_id("player/1"), 1}); });
  const auto row = [](std::string name, Epoch epoch, Lineage lineage) {
    return Table{kA, {{std::move(name), epoch, lineage, RowState::active}}};
  };
  ends([&](Peer& p) { p.say(row("player/1", {}, {})); });
  ends([&](Peer& p) { p.say(row("bad", Epoch::of(0, 1), Epoch::of(0, 1))); });
  ends([&](Peer& p) { p.say(row("process/A.n2", Epoch::of(0, 1), Epoch::of(0, 1))); });
  Peer& stranger = harness->connect(facts_at("10.0.0.66:1"));
  stranger.say(TableEnd{});
  harness->run();
  EXPECT_EQ(reset_of(stranger), Errc::bad_bytes);
  EXPECT_FALSE(harness->closed(good));
  EXPECT_EQ(root->counters().hostile_bytes, 15u);
  bind(good, process_on("G", "n1"), "player/1");
}

TEST_F(RootTest, ARowThatWasNeverGrantedIsLeftOutAndItsHostGoesOn) {
  Peer& peer = join("A");
  peer.say(Table{kA, {{"player/1", Epoch::of(1, 1000), Epoch::of(1, 1), RowState::active}}});
  harness->run();
  EXPECT_FALSE(harness->closed(peer));
  EXPECT_EQ(root->directory().size(), 0u);
}

// --- grace, leases, journal ----------------------------------------------------------------------

TEST_F(RootTest, GraceGrantsNothingUntilAllJournaledHostsHaveAnnounced) {
  restart(2, {"A", "B"});
  Peer& a = join("A");
  EXPECT_TRUE(root->in_grace());
  a.say(Bind{kA, 1, "player/1"});
  harness->run();
  EXPECT_EQ(a.count(Kind::attached), 0u);
  Peer& b = connect("B");
  EXPECT_TRUE(root->in_grace());
  b.say(TableEnd{});
  harness->run();
  EXPECT_FALSE(root->in_grace());
  bind(a, kA, "player/1");
  EXPECT_TRUE(shell.journals.empty());  // nothing new to remember
}

TEST_F(RootTest, AHostThatCannotBeNotedIsKeptOut) {
  join("A");
  shell.disk_full = true;
  Peer& b = connect("B");
  EXPECT_EQ(reset_of(b), Errc::io_error);
  Peer& a = join("A", {"n1"}, 2);  // is in the journal
  bind(a, kA, "player/1");
  shell.disk_full = false;
  join("B");
  EXPECT_EQ(shell.journals.back(), (std::vector<std::string>{"A", "B"}));
}

TEST_F(RootTest, AHostThatGraceHasStruckOffIsNotedAgainWithItsTable) {
  restart(2, {"A"});
  harness->advance(kLease - 1000ms);
  connect("A");
  harness->advance(2000);
  Peer& a = connect("A");  // anew, and slow
  EXPECT_TRUE(root->in_grace());
  harness->advance(kLease - 900ms);  // two leases are over
  EXPECT_FALSE(root->in_grace());
  EXPECT_TRUE(shell.journals.back().empty());
  a.say(TableEnd{});
  harness->run();
  EXPECT_EQ(shell.journals.back(), std::vector<std::string>{"A"});
}

TEST_F(RootTest, GraceEndsWithTheLeaseOfAHostThatStaysAway) {
  restart(2, {"A", "B", "bad name"});
  join("A");
  harness->advance(kLease - 100ms);
  EXPECT_TRUE(root->in_grace());
  EXPECT_EQ(root->waiting_for(), std::set<std::string>{"B"});
  harness->advance(200);
  EXPECT_FALSE(root->in_grace());
  EXPECT_EQ(shell.journals.back(), std::vector<std::string>{"A"});
}

TEST_F(RootTest, GraceWaitsForAHostThatStillCollectsItsProcesses) {
  restart(2, {"A"});
  harness->advance(kLease - 1000ms);
  Peer& a = connect("A");
  harness->advance(5000);
  EXPECT_TRUE(root->in_grace());
  harness->advance(kLease);  // its session never became complete
  EXPECT_FALSE(root->in_grace());
  EXPECT_EQ(reset_of(a), Errc::silent);
}

TEST_F(RootTest, ALostHostKeepsItsNamesForTheLease) {
  Peer& a = join("A");
  Peer& b = join("B");
  EXPECT_EQ(shell.journals.back(), (std::vector<std::string>{"A", "B"}));
  bind(a, kA, "player/1");
  harness->cut(a);
  harness->advance(kLease - 100ms);
  EXPECT_NE(entry("player/1"), nullptr);
  b.say(Bind{kB, 1, "player/1"});
  harness->run();
  EXPECT_EQ(b.take<Refused>().size(), 1u);
  harness->advance(200);
  EXPECT_EQ(entry("player/1"), nullptr);
  EXPECT_EQ(root->host_count(), 1u);
  EXPECT_EQ(shell.journals.back(), std::vector<std::string>{"B"});
  bind(b, kB, "player/1", 2);
}

TEST_F(RootTest, ASilentLinkEndsAndItsNamesWaitForTheLease) {
  Peer& a = join("A");
  bind(a, kA, "player/1");
  harness->advance(kLinkTimeout + 1000ms, true);
  EXPECT_TRUE(harness->closed(a));
  EXPECT_NE(entry("player/1"), nullptr);
  join("A", {"n1"}, 2);
  EXPECT_EQ(entry("player/1"), nullptr);  // confirmed, and omitted by the new table
}

// --- queries -------------------------------------------------------------------------------------

TEST_F(RootTest, QueriesFindTheirTargetAndAnswersTheirWayBack) {
  Peer& a = join("A");
  Peer& b = join("B");
  a.say(Query{"forged", 7, "B", "/status"});
  a.say(Query{"forged", 8, "root", "/topology"});
  a.say(Query{"forged", 9, "C", "/status"});
  harness->run();
  const auto at_b = b.take<RoleQuery>();
  ASSERT_EQ(at_b.size(), 1u);
  EXPECT_EQ(at_b[0].from_host, "A");
  EXPECT_EQ(at_b[0].path, "/status");
  ASSERT_EQ(shell.queries.size(), 1u);
  b.say(Answer{"A", 7, 200, Bytes(10)});
  root->answer({"A", 8, 200, {}});
  harness->run();
  const auto answers = a.take<Answer>();
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[0].number, 9u);
  EXPECT_EQ(answers[0].status, 404);
  EXPECT_EQ(root->ask({"", 1, "C", "/"}), false);
  EXPECT_EQ(root->ask({"", 1, "B", "/"}), true);
  harness->run();
  EXPECT_EQ(b.take<RoleQuery>()[0].from_host, "root");
  b.say(Answer{"root", 1, 200, {}});
  harness->run();
  EXPECT_EQ(shell.answers.size(), 1u);
}

TEST_F(RootTest, AQueryKeepsTheRoleOfItsCaller) {
  Peer& a = join("A");
  Peer& b = join("B");
  a.say(RoleQuery{{"forged", 7, "B", "/mail/peek", AdminRole::read}});
  a.say(RoleQuery{{"forged", 8, "root", "/names", AdminRole::operate}});
  a.say(Query{"forged", 9, "B", "/status"});
  harness->run();
  const auto at_b = b.take<RoleQuery>();
  ASSERT_EQ(at_b.size(), 2u);
  EXPECT_EQ(at_b[0].from_host, "A");
  EXPECT_EQ(at_b[0].role, AdminRole::read);
  EXPECT_EQ(at_b[1].role, AdminRole::observe) << "a query without a role only observes";
  ASSERT_EQ(shell.queries.size(), 1u);
  EXPECT_EQ(shell.queries[0].role, AdminRole::operate);
}

TEST_F(RootTest, MixedVersionsLoseTheRoleAndNotTheQuery) {
  Peer& a = join("A");
  Peer& b = harness->connect(facts_at("10.0.0.2:1"));
  Hello older = hello_of("B");
  older.minor = kAdminRoleMinor - 1;
  b.say(older);
  b.say(TableEnd{});
  harness->run();
  a.say(RoleQuery{{"A", 7, "B", "/status", AdminRole::read}});
  harness->run();
  EXPECT_EQ(b.count(Kind::role_query), 0u);
  EXPECT_EQ(b.take<Query>().size(), 1u);
  b.say(RoleQuery{{"B", 8, "A", "/mail/peek", AdminRole::operate}});
  harness->run();
  EXPECT_EQ(reset_of(b), Errc::bad_bytes) << "1.1 has no such record";
}

}  // namespace
}  // namespace starbus::bus::test
