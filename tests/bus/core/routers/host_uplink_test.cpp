// The session with busroot: announcement, term, watches, queries.
#include <gtest/gtest.h>

#include "tests/bus/core/routers/host_fixture.hpp"

namespace starbus::bus::test {
namespace {

class HostUplink : public HostRouterTest {
 protected:
  static WatchRow watch_row(const std::string& name, std::uint64_t n = 1) {
    return {true, name, remote("x"), "b.x", Epoch::of(1, n), Epoch::of(1, n)};
  }
};

TEST_F(HostUplink, AnnouncesTheCompleteTableFirst) {
  join("one", {.rows = {row("x/1"), row("x/2")}});
  Peer& busroot = silent_root();
  harness.run();
  const auto& heard = busroot.received();
  ASSERT_EQ(heard.size(), 5u);
  EXPECT_EQ(heard[0].kind, Kind::hello);
  EXPECT_EQ(heard[1].kind, Kind::process_up);
  EXPECT_EQ(heard[2].kind, Kind::table);
  EXPECT_EQ(heard[3].kind, Kind::process_up);
  EXPECT_EQ(heard[4].kind, Kind::table_end);
  const auto hellos = busroot.take<Hello>();
  EXPECT_EQ(hellos[0].party, PartyKind::busd);
  EXPECT_EQ(hellos[0].name, "a");
  EXPECT_EQ(hellos[0].incarnation, 7u);
  EXPECT_EQ(busroot.take<Table>()[0].rows.size(), 2u);
}

TEST_F(HostUplink, LargeTablesTravelInPieces) {
  std::vector<Row> rows;
  for (int i = 0; i < 1000; ++i) rows.push_back(row("x/" + std::to_string(i)));
  join("one", {.rows = rows});
  Peer& busroot = root();
  const auto tables = busroot.take<Table>();
  EXPECT_EQ(tables.size(), 4u);
  std::size_t total = 0;
  for (const Table& table : tables) total += table.rows.size();
  EXPECT_EQ(total, 1000u);
}

TEST_F(HostUplink, LaterProcessesAreClaimedAndRequestsWaitForWelcome) {
  Peer& busroot = silent_root();
  harness.run();
  busroot.forget();
  Peer& peer = join("one", {.rows = {row("x/1")}});
  peer.say(Bind{local("one"), 1, "x/2"});
  harness.run();
  const auto ups = busroot.take<ProcessUp>();
  ASSERT_EQ(ups.size(), 2u);
  EXPECT_TRUE(ups[0].pending);
  EXPECT_FALSE(ups[1].pending);
  EXPECT_EQ(busroot.count(Kind::table), 1u);
  EXPECT_EQ(busroot.count(Kind::table_end), 0u);
  EXPECT_EQ(busroot.count(Kind::bind), 0u);
}

TEST_F(HostUplink, BusrootMustSayWelcomeFirst) {
  Peer& busroot = silent_root();
  harness.run();
  busroot.say(FreedOk{});
  harness.run();
  EXPECT_TRUE(harness.closed(busroot));
  ASSERT_EQ(shell.uplink_errors.size(), 1u);
  EXPECT_EQ(shell.uplink_errors[0].code, Errc::bad_bytes);
}

TEST_F(HostUplink, TheTermOnlyGrows) {
  Peer& first = root(3);
  EXPECT_EQ(shell.remembered, Epoch::of(3, 0));
  harness.cut(first);
  Peer& outdated = root(2);
  EXPECT_TRUE(harness.closed(outdated));
  EXPECT_EQ(shell.uplink_errors.back().code, Errc::bad_config);
  EXPECT_EQ(shell.remembered, Epoch::of(3, 0));
  Peer& same = root(3);
  EXPECT_FALSE(harness.closed(same));
  EXPECT_EQ(same.take<Hello>()[0].highest_term, Epoch::of(3, 0));
}

TEST_F(HostUplink, AResetOfBusrootIsReported) {
  Peer& busroot = root();
  busroot.say(Reset{Errc::name_taken, "another busd"});
  harness.run();
  ASSERT_EQ(shell.uplink_errors.size(), 1u);
  EXPECT_EQ(shell.uplink_errors[0].code, Errc::name_taken);
  EXPECT_FALSE(router.uplink().connected);
}

TEST_F(HostUplink, WatchesOncePerPrefixAndServesLaterWatchersFromTheCache) {
  Peer& busroot = root();
  Peer& one = join("one");
  Peer& two = join("two");
  one.say(Watch{"b/"});
  harness.run();
  EXPECT_EQ(busroot.take<Watch>().size(), 1u);
  EXPECT_EQ(one.count(Kind::watch_rows), 0u);
  busroot.say(WatchRows{"b/", true, true, {watch_row("b/1")}});
  harness.run();
  EXPECT_EQ(one.take<WatchRows>().size(), 1u);

  two.say(Watch{"b/"});
  harness.run();
  EXPECT_EQ(busroot.count(Kind::watch), 0u);
  const auto served = two.take<WatchRows>();
  ASSERT_EQ(served.size(), 1u);
  EXPECT_TRUE(served[0].first && served[0].last);
  EXPECT_EQ(served[0].rows.size(), 1u);

  busroot.say(WatchRows{"b/", false, false, {watch_row("b/2")}});
  harness.run();
  EXPECT_EQ(one.take<WatchRows>().size(), 1u);
  EXPECT_EQ(two.take<WatchRows>().size(), 1u);

  one.say(Unwatch{"b/"});
  harness.run();
  EXPECT_EQ(busroot.count(Kind::unwatch), 0u);
  harness.cut(two);
  EXPECT_EQ(busroot.count(Kind::unwatch), 1u);
  EXPECT_EQ(router.watched_prefixes(), 0u);
}

TEST_F(HostUplink, WatchersBeforeTheSnapshotWait) {
  Peer& one = join("one");
  one.say(Watch{"b/"});
  Peer& busroot = root();
  EXPECT_EQ(busroot.count(Kind::watch), 1u);
  busroot.say(WatchRows{"b/", true, false, {watch_row("b/1")}});
  harness.run();
  EXPECT_EQ(one.count(Kind::watch_rows), 0u);
  busroot.say(WatchRows{"b/", false, true, {watch_row("b/2")}});
  harness.run();
  const auto rows = one.take<WatchRows>();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].rows.size(), 2u);
}

