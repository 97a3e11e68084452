/// The receiving side: every rule of exactly once and in order, per stream.
#include "bus/core/ends/owner.hpp"

#include <gmock/gmock.h>

#include "tests/bus/core/wire/wire_records.hpp"

namespace starbus::bus {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const ChannelId kChannel{7, 7};
const Process kAlice{1, 1, 1};
const Process kBob{1, 2, 1};
const Lineage kLife = Epoch::of(1, 5);
const Lineage kNextLife = Epoch::of(1, 6);

class OwnerTest : public testing::Test {
 protected:
  OwnerTest() { owner.activate(kChannel, kLife, kLife, 42); }

  /// A run of single-letter messages that follow each other.
  void data(std::uint64_t prev, std::uint64_t seq, std::string_view letters,
            const Process& origin = kAlice, Lineage lineage = kLife, Lane lane = Lane::call) {
    Bytes items;
    Writer writer(items);
    for (const char& letter : letters) {
      writer.put(letter == '-' ? kTombstone : 1U);
      writer.put(&letter == letters.data() ? 0U : 1U);
      if (letter != '-') writer.bytes(as_bytes({&letter, 1}));
    }
    bus::Run run{
        lane, static_cast<std::uint16_t>(letters.size()), origin, kChannel, lineage, prev, seq,
        items};
    owner.on_run(run);
  }
  void probe(std::uint64_t seq, const Process& origin = kAlice) {
    owner.on_probe({Lane::call, origin, kChannel, seq});
  }
  /// What was answered since the last call: "ack 3", "gap 3", "lineage 1.6".
  std::vector<std::string> answers() {
    owner.flush_acks();
    return std::exchange(said, {});
  }

  std::string handled;
  std::vector<std::string> said;
  std::function<void(const Delivery&)> when_handled;
  std::function<void(const Nack&)> when_nack;
  Owner owner{[this](std::uint64_t cookie, const Delivery& delivery) {
                EXPECT_EQ(cookie, 42u);
                handled += as_text(delivery.body);
                if (when_handled) when_handled(delivery);
              },
              [this](ByteView bytes) {
                for (const WireRecord& record : cut_records(bytes)) note(record);
              }};

