// A store that takes the place of a newer one: its numbers go on, and what is missing is told.
#include "mail/repair/carry_numbers.hpp"

#include <gtest/gtest.h>

#include "mail/lost_row.hpp"
#include "mail/repair/check.hpp"
#include "mail/repair/repair_mail.hpp"
#include "tests/mail/filled_store.hpp"

namespace starbus::mail {
namespace {

using test::FilledStore;

class CarryNumbersTest : public testing::Test {
 protected:
  Carried carry() {
    const auto carried = carry_numbers(*replaced_.snapshot(), restored_.store());
    EXPECT_TRUE(carried) << carried.error().to_string();
    const auto report = check_store(*restored_.snapshot());
    EXPECT_TRUE(report && report->is_clean());  // that some are lost is told, and no problem
    return *carried;
  }
  BoxRow row(const std::string& box) {
    const test::Place place = test::place_of(box);
    const auto value = restored_.store().get(box_key(place.shard, place.id));
    if (!value || !*value) return {};
    return decode_box(**value).value_or(BoxRow{});
  }
  bool lost(const std::string& box, std::uint64_t number) {
    const test::Place place = test::place_of(box);
    const auto value = restored_.store().get(message_key(place.shard, place.id, number));
    EXPECT_TRUE(value && *value) << box << " #" << number;
    const auto message = decode_message(**value);
    return message && is_lost(*message);
  }
  void expect_untouched(const std::string& box, std::uint64_t floor, std::uint64_t last) {
    EXPECT_EQ(row(box).floor, floor) << box;
    EXPECT_EQ(row(box).last, last) << box;
  }

  FilledStore restored_{"restored"};
  FilledStore replaced_{"replaced"};
};

TEST_F(CarryNumbersTest, NewerMailIsToldAsLostBehindThatOfTheBackup) {
  restored_.fill("player/1", 2, 5);
  replaced_.fill("player/1", 4, 9);
  const Carried carried = carry();
  EXPECT_EQ(carried.boxes, 1U);
  EXPECT_EQ(carried.lost, 4U);
  EXPECT_EQ(row("player/1").floor, 2U);
  EXPECT_EQ(row("player/1").last, 9U);
  for (std::uint64_t number = 3; number <= 9; ++number) {
    EXPECT_EQ(lost("player/1", number), number > 5) << number;
  }
}

TEST_F(CarryNumbersTest, AMailboxThatBeganSinceGoesOnAndTellsWhatWasNotAcknowledged) {
  replaced_.fill("player/1", 3, 5);
  replaced_.fill("player/2", 7, 7);
  const Carried carried = carry();
  EXPECT_EQ(carried.boxes, 2U);
  EXPECT_EQ(carried.lost, 2U);
  expect_untouched("player/1", 3, 5);
  expect_untouched("player/2", 7, 7);
  EXPECT_EQ(row("player/1").name, "player/1");
}

TEST_F(CarryNumbersTest, OfAnEmptyOneNobodyHearsWhatWasAcknowledgedSince) {
  restored_.fill("player/1", 5, 5);
  replaced_.fill("player/1", 8, 9);
  EXPECT_EQ(carry().lost, 1U);
  expect_untouched("player/1", 8, 9);
}

TEST_F(CarryNumbersTest, WhatHasNothingNewerStaysAsItIs) {
  restored_.fill("player/1", 2, 9);
  restored_.fill("player/2", 1, 4);
  replaced_.fill("player/1", 9, 9);
  const Carried carried = carry();
  EXPECT_EQ(carried.boxes, 0U);
  EXPECT_EQ(carried.lost, 0U);
  expect_untouched("player/1", 2, 9);
  expect_untouched("player/2", 1, 4);
}

TEST_F(CarryNumbersTest, AShardThatIsElsewhereIsLeftOut) {
  replaced_.fill("player/1", 0, 5);
  restored_.put(place_key(test::place_of("player/1").shard),
                encode(PlaceRow{Keeping::elsewhere, 0, "b"}));
  EXPECT_EQ(carry().boxes, 0U);
  expect_untouched("player/1", 0, 0);
}

TEST_F(CarryNumbersTest, ARowThatCannotBeReadIsCounted) {
  restored_.fill("player/1", 0, 2);
  replaced_.fill("player/1", 0, 5);
  const test::Place place = test::place_of("player/1");
  replaced_.put(box_key(place.shard, place.id), "nonsense");
  const Carried carried = carry();
  EXPECT_EQ(carried.unread, 1U);
  EXPECT_EQ(carried.boxes, 0U);
  expect_untouched("player/1", 0, 2);
}

TEST_F(CarryNumbersTest, TooMuchIsNotMarked) {
  restored_.fill("player/1", 0, 2);
  restored_.fill("player/2", 2, 2);
  for (const char* const box : {"player/1", "player/2"}) {
    const test::Place place = test::place_of(box);
    const std::uint64_t last = 2 + kMostMarked + 5;
    replaced_.put(box_key(place.shard, place.id),
                  encode(BoxRow{.name = box, .last = last, .floor = 2}));
  }
  const Carried carried = carry();
  EXPECT_EQ(carried.behind, 1U);
  EXPECT_EQ(carried.boxes, 1U);
  expect_untouched("player/1", 0, 2);
  // It was empty, so it may begin behind what is too much.
  expect_untouched("player/2", 7, 2 + kMostMarked + 5);
}

}  // namespace
}  // namespace starbus::mail
