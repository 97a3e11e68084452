// Mailboxes of a real store as inspect shows them, page by page.
#include "mail/repair/inspect.hpp"

#include <gmock/gmock.h>

#include <set>

#include "mail/lost_row.hpp"
#include "tests/mail/filled_store.hpp"

namespace starbus::mail {
namespace {

using test::FilledStore;
using testing::IsEmpty;
using testing::SizeIs;

std::string box_name(int i) {
  return "player/" + std::to_string(i);
}

TEST(Inspect, PagesShowEveryMailboxOnce) {
  FilledStore filled;
  for (int i = 0; i < 50; ++i) filled.fill(box_name(i), 0, 1);
  filled.fill("guild/7", 0, 1);
  const auto snapshot = filled.snapshot();
  for (const std::size_t limit : {1U, 7U, 1000U}) {
    std::set<std::string> names;
    BoxQuery query{.limit = limit};
    for (;;) {
      const auto page = list_boxes(*snapshot, query);
      ASSERT_TRUE(page) << page.error().to_string();
      EXPECT_LE(page->boxes.size(), limit);
      for (const BoxInfo& box : page->boxes) EXPECT_TRUE(names.insert(box.row.name).second);
      if (!page->next) break;
      query.after = *page->next;
    }
    EXPECT_THAT(names, SizeIs(51));
  }
  const auto guilds = list_boxes(*snapshot, {.prefix = "guild/"});
  ASSERT_TRUE(guilds);
  ASSERT_THAT(guilds->boxes, SizeIs(1));
  EXPECT_EQ(guilds->boxes[0].row.name, "guild/7");
  EXPECT_FALSE(guilds->next);
}

TEST(Inspect, ABadContinuationIsAnError) {
  FilledStore filled;
  const auto snapshot = filled.snapshot();
  for (const char* after : {"x", "00", "zz0102030405060708090a0b0c0d0e0f10"}) {
    const auto page = list_boxes(*snapshot, {.after = after});
    ASSERT_FALSE(page);
    EXPECT_EQ(page.error(), storage::Errc::bad_batch);
  }
}

TEST(Inspect, PeeksFromANumberOn) {
  FilledStore filled;
  filled.fill("player/1", 3, 10);
  const auto snapshot = filled.snapshot();
  const auto box = find_box(*snapshot, "player/1");
  ASSERT_TRUE(box && *box);
  EXPECT_EQ((*box)->row.count(), 7U);
  const auto first = peek(*snapshot, **box, 0, 2);
  ASSERT_TRUE(first);
  ASSERT_THAT(first->messages, SizeIs(2));
  EXPECT_EQ(first->messages[0].number, 4U);
  EXPECT_EQ(first->messages[0].body, test::body_of("player/1", 4));
  EXPECT_EQ(first->messages[0].time_ms, 1'004U);
  EXPECT_EQ(first->next, 6U);
  const auto rest = peek(*snapshot, **box, first->next, 100);
  ASSERT_TRUE(rest);
  EXPECT_THAT(rest->messages, SizeIs(5));
  EXPECT_EQ(rest->next, 0U);
  EXPECT_THAT(peek(*snapshot, **box, 11, 100)->messages, IsEmpty());
}

TEST(Inspect, ALargeMessageComesAlone) {
  FilledStore filled;
  const auto [shard, id] = test::place_of("player/1");
  const std::string large(2 * kPeekBytes, 'x');
  std::uint64_t total = 0;
  for (std::uint64_t number = 1; number <= 3; ++number) {
    total += large.size();
    filled.put(message_key(shard, id, number), encode(MessageRow{1, total, {}, large}));
  }
  filled.put(box_key(shard, id), encode(BoxRow{.name = "player/1", .last = 3, .total = total}));
  const auto snapshot = filled.snapshot();
  const auto box = find_box(*snapshot, "player/1");
  const auto page = peek(*snapshot, **box, 2, 100);
  ASSERT_TRUE(page);
  ASSERT_THAT(page->messages, SizeIs(1));
  EXPECT_EQ(page->messages[0].body.size(), large.size());
  EXPECT_EQ(page->next, 3U);
}

TEST(Inspect, PagesAreBounded) {
  FilledStore filled;
  filled.fill("player/1", 0, kMostPeeked + 1);
  storage::Batch batch;
  for (std::size_t i = 0; i < kMostBoxes; ++i) {
    const auto [shard, id] = test::place_of("guild/" + std::to_string(i));
    batch.put(box_key(shard, id), encode(BoxRow{.name = "guild/" + std::to_string(i)}));
  }
  ASSERT_TRUE(test::commit(filled.store(), std::move(batch)));
  const auto snapshot = filled.snapshot();
  const auto boxes = list_boxes(*snapshot, {.limit = 2 * kMostBoxes});
  ASSERT_TRUE(boxes);
  EXPECT_THAT(boxes->boxes, SizeIs(kMostBoxes));
  EXPECT_TRUE(boxes->next);
  const auto page = peek(*snapshot, **find_box(*snapshot, "player/1"), 1, 2 * kMostPeeked);
  ASSERT_TRUE(page);
  EXPECT_THAT(page->messages, SizeIs(kMostPeeked));
  EXPECT_EQ(page->next, kMostPeeked + 1);
}

TEST(Inspect, WhatIsLostIsSaid) {
  FilledStore filled;
  filled.fill("player/1", 0, 3);
  const auto [shard, id] = test::place_of("player/1");
  filled.put(message_key(shard, id, 2), encode(lost_row(100)));
  filled.put(message_key(shard, id, 3), "x");
  const auto snapshot = filled.snapshot();
  const auto box = find_box(*snapshot, "player/1");
  const auto page = peek(*snapshot, **box, 1, 100);
  ASSERT_TRUE(page);
  ASSERT_THAT(page->messages, SizeIs(3));
  EXPECT_EQ(page->messages[0].trouble, "");
  EXPECT_EQ(page->messages[1].trouble, "lost");
  EXPECT_EQ(page->messages[2].trouble, "not the row of a message");
}

TEST(Inspect, WhatIsMissingHasItsPlace) {
  FilledStore filled;
  filled.fill("player/1", 2, 12);
  const auto [shard, id] = test::place_of("player/1");
  for (const std::uint64_t number : {3U, 6U, 7U, 8U, 12U}) {
    filled.erase(message_key(shard, id, number));
  }
  const auto snapshot = filled.snapshot();
  const auto box = find_box(*snapshot, "player/1");
  for (const std::size_t limit : {1U, 2U, 3U, 100U}) {
    std::uint64_t expected = 3;
    for (std::uint64_t from = 1; from != 0;) {
      const auto page = peek_whole(*snapshot, **box, from, limit);
      ASSERT_TRUE(page);
      EXPECT_LE(page->messages.size(), limit);
      for (const Peeked& message : page->messages) {
        const std::uint64_t number = expected++;
        EXPECT_EQ(message.number, number);
        const bool gone = number == 3 || (number >= 6 && number <= 8) || number == 12;
        EXPECT_EQ(message.trouble, gone ? "no such row" : "");
        EXPECT_EQ(message.body, gone ? "" : test::body_of("player/1", number));
      }
      from = page->next;
    }
    EXPECT_EQ(expected, 13U);
  }
}

/// No memory for what a row only claims to have.
TEST(Inspect, NumbersThatCannotBeAreShownAPageAtATime) {
  FilledStore filled;
  const auto [shard, id] = test::place_of("player/1");
  filled.put(box_key(shard, id), encode(BoxRow{.name = "player/1", .last = kMostNumber}));
  const auto snapshot = filled.snapshot();
  const auto box = find_box(*snapshot, "player/1");
  const auto page = peek_whole(*snapshot, **box, kMostNumber - 1, 100);
  ASSERT_TRUE(page);
  EXPECT_THAT(page->messages, SizeIs(2));
  EXPECT_EQ(page->next, 0U);
  EXPECT_EQ(peek_whole(*snapshot, **box, 1, 100)->next, 101U);
}

TEST(Inspect, ADamagedBlockIsSaidForEachOfItsMessages) {
  FilledStore filled;
  filled.fill("large/1", 0, 400);
  filled.move_into_a_table();
  ASSERT_TRUE(filled.flip_at(test::body_of("large/1", 200)));
  filled.open();
  const auto snapshot = filled.snapshot();
  const auto box = find_box(*snapshot, "large/1");
  ASSERT_TRUE(box && *box);
  const auto page = peek_whole(*snapshot, **box, 1, 1'000);
  ASSERT_TRUE(page) << page.error().to_string();
  ASSERT_THAT(page->messages, SizeIs(400));
  EXPECT_THAT(page->messages[199].trouble, testing::StartsWith("in a damaged block: "));
  EXPECT_EQ(page->messages[0].trouble, "");
  EXPECT_EQ(page->messages[399].trouble, "");
}

TEST(Inspect, StatisticsOfAShard) {
  FilledStore filled;
  filled.fill("player/1", 2, 5);
  const auto [shard, id] = test::place_of("player/1");
  const auto statistics = shard_statistics(*filled.snapshot(), shard);
  ASSERT_TRUE(statistics);
  EXPECT_EQ(statistics->totals, (Totals{1, 3, 3 * test::body_of("player/1", 1).size()}));
  EXPECT_EQ(statistics->oldest_ms, 1'003U);
  const auto other = shard_statistics(*filled.snapshot(), static_cast<std::uint8_t>(shard + 1));
  EXPECT_EQ(other->totals, Totals{});
  EXPECT_FALSE(*find_box(*filled.snapshot(), "player/2"));
}

TEST(Inspect, ADamagedRowDoesNotHideTheOthers) {
  FilledStore filled;
  for (int i = 0; i < 10; ++i) filled.fill(box_name(i), 0, 1);
  const auto [shard, id] = test::place_of(box_name(4));
  filled.put(box_key(shard, id), "not a row");
  const auto page = list_boxes(*filled.snapshot(), {});
  ASSERT_TRUE(page);
  EXPECT_THAT(page->boxes, SizeIs(9));
  EXPECT_THAT(page->damaged, SizeIs(1));
  EXPECT_EQ(find_box(*filled.snapshot(), box_name(4)).error(), storage::Errc::corrupt);
  EXPECT_EQ(shard_statistics(*filled.snapshot(), shard)->damaged, 1U);
}

}  // namespace
}  // namespace starbus::mail