 private:
  void note(const WireRecord& record) {
    if (record.kind == Kind::ack) {
      const Ack ack = read_record<Ack>(record);
      EXPECT_EQ(ack.channel, kChannel);
      EXPECT_TRUE(ack.lineage);
      said.push_back("ack " + std::to_string(ack.last));
      return;
    }
    const Nack nack = read_record<Nack>(record);
    if (when_nack) when_nack(nack);
    said.push_back(nack.reason == NackReason::gap ? "gap " + std::to_string(nack.last)
                                                  : "lineage " + nack.lineage.to_string());
  }
};

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

TEST_F(OwnerTest, FilterEntriesAreForgottenAfterTheirLife) {
  const auto sweep_at = [&](Time now) {
    owner.set_now(now);
    for (int i = 0; i < 100; ++i) owner.sweep();
  };
  owner.set_now(from_ms(1'000));
  data(0, 1, "a");
  data(0, 1, "b", kBob);
  answers();
  sweep_at(100'000ms);
  EXPECT_EQ(owner.filter_entries(), 2u);
  probe(1, kBob);  // a use
  answers();
  sweep_at(1'000ms + kFilterEntryLife);
  EXPECT_EQ(owner.filter_entries(), 2u);
  sweep_at(12'000ms + kFilterEntryLife);
  EXPECT_EQ(owner.filter_entries(), 1u);
  sweep_at(120'000ms + kFilterEntryLife);
  EXPECT_EQ(owner.filter_entries(), 0u);
}

/// Its bodies are lost on their way for long, its probes are not.
TEST_F(OwnerTest, AProbeAboveLastIsAUseOfTheEntry) {
  owner.set_now(from_ms(1'000));
  data(0, 1, "a");
  answers();
  owner.set_now(100'000ms);
  probe(2);
  EXPECT_THAT(answers(), ElementsAre("gap 1"));
  owner.set_now(12'000ms + kFilterEntryLife);
  for (int i = 0; i < 100; ++i) owner.sweep();
  data(1, 2, "b");
  EXPECT_EQ(handled, "ab");
}

class OwnerWithdrawn : public OwnerTest {
 protected:
  void withdraw(std::uint64_t seq, const Process& origin = kAlice) {
    owner.on_withdraw({Lane::call, origin, kChannel, seq});
  }
};

TEST_F(OwnerWithdrawn, IsNotHandledAndCountsAsHandled) {
  withdraw(2);
  data(0, 1, "abc");
  EXPECT_EQ(handled, "ac");
  EXPECT_THAT(answers(), ElementsAre("ack 3"));
  EXPECT_EQ(owner.counters().withdrawn, 1u);
  data(0, 1, "abc");
  EXPECT_EQ(handled, "ac");
}

TEST_F(OwnerWithdrawn, OfAnotherSenderOrTooLateItMeansNothing) {
  withdraw(1, kBob);
  data(0, 1, "a");
  withdraw(1);
  EXPECT_EQ(handled, "a");
  data(1, 2, "b");
  EXPECT_EQ(handled, "ab");
}

TEST_F(OwnerWithdrawn, AreBounded) {
  withdraw(1);
  for (std::uint64_t seq = 2; seq <= kMaxWithdrawn + 1; ++seq) withdraw(seq, kBob);
  data(0, 1, "a");
  EXPECT_EQ(handled, "a") << "the longest known has given way";
  data(0, 2, "b", kBob);
  EXPECT_EQ(handled, "a");
}

TEST_F(OwnerWithdrawn, AreForgotten) {
  owner.set_now(1'000ms);
  withdraw(1);
  owner.set_now(12'000ms + kFilterEntryLife);
  withdraw(5, kBob);
  data(0, 1, "a");
  EXPECT_EQ(handled, "a");
}

TEST(OwnerMemory, AMillionPairsTakeAtMost64BytesEachAndNothingOnceForgotten) {
  constexpr std::uint64_t kChannels = 1000;
  constexpr std::uint32_t kOrigins = 1000;
  Owner owner([](std::uint64_t, const Delivery&) {}, [](ByteView) {});
  owner.set_now(from_ms(1'000));
  Bytes items;
  Writer writer(items);
  writer.put(1U);
  writer.put(0U);
  writer.bytes(as_bytes("m"));
  std::size_t worst = 0;  // bytes an entry, while they grow
  for (std::uint64_t channel = 1; channel <= kChannels; ++channel) {
    owner.activate({7, channel}, kLife, kLife, channel);
  }
  for (std::uint32_t origin = 1; origin <= kOrigins; ++origin) {
    for (std::uint64_t channel = 1; channel <= kChannels; ++channel) {
      owner.on_run({Lane::call, 1, {origin % 7, origin, 1}, {7, channel}, kLife, 0, 1, items});
    }
    owner.flush_acks();
    worst = std::max(worst, owner.filter_bytes() / owner.filter_entries());
  }
  EXPECT_EQ(owner.filter_entries(), kChannels * kOrigins);
  EXPECT_LE(worst, 64u);
  owner.set_now(2'000ms + kFilterEntryLife + 1'000ms);
  for (int i = 0; i < 1'000; ++i) owner.sweep();
  EXPECT_EQ(owner.filter_entries(), 0u);
  EXPECT_EQ(owner.filter_bytes(), 0u);
}

TEST_F(OwnerTest, NothingOfADeadIncarnationIsHandledAfterItsDeath) {  // C2
  const Process reborn{kAlice.host, kAlice.slot, 2};
  data(0, 1, "a");
  owner.bury(kAlice);
  data(1, 2, "b");
  data(0, 1, "c", reborn);
  data(0, 1, "d", kBob);
  EXPECT_EQ(handled, "acd");
  EXPECT_EQ(owner.counters().from_the_dead, 1u);
  owner.set_now(2 * kFilterEntryLife);
  owner.bury(kBob);  // the first is so long ago that nothing of it can be under way
  data(1, 2, "e");
  EXPECT_EQ(handled, "acde");
}

TEST_F(OwnerTest, ADeathThatWasAnErrorIsTakenBack) {  // a busroot that had forgotten a grant
  owner.bury(kAlice);
  owner.revive(kAlice);
  data(0, 1, "a");
  EXPECT_EQ(handled, "a");
}

TEST_F(OwnerTest, RemembersABoundedNumberOfDeaths) {
  owner.bury(kAlice);
  for (std::uint32_t slot = 100; slot < 100 + kMaxDeaths; ++slot) owner.bury({1, slot, 1});
  data(0, 1, "a");
  EXPECT_EQ(handled, "a");
  data(0, 1, "b", {1, 100 + kMaxDeaths - 1, 1});
  EXPECT_EQ(handled, "a");
}

TEST_F(OwnerTest, ASenderThatRestartsWithoutEndTakesABoundedNumberOfRows) {
  const Process other{1, 7, 1};
  data(0, 1, "o", other);
  std::string expected = "o";
  for (std::uint64_t life = 1; life <= 10 * kMaxLives; ++life) {
    data(0, 1, "a", {1, 8, life});
    expected += "a";
    EXPECT_EQ(answers().size(), life == 1 ? 2u : 1u);
  }
  EXPECT_EQ(handled, expected);
  EXPECT_LE(owner.filter_entries(), kMaxLives + 2);
  data(0, 1, "x", {1, 8, 1});
  data(0, 1, "x", {1, 8, 10 * kMaxLives - kMaxLives / 2});
  data(0, 1, "x", other);
  EXPECT_EQ(handled, expected) << "nothing is handled twice";
}

TEST_F(OwnerTest, AnEntryWhoseAcknowledgementWaitsOutlivesTheSweep) {  // a long stop in between
  data(0, 1, "a");
  owner.set_now(2 * kFilterEntryLife);
  owner.sweep();
  EXPECT_THAT(answers(), ElementsAre("ack 1"));
}

}  // namespace
}  // namespace starbus::bus
