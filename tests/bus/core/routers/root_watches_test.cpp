/// Watches at busroot: snapshots, deltas, bounds, grace; and the table that finds them.
#include "bus/core/routers/root/root_watches.hpp"

#include <gtest/gtest.h>

#include "tests/bus/core/routers/root_fixture.hpp"

namespace starbus::bus::test {
namespace {

using RootWatching = RootTest;

TEST_F(RootWatching, SnapshotThenDeltasInOrder) {
  Peer& a = join("A");
  Peer& b = join("B");
  const Epoch first = bind(b, kB, "service/chat#1", 1);
  a.say(Watch{"service/"});
  harness->run();
  auto got = a.take<WatchRows>();
  ASSERT_EQ(got.size(), 1u);
  EXPECT_TRUE(got[0].first && got[0].last);
  ASSERT_EQ(got[0].rows.size(), 1u);
  const WatchRow& row = got[0].rows[0];
  EXPECT_EQ(row.name, "service/chat#1");
  EXPECT_EQ(row.owner, kB);
  EXPECT_EQ(row.owner_name, "B.n1");
  EXPECT_EQ(row.epoch, first);
  EXPECT_EQ(row.lineage, first);

  bind(b, kB, "service/chat#2", 2);
  bind(b, kB, "player/1", 3);
  b.say(Unbind{kB, channel_id("service/chat#1"), first});
  b.say(ProcessDead{kB});
  harness->run();
  got = a.take<WatchRows>();
  ASSERT_EQ(got.size(), 3u);
  for (const WatchRows& delta : got) EXPECT_FALSE(delta.first || delta.last);
  EXPECT_TRUE(got[0].rows[0].present);
  EXPECT_EQ(got[0].rows[0].name, "service/chat#2");
  EXPECT_FALSE(got[1].rows[0].present);
  EXPECT_EQ(got[1].rows[0].name, "service/chat#1");
  EXPECT_FALSE(got[2].rows[0].present);

  a.say(Unwatch{"service/"});
  harness->run();
  bind(a, kA, "service/chat#3");
  EXPECT_EQ(a.count(Kind::watch_rows), 0u);
  EXPECT_EQ(root->watch_count(), 0u);
}

TEST_F(RootWatching, AnOwnerChangeIsADelta) {
  restart(3);
  Peer& a = join("A");
  Peer& b = join("B");
  a.say(Watch{""});
  harness->run();
  a.forget();
  const auto claim = [](const Process& p, std::uint64_t n) {
    return Table{p, {{"player/1", Epoch::of(2, n), Epoch::of(2, n), RowState::active}}};
  };
  a.say(claim(kA, 5));
  harness->run();
  b.say(claim(kB, 6));
  b.say(claim(kB, 6));  // no change
  harness->run();
  const auto got = a.take<WatchRows>();
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[1].rows[0].owner, kB);
}

TEST_F(RootWatching, ALargeSnapshotComesInPieces) {
  restart(3);
  Peer& a = join("A");
  claim_many(a, kA, 5000, "m/");
  harness->run();
  a.say(Watch{"m/"});
  a.say(Watch{"n/"});
  harness->run();
  std::vector<std::string> names;
  std::size_t pieces = 0;
  for (const Bytes& payload : a.take_payloads(Kind::watch_rows)) {
    EXPECT_LE(payload.size() + kRecordHeader, 48u * 1024);
    const auto piece = decode<WatchRows>(payload);
    ASSERT_TRUE(piece);
    if (piece->prefix == "n/") {
      EXPECT_TRUE(piece->first && piece->last && piece->rows.empty());
      continue;
    }
    EXPECT_EQ(piece->first, pieces == 0);
    for (const WatchRow& row : piece->rows) names.push_back(row.name);
    EXPECT_EQ(piece->last, names.size() == 5000);
    ++pieces;
  }
  EXPECT_GT(pieces, 3u);
  EXPECT_EQ(names.size(), 5000u);
}

/// What the watcher has of a prefix after all that it was told.
RowSet::Rows rows_told(Peer& watcher, const std::string& prefix) {
  RowSet set;
  for (WatchRows& piece : watcher.take<WatchRows>()) {
    if (piece.prefix == prefix) set.apply(std::move(piece));
  }
  EXPECT_TRUE(set.complete());
  return set.rows();
}

TEST_F(RootWatching, ASnapshotIsSentInTurns) {
  restart(3);
  Peer& a = join("A");
  Peer& b = join("B");
  claim_many(a, kA, 10 * kWatchTurn, "m/");
  harness->run();
  harness->turns = 0;
  b.say(Watch{"m/"});
  harness->step();
  std::size_t rows = 0;
  for (const WatchRows& piece : b.take<WatchRows>()) rows += piece.rows.size();
  EXPECT_EQ(rows, kWatchTurn);
  EXPECT_TRUE(root->unfinished());
  harness->run();
  for (const WatchRows& piece : b.take<WatchRows>()) rows += piece.rows.size();
  EXPECT_EQ(rows, 10 * kWatchTurn);
  EXPECT_GE(harness->turns, 9u);
  EXPECT_FALSE(root->unfinished());
}

TEST_F(RootWatching, ChangesBetweenThePiecesOfASnapshotAreNotLost) {
  restart(3);
  Peer& a = join("A");
  Peer& b = join("B");
  claim_many(a, kA, 4 * kWatchTurn, "m/");
  harness->run();
  b.say(Watch{"m/"});
  harness->step();
  ASSERT_TRUE(root->unfinished());
  // On both sides of the present place one comes and one goes; numbers are sorted as text.
  a.say(Bind{kA, 1, "m/!"});
  a.say(Bind{kA, 2, "m/~"});
  a.say(Unbind{kA, channel_id("m/0"), Epoch::of(1, 1)});
  a.say(Unbind{kA, channel_id("m/999"), Epoch::of(1, 1'000)});
  harness->step();
  ASSERT_TRUE(root->unfinished());
  harness->run();
  const RowSet::Rows rows = rows_told(b, "m/");
  EXPECT_EQ(rows.size(), 4 * kWatchTurn);
  EXPECT_TRUE(rows.contains("m/!") && rows.contains("m/~"));
  EXPECT_FALSE(rows.contains("m/0") || rows.contains("m/999"));
}

TEST_F(RootWatching, ASnapshotThatIsAskedForAgainBeginsAgain) {
  restart(3);
  Peer& a = join("A");
  Peer& b = join("B");
  claim_many(a, kA, 4 * kWatchTurn, "m/");
  harness->run();
  b.say(Watch{"m/"});
  harness->step();
  b.say(Unwatch{"m/"});
  harness->step();
  EXPECT_EQ(root->watch_count(), 0u);
  harness->run();
  b.forget();
  b.say(Watch{"m/"});
  harness->step();
  b.say(Watch{"m/"});
  harness->run();
  EXPECT_EQ(rows_told(b, "m/").size(), 4 * kWatchTurn);
}

/// It grows too large while it is sent.
TEST_F(RootWatching, ASnapshotThatIsUnderWayIsRefused) {
  restart(3);
  Peer& a = join("A");
  Peer& b = join("B");
  claim_many(a, kA, kMaxWatchRows, "m/");
  harness->run();
  b.say(Watch{"m"});
  harness->step();
  ASSERT_TRUE(b.count(Kind::watch_rows) > 0);
  bind(a, kA, "m/one too many");
  harness->advance(3'000);
  EXPECT_EQ(b.take<WatchRefused>().size(), 1u);
  EXPECT_EQ(root->watch_count(), 0u);
  EXPECT_FALSE(root->unfinished());
}

TEST_F(RootWatching, AWatchedKindRefusesTheNameThatIsTooMany) {
  restart(3);
  Peer& a = join("A");
  Peer& b = join("B");
  claim_many(a, kA, kMaxWatchRows, "m/");
  harness->run();
  b.say(Watch{"m/"});
  harness->run();
  EXPECT_EQ(b.count(Kind::watch_refused), 0u);
  b.forget();
  a.say(Bind{kA, 1, "m/one too many"});
  harness->run();
  const auto refused = a.take<Refused>();
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].reason, Errc::too_many_names);
  EXPECT_EQ(b.count(Kind::watch_refused), 0u);
  EXPECT_EQ(root->watch_count(), 1u);
}

TEST_F(RootWatching, AWatchThatIsOrGrowsTooLargeIsRefused) {
  restart(3);
  Peer& a = join("A");
  Peer& b = join("B");
  claim_many(a, kA, kMaxWatchRows, "m/");
  harness->run();
  b.say(Watch{"m"});
  harness->run();
  EXPECT_EQ(b.count(Kind::watch_refused), 0u);
  b.forget();
  bind(a, kA, "m/one too many");
  harness->run();
  const auto refused = b.take<WatchRefused>();
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].reason, Errc::watch_too_large);
  b.say(Watch{""});
  harness->advance(3'000);  // the first has used up the budget of many ticks
  EXPECT_EQ(b.take<WatchRefused>().size(), 1u);
  EXPECT_EQ(b.count(Kind::watch_rows), 0u);
  EXPECT_EQ(root->watch_count(), 0u);
}

TEST_F(RootWatching, RepeatedWatchesCostATickNoMoreThanItsBudget) {
  restart(3);
  Peer& a = join("A");
  Peer& b = join("B");
  claim_many(a, kA, 10'000, "m/");
  harness->run();
  for (int i = 0; i < 1'000; ++i) {
    a.say(Watch{"m/"});
    a.say(Unwatch{"m/"});
  }
  b.say(Watch{"m/"});
  harness->run();
  std::size_t rows = 0;
  for (const WatchRows& piece : a.take<WatchRows>()) rows += piece.rows.size();
  EXPECT_LE(rows, kWatchBudget + 10'000);
  harness->advance(500);  // the others wait for a tick or two
  rows = 0;
  for (const WatchRows& piece : b.take<WatchRows>()) rows += piece.rows.size();
  EXPECT_EQ(rows, 10'000u);
}

/// A host that wants many large snapshots does not get them all before the others get one.
TEST_F(RootWatching, SnapshotsGoToOneLinkAfterTheOther) {
  restart(3);
  Peer& a = join("A");
  Peer& b = join("B");
  claim_many(a, kA, 10'000, "m/");
  harness->run();
  a.say(Watch{"m"});
  a.say(Watch{"m/"});
  for (int i = 1; i < 100; ++i) a.say(Watch{"m/" + std::to_string(i)});
  harness->run();
  b.say(Watch{"m/9"});
  harness->run();
  EXPECT_EQ(b.count(Kind::watch_rows), 0u) << "the budget of this tick is spent";
  harness->advance(50);
  EXPECT_GT(b.count(Kind::watch_rows), 0u);
}

TEST_F(RootWatching, ALinkWithManyPrefixesIsForgottenInNoTime) {
  WatchTable table;
  for (int i = 0; i < 200'000; ++i) table.add("p/" + std::to_string(i), 1);
  table.add("p/7", 2);
  table.remove_all(1);  // quadratic, it took minutes
  EXPECT_EQ(table.size(), 1u);
  EXPECT_EQ(table.count(1), 0u);
}

TEST_F(RootWatching, InGraceTheSnapshotWaits) {  // D2
  restart(2, {"A", "B"});
  Peer& a = join("A");
  a.say(Watch{"group/"});
  harness->run();
  EXPECT_EQ(a.count(Kind::watch_rows), 0u);
  Peer& b = connect("B");
  b.say(up_of("B", "n1"));
  b.say(Table{kB, {{"group/g#B.n1", Epoch::of(1, 1), Epoch::of(1, 1), RowState::active}}});
  b.say(TableEnd{});
  harness->run();
  const auto got = a.take<WatchRows>();
  ASSERT_EQ(got.size(), 1u);
  EXPECT_TRUE(got[0].first && got[0].last);
  EXPECT_EQ(got[0].rows.size(), 1u);
}

TEST_F(RootWatching, ALostLinkChangesNoRows) {
  Peer& a = join("A");
  Peer& b = join("B");
  const Epoch epoch = bind(b, kB, "player/1");
  a.say(Watch{"player/"});
  b.say(Watch{"player/"});
  harness->run();
  a.forget();
  harness->cut(b);
  Peer& again = connect("B", 2);
  again.say(up_of("B", "n1"));
  again.say(Table{kB, {{"player/1", epoch, epoch, RowState::active}}});
  again.say(TableEnd{});
  harness->run();
  EXPECT_EQ(a.count(Kind::watch_rows), 0u);
  harness->cut(again);
  harness->advance(kLease + 100ms);
  const auto got = a.take<WatchRows>();
  ASSERT_EQ(got.size(), 1u);
  EXPECT_FALSE(got[0].rows[0].present);
}

TEST_F(RootWatching, BadPrefixesAreRefused) {
  Peer& a = join("A");
  a.say(Watch{"bad\x01prefix"});
  harness->run();
  const auto refused = a.take<WatchRefused>();
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].reason, Errc::bad_name);
}

TEST(WatchTable, FindsEveryPrefixOfAName) {
  WatchTable table;
  for (const char* prefix : {"", "a", "a/", "a/bc", "b", "a/bd"}) table.add(prefix, 1);
  table.add("a/", 2);
  table.add("a/", 2);
  std::vector<std::string> matched;
  std::size_t watchers = 0;
  const auto match = [&](std::string_view name) {
    matched.clear();
    watchers = 0;
    table.for_each_matching(name, [&](WatchTable::Watch& watch) {
      matched.push_back(watch.prefix);
      watchers += watch.waiting.size();
    });
  };
  match("a/bcd");
  EXPECT_EQ(matched, (std::vector<std::string>{"", "a", "a/", "a/bc"}));
  EXPECT_EQ(watchers, 5u);
  EXPECT_EQ(table.count(1), 6u);
  table.remove_all(1);
  match("a/bcd");
  EXPECT_EQ(matched, std::vector<std::string>{"a/"});
  table.remove("a/", 2);
  table.remove("a/", 2);
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.count(2), 0u);
}

}  // namespace
}  // namespace starbus::bus::test
