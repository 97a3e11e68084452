/// How often a message was given out in vain.
#include "mail/attempts.hpp"

#include <gtest/gtest.h>

#include "bus/core/wire/name.hpp"

namespace starbus::mail {
namespace {

const ChannelId kPostedBox = channel_id("player/1");
constexpr bool kClosed = true;

Process life(std::uint64_t incarnation) {
  return {2, 1, incarnation};
}

TEST(AttemptsTest, WhoDiesOfAMessageIsCounted) {
  Attempts attempts;
  for (std::uint64_t reader = 1; reader <= 4; ++reader) {
    const std::uint32_t now = attempts.of(kPostedBox, life(reader), 7);
    EXPECT_EQ(now, reader);
    attempts.ended(kPostedBox, {life(reader), 7, 20, now});
  }
}

TEST(AttemptsTest, AMessageInTheMiddleOfASessionIsCountedWhenItIsTheFirstOfTheNext) {
  Attempts attempts;
  attempts.ended(kPostedBox, {life(1), 1, 20});
  EXPECT_EQ(attempts.of(kPostedBox, life(2), 7), 2U);
  EXPECT_EQ(attempts.of(kPostedBox, life(2), 20), 2U);
  EXPECT_EQ(attempts.of(kPostedBox, life(2), 21), 1U) << "that one was never sent";
  attempts.ended(kPostedBox, {life(2), 7, 20, 2});
  EXPECT_EQ(attempts.of(kPostedBox, life(3), 8), 2U) << "the one before it is settled: begins anew";
}

TEST(AttemptsTest, WhoClosesHasPutItBack) {
  Attempts attempts;
  attempts.ended(kPostedBox, {life(1), 7, 9, 1});
  attempts.ended(kPostedBox, {life(2), 7, 9, attempts.of(kPostedBox, life(2), 7), kClosed});
  EXPECT_EQ(attempts.of(kPostedBox, life(3), 7), 2U) << "the first counts, and the second does not";
}

TEST(AttemptsTest, WhoBeginsASessionAnewGoesOn) {
  Attempts attempts;
  attempts.ended(kPostedBox, {life(1), 7, 9, 3});
  EXPECT_EQ(attempts.of(kPostedBox, life(1), 7), 3U);
  // Behind what it has received it is sent more, handles 8, and dies of 9.
  attempts.ended(kPostedBox, {life(1), 10, 12, attempts.of(kPostedBox, life(1), 10)});
  EXPECT_EQ(attempts.of(kPostedBox, life(2), 7), 4U);
  EXPECT_EQ(attempts.of(kPostedBox, life(2), 9), 2U);
}

TEST(AttemptsTest, WhatIsSettledIsForgotten) {
  Attempts attempts;
  attempts.ended(kPostedBox, {life(1), 7, 9, 3});
  attempts.settled(kPostedBox);
  EXPECT_EQ(attempts.of(kPostedBox, life(2), 7), 1U);
  EXPECT_EQ(attempts.count(), 0U);
}

TEST(AttemptsTest, IsBoundedAndTheLatestAreKnown) {
  constexpr std::size_t kMost = 100;
  Attempts attempts(kMost);
  const auto box = [](std::size_t i) { return channel_id("player/" + std::to_string(i)); };
  for (std::size_t i = 0; i < 10 * kMost; ++i) {
    attempts.ended(box(i), {life(1), 1, 1});
    EXPECT_LE(attempts.count(), 2 * kMost);
  }
  for (std::size_t i = 9 * kMost; i < 10 * kMost; ++i) {
    EXPECT_EQ(attempts.of(box(i), life(2), 1), 2U) << i;
  }
}

}  // namespace
}  // namespace starbus::mail
