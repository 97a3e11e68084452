/// Custody of one stream: probes, chains, releases, resends, lineages, failures.
#include "bus/core/origin/origin.hpp"

#include <gmock/gmock.h>

#include "tests/bus/core/ends/origin_harness.hpp"

namespace starbus::bus {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using Failure = SendingSide::Failure;

TEST(Origin, ProbesFirstWhenTheLineageIsUnknown) {
  SendingSide side;
  side.send(7, "a");
  side.send(7, "b");
  EXPECT_EQ(side.pull_probe(), 2u);
  EXPECT_THAT(side.pull(), IsEmpty());
  side.nack(7, NackReason::gap, 2, 0, kFirst);
  EXPECT_THAT(side.pull_messages(), ElementsAre(WireMessage{0, 1, "a"}, WireMessage{1, 2, "b"}));
}

TEST(Origin, AHintSavesTheProbe) {
  SendingSide side;
  side.send(7, "a", 0, kFirst);
  EXPECT_THAT(side.pull_messages(), ElementsAre(WireMessage{0, 1, "a"}));
}

TEST(Origin, SequencesGrowPerLaneOverAllChannels) {
  SendingSide side;
  EXPECT_EQ(side.send(1, "a", 0, kFirst), 1u);
  EXPECT_EQ(side.send(2, "b", 0, kFirst), 2u);
  EXPECT_EQ(side.send(1, "c", 0, kFirst, {}, Lane::bulk), 1u);
  EXPECT_EQ(side.send(1, "d", 0, kFirst), 3u);
  EXPECT_THAT(
      side.pull_messages(),
      UnorderedElementsAre(WireMessage{0, 1, "a"}, WireMessage{1, 3, "d"}, WireMessage{0, 2, "b"}));
}

TEST(Origin, ChainsToTheLatestUnacknowledgedOnly) {
  SendingSide side;
  side.send(7, "a", 0, kFirst);
  side.pull();
  side.ack(7, 1);
  side.send(7, "b");
  side.send(7, "c");
  EXPECT_THAT(side.pull_messages(), ElementsAre(WireMessage{0, 2, "b"}, WireMessage{2, 3, "c"}));
  side.ack(7, 2);
  side.send(7, "d");
  EXPECT_THAT(side.pull_messages(), ElementsAre(WireMessage{3, 4, "d"}));
}

TEST(Origin, AckReleasesTheChainUpToLast) {
  SendingSide side;
  for (Token token = 1; token <= 4; ++token) side.send(7, "m", token, kFirst);
  side.pull();
  side.ack(7, 3);
  EXPECT_THAT(side.acknowledged, ElementsAre(1, 2, 3));
  EXPECT_TRUE(side.origin.unacknowledged(side.channel(7), Lane::call));
  side.ack(7, 4);
  EXPECT_TRUE(side.origin.idle());
  EXPECT_EQ(side.origin.unacknowledged_bytes(), 0u);
}

TEST(Origin, AReplyReleasesNothingThatHasNotLeft) {
  SendingSide side;
  for (Token token = 1; token <= 3; ++token) side.send(7, "m", token);
  side.pull();  // a probe only
  side.ack(7, ~std::uint64_t{0});
  EXPECT_THAT(side.acknowledged, IsEmpty());
  EXPECT_TRUE(side.origin.unacknowledged(side.channel(7), Lane::call));
}

TEST(Origin, GapReleasesAndResendsTheRestOncePerRoundTrip) {
  SendingSide side;
  for (Token token = 1; token <= 10; ++token) side.send(7, "m", token, kFirst);
  EXPECT_EQ(side.pull_messages().size(), 10u);
  for (std::uint64_t seq = 5; seq <= 10; ++seq) {  // F13: every record behind the gap says so
    side.nack(7, NackReason::gap, seq, 3, kFirst);
  }
  EXPECT_THAT(side.acknowledged, ElementsAre(1, 2, 3));
  const auto again = side.pull_messages();
  ASSERT_EQ(again.size(), 7u);
  EXPECT_EQ(again.front(), (WireMessage{3, 4, "m"}));
  side.nack(7, NackReason::gap, 10, 3, kFirst);
  EXPECT_THAT(side.pull(), IsEmpty());
  side.nack(7, NackReason::gap, 10, 5, kFirst);  // another gap
  EXPECT_EQ(side.pull_messages().size(), 5u);
  side.pass(10);
  side.nack(7, NackReason::gap, 10, 5, kFirst);  // the same, a round trip later
  EXPECT_EQ(side.pull_messages().size(), 5u);
}

TEST(Origin, AHigherLineageFailsWhatWasSentAndChainsTheRestAnew) {
  SendingSide side;
  side.send(7, "a", 1, kFirst);
  side.send(7, "b", 2);
  side.pull();
  side.send(7, "c", 3);
  side.send(7, "d", 4);
  side.nack(7, NackReason::lineage, 1, 0, kSecond);
  EXPECT_THAT(side.failures, ElementsAre(Failure{1, 1, Errc::owner_lost, true},
                                         Failure{2, 2, Errc::owner_lost, true}));
  const auto records = side.pull();
  ASSERT_EQ(records.size(), 1u);
  const auto run = decode_run(records[0].payload);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->lineage, kSecond);
  EXPECT_THAT(messages_of(*run), ElementsAre(WireMessage{0, 3, "c"}, WireMessage{3, 4, "d"}));
}

