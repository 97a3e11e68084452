/// What becomes of messages when the owner of their channel has ended and another one answers.
#include <gmock/gmock.h>

#include "bus/core/origin/origin.hpp"
#include "tests/bus/core/ends/origin_harness.hpp"

namespace starbus::bus {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Failure = SendingSide::Failure;

const Lineage kFirst = SendingSide::lineage(1);
const Lineage kSecond = SendingSide::lineage(2);

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
  EXPECT_THAT(pull_runs(side),
              ElementsAre(std::pair(kFirst, std::vector<WireMessage>{{0, 1, "a"}})));
  side.nack(7, NackReason::lineage, 2, 150, kSecond);  // of what was sent before
  EXPECT_THAT(side.failures, IsEmpty());
  side.nack(7, NackReason::lineage, 1, 150, kSecond);
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
  EXPECT_EQ(pull_runs(side).size(), 1u);
  side.pass(10);
  side.nack(7, NackReason::lineage, 1, 3'000, kSecond);
  EXPECT_THAT(side.failures, IsEmpty());
  EXPECT_THAT(pull_runs(side),
              ElementsAre(std::pair(kSecond, std::vector<WireMessage>{{0, 1, "a"}})));
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
  for (int i = 0; i < 5; ++i) {  // by this clock it came just before the message
    EXPECT_THAT(side.failures, IsEmpty());
    side.nack(7, NackReason::lineage, 1, 10'005, kSecond);
    side.pull();
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
  EXPECT_THAT(pull_runs(side),
              ElementsAre(std::pair(kFirst, std::vector<WireMessage>{{0, 1, "a"}})))
      << "one is enough, and nothing new goes to a dead owner";
  side.nack(7, NackReason::lineage, 1, 900, kSecond);
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
  side.nack(7, NackReason::lineage, 1, 200, SendingSide::lineage(3));
  side.pull();
  side.nack(7, NackReason::lineage, 1, 200, SendingSide::lineage(3));
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
