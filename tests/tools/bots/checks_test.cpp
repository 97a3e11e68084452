// What bots check is found when it is broken: gaps, doubles, calls of others, untrue outcomes.
#include <gtest/gtest.h>

#include "clients/cpp/calls.hpp"
#include "tools/bots/checks/begun_check.hpp"
#include "tools/bots/checks/number_check.hpp"
#include "tools/bots/checks/queue_check.hpp"
#include "tools/bots/figures.hpp"
#include "tools/bots/limits.hpp"
#include "tools/bots/listener.hpp"
#include "tools/bots/schedule.hpp"

namespace starbus::bots {
namespace {

using Of = NumberCheck::Of;

TEST(NumberCheck, InAStretchEachIsTheNext) {
  NumberCheck check(Of::subject);
  EXPECT_TRUE(check.heard("", 1, 5).good) << "where this bot begins";
  EXPECT_TRUE(check.heard("", 1, 6).good);
  const auto gap = check.heard("", 1, 8);
  EXPECT_FALSE(gap.good);
  EXPECT_EQ(gap.broken, Broken::gap);
  EXPECT_EQ(gap.expected, 7u);
  EXPECT_TRUE(check.heard("", 1, 9).good) << "one gap is told once";
  const auto twice = check.heard("", 1, 9);
  EXPECT_EQ(twice.broken, Broken::twice);
  EXPECT_FALSE(twice.good);
  EXPECT_FALSE(check.heard("", 1, 3).good);
}

TEST(NumberCheck, AFullStateMayPassOverAndDoublesNothing) {
  NumberCheck check(Of::subject);
  check.heard("", 1, 5);
  check.renewed();
  const auto later = check.heard("", 1, 9);
  EXPECT_TRUE(later.good);
  EXPECT_EQ(later.passed_over, 3u);
  EXPECT_FALSE(check.heard("", 1, 11).good) << "once";
  check.renewed();
  EXPECT_FALSE(check.heard("", 1, 11).good) << "heard before it";
}

TEST(NumberCheck, AnotherLifeBeginsAtOne) {
  NumberCheck check(Of::subject);
  check.heard("", 1, 5);
  EXPECT_TRUE(check.heard("", 2, 1).good);
  EXPECT_FALSE(check.heard("", 3, 2).good);
}

TEST(NumberCheck, OriginsHaveTheirOwnNumbers) {
  NumberCheck check(Of::subject);
  check.heard("a", 1, 5);
  EXPECT_TRUE(check.heard("b", 1, 70).good);
  EXPECT_TRUE(check.heard("a", 1, 6).good);
  EXPECT_FALSE(check.heard("b", 1, 70).good);
}

TEST(NumberCheck, OriginsAreBounded) {
  NumberCheck check(Of::subject);
  for (std::size_t i = 0; i <= kOrigins; ++i) check.heard(std::to_string(i), 1, 1);
  EXPECT_TRUE(check.heard("0", 1, 99).good) << "the one that was silent longest is forgotten";
  EXPECT_FALSE(check.heard("9", 1, 99).good);
}

TEST(NumberCheck, InAGroupNothingComesTwiceAndMissingIsCounted) {
  NumberCheck check(Of::group);
  check.heard("", 1, 10);
  EXPECT_EQ(check.heard("", 1, 13).missing, 2);
  const auto late = check.heard("", 1, 11);
  EXPECT_TRUE(late.good);
  EXPECT_EQ(late.missing, -1);
  EXPECT_FALSE(check.heard("", 1, 11).good);
  EXPECT_FALSE(check.heard("", 1, 13).good);
  EXPECT_FALSE(check.heard("", 1, 10).good);
  check.heard("", 1, 200);
  EXPECT_FALSE(check.heard("", 1, 100).good) << "no gate tells one that is so far behind";
  EXPECT_TRUE(check.heard("", 1, 136).good);
}

using game::Fate;
using Count = BegunCheck::Count;

TEST(BegunCheck, OutcomesAgreeWithTheCount) {
  BegunCheck check;
  for (int i = 0; i < 6; ++i) check.asked();
  EXPECT_FALSE(check.ended(0, Fate::replied, Count{1, 4}));
  EXPECT_FALSE(check.ended(1, Fate::reply_lost, {}));
  EXPECT_FALSE(check.ended(2, Fate::not_begun, {}));
  EXPECT_FALSE(check.ended(3, Fate::replied, Count{1, 6}));
  EXPECT_FALSE(check.ended(4, Fate::unknown, {}));
  EXPECT_FALSE(check.ended(5, Fate::replied, Count{1, 8})) << "it was begun";
  check.asked();
  const auto wrong = check.ended(6, Fate::replied, Count{1, 8});
  ASSERT_TRUE(wrong) << "the same count again";
  EXPECT_EQ(wrong->least, 9u);
  EXPECT_EQ(wrong->got, 8u);
}

TEST(BegunCheck, ALieIsFound) {
  BegunCheck check;
  for (int i = 0; i < 3; ++i) check.asked();
  EXPECT_FALSE(check.ended(0, Fate::replied, Count{1, 1}));
  EXPECT_FALSE(check.ended(2, Fate::replied, Count{1, 3})) << "judged in the order of asking";
  EXPECT_TRUE(check.ended(1, Fate::not_begun, {})) << "but it was";
}

TEST(BegunCheck, AnotherLifeCountsAnew) {
  BegunCheck check;
  for (int i = 0; i < 3; ++i) check.asked();
  EXPECT_FALSE(check.ended(0, Fate::replied, Count{1, 100}));
  EXPECT_FALSE(check.ended(1, Fate::replied, Count{2, 1}));
  EXPECT_TRUE(check.ended(2, Fate::replied, Count{2, 1}));
}

constexpr Nanos kLate = QueueCheck::kOnItsWay;

TEST(QueueCheck, WhoAskedLaterIsLetInLater) {
  QueueCheck queue;
  QueueCheck::Place first{.asked = 1};
  EXPECT_FALSE(queue.told(first, 9, 10));
  EXPECT_EQ(queue.let_in({.asked = 9}, 20), 0u) << "it may have come before";
  EXPECT_FALSE(queue.told(first, 9, 20 + kLate));
  queue.let_in({.asked = 11}, 30 + kLate);
  queue.let_in({.asked = 12}, 25 + 2 * kLate);
  EXPECT_FALSE(queue.told(first, 8, 29 + 2 * kLate)) << "may have been said before";
  const auto wrong = queue.told(first, 8, 30 + 2 * kLate);
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->got, "8 before it, 2000 ms after one of them");
  EXPECT_EQ(queue.let_in(first, 31 + 2 * kLate), 2u) << "were let in before it";
}

TEST(QueueCheck, NobodyComesToBeBeforeOneWhoWaits) {
  QueueCheck queue;
  QueueCheck::Place place{.asked = 1};
  EXPECT_FALSE(queue.told(place, 9, 10));
  EXPECT_FALSE(queue.told(place, 9, 11));
  EXPECT_FALSE(queue.told(place, 3, 12));
  const auto wrong = queue.told(place, 4, 13);
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->expected, "at most 3 before it");
  EXPECT_EQ(wrong->got, "4 before it");
  place.placed.reset();  // on another connection it may be another queue
  EXPECT_FALSE(queue.told(place, 9, 14));
}