TEST(Origin, AReplyOfALowerLineageIsIgnored) {
  SendingSide side;
  side.send(7, "a", 1, kSecond);
  side.pull();
  side.ack(7, 1, kFirst);
  side.nack(7, NackReason::gap, 1, 1, kFirst);
  side.nack(7, NackReason::lineage, 1, 0, kFirst);
  EXPECT_THAT(side.acknowledged, IsEmpty());
  EXPECT_THAT(side.pull(), IsEmpty());
}

TEST(Origin, AHigherLineageInAHintHoldsWhatFollowsUntilItsOwnerSpeaks) {
  SendingSide side;
  side.send(7, "a", 1, kFirst);
  side.pull();
  side.send(7, "b", 2, kSecond);
  side.send(7, "c", 3, kSecond);
  EXPECT_EQ(side.pull_probe(), 1u);
  side.nack(7, NackReason::lineage, 1, 0, kSecond);
  EXPECT_THAT(side.failures, ElementsAre(Failure{1, 1, Errc::owner_lost, true}));
  EXPECT_THAT(side.pull_messages(), ElementsAre(WireMessage{0, 2, "b"}, WireMessage{2, 3, "c"}));
}

TEST(Origin, NoOwnerIsDefiniteOnlyForBodiesThatNeverLeft) {
  SendingSide side;
  side.send(7, "a", 1, kFirst);
  side.pull();
  side.send(7, "b", 2);
  side.nack(7, NackReason::no_owner, 1);
  EXPECT_THAT(side.failures, IsEmpty()) << "an owner may have come meanwhile";
  const auto asked = side.pull_messages();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_GT(asked[0].seq, Succession::kFirstQuestion);
  side.pass(10);
  side.send(7, "c", 3);
  EXPECT_THAT(side.pull(), IsEmpty()) << "no body leaves before the answer";
  side.nack(7, NackReason::no_owner, asked[0].seq);
  EXPECT_THAT(side.failures, ElementsAre(Failure{1, 1, Errc::owner_lost, true},
                                         Failure{2, 2, Errc::no_owner, false}));
  EXPECT_EQ(side.pull_probe(), 3u) << "the lineage is forgotten";
  side.nack(7, NackReason::no_owner, 3);
  EXPECT_THAT(side.failures, ElementsAre(Failure{1, 1, Errc::owner_lost, true},
                                         Failure{2, 2, Errc::no_owner, false},
                                         Failure{3, 3, Errc::no_owner, false}));
  EXPECT_TRUE(side.origin.idle());
}

