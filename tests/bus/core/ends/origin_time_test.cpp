/// What an origin does by itself as time passes: probes, chokes, expiry; and withdrawal.
#include <gmock/gmock.h>

#include "tests/bus/core/ends/origin_harness.hpp"

namespace starbus::bus {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Failure = SendingSide::Failure;

/// Milliseconds between the probes of the next `ms`.
std::vector<std::int64_t> probe_pauses(SendingSide& side, std::uint64_t ms) {
  std::vector<std::int64_t> pauses;
  Time latest = side.now();
  for (std::uint64_t spent = 0; spent < ms; spent += 10) {
    side.pass(10);
    if (side.pull_probe() == 0) continue;
    pauses.push_back((side.now() - latest) / std::chrono::milliseconds(1));
    latest = side.now();
  }
  return pauses;
}

TEST(OriginTime, ProbesTheTailOfASilentStreamWithBackOff) {
  SendingSide side;
  side.pass(10);
  side.send(7, "a", 0, kFirst);
  side.send(7, "b");
  side.pull();
  EXPECT_THAT(probe_pauses(side, 5'000), ElementsAre(110, 210, 410, 810, 1010, 1010, 1010));
  side.nack(7, NackReason::gap, 2, 0, kFirst);
  EXPECT_EQ(side.pull_messages().size(), 2u);
  EXPECT_THAT(probe_pauses(side, 150), ElementsAre(110)) << "an answer ends the back-off";
}

TEST(OriginTime, SilenceIsFourRoundTripsOnASlowRoad) {
  SendingSide side;
  side.pass(10);
  side.send(7, "a", 0, kFirst);
  side.pull();
  side.pass(80);
  side.ack(7, 1);
  side.send(7, "b");
  side.pull();
  EXPECT_THAT(probe_pauses(side, 400), ElementsAre(330));
}

/// The owner would have forgotten the stream by the time of the next probe.
TEST(OriginTime, OneLateAnswerDoesNotSilenceAStream) {
  SendingSide side;
  side.pass(10);
  side.send(7, "a", 0, kFirst);
  side.pull();
  side.pass(40'000);
  side.ack(7, 1);
  side.send(7, "b");
  side.pull();
  EXPECT_THAT(probe_pauses(side, 11'000), ElementsAre(10'010));
}

TEST(OriginTime, AFailedMessageIsNoRoundTrip) {
  SendingSide side;
  side.pass(10);
  side.send(7, "a", 0, kFirst);
  side.pull();
  side.no_owner(7, 1);
  side.pass(60'000);
  side.send(7, "b", 0, kFirst);
  side.pull();
  side.pass(20);
  side.ack(7, 2);
  side.send(7, "c");
  side.pull();
  EXPECT_THAT(probe_pauses(side, 150), ElementsAre(110));
}

TEST(OriginTime, WhatWaitsForOurOwnLinkIsNotProbedFor) {
  SendingSide side;
  side.pass(10);
  side.send(7, "a", 0, kFirst);
  side.pass(500);  // the link takes nothing
  EXPECT_THAT(side.pull_messages(), ElementsAre(WireMessage{0, 1, "a"}));
  EXPECT_THAT(probe_pauses(side, 150), ElementsAre(110));
}

TEST(OriginTime, AfterALongOutageTheNewSessionBeginsWithTheMessages) {
  SendingSide side;
  side.pass(10);
  side.send(7, "a", 0, kFirst);
  side.pull();
  side.pass(5'000);
  side.origin.on_session();
  side.pass(10);
  EXPECT_THAT(side.pull_messages(), ElementsAre(WireMessage{0, 1, "a"}));
}

TEST(OriginTime, OverflowChokesToProbesUntilTheOwnerAnswers) {
  SendingSide side;
  side.pass(10);
  side.send(7, "a", 0, kFirst);
  side.send(7, "b");
  side.pull();
  side.nack(7, NackReason::overflow, 1);
  side.send(7, "c");
  EXPECT_THAT(side.pull(), IsEmpty());
  EXPECT_THAT(probe_pauses(side, 5'000),
              ElementsAre(10, 20, 40, 80, 160, 320, 640, 1000, 1000, 1000));
  side.origin.on_session();
  EXPECT_THAT(side.pull(), IsEmpty()) << "a new session does not end a choke";
  side.nack(7, NackReason::overflow, 3);  // the probe was refused, too
  EXPECT_THAT(side.pull(), IsEmpty());
  side.ack(7, 1);
  EXPECT_THAT(side.pull_messages(), ElementsAre(WireMessage{1, 2, "b"}, WireMessage{2, 3, "c"}));
  EXPECT_EQ(side.origin.counters().chokes, 1u);
}

/// All of it at once would only fill the same queue again.
TEST(OriginTime, HalfAsMuchIsOnItsWayBehindAnOverflow) {
  constexpr std::size_t kCount = 128;
  const std::string body(1024 - kItemHeader, 'x');
  SendingSide side;
  side.pass(10);
  for (std::size_t i = 0; i < kCount; ++i) side.send(7, body, 0, kFirst);
  EXPECT_EQ(side.pull_messages().size(), kCount);
  side.nack(7, NackReason::overflow, 100);
  side.pass(10);
  EXPECT_EQ(side.pull_probe(), kCount);
  side.nack(7, NackReason::gap, kCount, 0, kFirst);
  EXPECT_EQ(side.pull_messages().size(), 64u) << "of 128 KiB";
  side.pass(kProbeFirst + 10ms);
  EXPECT_EQ(side.pull_probe(), 64u) << "the rest would only be told to be missing";
  side.ack(7, 32, kFirst);
  EXPECT_EQ(side.pull_messages().size(), 36u) << "an eighth more";

  // Each overflow halves it, down to the least; a choked stream is not halved twice.
  for (std::uint64_t i = 0; i < 8; ++i) {
    side.nack(7, NackReason::overflow, 101);
    side.nack(7, NackReason::overflow, 102);
    side.nack(7, NackReason::gap, 101, 32, kFirst);
    const std::size_t expected = i == 0 ? 34 : i == 1 ? 17 : kLeastInFlight / 1024;
    EXPECT_EQ(side.pull_messages().size(), expected) << i;
  }
  side.ack(7, kCount, kFirst);  // what has all been released begins anew
  for (std::size_t i = 0; i < kCount; ++i) side.send(7, body);
  EXPECT_EQ(side.pull_messages().size(), kCount);
}

TEST(OriginTime, RoomMakesChokedStreamsProbeAtOnce) {
  SendingSide side;
  side.pass(10);
  side.send(7, "a", 0, kFirst);
  side.send(8, "b", 0, kFirst);
  side.pull();
  side.nack(7, NackReason::overflow, 1);
  side.ack(8, 1);
  probe_pauses(side, 1'000);  // its back-off is long by now
  side.origin.on_room();
  EXPECT_EQ(side.pull_probe(), 1u);
  EXPECT_EQ(side.pull_probe(), 0u) << "nobody else has reason to";
  EXPECT_THAT(probe_pauses(side, 100), ElementsAre(10, 20, 40)) << "if that was too early";
}

TEST(OriginTime, ALateOverflowOfAnAcknowledgedMessageMeansNothing) {
  SendingSide side;
  side.send(7, "a", 0, kFirst);
  side.send(7, "b");
  side.pull();
  side.ack(7, 1);
  side.nack(7, NackReason::overflow, 1);
  side.send(7, "c");
  EXPECT_EQ(side.pull_messages().size(), 1u);
}

TEST(OriginTime, AChokedStreamResumesUnderAHigherLineage) {
  SendingSide side;
  side.send(7, "a", 1, kFirst);
  side.pull();
  side.send(7, "b", 2);
  side.nack(7, NackReason::overflow, 1);
  side.nack(7, NackReason::gap, 2, 0, kSecond);
  const auto question = side.pull_messages();
  ASSERT_EQ(question.size(), 1u);
  EXPECT_EQ(question[0].body, "<tombstone>") << "to be refused";
  side.nack(7, NackReason::lineage, 1, 0, kSecond);
  EXPECT_THAT(side.failures, ElementsAre(Failure{1, 1, Errc::owner_lost, true}));
  EXPECT_THAT(side.pull_messages(), ElementsAre(WireMessage{0, 2, "b"}));
}

TEST(OriginTime, AnExpiredMessageBecomesATombstoneInItsChain) {
  SendingSide side;
  side.pass(10);
  side.send(7, "a", 1, kFirst);
  side.send(7, "b", 2, {}, side.now() + from_ms(50));
  side.send(7, "c", 3);
  side.pass(40);
  EXPECT_THAT(side.failures, IsEmpty());
  side.pass(10);
  EXPECT_THAT(side.failures, ElementsAre(Failure{2, 2, Errc::expired, false}));
  EXPECT_THAT(side.pull_messages(),
              ElementsAre(WireMessage{0, 1, "a"}, WireMessage{1, 2, "<tombstone>"},
                          WireMessage{2, 3, "c"}));
  side.ack(7, 3);
  EXPECT_THAT(side.acknowledged, ElementsAre(1, 3));
  EXPECT_EQ(side.origin.unacknowledged_bytes(), 0u);
}

TEST(OriginTime, ALifeHasALimit) {
  for (const std::uint64_t days : {25u, 30u, 60u, 100'000u}) {
    SendingSide side;
    side.pass(10);
    side.send(7, "a", 1, {}, side.now() + from_ms(days * 24 * 3600 * 1000));
    side.pass(1'000);
    EXPECT_THAT(side.failures, IsEmpty()) << days << " days";
    side.jump(kLongestLife);
    EXPECT_THAT(side.failures, ElementsAre(Failure{1, 1, Errc::expired, false})) << days << " days";
  }
}

TEST(OriginTime, ExpiryOfASentMessageSaysSo) {
  SendingSide side;
  side.pass(10);
  side.send(7, "a", 1, kFirst, side.now() + from_ms(50));
  side.pull();
  side.pass(60);
  EXPECT_THAT(side.failures, ElementsAre(Failure{1, 1, Errc::expired, true}));
  side.origin.on_session();
  EXPECT_THAT(side.pull_messages(), ElementsAre(WireMessage{0, 1, "<tombstone>"}));
}

TEST(OriginTime, ATombstoneFailsNotAgainWithItsOwner) {
  SendingSide side;
  side.pass(10);
  side.send(7, "a", 1, kFirst, side.now() + from_ms(50));
  side.send(7, "b", 2);
  side.pull();
  side.origin.withdraw(side.channel(7), Lane::call, 2);
  side.pass(60);
  side.nack(7, NackReason::no_owner, 2);
  EXPECT_THAT(side.failures, ElementsAre(Failure{1, 1, Errc::expired, true}));
}

TEST(OriginTime, AWithdrawnMessageLeavesATombstoneAndNoEvent) {
  SendingSide side;
  side.send(7, "a", 1, kFirst);
  side.send(7, "b", 2);
  side.pull();
  side.send(7, "c", 3);
  side.origin.withdraw(side.channel(7), Lane::call, 1);
  side.origin.withdraw(side.channel(7), Lane::call, 3);
  side.origin.withdraw(side.channel(7), Lane::call, 99);
  EXPECT_THAT(side.pull_messages(), ElementsAre(WireMessage{2, 3, "<tombstone>"}));
  side.nack(7, NackReason::gap, 3, 0, kFirst);
  EXPECT_THAT(side.pull_messages(),
              ElementsAre(WireMessage{0, 1, "<tombstone>"}, WireMessage{1, 2, "b"},
                          WireMessage{2, 3, "<tombstone>"}));
  side.ack(7, 3);
  EXPECT_THAT(side.acknowledged, ElementsAre(2));
  EXPECT_THAT(side.failures, IsEmpty());
}

/// Calls whose owner stands still: the bodies go, one by one, and no call costs a pass of its own.
TEST(OriginTime, ManyWithdrawalsCostSomeVisitsEach) {
  constexpr std::uint64_t kCalls = 40'000;
  for (const bool backwards : {false, true}) {
    SendingSide side;
    const std::string body(18, 'x');
    for (std::uint64_t i = 0; i < kCalls; ++i) side.send(7, body, 0, kFirst);
    side.pull();
    const std::uint64_t full = side.origin.unacknowledged_bytes();
    for (std::uint64_t i = 0; i < kCalls; ++i) {
      side.origin.withdraw(side.channel(7), Lane::call, backwards ? kCalls - i : i + 1);
      EXPECT_EQ(side.origin.unacknowledged_bytes(), full - (i + 1) * body.size());
    }
    EXPECT_GT(side.origin.counters().compacted, 0U);
    EXPECT_LE(side.origin.counters().compacted, 6 * kCalls);
    side.origin.on_session();
    const auto messages = side.pull_messages();
    ASSERT_EQ(messages.size(), kCalls);
    for (std::uint64_t i = 0; i < kCalls; ++i) {
      ASSERT_EQ(messages[i], (WireMessage{i, i + 1, "<tombstone>"}));
    }
    side.ack(7, kCalls);
    EXPECT_EQ(side.origin.unacknowledged_bytes(), 0U);
    EXPECT_TRUE(side.origin.idle());
  }
}

/// Sizes, positions and windows hold whichever messages go, in whatever order, and whatever is
/// transmitted meanwhile.
TEST(OriginTime, WithdrawalsAmongLiveMessagesLeaveTheRestWhole) {
  constexpr std::uint64_t kCount = 1'200;
  SendingSide side;
  side.pass(10);
  std::vector<std::string> expected(kCount + 1);
  std::uint64_t alive = 0;
  const auto withdraw = [&](std::uint64_t seq) {
    if (expected[seq] == "<tombstone>") return;
    alive -= expected[seq].size();
    expected[seq] = "<tombstone>";
    side.origin.withdraw(side.channel(7), Lane::call, seq);
  };
  for (std::uint64_t seq = 1; seq <= kCount; ++seq) {
    expected[seq] = std::string(1 + seq * 7 % 500, static_cast<char>('a' + seq % 26));
    side.send(7, expected[seq], 0, kFirst);
    alive += expected[seq].size();
    if (seq % 100 == 0) side.pull();
    if (seq % 3 != 0) withdraw(1 + (seq * 2'654'435'761U >> 7) % seq);
    if (seq % 2 != 0) withdraw(seq);
    EXPECT_EQ(side.origin.unacknowledged_bytes(), alive + seq * kItemHeader);
  }
  EXPECT_GT(side.origin.counters().compacted, 0U);
  side.origin.on_session();
  std::uint64_t at = 1;
  for (const WireMessage& message : side.pull_messages()) {
    EXPECT_EQ(message, (WireMessage{at - 1, at, expected[at]}));
    ++at;
  }
  EXPECT_EQ(at, kCount + 1);
  side.ack(7, kCount / 2);
  side.ack(7, kCount);
  EXPECT_EQ(side.origin.unacknowledged_bytes(), 0U);
}

TEST(OriginTime, AMarkIsSettledByWhatHasExpiredOrWasWithdrawn) {
  SendingSide side;
  side.pass(10);
  side.send(7, "a", 1, kFirst, side.now() + from_ms(50));
  side.send(7, "b", 2);
  side.send(7, "c", 3);
  side.pull();
  const auto mark = side.origin.mark();
  side.origin.withdraw(side.channel(7), Lane::call, 2);
  side.pass(60);
  EXPECT_FALSE(side.origin.settled(mark)) << "c has not ended";
  side.origin.withdraw(side.channel(7), Lane::call, 3);
  EXPECT_TRUE(side.origin.settled(mark)) << "an owner that stands still does not hold up a flush";
  EXPECT_FALSE(side.origin.idle());
}

}  // namespace
}  // namespace starbus::bus