TEST(QueueCheck, WhoWereLetInAreBounded) {
  QueueCheck queue;
  const QueueCheck::Place waits{.asked = 0, .placed = 0};
  for (std::size_t i = 1; i <= kLetIn + 9; ++i) {
    queue.let_in({.asked = static_cast<Nanos>(i)}, static_cast<Nanos>(i));
  }
  EXPECT_EQ(queue.let_in(waits, 1), kLetIn);
}

TEST(BotSchedule, CatchesUpAtABoundedRate) {
  Schedule table(100, 40);
  EXPECT_EQ(table.due(), 100);
  EXPECT_EQ(table.take(500), 100) << "latency counts from the table";
  EXPECT_EQ(table.due(), 510);
  EXPECT_EQ(table.take(510), 140);
  EXPECT_EQ(table.due(), 520);
  Nanos now = 520;
  for (int i = 0; i < 100 && table.due() < now + 40; ++i) {
    now = table.due();
    table.take(now);
  }
  EXPECT_EQ(table.due() % 40, 100 % 40) << "in the table again";
}

TEST(BotFigures, TextsAreBounded) {
  Texts texts;
  for (std::size_t i = 0; i < 100; ++i) count(texts, std::to_string(i));
  EXPECT_EQ(texts.size(), kTexts + 1);
  EXPECT_EQ(texts["others"], 100 - kTexts);
}

