/// Processes that break no single rule and ask for too much, or claim what is not theirs.
#include <gtest/gtest.h>

#include "tests/bus/core/routers/host_fixture.hpp"

namespace starbus::bus::test {
namespace {

class HostHostile : public HostRouterTest {
 protected:
  /// The first piece of a chunked record of `total` bytes, with `size` of them.
  static Bytes first_piece(Lane lane, std::uint32_t total, std::size_t size) {
    const Bytes part(size, std::byte{1});
    Bytes record;
    encode_chunk({lane, true, false, total, part}, record);
    return record;
  }
  static HopTrace finished(const std::string& channel) {
    HopTrace trace;
    trace.host = host_id("b");
    trace.number = 1;
    trace.channel = channel_id(channel);
    trace.end = TraceEnd::owner;
    trace.hops = {{"b", 1, 0}, {"root says: no owner", 2, 0}};
    return trace;
  }
};

TEST_F(HostHostile, AStrangerSendsNoLargeRecords) {
  Peer& large = harness.connect({});
  large.say_record(first_piece(Lane::control, kStrangerRecord + 1, 1'000));
  Peer& data = harness.connect({});
  data.say_record(first_piece(Lane::bulk, 100'000, 1'000));
  harness.run();
  EXPECT_EQ(reset_of(large), Errc::bad_bytes);
  EXPECT_EQ(reset_of(data), Errc::bad_bytes);
}

TEST_F(HostHostile, UnfinishedRecordsAreBoundedTogether) {
  std::vector<Peer*> peers;
  for (int i = 0; i < 18; ++i) peers.push_back(&join("node-" + std::to_string(i)));
  constexpr std::size_t kPiece = 60'000;
  const Bytes first = first_piece(Lane::bulk, kMaxRecord, kPiece);
  Bytes next;
  const Bytes part(kPiece, std::byte{1});
  encode_chunk({Lane::bulk, false, false, 0, part}, next);
  for (Peer* peer : peers) {
    peer->say_record(first);
    for (std::size_t sent = 2 * kPiece; sent < kMaxRecord; sent += kPiece) peer->say_record(next);
    harness.run();
  }
  const auto ended =
      std::ranges::count_if(peers, [&](Peer* peer) { return reset_of(*peer) == Errc::overloaded; });
  EXPECT_GE(ended, 1);
  EXPECT_LE(ended, 3);
}

TEST_F(HostHostile, ManySmallRecordsGiveWayBeforeALargeOneTheUplinkNever) {
  Peer& busroot = root();
  Peer& honest = join("honest");
  const Bytes first = first_piece(Lane::bulk, 15'000'000, 60'000);
  Bytes next;
  encode_chunk({Lane::bulk, false, false, 0, Bytes(60'000, std::byte{1})}, next);
  for (Peer* peer : {&honest, &busroot}) {
    peer->say_record(first);
    for (int i = 0; i < 240; ++i) peer->say_record(next);
    harness.run();
  }
  std::vector<Peer*> evil;
  for (int i = 0; i < 260; ++i) {
    evil.push_back(&join("evil-" + std::to_string(i), {.pid = 4'711}));
    evil.back()->say_record(first);
    for (int piece = 0; piece < 17; ++piece) evil.back()->say_record(next);
    harness.run();
  }
  EXPECT_EQ(reset_of(honest), Errc::ok);
  EXPECT_TRUE(router.uplink().greeted);
  EXPECT_GE(std::ranges::count_if(evil, [&](Peer* p) { return reset_of(*p) == Errc::overloaded; }),
            10);
}

TEST_F(HostHostile, ARecordThatIsNeverFinishedEndsItsSession) {
  Peer& one = join("one");
  one.say_record(first_piece(Lane::bulk, 100'000, 1'000));
  harness.run();
  for (Time spent{}; spent < kQueueAge + 1s; spent += 500ms) {
    one.say(Vitals{});  // it speaks all the time
    harness.advance(500);
  }
  EXPECT_EQ(reset_of(one), Errc::silent);
}

TEST_F(HostHostile, RequestsOfOneProcessAreBounded) {
  Peer& busroot = root();
  Peer& one = join("one");
  Peer& two = join("two");
  const Freed request{local("one"), channel_id("x/1"), {local("one"), local("one"), 1}};
  Bytes record;
  encode(request, record);
  const std::size_t size = record.size() - kRecordHeader;
  for (std::size_t sent = 0; sent < 2 * kRequestBytes; sent += size) one.say(request);
  two.say(Freed{local("two"), channel_id("x/1"), {local("two"), local("two"), 1}});
  harness.run();
  EXPECT_EQ(busroot.take<Freed>().size(), kRequestBytes / size + 1);
  one.say(request);
  harness.run();
  EXPECT_EQ(busroot.count(Kind::freed), 0u);
  harness.advance(100);
  one.say(request);
  harness.run();
  EXPECT_EQ(busroot.count(Kind::freed), 1u) << "in the next tick";
}

TEST_F(HostHostile, TracesAreAnsweredByTheOwnerAndInItsOwnName) {
  Peer& busroot = silent_root();
  harness.run();
  Welcome welcome;
  welcome.minor = kVersionMinor;
  welcome.term = Epoch::of(1, 0);
  welcome.granted = 1;
  busroot.say(welcome);
  harness.run();
  Peer& evil = join("evil");
  Peer& owner = join("owner", {.rows = {row("x/1")}});
  evil.say(finished("x/1"));
  evil.say(finished("x/2"));
  harness.run();
  EXPECT_EQ(busroot.count(Kind::trace), 0u);
  owner.say(finished("x/1"));
  harness.run();
  const auto traces = busroot.take<HopTrace>();
  ASSERT_EQ(traces.size(), 1u);
  EXPECT_EQ(traces[0].hops.at(1).where, "a.owner");
  HopTrace endless = finished("x/1");
  endless.hops.resize(HopTrace::kMostHops + 1);
  owner.say(endless);
  harness.run();
  EXPECT_EQ(reset_of(owner), Errc::bad_bytes);
}

TEST_F(HostHostile, AProcessTellsTheStatesOfItsOwnMovesOnly) {
  Peer& victim = join("victim");
  const std::string to = "process/a.victim";
  const auto say = [&](Peer& peer, const auto& record) {
    Bytes body;
    encode(record, body);
    Bytes items;
    Writer writer(items);
    writer.put(static_cast<std::uint32_t>(body.size()) | kSystem);
    writer.put(0U);
    writer.bytes(body);
    bus::Run run = run_to("x/0");
    run.count = 1;
    run.channel = local("victim").channel();
    run.items = items;
    Bytes whole;
    encode_run(run, whole);
    peer.say_record(whole, Lane::call);
    harness.run();
    return reset_of(peer);
  };
  State forged;
  forged.name = "x/1";
  forged.ticket = {remote("other"), local("victim"), 5};
  EXPECT_EQ(say(join("forger"), forged), Errc::denied);
  EXPECT_EQ(say(join("liar"), StateRefused{forged.ticket, Errc::busy, ""}), Errc::denied);
  EXPECT_EQ(say(join("babbler"), Unwatch{"x"}), Errc::denied);
  State astray = forged;
  astray.ticket = {local("stray"), remote("other"), 5};
  EXPECT_EQ(say(join("stray"), astray), Errc::denied) << "for somebody else than its target";
  EXPECT_EQ(victim.count(Kind::data), 0u);
  State own = forged;
  own.ticket.source = local("mover");
  EXPECT_EQ(say(join("mover"), own), Errc::ok);
  EXPECT_EQ(victim.count(Kind::data), 1u);
  StateRefused late{{local("mover"), local("again", 1), 5}, Errc::move_refused, ""};
  EXPECT_EQ(say(join("again", {.incarnation = 2}), late), Errc::ok) << "of its earlier incarnation";
}

TEST_F(HostHostile, AnAnswerThatIsTooLargeSaysSo) {
  Peer& busroot = root();
  Answer large;
  large.to_host = "b";
  large.body.resize(kMaxAnswer + 1);
  router.answer(large);
  harness.run();
  const auto answers = busroot.take<Answer>();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].status, 413);
}

TEST_F(HostHostile, ARowDoesNotTakeANameFromItsOwner) {
  Peer& busroot = root();
  Peer& owner = join("owner");
  owner.say(Bind{local("owner"), 1, "x/1"});
  harness.run();
  grant(busroot, local("owner"), "x/1", 7);
  join("evil", {.rows = {row("x/1", 7)}});
  join("worse", {.rows = {row("x/1", 8)}});
  EXPECT_EQ(router.table().owner_of(channel_id("x/1"))->node, "owner");
}

TEST_F(HostHostile, OfTwoRowsWithOneEpochTheFirstStays) {
  join("owner", {.rows = {row("x/1", 7)}});
  join("evil", {.rows = {row("x/1", 7)}});
  EXPECT_EQ(router.table().owner_of(channel_id("x/1"))->node, "owner");
}

TEST_F(HostHostile, FrozenNamesCountToo) {
  Peer& busroot = root();
  std::vector<Row> rows;
  for (std::uint64_t i = 0; i < kMaxMoves; ++i) {
    rows.push_back(row("x/" + std::to_string(i), i + 1));
    rows.back().state = RowState::frozen;
    rows.back().ticket = {local("mover"), remote("two"), i + 1};
  }
  rows.push_back(row("y/1", 5'000));
  Peer& mover = join("mover", {.rows = rows});
  mover.take<NoMove>();
  mover.say(Move{local("mover"), channel_id("y/1"), Epoch::of(1, 5'000),
                 Ticket{local("mover"), remote("two"), 9'999}});
  harness.run();
  EXPECT_EQ(busroot.count(Kind::move), 0u);
  const auto refused = mover.take<NoMove>();
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].reason, Errc::busy);
}

TEST_F(HostHostile, WhoComesBackAfterItsLeaseIsCountedAsThat) {
  join("one", {.incarnation = 7});
  join("one", {.incarnation = 8});
  EXPECT_EQ(router.host_counters().leases_ended, 1u);
  join("one", {.incarnation = 1'000});
  EXPECT_EQ(router.host_counters().leases_ended, 1u) << "a new bus object";
}

TEST_F(HostHostile, NobodyReclaimsWhatItNeverHad) {
  Peer& busroot = root();
  Peer& one = join("one");
  one.say(Reclaim{local("one"), "x/1", Ticket{local("one"), remote("two"), 5}});
  harness.run();
  EXPECT_EQ(busroot.count(Kind::reclaim), 0u);
}

TEST_F(HostHostile, ACopyDoesNotReplyForTheNewOwner) {
  join("owner", {.rows = {row("x/1", 7)}});
  Row frozen = row("x/1", 1);
  frozen.state = RowState::frozen;
  frozen.ticket = {local("evil"), remote("two"), 5};
  Peer& evil = join("evil", {.rows = {frozen}});
  Peer& sender = join("sender");
  evil.say(Ack{Lane::call, local("sender"), channel_id("x/1"), Epoch::of(1, 1), 1'000});
  harness.run();
  EXPECT_EQ(sender.count(Kind::ack), 0u);
  EXPECT_EQ(router.host_counters().foreign_replies, 1u);
}

// --- rows that only their process vouches for ----------------------------------------------------

/// A process lists a channel that another host owns: its whole host would talk to it.
TEST_F(HostHostile, ARowOfAForeignChannelIsNotRoutedTo) {
  Peer& busroot = present_root(10);
  Peer& victim = join("victim");
  join("evil", {.rows = {row("x/1", 5)}, .confirmed = false});
  const ChannelId channel = channel_id("x/1");
  EXPECT_EQ(router.table().owner_of(channel), nullptr);
  victim.say_run(run_to("x/1"), "secret");
  victim.say(Bind{local("victim"), 1, "x/1"});
  harness.run();
  EXPECT_EQ(runs(busroot).size(), 1u) << "busroot knows the owner";
  EXPECT_EQ(busroot.count(Kind::bind), 1u) << "and whether the name is free";
  busroot.say(RowsTaken{local("evil"), {channel}});
  harness.run();
  EXPECT_EQ(router.table().owner_of(channel), nullptr);
  EXPECT_TRUE(router.table().rows_of(*router.table().by_id(local("evil"))).empty());
}

TEST_F(HostHostile, ARowCountsOnceBusrootHasTakenIt) {
  Peer& busroot = present_root(10);
  Peer& owner = join("owner", {.rows = {row("x/1", 5), row("y/1", 6)}, .confirmed = false});
  busroot.say(RowsTaken{local("owner"), {channel_id("y/1")}});
  harness.run();
  EXPECT_NE(router.table().owner_of(channel_id("x/1")), nullptr);
  EXPECT_EQ(router.table().owner_of(channel_id("y/1")), nullptr);
  busroot.say_run(run_to("x/1", 1, remote("sender")), "m");
  harness.run();
  EXPECT_EQ(runs(owner).size(), 1u);
}

TEST_F(HostHostile, AnAnswerToAnEarlierReportConfirmsNothing) {
  Peer& busroot = present_root(10);
  join("evil", {.rows = {row("mine/1", 5)}, .confirmed = false});
  join("evil", {.rows = {row("x/1", 5)}, .confirmed = false});
  busroot.say(RowsTaken{local("evil"), {}});
  harness.run();
  EXPECT_EQ(router.table().owner_of(channel_id("x/1")), nullptr);
  busroot.say(RowsTaken{local("evil"), {channel_id("x/1")}});
  busroot.say(RowsTaken{local("evil"), {}});
  harness.run();
  EXPECT_EQ(router.table().owner_of(channel_id("x/1")), nullptr) << "nothing was asked";
}

TEST_F(HostHostile, ARowBeyondAllGrantsEndsTheSession) {
  Peer& busroot = present_root(10);
  Peer& evil = join("evil", {.rows = {row("x/1", 11)}, .confirmed = false});
  EXPECT_EQ(reset_of(evil), Errc::bad_bytes);
  Peer& owner = join("owner");
  grant(busroot, local("owner"), "y/1", 12);
  harness.cut(owner);
  Peer& back = join("owner", {.rows = {row("y/1", 12)}, .confirmed = false});
  EXPECT_EQ(reset_of(back), Errc::ok);
  EXPECT_NE(router.table().owner_of(channel_id("y/1")), nullptr);
}

/// Its epoch was granted to the source, on another host, and has not passed here.
TEST_F(HostHostile, ACopyThatArrivesNamesTheEpochOfItsSource) {
  present_root(10);
  Row arriving = row("x/1", 11);
  arriving.state = RowState::attaching;
  arriving.ticket = {remote("two"), local("target"), 5};
  Peer& target = join("target", {.rows = {arriving}, .confirmed = false});
  EXPECT_EQ(reset_of(target), Errc::ok);
}

TEST_F(HostHostile, WhileBusrootIsAwayOnlyRowsThatWereGrantedHereCount) {
  Peer& busroot = present_root(10);
  Peer& owner = join("owner");
  grant(busroot, local("owner"), "y/1", 9);
  harness.cut(busroot);
  harness.cut(owner);
  join("owner", {.rows = {row("y/1", 9), row("x/1", 5)}, .confirmed = false});
  EXPECT_NE(router.table().owner_of(channel_id("y/1")), nullptr);
  EXPECT_EQ(router.table().owner_of(channel_id("x/1")), nullptr);
}

/// A process lists a channel of another host as its frozen copy, to acknowledge for it.
TEST_F(HostHostile, ACopyThatThisBusdDidNotSeeFreezeDoesNotReply) {
  Peer& busroot = present_root(10);
  Peer& sender = join("sender");
  std::vector<Row> rows;
  for (const RowState state : {RowState::frozen, RowState::attaching}) {
    rows.push_back(row(state == RowState::frozen ? "x/1" : "x/2", 5));
    rows.back().state = state;
    rows.back().ticket = {local("evil"), remote("two"), 5};
  }
  Peer& evil = join("evil", {.rows = rows, .confirmed = false});
  for (const char* name : {"x/1", "x/2"}) {
    evil.say(Ack{Lane::call, local("sender"), channel_id(name), Epoch::of(1, 5), 1'000});
  }
  harness.run();
  EXPECT_EQ(sender.count(Kind::ack), 0u);
  EXPECT_EQ(router.host_counters().foreign_replies, 2u);
  busroot.say(RowsTaken{local("evil"), {channel_id("x/1")}});
  harness.run();
  const LocalProcess& process = *router.table().by_id(local("evil"));
  EXPECT_FALSE(process.moving.contains(channel_id("x/1"))) << "busroot does not know it";
}

TEST_F(HostHostile, ACopyThatWasSeenToFreezeReplies) {
  Peer& busroot = present_root(10);
  Peer& sender = join("sender");
  Peer& owner = join("owner");
  grant(busroot, local("owner"), "x/1", 5);
  const Ticket ticket{local("owner"), remote("two"), 5};
  busroot.say(MoveOk{local("owner"), channel_id("x/1"), Epoch::of(1, 5), Epoch::of(1, 5), ticket});
  harness.run();
  const Ack ack{Lane::call, local("sender"), channel_id("x/1"), Epoch::of(1, 5), 1};
  owner.say(ack);
  harness.run();
  EXPECT_EQ(sender.count(Kind::ack), 1u);
  harness.cut(owner);
  Row frozen = row("x/1", 5);
  frozen.state = RowState::frozen;
  frozen.ticket = ticket;
  Peer& back = join("owner", {.rows = {frozen}, .confirmed = false});
  back.say(ack);
  harness.run();
  EXPECT_EQ(sender.count(Kind::ack), 2u) << "in its next session, too";
}

}  // namespace
}  // namespace starbus::bus::test
