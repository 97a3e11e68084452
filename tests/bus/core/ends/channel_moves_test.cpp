/// Both ends of a move, and what a moving channel sends.
#include "tests/bus/core/ends/parts_fixture.hpp"

namespace starbus::bus {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class MoveSourceTest : public PartsTest {
 protected:
  Binding& frozen(const std::string& name) {
    Binding& binding = active(name);
    EXPECT_TRUE(source.begin(binding.channel(), kOther, {}));
    source.on_move_ok(
        {kSelf, binding.channel(), binding.epoch, binding.lineage, binding.move->ticket});
    sent();
    reported.clear();
    return binding;
  }
};

TEST_F(MoveSourceTest, AsksOnceItsOwnMessagesAreAcknowledged) {
  Binding& binding = active("entity/1");
  const Destination to{ChannelId{4, 4}, Epoch::of(1, 1), {}};
  ASSERT_TRUE(sender.send(binding.channel(), to, Lane::call, {}, as_bytes("m"), {}));
  ASSERT_TRUE(source.begin(binding.channel(), kOther, {}));
  source.advance();
  EXPECT_THAT(sent_kinds(), IsEmpty());
  Bytes out;
  origin.fill_bundle(Lane::call, 32 * 1024, out);
  origin.on_ack({Lane::call, kSelf, to.channel, to.hint, 1});
  source.advance();
  EXPECT_THAT(sent_kinds(), ElementsAre(Kind::move));
}

TEST_F(MoveSourceTest, GivesUpADrainAtItsDeadline) {
  Binding& binding = active("entity/1");
  ASSERT_TRUE(
      sender.send(binding.channel(), {ChannelId{4, 4}, {}, {}}, Lane::call, {}, as_bytes("m"), {}));
  ASSERT_TRUE(source.begin(binding.channel(), kOther, {}));
  state.now += kDrainDeadline + from_ms(1);
  source.advance();
  EXPECT_THAT(reported, ElementsAre("not moved busy"));
  EXPECT_EQ(binding.move, nullptr);
}

TEST_F(MoveSourceTest, FreezesAndSendsTheState) {
  Binding& binding = frozen("entity/1");
  EXPECT_EQ(binding.phase, Binding::Phase::frozen);
  EXPECT_FALSE(owner.active(binding.channel()));
  EXPECT_TRUE(origin.unacknowledged(kOther.channel(), Lane::bulk));
}

TEST_F(MoveSourceTest, MovedEndsTheBindingAndFreesTheCopy) {
  Binding& binding = frozen("entity/1");
  source.on_moved({kSelf, binding.channel(), binding.move->ticket});
  EXPECT_THAT(sent_kinds(), ElementsAre(Kind::freed));
  EXPECT_THAT(reported, ElementsAre("moved"));
  EXPECT_EQ(bindings.find(channel_id("entity/1")), nullptr);
}

TEST_F(MoveSourceTest, ReclaimUnderANewLineageFailsTheOutbox) {
  Binding& binding = active("entity/1");
  ASSERT_TRUE(source.begin(binding.channel(), kOther, {}));
  ASSERT_TRUE(
      sender.send(binding.channel(), {ChannelId{4, 4}, {}, {}}, Lane::call, {}, as_bytes("m"), {}));
  const Ticket ticket = binding.move->ticket;
  source.on_move_ok({kSelf, binding.channel(), binding.epoch, binding.lineage, ticket});
  reported.clear();
  source.on_reclaimed({kSelf, binding.channel(), Epoch::of(2, 1), Epoch::of(2, 1), ticket});
  EXPECT_THAT(reported, ElementsAre("owner_lost sent", "not moved rolled_back"));
  EXPECT_EQ(binding.phase, Binding::Phase::active);
}

TEST_F(MoveSourceTest, ARefusedStateIsReclaimedAtOnce) {
  Binding& binding = frozen("entity/1");
  source.on_state_refused({binding.move->ticket, Errc::busy, {}});
  EXPECT_THAT(sent_kinds(), ElementsAre(Kind::reclaim));
}

class MoveTargetTest : public PartsTest {
 protected:
  static State state_of(const std::string& name, const Process& from, const Process& to) {
    State moved;
    moved.ticket = {from, to, 7};
    moved.name = name;
    moved.epoch = moved.lineage = Epoch::of(1, 3);
    return moved;
  }
};

TEST_F(MoveTargetTest, AttachesAndBecomesActiveWhenGranted) {
  target.on_state(state_of("entity/1", kOther, kSelf), kOther);
  EXPECT_THAT(sent_kinds(), ElementsAre(Kind::attach));
  Binding& binding = *bindings.find(channel_id("entity/1"));
  EXPECT_EQ(binding.phase, Binding::Phase::attaching);
  target.on_attached(binding,
                     {kSelf, {kOther, kSelf, 7}, "entity/1", Epoch::of(1, 4), Epoch::of(1, 3)});
  EXPECT_THAT(reported, ElementsAre("arrived entity/1"));
  EXPECT_THAT(sent_kinds(), ElementsAre(Kind::active));
  EXPECT_EQ(owner.lineage(channel_id("entity/1")), Epoch::of(1, 3));
}

TEST_F(MoveTargetTest, RefusesATicketForAnEarlierIncarnation) {
  Process earlier = kSelf;
  --earlier.incarnation;
  target.on_state(state_of("entity/1", kOther, earlier), kOther);
  EXPECT_EQ(bindings.find(channel_id("entity/1")), nullptr);
  EXPECT_TRUE(origin.unacknowledged(kOther.channel(), Lane::bulk)) << "a refusal is under way";
}

TEST_F(MoveTargetTest, IgnoresATicketForAnotherProcess) {
  target.on_state(state_of("entity/1", kOther, kOther), kOther);
  EXPECT_TRUE(origin.idle());
}

TEST_F(MoveTargetTest, TheProgramMayRefuse) {
  arrival = Error{Errc::move_refused};
  target.on_state(state_of("entity/1", kOther, kSelf), kOther);
  EXPECT_EQ(bindings.size(), 0u);
  EXPECT_TRUE(origin.unacknowledged(kOther.channel(), Lane::bulk));
}

class ChannelSenderTest : public PartsTest {
 protected:
  Result<> send(const Binding& from, Time expires = {}) {
    return sender.send(from.channel(), {ChannelId{4, 4}, {}, {}}, Lane::call, {}, as_bytes("m"),
                       expires);
  }
};

TEST_F(ChannelSenderTest, AnActiveChannelSendsAtOnce) {
  ASSERT_TRUE(send(active("entity/1")));
  EXPECT_TRUE(origin.unacknowledged(ChannelId{4, 4}, Lane::call));
}

TEST_F(ChannelSenderTest, AMovingChannelWaitsInItsOutboxAndGoesOnInOrder) {
  Binding& binding = active("entity/1");
  ASSERT_TRUE(source.begin(binding.channel(), kOther, {}));
  ASSERT_TRUE(send(binding));
  EXPECT_TRUE(origin.idle());
  source.on_no_move({kSelf, binding.channel(), binding.move->ticket, Errc::busy, {}});
  ASSERT_TRUE(send(binding));
  EXPECT_EQ(binding.outbox->size(), 2u) << "later messages follow those that wait";
  sender.flush();
  EXPECT_EQ(binding.outbox, nullptr);
  EXPECT_EQ(origin.unacknowledged(4).front().messages, 2u);
}

TEST_F(ChannelSenderTest, AnExpiredMessageFailsWhenTheOutboxIsFlushed) {
  Binding& binding = active("entity/1");
  ASSERT_TRUE(source.begin(binding.channel(), kOther, {}));
  ASSERT_TRUE(send(binding, state.now + from_ms(5)));
  source.on_no_move({kSelf, binding.channel(), binding.move->ticket, Errc::busy, {}});
  reported.clear();
  state.now += from_ms(5);
  sender.flush();
  EXPECT_THAT(reported, ElementsAre("expired unsent"));
}

TEST_F(ChannelSenderTest, RefusesWhileTheStateIsAway) {
  Binding& binding = active("entity/1");
  ASSERT_TRUE(source.begin(binding.channel(), kOther, {}));
  source.on_move_ok(
      {kSelf, binding.channel(), binding.epoch, binding.lineage, binding.move->ticket});
  EXPECT_EQ(send(binding).error(), Errc::busy);
}

class PrefixWatchesTest : public PartsTest {};

TEST_F(PrefixWatchesTest, ANewSessionAsksForEveryPrefix) {
  ASSERT_TRUE(watches.begin("entity/"));
  ASSERT_TRUE(watches.begin("entity/")) << "idempotent";
  EXPECT_THAT(sent_kinds(), ElementsAre(Kind::watch));
  watches.on_session();
  EXPECT_THAT(sent_kinds(), ElementsAre(Kind::watch));
}

TEST_F(PrefixWatchesTest, ReportsRowsAndIgnoresThoseOfAnEndedWatch) {
  ASSERT_TRUE(watches.begin("entity/"));
  WatchRow row;
  row.name = "entity/1";
  watches.on_rows({"entity/", true, true, {row}});
  EXPECT_THAT(reported, ElementsAre("entity/ 1 complete"));
  watches.end("entity/");
  watches.on_rows({"entity/", true, true, {row}});
  EXPECT_THAT(reported, testing::SizeIs(1));
}

/// A watcher that sees a name come and go, and then hears a message of its owner.
class WatchedDeaths : public PrefixWatchesTest {
 protected:
  WatchedDeaths() {
    EXPECT_TRUE(watches.begin(""));
    watches.on_rows({"", true, true, {}});
  }
  void see(const std::string& name, bool present, const Process& by = kOther) {
    WatchRow row;
    row.present = present;
    row.name = name;
    row.owner = by;
    watches.on_rows({"", false, false, {row}});
  }
  bool is_dropped() {
    const Binding* known = bindings.find(channel_id("entity/1"));
    const Binding& binding = known != nullptr ? *known : active("entity/1");
    Bytes items;
    Writer writer(items);
    writer.put(1U);
    writer.put(0U);
    writer.bytes(as_bytes("m"));
    const auto before = owner.counters().from_the_dead;
    owner.on_run({Lane::call, 1, kOther, binding.channel(), binding.lineage, 0, ++seq_, items});
    return owner.counters().from_the_dead != before;
  }

 private:
  std::uint64_t seq_ = 0;
};

class HeldNames : public WatchedDeaths, public testing::WithParamInterface<const char*> {};

TEST_P(HeldNames, ADeadProcessIsHeardNoMore) {
  see(GetParam(), true);
  EXPECT_FALSE(is_dropped());
  see(GetParam(), false);
  EXPECT_TRUE(is_dropped());
  see(GetParam(), true);  // a busroot that had forgotten the grant
  EXPECT_FALSE(is_dropped());
  see(GetParam(), true, {kOther.host, kOther.slot, kOther.incarnation + 1});
  EXPECT_TRUE(is_dropped());
}

INSTANTIATE_TEST_SUITE_P(Each, HeldNames,
                         testing::Values("process/hostB.node-2", "server/hostB.node-2",
                                         "gate/hostB.node-2"));

TEST_F(WatchedDeaths, ANameThatMayBeGivenUpTellsOfNoDeath) {
  for (const char* const name : {"entity/hostB.node-2", "gate/2", "gate/hostB.node-3"}) {
    see(name, true);
    see(name, false);
    EXPECT_FALSE(is_dropped()) << name;
  }
}

}  // namespace
}  // namespace starbus::bus
