/// Moves as the process at either end sees them, and the lease: against a scripted busd.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/bus/core/ends/process_core_harness.hpp"

namespace starbus::bus {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const Process kTarget{host_id("hostB"), slot_id("node-2"), 5};

class ProcessMoves : public testing::Test {
 protected:
  ScriptedBusd busd;
  const ChannelId x = channel_id("entity/x");
  BindingId id = 0;

  ProcessMoves() {
    busd.greet();
    id = *busd.core.bind("entity/x");
    (void)busd.grant("entity/x", id, 2);
    (void)busd.confirm("entity/x", 2);
    busd.heard.clear();
    busd.events.clear();
  }
  Ticket begin() {
    EXPECT_TRUE(busd.core.move(x, kTarget, Epoch::of(1, 7)));
    (void)busd.exchange();
    const auto moves = busd.said<Move>();
    EXPECT_THAT(moves, SizeIs(1));
    return moves.empty() ? Ticket{} : moves[0].ticket;
  }
  Ticket freeze() {
    const Ticket ticket = begin();
    (void)busd.say(MoveOk{busd.kSelf, x, Epoch::of(1, 2), Epoch::of(1, 2), ticket});
    return ticket;
  }
  /// The system messages that went to the process channel of `to`.
  template <class Record>
  std::vector<Record> system_messages(const Process& to) {
    std::vector<Record> found;
    for (const WireRecord& record : busd.heard) {
      if (record.kind != Kind::data) continue;
      const auto run = view_run(record.payload);
      RunReader reader(run);
      while (const auto item = reader.next()) {
        if (!item->system || run.channel != to.channel()) continue;
        if (static_cast<Kind>(item->body[4]) != Record::kKind) continue;
        found.push_back(*decode<Record>(item->body.subspan(kRecordHeader)));
      }
    }
    return found;
  }
  void deliver(const ChannelId& channel, Lineage lineage, std::uint64_t prev, std::uint64_t seq,
               std::string_view body, const Process& origin = kTarget, bool system = false) {
    Bytes items;
    Writer writer(items);
    writer.put(static_cast<std::uint32_t>(body.size()) | (system ? kSystem : 0));
    writer.put(std::uint32_t{0});
    writer.bytes(as_bytes(body));
    Bytes record;
    encode_run({Lane::bulk, 1, origin, channel, lineage, prev, seq, items}, record);
    (void)busd.say_bytes(record);
  }
  Destination other() const { return {channel_id("entity/y"), Epoch::of(1, 9), {}}; }
  Result<> send(std::string_view body) {
    auto sent = busd.core.send_from(x, other(), Lane::call, {}, as_bytes(body), {});
    (void)busd.exchange();
    return sent;
  }
};

TEST_F(ProcessMoves, ARunToTheEnd) {
  deliver(x, Epoch::of(1, 2), 0, 4, "hello");
  const Ticket ticket = freeze();
  EXPECT_THAT(busd.events, ElementsAre("delivered hello", "freeze " + std::to_string(id)));
  const auto states = system_messages<State>(kTarget);
  ASSERT_THAT(states, SizeIs(1));
  EXPECT_EQ(states[0].ticket, ticket);
  EXPECT_EQ(states[0].name, "entity/x");
  EXPECT_EQ(as_text(states[0].application), "hp");
  ASSERT_THAT(states[0].filter, SizeIs(1));
  EXPECT_EQ(states[0].filter[0].last, 4u);

  deliver(x, Epoch::of(1, 2), 4, 5, "late");  // frozen: neither handled nor answered
  EXPECT_EQ(busd.count(Kind::nack), 0u);
  (void)busd.say(Moved{busd.kSelf, x, ticket});
  EXPECT_EQ(busd.events.back(), "moved " + std::to_string(id));
  ASSERT_THAT(busd.said<Freed>(), SizeIs(1));
  EXPECT_EQ(busd.said<Freed>()[0].ticket, ticket);
  EXPECT_TRUE(busd.core.bound_name(x).empty());
  (void)busd.say(FreedOk{busd.kSelf, x, ticket});
  busd.pass(2 * kRequestRetry);
  EXPECT_THAT(busd.said<Freed>(), SizeIs(1));
}

TEST_F(ProcessMoves, WaitsUntilItsOwnMessagesAreAcknowledgedAndKeepsTheRest) {  // M8
  EXPECT_TRUE(send("one"));
  EXPECT_TRUE(busd.core.move(x, kTarget));
  EXPECT_TRUE(send("two"));
  deliver(x, Epoch::of(1, 2), 0, 4, "accepted while it drains");
  EXPECT_EQ(busd.count(Kind::move), 0u);
  (void)busd.say(Ack{Lane::call, busd.kSelf, other().channel, Epoch::of(1, 9), 1});
  const auto moves = busd.said<Move>();
  ASSERT_THAT(moves, SizeIs(1));
  (void)busd.say(MoveOk{busd.kSelf, x, Epoch::of(1, 2), Epoch::of(1, 2), moves[0].ticket});
  const auto states = system_messages<State>(kTarget);
  // Sent with the lineage unknown: PROBE first.
  (void)busd.say(
      Nack{Lane::bulk, busd.kSelf, kTarget.channel(), 1, NackReason::gap, Epoch::of(1, 7), 0});
  const auto sent = system_messages<State>(kTarget);
  ASSERT_THAT(sent, SizeIs(1));
  ASSERT_THAT(sent[0].outbox, SizeIs(1));
  EXPECT_EQ(as_text(sent[0].outbox[0].message), "two");
}

TEST_F(ProcessMoves, AMoveThatCannotDrainEndsBusyAndSendsFromHere) {
  EXPECT_TRUE(send("one"));
  EXPECT_TRUE(busd.core.move(x, kTarget));
  EXPECT_TRUE(send("two"));
  busd.pass(kDrainDeadline + 100ms);
  EXPECT_EQ(busd.events.back(), "not moved " + std::to_string(id) + " at 1.2 busy");
  EXPECT_EQ(busd.core.origin().counters().sent, 2u);
  EXPECT_FALSE(busd.core.moving(x));
}

TEST_F(ProcessMoves, TheOutboxIsBounded) {
  EXPECT_TRUE(send("one"));
  EXPECT_TRUE(busd.core.move(x, kTarget));
  const std::string kilobyte(1000, 'x');
  Result<> sent;
  std::size_t taken = 0;
  while ((sent = send(kilobyte))) ++taken;
  EXPECT_EQ(sent.error(), Errc::would_block);
  EXPECT_GT(taken, 900u);
  EXPECT_LT(taken, 1100u);
}

TEST_F(ProcessMoves, OneAtATimeAndNotForAProcessChannel) {
  begin();
  EXPECT_EQ(busd.core.move(x, kTarget).error(), Errc::busy);
  EXPECT_EQ(busd.core.unbind(x).error(), Errc::busy);
  EXPECT_EQ(busd.core.move(busd.kSelf.channel(), kTarget).error(), Errc::denied);
  EXPECT_EQ(busd.core.move(channel_id("entity/none"), kTarget).error(), Errc::not_bound);
}

TEST_F(ProcessMoves, AreBounded) {
  busd.connect();
  busd.welcome({""}, {""}, 5000);
  for (std::uint64_t i = 0; i < kMaxMoves; ++i) {
    State state;
    state.ticket = {kTarget, busd.kSelf, i + 1};
    state.name = "entity/" + std::to_string(i);
    state.epoch = state.lineage = Epoch::of(1, 3);
    Bytes bytes;
    encode(state, bytes);
    deliver(busd.kSelf.channel(), Epoch::of(1, 1), i, i + 1, as_text(bytes), kTarget, true);
  }
  EXPECT_EQ(busd.core.move_count(), kMaxMoves);
  EXPECT_EQ(busd.core.move(x, kTarget).error(), Errc::busy);
}

TEST_F(ProcessMoves, ARefusedStateIsReclaimedAtOnceAndNothingIsLost) {
  deliver(x, Epoch::of(1, 2), 0, 4, "before");
  const Ticket ticket = freeze();
  Bytes refusal;
  encode(StateRefused{ticket, Errc::move_refused, "full"}, refusal);
  deliver(busd.kSelf.channel(), Epoch::of(1, 1), 0, 1, as_text(refusal), kTarget, true);
  ASSERT_THAT(busd.said<Reclaim>(), SizeIs(1));
  (void)busd.say(Reclaimed{busd.kSelf, x, Epoch::of(1, 8), Epoch::of(1, 2), ticket});
  EXPECT_EQ(busd.events.back(), "not moved " + std::to_string(id) + " at 1.8 move_refused");
  EXPECT_THAT(busd.said<Active>(), SizeIs(1));
  busd.core.go_on(x, Epoch::of(1, 8));
  busd.events.clear();
  deliver(x, Epoch::of(1, 2), 0, 4, "before");  // the filter is still there
  EXPECT_THAT(busd.events, IsEmpty());
  deliver(x, Epoch::of(1, 2), 4, 5, "after");
  EXPECT_THAT(busd.events, ElementsAre("delivered after"));
}

/// Its program has packed the object away, and hears of the end of the move in a later turn.
TEST_F(ProcessMoves, AReclaimedChannelIsHandedNothingUntilItsProgramGoesOn) {
  const Ticket ticket = freeze();
  (void)busd.say(Reclaimed{busd.kSelf, x, Epoch::of(1, 8), Epoch::of(1, 2), ticket});
  busd.events.clear();
  deliver(x, Epoch::of(1, 2), 0, 4, "held");
  EXPECT_THAT(busd.events, IsEmpty());
  EXPECT_EQ(busd.count(Kind::nack), 0u);
  EXPECT_TRUE(busd.core.moving(x));
  EXPECT_EQ(busd.core.move(x, kTarget).error(), Errc::busy);
  busd.core.go_on(x, Epoch::of(1, 7));  // of another move
  busd.core.go_on(channel_id("entity/none"), Epoch::of(1, 8));
  EXPECT_TRUE(busd.core.moving(x));
  busd.core.go_on(x, Epoch::of(1, 8));
  (void)busd.exchange();
  ASSERT_THAT(busd.said<Nack>(), SizeIs(1));
  EXPECT_EQ(busd.said<Nack>()[0].reason, NackReason::gap);
  deliver(x, Epoch::of(1, 2), 0, 4, "held");
  EXPECT_THAT(busd.events, ElementsAre("delivered held"));
  EXPECT_FALSE(busd.core.moving(x));
  EXPECT_TRUE(busd.core.move(x, kTarget));
}

TEST_F(ProcessMoves, AReclaimedChannelMayBeGivenUpBeforeItGoesOn) {
  const Ticket ticket = freeze();
  (void)busd.say(Reclaimed{busd.kSelf, x, Epoch::of(1, 8), Epoch::of(1, 2), ticket});
  EXPECT_TRUE(busd.core.unbind(x));
  busd.core.go_on(x, Epoch::of(1, 8));
  deliver(x, Epoch::of(1, 2), 0, 4, "late");
  (void)busd.say(Unbound{busd.kSelf, x, Epoch::of(1, 8)});
  EXPECT_EQ(busd.events.back(), "unbound " + std::to_string(id));
  busd.core.go_on(x, Epoch::of(1, 8));
}

TEST_F(ProcessMoves, ASilentTargetIsReclaimedAfterItsTime) {
  freeze();
  busd.pass(kReclaimAfter - 200ms);
  EXPECT_THAT(busd.said<Reclaim>(), IsEmpty());
  busd.pass(1000);
  EXPECT_THAT(busd.said<Reclaim>(), testing::Not(IsEmpty()));
}

TEST_F(ProcessMoves, AReclaimUnderAnotherLineageVoidsFilterAndOutbox) {  // M10
  deliver(x, Epoch::of(1, 2), 0, 4, "before");
  EXPECT_TRUE(send("one"));
  EXPECT_TRUE(busd.core.move(x, kTarget, Epoch::of(1, 7)));
  EXPECT_TRUE(send("waits"));
  (void)busd.say(Ack{Lane::call, busd.kSelf, other().channel, Epoch::of(1, 9), 1});
  const Ticket ticket = busd.said<Move>().at(0).ticket;
  (void)busd.say(MoveOk{busd.kSelf, x, Epoch::of(1, 2), Epoch::of(1, 2), ticket});
  EXPECT_EQ(send("too late").error(), Errc::busy);  // the state has left
  (void)busd.say(Reclaimed{busd.kSelf, x, Epoch::of(1, 8), Epoch::of(1, 8), ticket});
  EXPECT_THAT(busd.events,
              ElementsAre("delivered before", "freeze " + std::to_string(id), "failed 0 owner_lost",
                          "not moved " + std::to_string(id) + " at 1.8 rolled_back"));
  busd.core.go_on(x, Epoch::of(1, 8));
  deliver(x, Epoch::of(1, 2), 0, 4, "before");
  EXPECT_EQ(busd.said<Nack>().back().reason, NackReason::lineage);
}

TEST_F(ProcessMoves, AStateTooLargeToTravelStays) {
  busd.state_to_send = std::string(kMaxBody, 's');
  const Ticket ticket = freeze();
  ASSERT_THAT(busd.said<Reclaim>(), SizeIs(1));
  (void)busd.say(Reclaimed{busd.kSelf, x, Epoch::of(1, 8), Epoch::of(1, 2), ticket});
  EXPECT_EQ(busd.events.back(), "not moved " + std::to_string(id) + " at 1.8 too_large");
}

TEST_F(ProcessMoves, RequestsAndRowsAreRepeatedInANewSession) {
  const Ticket ticket = freeze();
  busd.connect();
  busd.welcome();
  const auto tables = busd.said<Table>();
  ASSERT_THAT(tables, SizeIs(1));
  const auto row = std::ranges::find(tables[0].rows, std::string("entity/x"), &Row::name);
  ASSERT_NE(row, tables[0].rows.end());
  EXPECT_EQ(row->state, RowState::frozen);
  EXPECT_EQ(row->ticket, ticket);
}

// --- the target ----------------------------------------------------------------------------------

class ProcessArrivals : public ProcessMoves {
 protected:
  State state;
  std::uint64_t seq = 0;