TEST_F(HostUplink, ASnapshotFromTheCacheIsSentInTurnsAndChangesComeBetween) {
  Peer& busroot = root();
  Peer& one = join("one");
  Peer& two = join("two");
  one.say(Watch{"b/"});
  harness.run();
  WatchRows all{"b/", true, true, {}};
  for (std::size_t i = 0; i < 4 * kWatchTurn; ++i) {
    all.rows.push_back(watch_row("b/" + std::to_string(i)));
  }
  busroot.say(all);
  harness.run();
  two.say(Watch{"b/"});
  harness.step();
  ASSERT_TRUE(router.unfinished());
  WatchRows changes{"b/", false, false, {watch_row("b/!"), watch_row("b/~")}};
  for (const char* name : {"b/0", "b/999"}) {
    changes.rows.push_back(watch_row(name));
    changes.rows.back().present = false;
  }
  busroot.say(changes);
  harness.step();
  ASSERT_TRUE(router.unfinished());
  harness.run();
  for (Peer* const peer : {&one, &two}) {
    RowSet set;
    for (WatchRows& piece : peer->take<WatchRows>()) {
      EXPECT_LE(piece.rows.size(), kWatchTurn);
      set.apply(std::move(piece));
    }
    EXPECT_EQ(set.rows().size(), 4 * kWatchTurn);
    EXPECT_TRUE(set.rows().contains("b/!") && set.rows().contains("b/~"));
    EXPECT_FALSE(set.rows().contains("b/0") || set.rows().contains("b/999"));
  }
  EXPECT_FALSE(router.unfinished());
}

