// Who is given what of a log, and in which order: FeedBook against a log that is trimmed.
#include "bus/client/feed_book.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace starbus::bus {
namespace {

using ::testing::ElementsAre;

Mail mail_of(std::uint64_t number, std::size_t bytes = 1) {
  Mail mail;
  mail.number = number;
  mail.body.resize(bytes);
  return mail;
}

class FeedBookTest : public ::testing::Test {
 protected:
  struct Heard {
    std::shared_ptr<FeedBook::Place> place;
    FeedBook::Id id = 0;
  };
  Heard listen(std::uint64_t cursor) {
    auto place = std::make_shared<FeedBook::Place>(FeedBook::Place{cursor, 0});
    const auto id = book_.add(place);
    EXPECT_TRUE(id);
    return {place, id ? *id : 0};
  }
  void append(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t number = first; number <= last; ++number) book_.append(mail_of(number));
  }
  /// "listener:number" of all that is given now.
  std::vector<std::string> given() {
    std::vector<std::string> all;
    while (const auto delivery = book_.next()) {
      all.push_back(std::to_string(delivery->to) + ":" + std::to_string(delivery->mail->number));
    }
    return all;
  }
  LogPage page_of(std::uint64_t first, std::uint64_t last, std::uint64_t end) {
    LogPage page;
    for (std::uint64_t number = first; number <= last; ++number) {
      page.items.push_back(mail_of(number));
    }
    page.last = end;
    return page;
  }

  FeedBook book_;
};

TEST_F(FeedBookTest, ThePresentIsWhereTheFeedBegins) {
  const Heard early = listen(LogOptions::kFromEnd);
  EXPECT_EQ(early.place->cursor, LogOptions::kFromEnd) << "as a saved cursor it still means this";
  EXPECT_THAT(given(), ElementsAre());
  book_.open(7);
  EXPECT_EQ(early.place->cursor, 7u);
  append(8, 8);
  listen(LogOptions::kFromEnd);
  append(9, 9);
  EXPECT_THAT(given(), ElementsAre("1:8", "1:9", "2:9"));
  EXPECT_EQ(book_.wanted(), std::nullopt);
}

TEST_F(FeedBookTest, TheFirstMessageEverIsGiven) {
  book_.open(0);
  listen(0);
  listen(LogOptions::kFromEnd);
  append(1, 1);
  EXPECT_THAT(given(), ElementsAre("1:1", "2:1"));
}

// The object left a process that had given it 3 for one that is behind, and one that is ahead.
TEST_F(FeedBookTest, AMoveRepeatsNothingAndMissesNothing) {
  book_.open(0);
  append(1, 2);
  listen(3);
  append(3, 4);
  EXPECT_THAT(given(), ElementsAre("1:4"));
  append(5, 6);
  listen(3);
  EXPECT_THAT(given(), ElementsAre("2:4", "2:5", "2:6", "1:5", "1:6"));
}

TEST_F(FeedBookTest, WhatIsFurtherBackIsReadAtTheStore) {
  book_.open(25);
  const Heard old = listen(0);
  append(26, 27);
  EXPECT_THAT(given(), ElementsAre());
  EXPECT_EQ(book_.wanted(), 1u);
  EXPECT_TRUE(book_.page(1, page_of(1, 3, 25)));
  EXPECT_THAT(given(), ElementsAre("1:1", "1:2", "1:3"));
  EXPECT_EQ(book_.wanted(), 4u);
  // 26 is in memory, however much the page has; 7 is not kept any more.
  LogPage rest = page_of(4, 6, 30);
  for (Mail& mail : page_of(8, 30, 30).items) rest.items.push_back(std::move(mail));
  EXPECT_TRUE(book_.page(4, std::move(rest)));
  EXPECT_EQ(given().size(), 23u);
  EXPECT_EQ(old.place->cursor, 27u);
  EXPECT_EQ(old.place->missed, 1u);
  EXPECT_EQ(book_.wanted(), std::nullopt);
}

TEST_F(FeedBookTest, ALogThatHasForgottenEverythingIsJumpedOver) {
  book_.open(25);
  const Heard old = listen(5);
  EXPECT_EQ(book_.wanted(), 6u);
  EXPECT_TRUE(book_.page(6, page_of(1, 0, 25)));
  EXPECT_THAT(given(), ElementsAre());
  EXPECT_EQ(book_.wanted(), std::nullopt);
  EXPECT_EQ(old.place->cursor, 25u);
  EXPECT_EQ(old.place->missed, 20u);
}

TEST_F(FeedBookTest, AStoreThatIsAnOlderCopyBringsNobodyFurther) {
  book_.open(25);
  listen(5);
  EXPECT_EQ(book_.wanted(), 6u);
  EXPECT_FALSE(book_.page(6, page_of(1, 0, 3)));
}

TEST_F(FeedBookTest, KeepsTheLatestMessages) {
  book_.open(0);
  append(1, kFeedMessages + 1);
  listen(0);
  EXPECT_THAT(given(), ElementsAre());
  EXPECT_EQ(book_.wanted(), 1u);
  listen(1);
  EXPECT_EQ(given().size(), kFeedMessages);
}

TEST_F(FeedBookTest, KeepsAsManyBytes) {
  book_.open(0);
  book_.append(mail_of(1, kFeedBytes / 2));
  book_.append(mail_of(2, kFeedBytes / 2));
  listen(0);
  EXPECT_EQ(given().size(), 2u);
  book_.append(mail_of(3, 2 * kFeedBytes));
  EXPECT_THAT(given(), ElementsAre("1:3")) << "the latest is kept, however large it is";
  listen(1);
  EXPECT_EQ(book_.wanted(), 2u);
}

