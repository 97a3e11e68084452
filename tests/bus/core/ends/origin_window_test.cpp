/// The windows, and announcements to many.
#include <gmock/gmock.h>

#include "bus/core/limits.hpp"
#include "tests/bus/core/ends/origin_harness.hpp"

namespace starbus::bus {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Failure = SendingSide::Failure;

TEST(OriginWindow, OfAChannelEndsExactlyAtItsLimit) {
  SendingSide side;
  for (int i = 0; i < 1023; ++i) side.send(7, text_of(1024 - kItemHeader), 0, kFirst);
  EXPECT_EQ(side.try_send(7, text_of(1025 - kItemHeader)).error(), Errc::would_block);
  side.send(7, text_of(1024 - kItemHeader));
  EXPECT_EQ(side.origin.unacknowledged_bytes(), kChannelWindow);
  EXPECT_EQ(side.try_send(7, "").error(), Errc::would_block);
  side.send(7, "other lane", 0, kFirst, {}, Lane::sync);
  side.send(8, "other channel", 0, kFirst);
  side.pull();
  EXPECT_EQ(side.rooms, 0);
  side.ack(7, 1);
  EXPECT_EQ(side.rooms, 1);
  side.send(7, text_of(1024 - kItemHeader));
  EXPECT_FALSE(side.origin.has_room(side.channel(7), Lane::call));
  EXPECT_TRUE(side.origin.has_room(side.channel(8), Lane::call));
}

TEST(OriginWindow, OfTheProcessEndsExactlyAtItsLimit) {
  SendingSide side;
  for (std::uint64_t to = 1; to <= 16; ++to) {
    side.send(to, text_of(kChannelWindow - kItemHeader), 0, kFirst);
  }
  EXPECT_EQ(side.origin.unacknowledged_bytes(), kProcessWindow);
  EXPECT_EQ(side.try_send(17, "").error(), Errc::would_block);
  side.pull();
  side.ack(3, 3);
  EXPECT_EQ(side.rooms, 1);
  side.send(17, "");
}

TEST(OriginWindow, RepliesHaveAReserve) {
  SendingSide side;
  const std::string body = text_of(kChannelWindow - kItemHeader);
  const auto reply = [&](std::uint64_t to) {
    const bool room = side.origin.has_reply_room(side.channel(to), Lane::call, body.size());
    const auto taken = side.origin.send({side.channel(to), kFirst, {}}, Lane::call, {},
                                        as_bytes(body), 0, {}, {.reply = true});
    EXPECT_EQ(room, taken.has_value());
    return taken.has_value();
  };
  for (std::uint64_t to = 1; to <= 16; ++to) side.send(to, body, 0, kFirst);
  EXPECT_EQ(side.try_send(17, "").error(), Errc::would_block);
  EXPECT_TRUE(reply(1));
  EXPECT_FALSE(reply(1)) << "of one caller";
  for (std::uint64_t to = 2; to <= 16; ++to) EXPECT_TRUE(reply(to));
  EXPECT_EQ(side.origin.unacknowledged_bytes(), kProcessWindow + kReplyReserveTotal);
  EXPECT_FALSE(reply(17)) << "of all";
}

TEST(OriginWindow, AMessageLargerThanTheWindowGoesAlone) {
  SendingSide side;
  side.send(7, "before", 0, kFirst);
  const std::string large = text_of(2 * kChannelWindow);
  EXPECT_EQ(side.try_send(7, large).error(), Errc::would_block);
  side.pull();
  side.ack(7, 1);
  side.send(7, large, 5);
  EXPECT_EQ(side.try_send(7, "after").error(), Errc::would_block);
  EXPECT_EQ(side.pull_messages().at(0).body, large);
  side.ack(7, 2);
  EXPECT_THAT(side.acknowledged, ElementsAre(5));
  side.send(7, "after");
}

TEST(OriginWindow, TheLargestBodyGoesAndALargerOneIsRefused) {
  SendingSide side;
  EXPECT_EQ(side.try_send(7, text_of(kMaxBody + 1)).error(), Errc::too_large);
  side.send(7, text_of(kMaxBody), 0, kFirst);
  EXPECT_EQ(side.try_send(8, "x").error(), Errc::would_block) << "it fills the process' window";
  EXPECT_EQ(side.pull_messages().at(0).body.size(), kMaxBody);
}

TEST(OriginWindow, RefusedSendsLeaveNothingBehind) {
  SendingSide side;
  side.send(1, text_of(kMaxBody), 0, kFirst);
  for (std::uint64_t to = 2; to < 2 * kLineageCache; ++to) {
    ASSERT_EQ(side.try_send(to, "x", 0, kFirst).error(), Errc::would_block);
  }
  side.pull();
  side.ack(1, 1);
  const std::uint64_t seq = side.send(2, "x");
  EXPECT_EQ(side.pull_probe(), seq) << "the stream of a refused send was kept";
}

TEST(OriginWindow, RoomMayBeUsedFromWithinItsEvent) {
  SendingSide side;
  side.send(7, text_of(kChannelWindow - kItemHeader), 0, kFirst);
  side.when_room = [&] { side.send(7, "at last"); };
  EXPECT_FALSE(side.try_send(7, "too early"));
  side.pull();
  side.ack(7, 1);
  EXPECT_EQ(side.rooms, 1);
  EXPECT_THAT(side.pull_messages(), ElementsAre(WireMessage{0, 2, "at last"}));
}

TEST(OriginWindow, ATombstoneGivesItsRoomBack) {
  SendingSide side;
  const auto seq = side.send(7, text_of(kChannelWindow - kItemHeader), 0, kFirst);
  EXPECT_FALSE(side.try_send(7, "x"));
  side.origin.withdraw(side.channel(7), Lane::call, seq);
  side.pass(10);
  EXPECT_EQ(side.rooms, 1);
  side.send(7, "x");
  EXPECT_EQ(side.origin.unacknowledged_bytes(), 2 * kItemHeader + 1);
}

// --- announcements -------------------------------------------------------------------------------

class OriginMulticast : public testing::Test {
 protected:
  Result<> announce(std::vector<Origin::Recipient> to, std::string_view body, Time expires = {}) {
    return side.origin.multicast(to, Lane::sync, {}, as_bytes(body), expires);
  }
  static Origin::Recipient to(std::uint64_t channel, Token token, Lineage hint = kFirst) {
    return {{SendingSide::channel(channel), hint, {}}, token};
  }
  SendingSide side;
};

TEST_F(OriginMulticast, SendsOneBodyToAllWhoCanTakeItAtOnce) {
  ASSERT_TRUE(announce({to(1, 11), to(2, 12)}, "hello"));
  auto records = side.pull(Lane::sync);
  ASSERT_EQ(records.size(), 1u);
  const auto multicast = decode_multicast(records[0].payload);
  ASSERT_TRUE(multicast);
  EXPECT_EQ(as_text(multicast->body), "hello");
  ASSERT_EQ(multicast->targets.size(), 2u);
  EXPECT_EQ(multicast->targets[0].seq, 1u);
  EXPECT_EQ(multicast->targets[1].seq, 2u);
  ASSERT_TRUE(announce({to(1, 21)}, "again"));
  records = side.pull(Lane::sync);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(decode_multicast(records[0].payload)->targets[0].prev, 1u);
}

TEST_F(OriginMulticast, ServesUnknownAndChokedMembersSingly) {
  side.send(2, "first", 0, kFirst, {}, Lane::sync);
  side.pull(Lane::sync);
  side.nack(2, NackReason::overflow, 1, 0, {}, Lane::sync);
  ASSERT_TRUE(announce({to(1, 0, {}), to(2, 0), to(3, 0)}, "hello"));
  const auto records = side.pull(Lane::sync);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(decode_multicast(records[0].payload)->targets.size(), 1u);
  EXPECT_EQ(read_record<Probe>(records[1]).channel, side.channel(1));
  side.nack(1, NackReason::gap, 2, 0, kFirst, Lane::sync);
  EXPECT_THAT(side.pull_messages(Lane::sync), ElementsAre(WireMessage{0, 2, "hello"}));
  side.ack(2, 1, kFirst, Lane::sync);
  EXPECT_THAT(side.pull_messages(Lane::sync), ElementsAre(WireMessage{1, 3, "hello"}));
}

TEST_F(OriginMulticast, KeepsTheOrderOfAStreamThatStillHasSomethingToSend) {
  side.send(1, "first", 0, kFirst, {}, Lane::sync);
  ASSERT_TRUE(announce({to(1, 0)}, "second"));
  EXPECT_THAT(side.pull_messages(Lane::sync),
              ElementsAre(WireMessage{0, 1, "first"}, WireMessage{1, 2, "second"}));
}

TEST_F(OriginMulticast, ChargesTheSharedBodyOnceAndFreesItWithTheLast) {
  ASSERT_TRUE(announce({to(1, 1), to(2, 2), to(3, 3)}, text_of(1000)));
  EXPECT_EQ(side.origin.unacknowledged_bytes(), 1000 + 3 * kItemHeader);
  side.pull(Lane::sync);
  side.ack(1, 1, kFirst, Lane::sync);
  side.no_owner(2, 2, Lane::sync);
  EXPECT_EQ(side.origin.unacknowledged_bytes(), 1000 + kItemHeader);
  side.ack(3, 3, kFirst, Lane::sync);
  EXPECT_EQ(side.origin.unacknowledged_bytes(), 0u);
  EXPECT_THAT(side.acknowledged, ElementsAre(1, 3));
  EXPECT_THAT(side.failures, ElementsAre(Failure{2, 2, Errc::owner_lost, true}));
}

TEST_F(OriginMulticast, ToNobodyCostsNothing) {
  ASSERT_TRUE(announce({}, text_of(1000)));
  EXPECT_EQ(side.origin.unacknowledged_bytes(), 0u);
  EXPECT_THAT(side.pull(Lane::sync), IsEmpty());
}

TEST_F(OriginMulticast, ToOneMemberTwiceUnderTwoLineagesFreesItsBody) {
  ASSERT_TRUE(announce({to(1, 1, kFirst), to(1, 2, kSecond)}, text_of(1000)));
  side.pull(Lane::sync);
  side.ack(1, 2, kSecond, Lane::sync);
  EXPECT_EQ(side.origin.unacknowledged_bytes(), 0u);
}

TEST_F(OriginMulticast, TakesAllOrNothing) {
  side.send(2, text_of(kChannelWindow - kItemHeader), 0, kFirst, {}, Lane::sync);
  side.pull(Lane::sync);
  EXPECT_EQ(announce({to(1, 1), to(2, 2)}, "x").error(), Errc::would_block);
  EXPECT_FALSE(side.origin.unacknowledged(side.channel(1), Lane::sync));
  EXPECT_THAT(side.pull(Lane::sync), IsEmpty());
  side.ack(2, 1, kFirst, Lane::sync);
  EXPECT_EQ(side.rooms, 1);
}

TEST_F(OriginMulticast, ExpiresPerMember) {
  side.pass(10);
  ASSERT_TRUE(announce({to(1, 1), to(2, 2)}, text_of(1000), side.now() + from_ms(50)));
  side.pull(Lane::sync);
  side.ack(1, 1, kFirst, Lane::sync);
  side.pass(60);
  EXPECT_THAT(side.failures, ElementsAre(Failure{2, 2, Errc::expired, true}));
  EXPECT_EQ(side.origin.unacknowledged_bytes(), kItemHeader);
  side.origin.on_session();
  EXPECT_THAT(side.pull_messages(Lane::sync), ElementsAre(WireMessage{0, 2, "<tombstone>"}));
}

TEST_F(OriginMulticast, IsNotSentToWhomItHasExpiredFor) {
  const Time soon = side.now() + from_ms(50);
  ASSERT_TRUE(announce({to(1, 1), to(2, 2)}, text_of(1000), soon));
  ASSERT_TRUE(announce({to(1, 3), to(2, 4)}, "lasting"));
  side.jump(from_ms(60));
  EXPECT_THAT(side.failures, ElementsAre(Failure{1, 1, Errc::expired, false},
                                         Failure{2, 2, Errc::expired, false}));
  EXPECT_EQ(side.origin.unacknowledged_bytes(), 4 * kItemHeader + 7);
  EXPECT_THAT(side.pull_messages(Lane::sync),
              ElementsAre(WireMessage{0, 1, "<tombstone>"}, WireMessage{1, 3, "lasting"},
                          WireMessage{0, 2, "<tombstone>"}, WireMessage{2, 4, "lasting"}));
  side.ack(1, 3, kFirst, Lane::sync);
  side.ack(2, 4, kFirst, Lane::sync);
  EXPECT_EQ(side.origin.unacknowledged_bytes(), 0u);
}

TEST_F(OriginMulticast, ExpiresAtTheMomentOfSendingToo) {
  ASSERT_TRUE(announce({to(1, 1)}, "late", side.now() + from_ms(50)));
  side.origin.set_now(side.now() + from_ms(60));
  EXPECT_THAT(side.pull_messages(Lane::sync), ElementsAre(WireMessage{0, 1, "<tombstone>"}));
  side.jump(from_ms(60));
  EXPECT_THAT(side.failures, ElementsAre(Failure{1, 1, Errc::expired, false}));
}

TEST_F(OriginMulticast, OfShortLifeIsNotKeptWhileTheLinkPauses) {
  constexpr int kAnnouncements = 2'000;
  constexpr int kLiving = 60;
  std::vector<Origin::Recipient> members;
  for (std::uint64_t i = 1; i <= 8; ++i) members.push_back(to(i, 0));
  std::uint64_t most_bytes = 0;
  std::size_t most_targets = 0;
  for (int i = 0; i < kAnnouncements; ++i) {
    ASSERT_TRUE(announce(members, text_of(10'000), side.now() + from_ms(20)));
    if (i % 20 == 19) side.jump(from_ms(10));
    most_bytes = std::max(most_bytes, side.origin.unacknowledged_bytes());
    most_targets = std::max(most_targets, side.origin.waiting_targets());
  }
  EXPECT_LT(most_bytes, 8 * kAnnouncements * kItemHeader + kLiving * 10'000);
  EXPECT_LE(most_targets, 2 * kMaxGroup + 8 * kLiving);
  const auto records = side.pull(Lane::sync);
  const auto multicasts = std::ranges::count(records, Kind::multicast, &WireRecord::kind);
  EXPECT_LE(multicasts, kLiving);
}

TEST_F(OriginMulticast, UnderAnOlderLineageGoesToTheNewOwnerSingly) {
  ASSERT_TRUE(announce({to(1, 1), to(2, 2)}, "hello"));
  side.ack(1, 0, kSecond, Lane::sync);  // a new owner, before the record has left
  const auto records = side.pull(Lane::sync);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(decode_multicast(records[0].payload)->targets.size(), 1u);
  EXPECT_EQ(decode_run(records[1].payload)->lineage, kSecond);
  EXPECT_THAT(side.failures, IsEmpty());
}

TEST_F(OriginMulticast, SkipsTheFullOnesAndTellsWhichTheyAre) {
  side.send(2, text_of(kChannelWindow - kItemHeader), 0, kFirst, {}, Lane::sync);
  side.pull(Lane::sync);
  const std::vector<Origin::Recipient> all = {to(1, 1), to(2, 2), to(3, 3)};
  FullReceivers full{.skip = true};
  ASSERT_TRUE(side.origin.multicast(all, Lane::sync, {}, as_bytes("x"), {}, 0, &full));
  EXPECT_THAT(full.places, ElementsAre(1));
  EXPECT_EQ(decode_multicast(side.pull(Lane::sync).at(0).payload)->targets.size(), 2u);
  FullReceivers alone{.skip = true};
  const auto refused = side.origin.multicast(std::span(all).subspan(1, 1), Lane::sync, {},
                                             as_bytes("x"), {}, 0, &alone);
  EXPECT_EQ(refused.error(), Errc::would_block);
  EXPECT_THAT(alone.places, ElementsAre(0));
  side.origin.await_room(side.channel(2), Lane::sync);
  EXPECT_THAT(side.origin.take_roomy(), IsEmpty());
  side.ack(2, 1, kFirst, Lane::sync);
  EXPECT_EQ(side.origin.take_roomy().size(), 1u);
}

TEST_F(OriginMulticast, ANewSessionResendsTheSharedBodyToEach) {
  ASSERT_TRUE(announce({to(1, 1), to(2, 2)}, "hello"));
  side.origin.on_session();  // before it left: the shared record is dropped
  EXPECT_THAT(
      side.pull_messages(Lane::sync),
      testing::UnorderedElementsAre(WireMessage{0, 1, "hello"}, WireMessage{0, 2, "hello"}));
}

TEST_F(OriginMulticast, RefusesMoreMembersThanTheLimit) {
  std::vector<Origin::Recipient> members;
  for (std::uint64_t i = 0; i < kMaxGroup; ++i) members.push_back(to(i + 1, 0));
  ASSERT_TRUE(announce(members, "x"));
  EXPECT_EQ(decode_multicast(side.pull(Lane::sync)[0].payload)->targets.size(), kMaxGroup);
  members.push_back(to(kMaxGroup + 1, 0));
  EXPECT_EQ(announce(members, "x").error(), Errc::group_too_large);
}

}  // namespace
}  // namespace starbus::bus