TEST_F(HostUplink, ARestartOfBusrootShowsOnlyAsADifference) {
  Peer& first = root(1);
  Peer& one = join("one");
  one.say(Watch{"b/"});
  harness.run();
  first.say(WatchRows{"b/", true, true, {watch_row("b/1"), watch_row("b/2")}});
  harness.run();
  one.forget();
  harness.cut(first);
  EXPECT_EQ(one.count(Kind::watch_rows), 0u);

  Peer& second = root(2);
  EXPECT_EQ(second.count(Kind::watch), 1u);
  second.say(WatchRows{"b/", true, true, {watch_row("b/2"), watch_row("b/3")}});
  harness.run();
  const auto rows = one.take<WatchRows>();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_FALSE(rows[0].first || rows[0].last);
  ASSERT_EQ(rows[0].rows.size(), 2u);
  EXPECT_FALSE(rows[0].rows[0].present);
  EXPECT_EQ(rows[0].rows[0].name, "b/1");
  EXPECT_EQ(rows[0].rows[1].name, "b/3");
}

TEST_F(HostUplink, RefusedWatchesArePassedOn) {
  Peer& busroot = root();
  Peer& one = join("one");
  one.say(Watch{"b/"});
  one.say(Watch{"\x01"});
  harness.run();
  busroot.say(WatchRefused{"b/", Errc::watch_too_large, "many"});
  harness.run();
  const auto refused = one.take<WatchRefused>();
  ASSERT_EQ(refused.size(), 2u);
  EXPECT_EQ(refused[0].reason, Errc::bad_name);
  EXPECT_EQ(refused[1].reason, Errc::watch_too_large);
  EXPECT_EQ(router.watched_prefixes(), 0u);
}

TEST_F(HostUplink, WatchesAreBoundedPerProcess) {
  root();
  Peer& one = join("one");
  for (std::size_t i = 0; i <= kMaxWatches; ++i) one.say(Watch{"b/" + std::to_string(i)});
  harness.run();
  const auto refused = one.take<WatchRefused>();
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].reason, Errc::too_many_watches);
  EXPECT_EQ(router.watched_prefixes(), kMaxWatches);
}

TEST_F(HostUplink, QueriesEnd) {
  std::vector<Result<Answer>> ends;
  const auto ask = [&] {
    router.query("b", "/status", AdminRole::observe,
                 [&](Result<Answer> end) { ends.push_back(std::move(end)); });
    harness.run();
  };
  ask();
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].error().code, Errc::unreachable);

  Peer& busroot = root();
  ask();
  const auto queries = busroot.take<Query>();
  ASSERT_EQ(queries.size(), 1u);
  EXPECT_EQ(queries[0].target, "b");
  busroot.say(Answer{"a", queries[0].number, 200, {}});
  harness.run();
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends[1]->status, 200);

  ask();
  harness.advance(2900);
  EXPECT_EQ(ends.size(), 2u);
  harness.advance(200);
  ASSERT_EQ(ends.size(), 3u);
  EXPECT_EQ(ends[2].error().code, Errc::deadline);

  ask();
  harness.cut(busroot);
  ASSERT_EQ(ends.size(), 4u);
  EXPECT_EQ(ends[3].error().code, Errc::unreachable);
}

