/// The receiving side: every rule of exactly once and in order, per stream.
#include "tests/bus/core/ends/owner_fixture.hpp"

namespace starbus::bus {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(OwnerTest, HandlesInOrderAndAcknowledgesOncePerBatch) {
  data(0, 1, "abc");
  data(3, 4, "d");
  EXPECT_EQ(handled, "abcd");
  EXPECT_THAT(said, IsEmpty()) << "acknowledgements wait for flush_acks";
  EXPECT_THAT(answers(), ElementsAre("ack 4"));
  EXPECT_THAT(answers(), IsEmpty());
}

TEST_F(OwnerTest, ADuplicateIsAcknowledgedAndNotHandled) {
  data(0, 1, "ab");
  answers();
  data(0, 1, "ab");
  EXPECT_THAT(answers(), ElementsAre("ack 2"));
  data(0, 1, "abc");  // partly known
  EXPECT_EQ(handled, "abc");
  EXPECT_THAT(answers(), ElementsAre("ack 3"));
  EXPECT_EQ(owner.counters().duplicates, 4u);
}

TEST_F(OwnerTest, AGapIsRefusedWithTheLast) {
  data(0, 1, "a");
  data(2, 3, "c");
  EXPECT_EQ(handled, "a");
  EXPECT_THAT(answers(), ElementsAre("gap 1", "ack 1"));
  data(1, 2, "b");
  data(2, 3, "c");
  EXPECT_EQ(handled, "abc");
}

TEST_F(OwnerTest, AChainMayStartAnywhereBelowLast) {
  data(0, 1, "a");
  data(0, 9, "b");  // everything before was acknowledged, or failed
  data(1, 12, "c");
  EXPECT_EQ(handled, "abc");
}

TEST_F(OwnerTest, AnotherLineageIsRefusedAndHandlesNothing) {
  data(0, 1, "a", kAlice, kNextLife);
  data(0, 1, "b", kAlice, Epoch::of(1, 4));
  EXPECT_THAT(answers(), ElementsAre("lineage 1.5", "lineage 1.5"));
  EXPECT_EQ(handled, "");
  EXPECT_EQ(owner.filter_entries(), 0u);
}

TEST_F(OwnerTest, ARefusalSaysForHowLongTheOwnerIsThere) {
  std::vector<std::uint64_t> ages;
  when_nack = [&](const Nack& nack) { ages.push_back(nack.last); };
  owner.set_now(2'000ms);
  owner.activate(kChannel, kLife, kLife, 42);
  owner.set_now(2'750ms);
  data(0, 1, "a", kAlice, Epoch::of(1, 4));  // an earlier minor version
  owner.tell_age(true);
  data(0, 1, "a", kAlice, Epoch::of(1, 4));
  EXPECT_THAT(ages, ElementsAre(0u, 750u));
  owner.freeze(kChannel);
  owner.resume(kChannel, kNextLife, kLife);  // the same life
  owner.go_on(kChannel);
  data(0, 1, "a", kAlice, Epoch::of(1, 4));
  EXPECT_EQ(ages.back(), 750u);
  owner.freeze(kChannel);
  owner.resume(kChannel, kNextLife, kNextLife);
  owner.go_on(kChannel);
  owner.set_now(2'760ms);
  data(0, 1, "a", kAlice, Epoch::of(1, 4));
  EXPECT_EQ(ages.back(), 10u);
}

TEST_F(OwnerTest, AFrozenChannelAsksForWhatCameWhenItGoesOn) {
  data(0, 1, "a");
  data(0, 1, "k", kBob);
  answers();
  owner.freeze(kChannel);
  data(1, 2, "b");
  probe(3);
  probe(9, {1, 3, 1});  // the first word of this one
  data(0, 1, "z", {1, 4, 1}, Epoch::of(1, 4));
  owner.resume(kChannel, kNextLife, kLife);
  data(2, 3, "c");
  EXPECT_FALSE(owner.active(kChannel)) << "its program does not know yet";
  EXPECT_THAT(answers(), IsEmpty());
  owner.go_on(kChannel);
  EXPECT_EQ(handled, "ak");
  EXPECT_THAT(answers(), ElementsAre("gap 1", "gap 0")) << "of each stream once, and not of Bob's";
  data(1, 2, "bc");
  EXPECT_EQ(handled, "akbc");
  owner.freeze(kChannel);
  owner.resume(kChannel, kNextLife, kLife);
  owner.go_on(kChannel);
  EXPECT_THAT(answers(), ElementsAre("ack 3"));
}

TEST_F(OwnerTest, AFrozenChannelOfANewLifeAsksUnderThat) {
  data(0, 1, "a");
  answers();
  owner.freeze(kChannel);
  data(1, 2, "b");
  owner.resume(kChannel, kNextLife, kNextLife);
  data(1, 2, "b");  // of the former life
  data(0, 1, "c", kBob, kNextLife);
  owner.go_on(kChannel);
  EXPECT_THAT(answers(), ElementsAre("gap 0"));
  data(0, 1, "c", kBob, kNextLife);
  EXPECT_EQ(handled, "ac");
}

TEST_F(OwnerTest, AnOwnerThatHasJustComeSaysOneMillisecond) {
  std::vector<std::uint64_t> ages;
  when_nack = [&](const Nack& nack) { ages.push_back(nack.last); };
  owner.tell_age(true);
  owner.activate(kChannel, kLife, kLife, 42);
  data(0, 1, "a", kAlice, Epoch::of(1, 4));
  EXPECT_THAT(ages, ElementsAre(1u)) << "0 would say that it does not tell";
}

TEST_F(OwnerTest, NotActiveGivesNoAnswer) {
  owner.deactivate(kChannel);
  data(0, 1, "a");
  probe(1);
  EXPECT_THAT(answers(), IsEmpty());
  EXPECT_EQ(handled, "");
  EXPECT_FALSE(owner.active(kChannel));
  EXPECT_FALSE(owner.lineage(kChannel));
}

TEST_F(OwnerTest, AProbeIsAnsweredWithTheLast) {
  probe(3);
  EXPECT_THAT(answers(), ElementsAre("gap 0"));
  data(0, 1, "ab");
  answers();
  probe(2);
  EXPECT_THAT(answers(), ElementsAre("ack 2"));
  probe(3);
  EXPECT_THAT(answers(), ElementsAre("gap 2"));
  EXPECT_EQ(owner.filter_entries(), 1u) << "a probe alone leaves no entry";
}

TEST_F(OwnerTest, AProbeOfSequenceZeroIsHarmless) {
  probe(0);
  EXPECT_THAT(answers(), IsEmpty());
  data(0, 1, "a");
  probe(0);
  EXPECT_THAT(answers(), ElementsAre("ack 1"));
}

TEST_F(OwnerTest, StreamsAreApart) {
  data(0, 1, "a");
  data(0, 1, "b", kBob);
  data(0, 1, "c", kAlice, kLife, Lane::bulk);
  data(0, 1, "d", {1, 1, 2});  // the next incarnation
  EXPECT_EQ(handled, "abcd");
  EXPECT_EQ(owner.filter_entries(), 4u);
}

TEST_F(OwnerTest, ATombstoneMovesLastAndReachesNoHandler) {
  data(0, 1, "a-c");
  EXPECT_EQ(handled, "ac");
  EXPECT_THAT(answers(), ElementsAre("ack 3"));
  EXPECT_EQ(owner.counters().tombstones, 1u);
}

TEST_F(OwnerTest, AFreshBindStartsWithAnEmptyFilter) {
  data(0, 1, "ab");
  owner.activate(kChannel, kNextLife, kNextLife, 42);
  data(0, 1, "ab");
  EXPECT_THAT(answers(), ElementsAre("lineage 1.6", "ack 2"));
  data(0, 3, "c", kAlice, kNextLife);
  EXPECT_EQ(handled, "abc");
}

TEST_F(OwnerTest, UnboundByItsHandlerItAcknowledgesWhatWasHandledOnly) {
  when_handled = [&](const Delivery& delivery) {
    if (delivery.seq == 2) owner.deactivate(kChannel);
  };
  data(0, 1, "abcd");
  EXPECT_EQ(handled, "ab");
  EXPECT_THAT(answers(), ElementsAre("ack 2"));
}

TEST_F(OwnerTest, BoundAnewByItsHandlerItGivesTheRestToNobody) {
  when_handled = [&](const Delivery&) { owner.activate(kChannel, kNextLife, kNextLife, 42); };
  data(0, 1, "ab");
  EXPECT_EQ(handled, "a");
  EXPECT_THAT(answers(), ElementsAre("ack 1"));
  EXPECT_EQ(owner.filter_entries(), 0u);
}

TEST_F(OwnerTest, AMulticastIsOneMessageOnEachStream) {
  owner.activate({8, 8}, kLife, kLife, 42);
  const Multicast multicast{Lane::call,
                            kAlice,
                            {{kChannel, kLife, 0, 1}, {{8, 8}, kLife, 0, 2}, {{9, 9}, kLife, 0, 3}},
                            as_bytes("m")};
  owner.on_multicast(multicast);
  owner.on_multicast(multicast);
  EXPECT_EQ(handled, "mm");
  EXPECT_EQ(owner.counters().duplicates, 2u);
}

}  // namespace
}  // namespace starbus::bus
