/// Moves as busroot decides them.
#include <algorithm>

#include "tests/bus/core/routers/root_fixture.hpp"

namespace starbus::bus::test {
namespace {

const std::string kX = "entity/x";

struct RootMovesTest : RootTest {
  const Process source = process_on("A", "n1");
  const Process target = process_on("B", "n1");
  const ChannelId x = channel_id(kX);
  const Ticket ticket{source, target, 7};
  Peer* a = nullptr;
  Peer* b = nullptr;
  Epoch epoch;

  RootMovesTest() {
    a = &join("A");
    b = &join("B");
    epoch = bind(*a, source, kX);
  }
  template <class Record>
  void say(Peer& peer, const Record& record) {
    peer.say(record);
    harness->run();
  }
  void move() {
    say(*a, Move{source, x, epoch, ticket});
    ASSERT_EQ(a->take<MoveOk>().size(), 1u);
  }
  Epoch attach() {
    say(*b, Attach{target, kX, ticket});
    const auto attached = b->take<Attached>();
    EXPECT_EQ(attached.size(), 1u);
    return attached.empty() ? Epoch{} : attached[0].epoch;
  }
  void confirm(Epoch granted) { say(*b, Active{target, x, granted}); }
  Reclaimed reclaim() {
    say(*a, Reclaim{source, kX, ticket});
    const auto answers = a->take<Reclaimed>();
    EXPECT_EQ(answers.size(), 1u);
    return answers.empty() ? Reclaimed{} : answers[0];
  }
  const Process& owner() const { return entry(kX)->owner().process(); }
  Row frozen_row() const { return {kX, epoch, epoch, RowState::frozen, ticket}; }
  Row active_row(Epoch at) const { return {kX, at, epoch, RowState::active, {}}; }
  /// A new busroot; hosts announce what is given.
  Peer& announce(const std::string& host, const std::vector<Row>& rows) {
    Peer& peer = connect(host);
    peer.say(up_of(host, "n1"));
    if (!rows.empty()) peer.say(Table{process_on(host, "n1"), rows});
    peer.say(TableEnd{});
    harness->run();
    return peer;
  }
};

TEST_F(RootMovesTest, FromEndToEnd) {
  move();
  EXPECT_TRUE(entry(kX)->moving);
  a->say_run(run_to(source, kX), "held");
  harness->run();
  EXPECT_EQ(root->held().names(), 1u);
  const Epoch granted = attach();
  EXPECT_GT(granted, epoch);
  EXPECT_EQ(owner(), target);
  EXPECT_EQ(entry(kX)->lineage, epoch);  // the same life
  EXPECT_EQ(root->held().names(), 0u);
  EXPECT_EQ(b->count(Kind::data), 1u);
  EXPECT_EQ(a->count(Kind::moved), 0u);  // M3: not before the target has confirmed
  confirm(granted);
  ASSERT_EQ(a->take<Moved>().size(), 1u);
  say(*a, Freed{source, x, ticket});
  EXPECT_EQ(a->take<FreedOk>().size(), 1u);
  EXPECT_TRUE(root->moves().empty());
}

TEST_F(RootMovesTest, EveryRequestMayBeRepeated) {
  move();
  move();
  const Epoch granted = attach();
  EXPECT_EQ(attach(), granted);
  confirm(granted);
  confirm(granted);
  EXPECT_EQ(a->take<Moved>().size(), 2u);
  say(*a, Freed{source, x, ticket});
  say(*a, Freed{source, x, ticket});
  EXPECT_EQ(a->take<FreedOk>().size(), 2u);
  EXPECT_EQ(owner(), target);
  // A late copy of what came before changes nothing.
  say(*a, Move{source, x, epoch, ticket});
  EXPECT_EQ(a->take<NoMove>().size(), 1u);
  say(*b, Attach{target, kX, ticket});
  EXPECT_EQ(b->take<Refused>().size(), 1u);
  EXPECT_EQ(owner(), target);
}

TEST_F(RootMovesTest, OnlyTheOwnerAtItsEpochMayMove) {
  say(*b, Move{target, x, epoch, {target, source, 1}});
  EXPECT_EQ(b->take<NoMove>().at(0).reason, Errc::not_bound);
  say(*a, Move{source, x, Epoch::of(1, 999), ticket});
  EXPECT_EQ(a->take<NoMove>().at(0).reason, Errc::not_bound);
  say(*a, Move{source, x, epoch, {target, source, 1}});
  EXPECT_EQ(a->take<NoMove>().at(0).reason, Errc::denied);
  move();
  say(*a, Move{source, x, epoch, {source, target, 8}});
  EXPECT_EQ(a->take<NoMove>().at(0).reason, Errc::busy);
}

TEST_F(RootMovesTest, OnlyTheTicketAttaches) {
  say(*b, Attach{target, kX, ticket});  // no move was allowed
  EXPECT_EQ(b->take<Refused>().size(), 1u);
  move();
  say(*b, Attach{target, kX, {source, target, 8}});
  EXPECT_EQ(b->take<Refused>().size(), 1u);
  say(*b, Attach{target, kX, {source, source, 7}});  // the ticket of another
  EXPECT_EQ(b->take<Refused>().size(), 1u);
  EXPECT_EQ(owner(), source);
}

TEST_F(RootMovesTest, AReclaimKeepsTheLifeIfTheTargetNeverRan) {
  move();
  const Reclaimed back = reclaim();
  EXPECT_GT(back.epoch, epoch);
  EXPECT_EQ(back.lineage, epoch);
  EXPECT_EQ(reclaim().epoch, back.epoch);  // asked again
  say(*b, Attach{target, kX, ticket});     // M2: too late
  EXPECT_EQ(b->take<Refused>().size(), 1u);
  EXPECT_EQ(owner(), source);
  say(*a, Active{source, x, back.epoch});
  EXPECT_TRUE(root->moves().empty());
}

TEST_F(RootMovesTest, AReclaimOfWhatIsGrantedElsewhereRepeatsTheGrantOrSaysMoved) {
  move();
  const Epoch granted = attach();
  say(*a, Reclaim{source, kX, ticket});
  EXPECT_EQ(a->count(Kind::reclaimed), 0u);
  EXPECT_EQ(b->take<Attached>().at(0).epoch, granted);
  confirm(granted);
  (void)a->take<Moved>();
  say(*a, Reclaim{source, kX, ticket});
  EXPECT_EQ(a->take<Moved>().size(), 1u);
}

TEST_F(RootMovesTest, ATargetThatDiesAfterTheGrantMeansARestartFromTheFrozenState) {  // M10
  move();
  attach();
  say(*b, ProcessDead{target});
  EXPECT_EQ(owner(), source);
  const Reclaimed back = reclaim();
  EXPECT_EQ(back.lineage, back.epoch);
}

TEST_F(RootMovesTest, ADeadTargetIsNoWitness) {  // M12
  move();
  const Epoch granted = attach();
  restart(2, {"A", "B"});
  b = &announce("B", {active_row(granted)});
  say(*b, ProcessDead{target});
  a = &announce("A", {frozen_row()});
  const Reclaimed back = reclaim();
  EXPECT_EQ(back.lineage, back.epoch);
}

TEST_F(RootMovesTest, ALivingTargetThatClaimsNothingIsAWitness) {
  move();
  restart(2, {"A", "B"});
  b = &announce("B", {});
  a = &announce("A", {frozen_row()});
  EXPECT_EQ(reclaim().lineage, epoch);
}

TEST_F(RootMovesTest, ATargetWhoseTableIsNotKnownIsNoWitness) {
  move();
  restart(2, {"A", "B"});
  b = &connect("B");
  ProcessUp up = up_of("B", "n1");
  up.pending = true;
  b->say(up);
  b->say(TableEnd{});
  harness->run();
  a = &announce("A", {frozen_row()});
  EXPECT_TRUE(root->in_grace());  // it may own names that nobody knows yet
  harness->advance(kLease + 1000ms);
  EXPECT_FALSE(root->in_grace());
  const Reclaimed back = reclaim();
  EXPECT_EQ(back.lineage, back.epoch);
}

TEST_F(RootMovesTest, AWitnessStaysOneThroughARestartOfItsBusd) {
  move();
  restart(2, {"A", "B"});
  b = &connect("B");
  ProcessUp up = up_of("B", "n1");
  up.pending = true;
  b->say(up);
  b->say(TableEnd{});
  a = &announce("A", {frozen_row()});
  EXPECT_TRUE(root->in_grace());
  up.pending = false;
  say(*b, up);  // all rows told: it is none of its own
  EXPECT_FALSE(root->in_grace());
  harness->cut(*b);
  b = &connect("B", 2);
  up.pending = true;
  b->say(up);
  b->say(TableEnd{});
  harness->run();
  EXPECT_EQ(reclaim().lineage, epoch);
}

TEST_F(RootMovesTest, AGrantThatWasLostWithItsSessionIsAnsweredAgain) {
  move();
  const Epoch granted = attach();
  restart(2, {"A", "B"});
  a = &announce("A", {frozen_row()});
  // busd saw the grant pass; the process never got it.
  b = &announce("B", {{kX, granted, epoch, RowState::granted, ticket}});
  EXPECT_EQ(attach(), granted);
  confirm(granted);
  EXPECT_EQ(a->take<Moved>().size(), 1u);
  // The same for a bind and for a reclaim.
  restart(3, {"A"});
  a = &announce("A", {{"entity/y", Epoch::of(2, 1), Epoch::of(2, 1), RowState::granted,
                       Ticket::of_bind(source, 4)},
                      {kX, Epoch::of(2, 2), epoch, RowState::granted, ticket}});
  say(*a, Bind{source, 4, "entity/y"});
  EXPECT_EQ(a->take<Attached>().at(0).epoch, Epoch::of(2, 1));
  EXPECT_EQ(reclaim().epoch, Epoch::of(2, 2));
}

TEST_F(RootMovesTest, AStaleMoveIsNoMemoryOfANewBusroot) {  // M15
  move();
  const Epoch granted = attach();
  restart(2, {"A", "B"});
  a = &announce("A", {frozen_row()});
  b = &connect("B");
  b->say(TableEnd{});  // the target is dead, and everything with it
  harness->run();
  EXPECT_TRUE(granted);
  say(*a, Move{source, x, epoch, ticket});
  const Reclaimed back = reclaim();
  EXPECT_EQ(back.lineage, back.epoch);
}

TEST_F(RootMovesTest, NoSecondMoveBeforeTheFirstSourceHasFreed) {  // M13
  move();
  const Epoch granted = attach();
  say(*b, Move{target, x, granted, {target, source, 1}});
  EXPECT_EQ(b->count(Kind::no_move) + b->count(Kind::move_ok), 0u);
  EXPECT_EQ(a->take<Moved>().size(), 1u);
  say(*a, Freed{source, x, ticket});
  say(*b, Move{target, x, granted, {target, source, 1}});  // repeated
  EXPECT_EQ(b->take<MoveOk>().size(), 1u);
}

TEST_F(RootMovesTest, UnbindWaitsForTheFrozenCopy) {
  move();
  const Epoch granted = attach();
  confirm(granted);
  (void)a->take<Moved>();
  say(*b, Unbind{target, x, granted});
  EXPECT_EQ(b->count(Kind::unbound), 0u);
  EXPECT_EQ(a->take<Moved>().size(), 1u);
  say(*a, Freed{source, x, ticket});
  say(*b, Unbind{target, x, granted});
  EXPECT_EQ(b->count(Kind::unbound), 1u);
  EXPECT_EQ(entry(kX), nullptr);
}

TEST_F(RootMovesTest, AfterARestartTheOwnerWinsInEitherOrderAndTheCopyIsFreed) {  // M4, M5
  move();
  const Epoch granted = attach();
  for (const bool source_first : {true, false}) {
    restart(source_first ? 2 : 3, {"A", "B"});
    if (source_first) a = &announce("A", {frozen_row()});
    b = &announce("B", {active_row(granted)});
    if (!source_first) a = &announce("A", {frozen_row()});
    EXPECT_EQ(owner(), target);
    EXPECT_EQ(a->take<Moved>().size(), 1u) << source_first;
  }
}

TEST_F(RootMovesTest, AnOmittedFrozenCopyIsForgottenBeforeANameFallsBack) {
  move();
  attach();
  harness->cut(*a);
  a = &announce("A", {});
  say(*b, ProcessDead{target});
  EXPECT_EQ(entry(kX), nullptr);
}

TEST_F(RootMovesTest, TheSourcesDeathEndsTheMove) {
  move();
  say(*a, ProcessDead{source});
  EXPECT_EQ(entry(kX), nullptr);
  say(*b, Attach{target, kX, ticket});
  EXPECT_EQ(b->take<Refused>().size(), 1u);
  EXPECT_TRUE(root->moves().empty());
}

TEST_F(RootMovesTest, AGrantThatTheTargetDoesNotWantFallsBack) {  // M14
  move();
  attach();
  say(*b, Freed{target, x, ticket});
  EXPECT_EQ(owner(), source);
  EXPECT_EQ(reclaim().lineage, entry(kX)->lineage);
}

TEST_F(RootMovesTest, AFrozenCopyOfAnUnknownNameGoesOnAsARestart) {
  say(*a, Reclaim{source, "entity/lost", {source, target, 3}});
  const auto answers = a->take<Reclaimed>();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].lineage, answers[0].epoch);
  say(*a, Reclaim{source, "process/A.n2", {source, target, 3}});
  EXPECT_EQ(a->count(Kind::reclaimed), 0u);
}

TEST_F(RootMovesTest, InGraceNothingIsDecided) {  // M2
  move();
  restart(2, {"A", "B", "C"});
  a = &announce("A", {frozen_row()});
  b = &announce("B", {});
  say(*a, Reclaim{source, kX, ticket});
  say(*b, Attach{target, kX, ticket});
  EXPECT_EQ(a->count(Kind::reclaimed) + b->count(Kind::attached) + b->count(Kind::refused), 0u);
}

}  // namespace
}  // namespace starbus::bus::test