/// It was under way for long, and the owner of this life has come meanwhile.
TEST(Origin, ALateNoOwnerEndsNothingThatAnOwnerHas) {
  SendingSide side;
  side.send(7, "a", 1, kFirst);
  side.send(7, "b", 2);
  side.pull();
  side.nack(7, NackReason::no_owner, 1);
  const auto asked = side.pull_messages();
  ASSERT_EQ(asked.size(), 1u);
  side.send(7, "c", 3);
  side.nack(7, NackReason::gap, asked[0].seq, 1, kFirst);
  EXPECT_THAT(side.failures, IsEmpty());
  EXPECT_THAT(side.acknowledged, ElementsAre(1));
  EXPECT_THAT(side.pull_messages(), ElementsAre(WireMessage{1, 2, "b"}, WireMessage{2, 3, "c"}));
  side.ack(7, 3);
  EXPECT_TRUE(side.origin.idle());
}

/// The answer to the first one was under way for long: the owner has come meanwhile, and the second
/// one was sent to it.
TEST(Origin, ALateNoOwnerSaysNothingOfWhatWasIssuedAfterItsMessage) {
  SendingSide side;
  side.send(7, "a", 1);
  EXPECT_EQ(side.pull_probe(), 1u);
  side.pass(50);
  side.send(7, "b", 2);
  side.nack(7, NackReason::no_owner, 1);
  EXPECT_THAT(side.failures, ElementsAre(Failure{1, 1, Errc::no_owner, false}));
  EXPECT_EQ(side.pull_probe(), 2u);
  side.nack(7, NackReason::no_owner, 1);  // to another copy
  EXPECT_EQ(side.failures.size(), 1u);
  side.nack(7, NackReason::gap, 2, 0, kFirst);
  EXPECT_THAT(side.pull_messages(), ElementsAre(WireMessage{0, 2, "b"})) << "a chain of its own";
  side.ack(7, 2);
  EXPECT_THAT(side.acknowledged, ElementsAre(2));
  EXPECT_TRUE(side.origin.idle());
}

TEST(Origin, ANoOwnerOfAnAcknowledgedMessageMeansNothing) {
  SendingSide side;
  side.send(7, "a", 1, kFirst);
  side.send(7, "b", 2);
  side.pull();
  side.ack(7, 1);
  side.nack(7, NackReason::no_owner, 1);
  EXPECT_THAT(side.failures, IsEmpty());
}

TEST(Origin, ANewSessionSendsEverythingAgain) {
  SendingSide side;
  side.send(7, "a", 1, kFirst);
  side.send(7, "b", 2);
  side.send(8, "c", 3);
  side.pull();
  side.origin.on_session();
  bool probed = false;
  std::vector<WireMessage> again;
  for (const WireRecord& record : side.pull()) {
    if (record.kind == Kind::probe) {
      probed = true;
      EXPECT_EQ(read_record<Probe>(record).seq, 3u);
    } else {
      for (auto& message : messages_of(*decode_run(record.payload))) again.push_back(message);
    }
  }
  EXPECT_TRUE(probed);
  EXPECT_THAT(again, ElementsAre(WireMessage{0, 1, "a"}, WireMessage{1, 2, "b"}));
}

TEST(Origin, FailAllTellsEachFate) {
  SendingSide side;
  side.send(7, "a", 1, kFirst);
  side.pull();
  side.send(7, "b", 2);
  side.send(8, "c", 3);
  side.origin.fail_all();
  EXPECT_THAT(side.failures, UnorderedElementsAre(Failure{1, 1, Errc::owner_lost, true},
                                                  Failure{2, 2, Errc::no_owner, false},
                                                  Failure{3, 3, Errc::no_owner, false}));
  EXPECT_TRUE(side.origin.idle());
  EXPECT_THAT(side.pull(), IsEmpty());
}

TEST(Origin, AMarkIsSettledWhenAllBeforeItEnded) {
  SendingSide side;
  side.send(7, "a", 0, kFirst);
  side.send(8, "b", 0, kFirst, {}, Lane::bulk);
  const auto mark = side.origin.mark();
  side.send(7, "c");
  side.pull();
  side.pull(Lane::bulk);
  EXPECT_FALSE(side.origin.settled(mark));
  side.ack(7, 1);
  EXPECT_FALSE(side.origin.settled(mark));
  side.no_owner(8, 1, Lane::bulk);
  EXPECT_TRUE(side.origin.settled(mark)) << "c was sent after the mark";
}

