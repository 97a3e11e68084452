/// What becomes of messages when the owner of their channel has ended and another one answers.
#include <gmock/gmock.h>

#include "bus/core/origin/origin.hpp"
#include "tests/bus/core/ends/origin_harness.hpp"

namespace starbus::bus {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Failure = SendingSide::Failure;

/// The lineages of the runs that are ready, and their messages.
std::vector<std::pair<Lineage, std::vector<WireMessage>>> pull_runs(SendingSide& side) {
  std::vector<std::pair<Lineage, std::vector<WireMessage>>> runs;
  for (const WireRecord& record : side.pull()) {
    const auto run = decode_run(record.payload);
    EXPECT_TRUE(run);
    if (run) runs.emplace_back(run->lineage, messages_of(*run));
  }
  return runs;
}

/// The sequence of the question for the age of the new owner, which is all that is ready.
std::uint64_t pull_question(SendingSide& side, Lineage former = kFirst) {
  const auto runs = pull_runs(side);
  EXPECT_EQ(runs.size(), 1u);
  if (runs.size() != 1) return 0;
  const std::uint64_t seq = runs[0].second.at(0).seq;
  EXPECT_GT(seq, Succession::kFirstQuestion);
  EXPECT_EQ(runs[0], std::pair(former, std::vector<WireMessage>{{seq - 1, seq, "<tombstone>"}}));
  return seq;
}

TEST(OriginLineage, WhatIsIssuedWhenTheNewOwnerIsThereIsSentToIt) {
  SendingSide side;
  side.send(7, "a", 1, kFirst);
  side.pull();
  side.ack(7, 1);
  side.pass(1'000);  // meanwhile the owner has ended, and another is there for 500 ms
  side.send(7, "b", 2);
  side.send(7, "c", 3);
  EXPECT_THAT(pull_runs(side),
              ElementsAre(std::pair(kFirst, std::vector<WireMessage>{{0, 2, "b"}, {2, 3, "c"}})));
  side.nack(7, NackReason::lineage, 2, 500, kSecond);
  EXPECT_THAT(side.failures, IsEmpty());
  EXPECT_THAT(pull_runs(side),
              ElementsAre(std::pair(kSecond, std::vector<WireMessage>{{0, 2, "b"}, {2, 3, "c"}})));
  side.ack(7, 3, kSecond);
  EXPECT_THAT(side.acknowledged, ElementsAre(1, 2, 3));
}

TEST(OriginLineage, WhatIsOlderThanTheNewOwnerWasMeantForItsPredecessor) {
  SendingSide side;
  side.send(7, "a", 1, kFirst);
  side.pull();
  side.pass(200);
  side.send(7, "b", 2);
  side.pull();
  side.pass(100);
  side.nack(7, NackReason::lineage, 1, 150, kSecond);  // it came between the two
  EXPECT_THAT(side.failures, IsEmpty()) << "the answer may have been under way for long";
  const std::uint64_t question = pull_question(side);
  side.nack(7, NackReason::lineage, 2, 150, kSecond);  // of what was sent before
  EXPECT_THAT(side.failures, IsEmpty());
  side.nack(7, NackReason::lineage, question, 150, kSecond);
  EXPECT_THAT(side.failures, ElementsAre(Failure{1, 1, Errc::owner_lost, true}));
  EXPECT_THAT(pull_runs(side),
              ElementsAre(std::pair(kSecond, std::vector<WireMessage>{{0, 2, "b"}})));
}

TEST(OriginLineage, ARefusalThatWasUnderWayForLongIsAskedForAgain) {
  SendingSide side;
  side.send(7, "a", 1, kFirst);
  side.pull();
  side.pass(2'000);
  side.pull();
  side.nack(7, NackReason::lineage, 1, 1'000, kSecond);  // true when it was said
  EXPECT_THAT(side.failures, IsEmpty());
  const std::uint64_t question = pull_question(side);
  side.pass(10);
  side.nack(7, NackReason::lineage, question, 3'000, kSecond);
  EXPECT_THAT(side.failures, IsEmpty());
  EXPECT_THAT(pull_runs(side),
              ElementsAre(std::pair(kSecond, std::vector<WireMessage>{{0, 1, "a"}})));
}

/// A message that was sent when its owner had been there for 1.2 s, twice, and both refusals stood
/// on a link until 3 s later. The first of them has come.
struct LateRefusals : SendingSide {
  LateRefusals() {
    pass(5'000);
    send(7, "a", 1, kFirst);
    pull();
    pass(300);
    origin.on_session();
    pull();
    pass(2'700);
    pull();
    nack(7, NackReason::lineage, 1, 1'200, kSecond);
  }
};

TEST(OriginLineage, ALateRefusalOfAnEarlierCopyIsNotTheAnswer) {
  LateRefusals side;
  const std::uint64_t question = pull_question(side);
  for (const std::uint64_t age : {1'500u, 1'501u, 1'502u, 1'503u, 1'504u}) {
    side.nack(7, NackReason::lineage, 1, age, kSecond);
    EXPECT_THAT(side.failures, IsEmpty()) << "said before the question";
    EXPECT_THAT(pull_runs(side), IsEmpty()) << "one question at a time";
  }
  side.pass(10);
  side.nack(7, NackReason::lineage, question, 4'210, kSecond);
  EXPECT_THAT(side.failures, IsEmpty());
  EXPECT_THAT(pull_runs(side),
              ElementsAre(std::pair(kSecond, std::vector<WireMessage>{{0, 1, "a"}})));
}

TEST(OriginLineage, AQuestionIsRepeatedAsItIsUntilItIsAnswered) {
  LateRefusals side;
  const std::uint64_t question = pull_question(side);
  side.pass(200);
  EXPECT_EQ(side.pull_probe(), 1u) << "it was lost";
  side.nack(7, NackReason::gap, 1, 0, kSecond);
  EXPECT_EQ(pull_question(side), question);
  side.nack(7, NackReason::overflow, question);
  side.pass(10);
  EXPECT_EQ(side.pull_probe(), 1u) << "held back";
  side.nack(7, NackReason::gap, 1, 0, kSecond);
  EXPECT_EQ(pull_question(side), question);
  side.origin.on_session();
  EXPECT_EQ(pull_question(side), question);
  side.nack(7, NackReason::lineage, question, 4'400, kSecond);
  EXPECT_EQ(pull_runs(side).at(0).first, kSecond);
}

TEST(OriginLineage, WhatOneAnswerHasClearedNoLaterOneFails) {
  SendingSide side;
  side.pass(5'000);
  const Time begun = side.now() + from_ms(50);
  side.send(7, "a", 1, kFirst);
  side.pull();
  side.pass(100);
  side.send(7, "b", 2);
  side.pull();
  side.pass(100);
  side.pull();
  side.nack(7, NackReason::lineage, 1, 150, kSecond);
  for (int i = 0; i < 4; ++i) {  // answered after 60 ms, and heard after a second
    EXPECT_THAT(side.failures, IsEmpty());
    const std::uint64_t question = pull_question(side);
    const auto age = static_cast<std::uint64_t>((side.now() - begun) / from_ms(1)) + 60;
    side.pass(1'000);
    side.pull();
    side.nack(7, NackReason::lineage, question, age, kSecond);
  }
  EXPECT_THAT(side.failures, ElementsAre(Failure{1, 1, Errc::owner_lost, true}));
  EXPECT_THAT(pull_runs(side),
              ElementsAre(std::pair(kSecond, std::vector<WireMessage>{{0, 2, "b"}})));
}

TEST(OriginLineage, ARefusalOfAnOwnerThatHasEndedTooSaysNothing) {
  SendingSide side;
  side.pass(5'000);
  side.send(7, "a", 1, kFirst);
  side.pull();
  side.nack(7, NackReason::gap, 1, 0, SendingSide::lineage(3));
  pull_question(side);
  side.nack(7, NackReason::lineage, 1, 2'000, kSecond);
  EXPECT_THAT(side.failures, IsEmpty());
  EXPECT_THAT(side.pull(), IsEmpty()) << "the third owner may be younger than the message";
}

TEST(OriginLineage, ALateNoOwnerForAQuestionFailsNothingElse) {
  LateRefusals side;
  const std::uint64_t question = pull_question(side);
  side.nack(7, NackReason::lineage, question, 4'200, kSecond);
  side.nack(7, NackReason::no_owner, question);
  side.nack(7, NackReason::overflow, question);
  EXPECT_THAT(side.failures, IsEmpty());
  EXPECT_EQ(pull_runs(side).at(0).first, kSecond);
}

TEST(OriginLineage, NoOwnerForTheQuestionIsTheEndOfTheMessages) {
  LateRefusals side;
  side.nack(7, NackReason::no_owner, pull_question(side));
  EXPECT_THAT(side.failures, ElementsAre(Failure{1, 1, Errc::owner_lost, true}));
}

TEST(OriginLineage, WhatWasIssuedAfterAQuestionThatNobodyHearsAsksForItself) {
  LateRefusals side;
  const std::uint64_t question = pull_question(side);
  side.pass(20);
  const std::uint64_t later = side.send(7, "b", 2);
  side.nack(7, NackReason::no_owner, question);
  EXPECT_THAT(side.failures, ElementsAre(Failure{1, 1, Errc::owner_lost, true}));
  EXPECT_EQ(side.pull_probe(), later);
  side.nack(7, NackReason::no_owner, later);
  EXPECT_EQ(side.failures.back(), (Failure{2, later, Errc::no_owner, false}));
}

TEST(OriginLineage, AnOwnerThatDoesNotTellItsAgeMayHaveComeJustNow) {
  SendingSide side;
  side.send(7, "a", 1, kFirst);
  side.pull();
  side.pass(1'000);
  side.nack(7, NackReason::lineage, 1, 0, kSecond);
  EXPECT_THAT(side.failures, ElementsAre(Failure{1, 1, Errc::owner_lost, true}));
}

TEST(OriginLineage, ClocksThatDriftAreAllowedFor) {
  SendingSide side;
  side.send(7, "a", 1, kFirst);
  side.pull();
  side.pass(10'000);
  side.pull();
  side.nack(7, NackReason::lineage, 1, 10'005, kSecond);
  for (int i = 0; i < 4; ++i) {  // by this clock it came just before the message
    EXPECT_THAT(side.failures, IsEmpty());
    side.nack(7, NackReason::lineage, pull_question(side), 10'005, kSecond);
  }
  EXPECT_THAT(side.failures, ElementsAre(Failure{1, 1, Errc::owner_lost, true}));
}

TEST(OriginLineage, AGapOfANewOwnerIsAskedForItsAge) {
  SendingSide side;
  side.send(7, "a", 1, kFirst);
  side.send(7, "b", 2);
  side.pull();
  side.pass(200);
  side.pull();
  side.nack(7, NackReason::gap, 2, 0, kSecond);  // the body was lost on its way
  side.send(7, "c", 3);
  EXPECT_THAT(side.failures, IsEmpty());
  const std::uint64_t question = pull_question(side);  // and nothing new goes to a dead owner
  side.nack(7, NackReason::lineage, question, 900, kSecond);
  EXPECT_THAT(pull_runs(side),
              ElementsAre(std::pair(
                  kSecond, std::vector<WireMessage>{{0, 1, "a"}, {1, 2, "b"}, {2, 3, "c"}})));
}

TEST(OriginLineage, ALateAcknowledgementOfTheFormerOwnerStillCounts) {
  SendingSide side;
  side.send(7, "a", 1, kFirst);
  side.pull();
  side.send(7, "b", 2, kSecond);
  side.ack(7, 1, kFirst);
  EXPECT_THAT(side.acknowledged, ElementsAre(1));
  side.pass(10);
  bool sent = false;
  for (const WireRecord& record : side.pull()) {
    if (record.kind != Kind::data) continue;
    sent = true;
    EXPECT_EQ(decode_run(record.payload)->lineage, kSecond);
  }
  EXPECT_TRUE(sent);
}

TEST(OriginLineage, RebornTwiceWhatReachedTheSecondOwnerIsNotForTheThird) {
  SendingSide side;
  side.send(7, "a", 1, kFirst);
  side.pull();
  side.nack(7, NackReason::lineage, 1, 900, kSecond);
  side.pull();  // to the second owner, which handles it; its answer is lost
  side.pass(300);
  side.pull();
  side.nack(7, NackReason::lineage, 1, 200, SendingSide::lineage(3));
  side.nack(7, NackReason::lineage, pull_question(side, kSecond), 200, SendingSide::lineage(3));
  EXPECT_THAT(side.failures, ElementsAre(Failure{1, 1, Errc::owner_lost, true}));
}

TEST(OriginLineage, AnExpiredOneKeepsItsPlaceForTheNewOwner) {
  SendingSide side;
  side.send(7, "a", 1, kFirst, side.now() + 50ms);
  side.send(7, "b", 2);
  side.pull();
  side.pass(100);
  side.pull();
  EXPECT_THAT(side.failures, ElementsAre(Failure{1, 1, Errc::expired, true}));
  side.nack(7, NackReason::lineage, 1, 900, kSecond);
  const auto runs = pull_runs(side);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].second.back().seq, 2u);
  side.ack(7, 2, kSecond);
  EXPECT_TRUE(side.origin.idle());
}

TEST(OriginLineage, AProcessIsOneLife) {
  SendingSide side;
  const Destination reply{Process{1, 2, 3}.channel(), kFirst, {}};
  EXPECT_TRUE(side.origin.send(reply, Lane::call, {}, as_bytes("a"), 1, {}));
  side.pull();
  side.origin.on_nack({Lane::call, {}, reply.channel, 1, NackReason::lineage, kSecond, 900});
  EXPECT_THAT(side.failures, ElementsAre(Failure{1, 1, Errc::owner_lost, true}));
}

}  // namespace
}  // namespace starbus::bus