TEST_F(FeedBookTest, ListenersAreBounded) {
  std::vector<FeedBook::Id> ids;
  for (std::uint64_t i = 0; i < kFeedListeners; ++i) ids.push_back(listen(0).id);
  const auto place = std::make_shared<FeedBook::Place>();
  EXPECT_EQ(book_.add(place).error(), Errc::would_block);
  book_.remove(ids[5]);
  EXPECT_TRUE(book_.add(place));
}

TEST_F(FeedBookTest, ListenersTakeTurns) {
  book_.open(0);
  append(1, 2 * kFeedBurst);
  listen(0);
  listen(0);
  std::vector<FeedBook::Id> turns;
  while (const auto delivery = book_.next()) turns.push_back(delivery->to);
  std::vector<FeedBook::Id> expected;
  for (const FeedBook::Id id : {1u, 2u, 1u, 2u}) expected.insert(expected.end(), kFeedBurst, id);
  EXPECT_EQ(turns, expected);
}

TEST_F(FeedBookTest, PagesGoRoundAmongThoseWhoNeedOne) {
  book_.open(100);
  listen(10);
  listen(50);
  EXPECT_EQ(book_.wanted(), 11u);
  EXPECT_TRUE(book_.page(11, page_of(11, 12, 100)));
  EXPECT_EQ(given().size(), 2u);
  EXPECT_EQ(book_.wanted(), 51u);
  EXPECT_TRUE(book_.page(51, page_of(51, 52, 100)));
  EXPECT_EQ(given().size(), 2u);
  EXPECT_EQ(book_.wanted(), 13u);
}

TEST_F(FeedBookTest, WhoeverLeavesBetweenTwoMessagesHoldsUpNobody) {
  book_.open(0);
  std::vector<FeedBook::Id> ids;
  for (int i = 0; i < 10; ++i) ids.push_back(listen(0).id);
  append(1, 1);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(book_.next()->to, ids[static_cast<std::size_t>(i)]);
  for (std::size_t i = 0; i < 7; ++i) book_.remove(ids[i]);
  EXPECT_THAT(given(), ElementsAre("8:1", "9:1", "10:1"));
}

/// A log as its store has it, and everything that its listeners were given.
struct World {
  FeedBook book;
  std::uint64_t last = 0;
  std::set<std::uint64_t> kept;
  struct Member {
    std::shared_ptr<FeedBook::Place> place;
    std::uint64_t begin = 0;
    std::vector<std::uint64_t> heard{};
  };
  std::map<FeedBook::Id, Member> members;

  void append() {
    kept.insert(++last);
    if (book.is_open()) book.append(mail_of(last));
  }
  void give(std::size_t most) {
    for (; most > 0; --most) {
      const auto delivery = book.next();
      if (!delivery) return;
      members.at(delivery->to).heard.push_back(delivery->mail->number);
    }
  }
  bool read(std::size_t most) {
    const auto from = book.wanted();
    if (!from) return false;
    LogPage page;
    page.last = last;
    for (auto at = kept.lower_bound(*from); at != kept.end() && page.items.size() < most; ++at) {
      page.items.push_back(mail_of(*at));
    }
    RC_ASSERT(book.page(*from, std::move(page)));
    return true;
  }
  void add(std::uint64_t cursor) {
    const auto place = std::make_shared<FeedBook::Place>(FeedBook::Place{cursor, 0});
    const auto id = book.add(place);
    RC_ASSERT(bool(id));
    members.emplace(*id, Member{place, place->cursor});
  }
};

RC_GTEST_PROP(FeedBookProperty, EachIsGivenAllThatIsKeptOnceAndInOrder, ()) {
  World world;
  const auto steps = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 7), rc::gen::inRange(0, 3000)));
  world.last = static_cast<std::uint64_t>(*rc::gen::inRange(0, 200));
  for (std::uint64_t number = 1; number <= world.last; ++number) world.kept.insert(number);
  std::set<std::uint64_t> trimmed;
  world.book.open(world.last);
  for (const auto& [kind, amount] : steps) {
    const auto size = static_cast<std::size_t>(amount);
    switch (kind) {
      case 0:
        for (std::size_t i = 0; i < size; ++i) world.append();
        break;
      case 1:
        world.give(size);
        break;
      case 2:
        (void)world.read(size % 70 + 1);
        break;
      case 3:
        world.add(size % (world.last + 1));
        break;
      case 4:
        world.add(LogOptions::kFromEnd);
        break;
      case 5:
        for (std::size_t i = 0; i < size && !world.kept.empty(); ++i) {
          trimmed.insert(*world.kept.begin());
          world.kept.erase(world.kept.begin());
        }
        break;
      default:
        if (world.members.empty()) break;
        const auto gone = std::next(world.members.begin(),
                                    static_cast<std::ptrdiff_t>(size % world.members.size()));
        world.book.remove(gone->first);
        world.members.erase(gone);
    }
  }
  do world.give(~std::size_t{0});
  while (world.read(64));
  for (const auto& [id, member] : world.members) {
    RC_ASSERT(member.place->cursor == world.last);
    std::uint64_t before = member.begin;
    std::uint64_t missed = 0;
    auto heard = member.heard;
    heard.push_back(world.last + 1);
    for (const std::uint64_t number : heard) {
      RC_ASSERT(number > before);
      for (++before; before < number; ++before, ++missed) RC_ASSERT(trimmed.contains(before));
    }
    RC_ASSERT(missed == member.place->missed);
  }
}

}  // namespace
}  // namespace starbus::bus