TEST(Origin, ForgetsTheLongestIdleLineageBeyondTheCache) {
  SendingSide side;
  const auto exchange = [&](std::uint64_t to) {
    const std::uint64_t seq = side.send(to, "m", 0, kFirst);
    side.pull();
    side.ack(to, seq);
  };
  for (std::uint64_t to = 1; to <= kLineageCache; ++to) exchange(to);
  exchange(1);                  // used again: now 2 is the longest idle
  exchange(kLineageCache + 1);  // one too many
  side.send(1, "m");
  EXPECT_EQ(side.pull_messages().size(), 1u);
  const std::uint64_t seq = side.send(2, "m");
  EXPECT_EQ(side.pull_probe(), seq);
}

TEST(Origin, SaysTheNameOncePerStreamAndSessionUnderARestrictedRole) {
  SendingSide side;
  const Destination to{side.channel(7), kFirst, "entity/7"};
  ASSERT_TRUE(side.origin.send(to, Lane::call, {}, as_bytes("a"), 0, {}));
  ASSERT_TRUE(side.origin.send(to, Lane::call, {}, as_bytes("b"), 0, {}));
  auto records = side.pull();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(read_record<Open>(records[0]).channel_name, "entity/7");
  EXPECT_EQ(records[1].kind, Kind::data);
  ASSERT_TRUE(side.origin.send(to, Lane::call, {}, as_bytes("c"), 0, {}));
  EXPECT_EQ(side.pull_messages().size(), 1u);
  ASSERT_TRUE(side.origin.send(to, Lane::bulk, {}, as_bytes("d"), 0, {}));
  records = side.pull(Lane::bulk);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].kind, Kind::open);
  side.origin.on_session();
  records = side.pull();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].kind, Kind::open);
}

TEST(Origin, MessagesOfAnyDistanceKeepTheirChain) {
  SendingSide side;
  side.send(7, "a", 0, kFirst);
  for (int i = 0; i < 1000; ++i) side.send(8, "x", 0, kFirst);
  side.send(7, "b");
  std::vector<WireMessage> to_seven;
  for (auto& message : side.pull_messages()) {
    if (message.body != "x") to_seven.push_back(message);
  }
  EXPECT_THAT(to_seven, ElementsAre(WireMessage{0, 1, "a"}, WireMessage{1, 1002, "b"}));
}

TEST(Origin, CutsRunsAndSendsALargeMessageAlone) {
  SendingSide side;
  side.send(7, text_of(20'000), 0, kFirst);
  side.send(7, text_of(20'000));
  side.send(7, text_of(200'000));
  side.send(7, "tail");
  Bytes out;
  std::vector<bool> large;
  while (side.origin.ready(Lane::call)) {
    Bytes piece;
    const FillResult pulled = side.origin.fill_bundle(Lane::call, 1'000'000, piece);
    EXPECT_EQ(pulled.bytes, piece.size());
    EXPECT_TRUE(!pulled.large || cut_records(piece).size() == 1);
    large.push_back(pulled.large);
    out.insert(out.end(), piece.begin(), piece.end());
  }
  EXPECT_THAT(large, ElementsAre(false, true, false));
  std::uint64_t seq = 0;
  for (const WireRecord& record : cut_records(out)) {
    const auto run = decode_run(record.payload);
    ASSERT_TRUE(run);
    for (const WireMessage& message : messages_of(*run)) {
      EXPECT_EQ(message.prev, seq);
      EXPECT_EQ(message.seq, ++seq);
    }
  }
  EXPECT_EQ(seq, 4u);
}

TEST(Origin, StreamsTakeTurns) {
  SendingSide side;
  for (int i = 0; i < 20; ++i) side.send(7, text_of(8'000), 0, kFirst);
  side.send(8, "quick", 0, kFirst);
  Bytes out;
  side.origin.fill_bundle(Lane::call, 48 * 1024, out);
  const auto records = cut_records(out);
  ASSERT_GE(records.size(), 2u);
  EXPECT_EQ(decode_run(records[1].payload)->channel, side.channel(8));
}

}  // namespace
}  // namespace starbus::bus
