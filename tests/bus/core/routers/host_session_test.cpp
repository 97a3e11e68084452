// Sessions of processes: who may be whom, and when a process has ended.
#include <gtest/gtest.h>

#include "tests/bus/core/routers/host_fixture.hpp"

namespace starbus::bus::test {
namespace {

class HostSession : public HostRouterTest {};

TEST_F(HostSession, WelcomeSaysWhoTheProcessIs) {
  Peer& peer = join("one", {.incarnation = 5});
  const auto welcomes = peer.take<Welcome>();
  ASSERT_EQ(welcomes.size(), 1u);
  EXPECT_EQ(welcomes[0].you, local("one", 5));
  EXPECT_EQ(welcomes[0].host, "a");
  EXPECT_EQ(welcomes[0].bind_prefixes, std::vector<std::string>{""});
  EXPECT_EQ(welcomes[0].max_names, kMaxNamesPerProcess);
}

TEST_F(HostSession, NothingComesBeforeHello) {
  Peer& peer = harness.connect({});
  peer.say(TableEnd{});
  harness.run();
  EXPECT_TRUE(harness.closed(peer));
  EXPECT_EQ(router.counters().hostile_bytes, 1u);
}

TEST_F(HostSession, TheTableComesFirst) {
  Peer& early = connect("one", {});
  early.say(Bind{local("one"), 1, "x/1"});
  harness.run();
  EXPECT_EQ(reset_of(early), Errc::bad_bytes);

  Peer& late = join("two");
  late.say(Table{local("two"), {row("x/1")}});
  harness.run();
  EXPECT_EQ(reset_of(late), Errc::bad_bytes);
}

TEST_F(HostSession, RefusesBadNamesVersionsRolesAndDaemons) {
  Peer& name = join("no.dots");
  EXPECT_EQ(reset_of(name), Errc::bad_name);
  Peer& role = join("one", {.role = "king"});
  EXPECT_EQ(reset_of(role), Errc::unauthorized);

  Hello newer = hello("one");
  newer.minor = kVersionMinor + 2;
  Peer& version = harness.connect({});
  version.say(newer);
  harness.run();
  EXPECT_EQ(reset_of(version), Errc::version_mismatch);

  Hello daemon = hello("one");
  daemon.party = PartyKind::busd;
  Peer& busd = harness.connect({});
  busd.say(daemon);
  harness.run();
  EXPECT_EQ(reset_of(busd), Errc::unauthorized);
  EXPECT_EQ(router.counters().sessions_refused, 4u);
  EXPECT_EQ(router.table().process_count(), 0u);
}

TEST_F(HostSession, SameProcessInANewSessionSupersedesTheOld) {
  Peer& first = join("one", {.pid = 10, .rows = {row("x/1")}});
  Peer& second = join("one", {.pid = 10, .rows = {row("x/2")}});
  EXPECT_TRUE(harness.closed(first));
  EXPECT_EQ(reset_of(first), Errc::superseded);
  EXPECT_FALSE(harness.closed(second));
  EXPECT_EQ(router.table().find(channel_id("x/1")), nullptr);
  EXPECT_NE(router.table().find(channel_id("x/2")), nullptr);
  EXPECT_EQ(router.table().process_count(), 1u);
  EXPECT_EQ(shell.watched, std::vector<std::int64_t>{10});
}

TEST_F(HostSession, AnotherLivingProcessHasTheName) {
  Peer& first = join("one", {.pid = 10});
  Peer& second = join("one", {.pid = 11, .incarnation = 2});
  const auto resets = second.take<Reset>();
  ASSERT_EQ(resets.size(), 1u);
  EXPECT_EQ(resets[0].reason, Errc::name_taken);
  EXPECT_NE(resets[0].detail.find("pid 10"), std::string::npos);
  EXPECT_FALSE(harness.closed(first));

  harness.cut(first);  // without a session, but alive
  Peer& third = join("one", {.pid = 11, .incarnation = 2});
  EXPECT_EQ(reset_of(third), Errc::name_taken);
}

TEST_F(HostSession, AnEndedProcessIsReplaced) {
  Peer& busroot = root();
  Peer& first = join("one", {.pid = 10, .rows = {row("x/1")}});
  router.pid_ended(10);
  harness.run();
  EXPECT_TRUE(harness.closed(first));
  EXPECT_TRUE(shell.watched.empty());
  const auto dead = busroot.take<ProcessDead>();
  ASSERT_EQ(dead.size(), 1u);
  EXPECT_EQ(dead[0].process, local("one"));
  EXPECT_EQ(router.table().name_count(), 0u);
  Peer& second = join("one", {.pid = 11, .incarnation = 2});
  EXPECT_FALSE(harness.closed(second));
}

TEST_F(HostSession, ANewerBusObjectOfTheSameProcessReplacesTheOld) {
  Peer& busroot = root();
  Peer& first = join("one", {.pid = 10, .rows = {row("x/1")}});
  Peer& second = join("one", {.pid = 10, .incarnation = 2});
  EXPECT_TRUE(harness.closed(first));
  EXPECT_FALSE(harness.closed(second));
  EXPECT_EQ(router.table().name_count(), 0u);
  const auto dead = busroot.take<ProcessDead>();
  ASSERT_EQ(dead.size(), 1u);
  EXPECT_EQ(dead[0].process, local("one", 1));
  EXPECT_EQ(busroot.take<ProcessUp>().back().process, local("one", 2));
  EXPECT_EQ(shell.watched, std::vector<std::int64_t>{10});

  Peer& outdated = join("one", {.pid = 10, .incarnation = 1});
  EXPECT_EQ(reset_of(outdated), Errc::name_taken);
}

TEST_F(HostSession, TwoNodesOfOneProcessEndTogether) {
  join("one", {.pid = 10});
  join("two", {.pid = 10});
  EXPECT_EQ(shell.watched, std::vector<std::int64_t>{10});
  router.pid_ended(10);
  EXPECT_EQ(router.table().process_count(), 0u);
}

TEST_F(HostSession, ALostSessionKeepsItsNamesForTheLease) {
  Peer& busroot = root();
  Peer& peer = join("one", {.pid = 10, .rows = {row("x/1")}});
  harness.cut(peer);
  harness.advance(kLease - 100ms);
  EXPECT_NE(router.table().find(channel_id("x/1")), nullptr);
  EXPECT_EQ(busroot.count(Kind::process_dead), 0u);
  harness.advance(300);
  EXPECT_EQ(router.table().name_count(), 0u);
  EXPECT_EQ(busroot.count(Kind::process_dead), 1u);
  EXPECT_EQ(router.host_counters().leases_ended, 1u);
  EXPECT_TRUE(shell.watched.empty());
}

TEST_F(HostSession, ByeFreesAtOnce) {
  Peer& busroot = root();
  Peer& peer = join("one", {.rows = {row("x/1")}});
  peer.say(Bye{});
  harness.run();
  EXPECT_TRUE(harness.closed(peer));
  EXPECT_EQ(router.table().name_count(), 0u);
  EXPECT_EQ(busroot.count(Kind::process_dead), 1u);
}

TEST_F(HostSession, ASilentSessionEnds) {
  Peer& peer = join("one");
  harness.advance(kLinkTimeout + 200ms, true);
  EXPECT_TRUE(harness.closed(peer));
  EXPECT_EQ(router.table().process_count(), 1u);
}

TEST_F(HostSession, ASuccessorMayBeFasterThanTheWordOfTheEnd) {
  join("one", {.pid = 11});
  shell.ended = 11;
  Peer& next = join("one", {.pid = 12, .incarnation = 2});
  EXPECT_FALSE(harness.closed(next));
  EXPECT_NE(router.table().by_id(local("one", 2)), nullptr);
}

TEST_F(HostSession, ALateHelloOfAnEarlierSessionReplacesNothing) {  // F9
  const auto say_hello = [&](std::uint64_t attempt) -> Peer& {
    PeerFacts facts;
    facts.pid = 11;
    Peer& peer = harness.connect(facts);
    Hello greeting = hello("one");
    greeting.attempt = attempt;
    peer.say(greeting);
    peer.say(TableEnd{});
    harness.run();
    return peer;
  };
  Peer& newer = say_hello(2);
  Peer& late = say_hello(1);
  EXPECT_EQ(reset_of(late), Errc::superseded);
  EXPECT_FALSE(harness.closed(newer));
  EXPECT_FALSE(harness.closed(say_hello(3)));
  EXPECT_TRUE(harness.closed(newer));
}

TEST_F(HostSession, APeerThatDoesNotSayWhoItIsIsEnded) {
  Peer& peer = harness.connect({});
  harness.advance(kLinkTimeout - 100ms);  // it keeps its session alive
  EXPECT_FALSE(harness.closed(peer));
  harness.advance(300);
  EXPECT_TRUE(harness.closed(peer));
}

TEST_F(HostSession, LinksWhosePeersSayNothingAreBounded) {
  Peer& known = join("one");
  Peer& oldest = harness.connect({});
  for (std::uint64_t i = 1; i < kMaxStrangers; ++i) harness.connect({});
  EXPECT_FALSE(harness.closed(oldest));
  Peer& beyond = harness.connect({});
  EXPECT_FALSE(harness.closed(beyond)) << "who is new may be honest";
  EXPECT_TRUE(harness.closed(oldest));
  EXPECT_FALSE(harness.closed(known));
}

TEST_F(HostSession, ShutDownTellsEverybody) {
  Peer& busroot = root();
  Peer& peer = join("one");
  router.shut_down();
  harness.run();
  EXPECT_EQ(reset_of(peer), Errc::shutting_down);
  EXPECT_EQ(reset_of(busroot), Errc::shutting_down);
}

class HostSessionLimited : public HostRouterTest {
 protected:
  static HostConfig limited() {
    HostConfig limited = config();
    limited.max_processes = 2;
    return limited;
  }
  HostSessionLimited() : HostRouterTest(limited()) {}
};

TEST_F(HostSessionLimited, ProcessesAreBounded) {
  join("one");
  join("two", {.pid = 20});
  Peer& third = join("three");
  EXPECT_EQ(reset_of(third), Errc::too_many_processes);
  router.pid_ended(20);
  Peer& fourth = join("three");
  EXPECT_FALSE(harness.closed(fourth));
}

/// Users 10 (gates), 11 (everything) and 12 (two processes at most); the store is the daemon's own.
class HostSessionRoles : public HostRouterTest {
 protected:
  static HostConfig roles() {
    HostConfig roles = config();
    Role gate{.name = "gate", .users = {10}, .groups = {}, .bind = {"gate/"}, .send = {"entity/"}};
    gate.watch = {"service/"};
    gate.nodes = {"gate-*"};
    Role space{.name = "space", .users = {11}, .groups = {}, .bind = {""}, .send = {""}};
    space.trust = Trust::server;
    Role tools{.name = "tools", .users = {12}, .groups = {}, .bind = {}, .send = {""}};
    tools.max_sessions = 2;
    Role store{.name = "store", .users = {1}, .groups = {}, .bind = {"store/"}, .send = {""}};
    store.nodes = {"store"};
    roles.access = AccessList({gate, space, tools, store});
    return roles;
  }
  HostSessionRoles() : HostRouterTest(roles()) {}
  Welcome welcome_of(const std::string& node, std::uint32_t uid) {
    const auto welcomes = join(node, {.role = "", .uid = uid}).take<Welcome>();
    return welcomes.empty() ? Welcome{} : welcomes.front();
  }
};

TEST_F(HostSessionRoles, TheRoleFollowsFromTheUserAndNotFromTheHello) {
  EXPECT_EQ(welcome_of("gate-1", 10).bind_prefixes, std::vector<std::string>{"gate/"});
  EXPECT_EQ(welcome_of("space-1", 11).bind_prefixes, std::vector<std::string>{""});
  Peer& liar = join("gate-2", {.role = "space", .uid = 10});
  EXPECT_EQ(reset_of(liar), Errc::unauthorized);
  Peer& stranger = join("x", {.role = "", .uid = 13});
  EXPECT_EQ(reset_of(stranger), Errc::unauthorized);
}

TEST_F(HostSessionRoles, AWelcomeSaysWhetherTheProcessIsTrustedAsAServer) {
  EXPECT_EQ(welcome_of("gate-1", 10).trust, Trust::client);
  EXPECT_EQ(welcome_of("space-1", 11).trust, Trust::server);
}

TEST_F(HostSessionRoles, NamesOfTheStoreAndOfOtherRolesAreNotForTheFirstToCome) {
  EXPECT_EQ(reset_of(join("store", {.role = "", .uid = 11})), Errc::denied);
  EXPECT_EQ(reset_of(join("gate-1", {.role = "", .uid = 11})), Errc::denied);
  EXPECT_FALSE(harness.closed(join("store", {.role = "store", .uid = 1})));
  EXPECT_FALSE(harness.closed(join("gate-1", {.role = "", .uid = 10})));
}

TEST_F(HostSessionRoles, TheNameOfAServerIsBesideItsMaxNames) {
  Role space{.name = "space", .users = {11}, .groups = {}, .bind = {""}, .send = {""}};
  space.trust = Trust::server;
  space.max_names = 2;
  router.set_access_list(AccessList({space}));
  const std::vector<Row> rows = {row("process/a.space-1", 1), row("server/a.space-1", 2),
                                 row("x/1", 3)};
  EXPECT_FALSE(harness.closed(join("space-1", {.role = "", .rows = rows, .uid = 11})));
  const std::vector<Row> more = {row("process/a.space-2", 4), row("server/a.space-2", 5),
                                 row("x/2", 6), row("x/3", 7)};
  EXPECT_EQ(reset_of(join("space-2", {.role = "", .rows = more, .uid = 11})), Errc::too_many_names);
}

TEST_F(HostSessionRoles, ProcessesOfOneUserAreBounded) {
  join("a", {.role = "", .uid = 12});
  join("b", {.role = "", .uid = 12});
  Peer& third = join("c", {.role = "", .uid = 12});
  const auto resets = third.take<Reset>();
  ASSERT_EQ(resets.size(), 1u);
  EXPECT_EQ(resets.front().reason, Errc::too_many_processes);
  EXPECT_NE(resets.front().detail.find("max_sessions"), std::string::npos);
  EXPECT_FALSE(harness.closed(join("space-1", {.role = "", .uid = 11})));
}

TEST_F(HostSessionRoles, AWatchOutsideTheRoleIsRefused) {
  root();
  Peer& gate = join("gate-1", {.role = "", .uid = 10});
  for (const char* prefix : {"", "player/", "serv"}) gate.say(Watch{prefix});
  harness.run();
  const auto refused = gate.take<WatchRefused>();
  ASSERT_EQ(refused.size(), 3u);
  for (const WatchRefused& one : refused) EXPECT_EQ(one.reason, Errc::denied);
  for (const char* prefix : {"service/chat", "gate/", "server/"}) gate.say(Watch{prefix});
  harness.run();
  EXPECT_TRUE(gate.take<WatchRefused>().empty());
  EXPECT_FALSE(harness.closed(gate));
}

TEST_F(HostSessionRoles, ALivingSessionIsNotTakenOverByAnotherUser) {
  // Pid 0: in another pid namespace. Its incarnation is in every watch.
  PeerFacts facts;
  facts.uid = 11;
  Peer& space = harness.connect(facts);
  space.say(hello("space-1", 1, ""));
  space.say(TableEnd{});
  harness.run();
  facts.uid = 12;
  Peer& thief = harness.connect(facts);
  thief.say(hello("space-1", 1, ""));
  harness.run();
  EXPECT_EQ(reset_of(thief), Errc::name_taken);
  EXPECT_FALSE(harness.closed(space));
}

TEST(JudgeArrival, KnowsUnknownPidsAndCollidingSlots) {
  LocalProcess present;
  present.node = "one";
  present.name = "a.one";
  present.id.incarnation = 3;
  present.user.uid = 1000;
  EXPECT_EQ(*judge_arrival(present, "one", 3, 0, 1000), Returner::same);
  EXPECT_EQ(judge_arrival(present, "one", 4, 0, 1000).error().code, Errc::name_taken);
  EXPECT_EQ(judge_arrival(present, "two", 3, 0, 1000).error().code, Errc::name_taken);
  present.pid = 10;
  EXPECT_EQ(*judge_arrival(present, "one", 3, 0, 1000), Returner::same);
  EXPECT_EQ(judge_arrival(present, "one", 4, 0, 1000).error().code, Errc::name_taken);
  EXPECT_EQ(*judge_arrival(present, "one", 4, 10, 1000), Returner::successor);
  EXPECT_EQ(judge_arrival(present, "one", 3, 11, 1000).error().code, Errc::name_taken);
}

TEST(JudgeArrival, AnotherUserNeverComesBackUnderTheName) {
  LocalProcess present;
  present.node = "one";
  present.name = "a.one";
  present.id.incarnation = 3;
  present.user.uid = 1000;  // pid 0: in another pid namespace
  EXPECT_EQ(judge_arrival(present, "one", 3, 0, 1001).error().code, Errc::name_taken);
  EXPECT_EQ(judge_arrival(present, "one", 3, 77, 1001).error().code, Errc::name_taken);
  present.pid = 10;
  EXPECT_EQ(judge_arrival(present, "one", 4, 10, 1001).error().code, Errc::name_taken);
}

}  // namespace
}  // namespace starbus::bus::test