  ProcessArrivals() {
    state.ticket = {kTarget, busd.kSelf, 3};
    state.name = "entity/z";
    state.epoch = Epoch::of(1, 4);
    state.lineage = Epoch::of(1, 3);
    state.filter = {{kTarget, Lane::bulk, 6}};
    state.outbox = {{channel_id("entity/y"), "entity/y", Lane::call, 0, Bytes(4)}};
    const ByteView application = as_bytes("hp 3");
    state.application.assign(application.begin(), application.end());
  }
  void arrive(const Process& from = kTarget) {
    Bytes bytes;
    encode(state, bytes);
    deliver(busd.kSelf.channel(), Epoch::of(1, 1), seq, seq + 1, as_text(bytes), from, true);
    ++seq;
  }
};

TEST_F(ProcessArrivals, AttachesAndGoesOnWithFilterAndOutbox) {
  arrive();
  ASSERT_THAT(busd.said<Attach>(), SizeIs(1));
  EXPECT_THAT(busd.events, ElementsAre("arriving entity/z hp 3"));
  const ChannelId z = channel_id("entity/z");
  deliver(z, Epoch::of(1, 3), 0, 7, "too early");
  (void)busd.say(Attached{busd.kSelf, state.ticket, "entity/z", Epoch::of(1, 5), Epoch::of(1, 3)});
  EXPECT_EQ(busd.events.back(), "arrived entity/z at 1.5 hp 3");
  EXPECT_THAT(busd.said<Active>(), SizeIs(1));
  EXPECT_EQ(busd.core.origin().counters().sent, 1u);  // the outbox
  busd.events.clear();
  deliver(z, Epoch::of(1, 3), 0, 6, "duplicate");  // F2: the filter came along
  deliver(z, Epoch::of(1, 3), 6, 7, "next");
  EXPECT_THAT(busd.events, ElementsAre("delivered next"));
}

TEST_F(ProcessArrivals, AnAttachThatIsRefusedLeavesNothing) {
  arrive();
  (void)busd.say(Refused{busd.kSelf, state.ticket, "entity/z", Errc::busy, ""});
  EXPECT_TRUE(busd.core.bound_name(channel_id("entity/z")).empty());
  EXPECT_EQ(busd.core.move_count(), 0u);
  (void)busd.say(Attached{busd.kSelf, state.ticket, "entity/z", Epoch::of(1, 5), Epoch::of(1, 3)});
  EXPECT_THAT(busd.said<Freed>(), SizeIs(1));  // M14: a grant that nobody wants
}

TEST_F(ProcessArrivals, WhatIsNotWantedOrNotForUsIsRefusedAtOnce) {
  busd.arrival = Error{Errc::move_refused, "full"};
  arrive();
  EXPECT_THAT(busd.said<Attach>(), IsEmpty());
  busd.arrival = {};
  state.ticket.target.incarnation = 4;  // an earlier life of ours
  arrive();
  state.ticket = {kTarget, busd.kSelf, 4};
  state.name = "entity/x";  // owned here
  arrive();
  state.name = "process/hostB.node-2";
  arrive();
  EXPECT_THAT(busd.said<Attach>(), IsEmpty());
  (void)busd.say(
      Nack{Lane::bulk, busd.kSelf, kTarget.channel(), 4, NackReason::gap, Epoch::of(1, 7), 0});
  const auto refusals = system_messages<StateRefused>(kTarget);
  ASSERT_THAT(refusals, SizeIs(4));
  EXPECT_EQ(refusals[0].reason, Errc::move_refused);
  EXPECT_EQ(refusals[2].reason, Errc::busy);
}

TEST_F(ProcessArrivals, AStateFromAnotherThanItsSourceIsRefused) {
  arrive({host_id("hostC"), slot_id("evil"), 1});
  EXPECT_THAT(busd.said<Attach>(), IsEmpty());
}

TEST_F(ProcessArrivals, ANewerAttemptReplacesOneThatWasNotGranted) {
  arrive();
  state.ticket.number = 9;
  arrive();
  const auto attaches = busd.said<Attach>();
  ASSERT_THAT(attaches, SizeIs(2));
  EXPECT_EQ(attaches[1].ticket.number, 9u);
  EXPECT_EQ(busd.core.move_count(), 1u);
}

// --- the lease -----------------------------------------------------------------------------------

TEST_F(ProcessMoves, WithoutBusrootTheProcessFencesItselfBeforeItsLeaseEnds) {  // D4
  EXPECT_TRUE(send("unacknowledged"));
  busd.pass(3000);
  busd.lease_age = Heartbeat::kNoLease;
  busd.pass(kLease - kLeaseMargin - 2500ms);
  EXPECT_TRUE(busd.core.has_session());
  busd.events.clear();
  busd.pass(3000);
  EXPECT_THAT(busd.events, ElementsAre("failed 0 lease_lost", "lease lost"));
  EXPECT_FALSE(busd.core.has_session());
  EXPECT_EQ(busd.core.binding_count(), 0u);
  busd.connect();
  ASSERT_THAT(busd.said<Hello>(), SizeIs(1));
  EXPECT_GT(busd.said<Hello>()[0].incarnation, busd.kSelf.incarnation);
}

TEST_F(ProcessMoves, AfterAPauseNothingIsHandledOnceTheLeaseHasEnded) {  // D4
  busd.pass(3000);
  busd.events.clear();
  busd.now += kLease;
  deliver(x, Epoch::of(1, 2), 0, 4, "from before the pause");
  EXPECT_THAT(busd.events, ElementsAre("lease lost"));
}

TEST_F(ProcessMoves, AnEchoOfBusrootProlongsTheLease) {
  busd.pass(3 * kLease);
  EXPECT_TRUE(busd.core.has_session());
  busd.lease_age = static_cast<std::uint64_t>(Time(kLease).count());  // busd hears nothing itself
  busd.pass(kLease);
  EXPECT_FALSE(busd.core.has_session());
}

}  // namespace
}  // namespace starbus::bus