TEST_F(HostUplink, AQueryCarriesTheRoleOfItsCallerWhereBothSpeakIt) {
  const auto ask = [&] {
    router.query("b", "/mail/peek", AdminRole::read, [](Result<Answer>) {});
    harness.run();
  };
  Peer& busroot = silent_root();
  harness.run();
  Welcome welcome;
  welcome.minor = kAdminRoleMinor;
  welcome.host = "root-1";
  welcome.term = Epoch::of(1, 0);
  busroot.say(welcome);
  harness.run();
  ask();
  const auto queries = busroot.take<RoleQuery>();
  ASSERT_EQ(queries.size(), 1u);
  EXPECT_EQ(queries[0].role, AdminRole::read);
  busroot.say(RoleQuery{{"b", 5, "a", "/mail/peek", AdminRole::read}});
  busroot.say(Query{"b", 6, "a", "/status"});
  harness.run();
  ASSERT_EQ(shell.queries.size(), 2u);
  EXPECT_EQ(shell.queries[0].role, AdminRole::read);
  EXPECT_EQ(shell.queries[1].role, AdminRole::observe) << "a query without a role only observes";
}

TEST_F(HostUplink, AnOlderBusrootIsAskedWithoutARole) {
  Peer& busroot = root();  // of 1.0: its welcome says so
  router.query("b", "/mail/peek", AdminRole::operate, [](Result<Answer>) {});
  harness.run();
  EXPECT_EQ(busroot.count(Kind::role_query), 0u);
  EXPECT_EQ(busroot.take<Query>().size(), 1u);
  busroot.say(RoleQuery{{"b", 5, "a", "/mail/peek", AdminRole::read}});
  harness.run();
  EXPECT_TRUE(shell.queries.empty());
  EXPECT_TRUE(harness.closed(busroot));
}

TEST_F(HostUplink, QueriesOfOthersAreAnsweredByTheShell) {
  Peer& busroot = root();
  busroot.say(Query{"b", 5, "a", "/status"});
  harness.run();
  ASSERT_EQ(shell.queries.size(), 1u);
  router.answer({"b", 5, 200, {}});
  harness.run();
  EXPECT_EQ(busroot.take<Answer>().size(), 1u);
}

/// A busd that was killed and started again while two processes went on.
class HostRestarted : public HostRouterTest {
 protected:
  static HostConfig restarted() {
    HostConfig restarted = config();
    restarted.journaled = {{"one", "", 1, 11}, {"two", "", 1, 12}};
    return restarted;
  }
  HostRestarted() : HostRouterTest(restarted()) {}
};

TEST_F(HostRestarted, AnnouncesItsProcessesAtOnceAndTheirRowsWhenTheyAreBack) {
  Peer& busroot = root();
  auto ups = busroot.take<ProcessUp>();
  ASSERT_EQ(ups.size(), 2u);
  EXPECT_TRUE(ups[0].pending && ups[1].pending);
  EXPECT_EQ(shell.watched, (std::vector<std::int64_t>{11, 12}));
  join("one", {.pid = 11, .rows = {row("x/1")}});
  ups = busroot.take<ProcessUp>();
  ASSERT_EQ(ups.size(), 2u);
  EXPECT_TRUE(ups[0].pending);
  EXPECT_FALSE(ups[1].pending);  // behind the rows
  EXPECT_EQ(busroot.take<Table>().size(), 1u);
  EXPECT_TRUE(shell.journaled.empty());  // nobody new
}

TEST_F(HostRestarted, AJournaledProcessThatEndsIsReportedDead) {
  Peer& busroot = root();
  router.pid_ended(12);
  harness.run();
  const auto dead = busroot.take<ProcessDead>();
  ASSERT_EQ(dead.size(), 1u);
  EXPECT_EQ(dead[0].process, local("two"));
  EXPECT_EQ(shell.journaled, (std::vector<std::string>{"-two"}));
}

TEST_F(HostRestarted, AJournaledProcessThatDoesNotComeBackHasItsLease) {
  Peer& busroot = root();
  harness.advance(kLease - 1000ms);
  EXPECT_EQ(busroot.count(Kind::process_dead), 0u);
  harness.advance(2000);
  EXPECT_EQ(busroot.count(Kind::process_dead), 2u);
}

}  // namespace
}  // namespace starbus::bus::test