/// A stream as a gate would hand it on, given to the checker as it is.
class ListenerTest : public ::testing::Test {
 protected:
  void tick(const std::string& account, std::uint64_t number) {
    game::Bytes arguments;
    game::FieldWriter out(arguments);
    out.text(account);
    out.number(7);
    out.number(number);
    hear(arguments);
  }
  void hear(const game::Bytes& arguments, std::uint32_t types = game::hash_of("(str,u64,u64)")) {
    listener.on_call({game::hash_of("c.tick"), types, arguments}, nullptr);
  }
  std::vector<Violation> told() const { return violations.seen().told; }

  const Script script = parse_script(
                            "[[hear]]\nname = 'tick'\nmethod = 'c.tick'\ntypes = "
                            "'(str,u64,u64)'\nfields = ['account', 'life', 'number']\n",
                            "")
                            .value();
  game::Options options;
  Tickets tickets;
  Violations violations{10};
  Letters letters{1, 0};
  EventLog events;
  Ground ground{script, options, tickets, violations, letters, events, 1, 0};
  Memory memory;
  Listener listener{ground, 4, "bot4", memory};
};

TEST_F(ListenerTest, AGoodStreamIsNoViolation) {
  for (std::uint64_t i = 1; i < 100; ++i) tick("bot4", i);
  EXPECT_EQ(ground.figures.hear[0].heard, 99u);
  EXPECT_TRUE(told().empty());
}

TEST_F(ListenerTest, ABrokenStreamIsReportedWithWhoWhatExpectedAndGot) {
  for (const std::uint64_t number : {1u, 2u, 4u, 4u}) tick("bot4", number);
  tick("bot5", 5);
  hear({});
  hear({}, 1);
  const auto all = told();
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[0].kind, Broken::gap);
  EXPECT_EQ(all[0].account, "bot4");
  EXPECT_EQ(all[0].bot, 4u);
  EXPECT_EQ(all[0].what, "tick");
  EXPECT_EQ(all[0].expected, "3");
  EXPECT_EQ(all[0].got, "4");
  EXPECT_EQ(all[1].kind, Broken::twice);
  EXPECT_EQ(all[2].kind, Broken::foreign);
  EXPECT_EQ(all[2].got, "account bot5");
  EXPECT_EQ(all[3].kind, Broken::malformed);
  EXPECT_EQ(all[4].kind, Broken::malformed);
}

TEST_F(ListenerTest, AnotherSessionHearsNothingAgain) {
  tick("bot4", 1);
  tick("bot4", 2);
  Listener next(ground, 4, "bot4", memory);
  next.follow(listener);
  game::Bytes arguments;
  game::FieldWriter out(arguments);
  out.text("bot4");
  out.number(7);
  out.number(2);
  next.on_call({game::hash_of("c.tick"), game::hash_of("(str,u64,u64)"), arguments}, nullptr);
  ASSERT_EQ(told().size(), 1u);
  EXPECT_EQ(told()[0].kind, Broken::twice);
}

}  // namespace
}  // namespace starbus::bots
