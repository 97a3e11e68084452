// Stores that are spoiled in one way each: the check says which mailbox it is about, and goes on.
#include "mail/repair/check.hpp"

#include <gmock/gmock.h>

#include "mail/lost_row.hpp"
#include "tests/mail/filled_store.hpp"

namespace starbus::mail {
namespace {

using test::FilledStore;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kCheckedBox = "player/1";

class CheckTest : public testing::Test {
 protected:
  CheckTest() {
    for (int i = 0; i < 20; ++i) filled_.fill("player/" + std::to_string(i), 2, 9);
  }
  CheckReport check() {
    const auto report = check_store(*filled_.snapshot());
    EXPECT_TRUE(report) << report.error().to_string();
    return *report;
  }
  static std::vector<std::string> texts(const CheckReport& report) {
    std::vector<std::string> texts;
    for (const Finding& finding : report.findings) texts.push_back(finding.to_string());
    return texts;
  }
  std::string message(std::uint64_t number) const {
    return message_key(box_.shard, box_.id, number);
  }

  FilledStore filled_;
  const test::Place box_ = test::place_of(kCheckedBox);
};

TEST_F(CheckTest, ASoundStoreIsClean) {
  const CheckReport report = check();
  EXPECT_TRUE(report.is_clean());
  EXPECT_THAT(texts(report), IsEmpty());
  EXPECT_EQ(report.totals.boxes, 20U);
  EXPECT_EQ(report.totals.messages, 140U);
}

TEST_F(CheckTest, HolesAreTold) {
  filled_.erase(message(3));
  filled_.erase(message(5));
  filled_.erase(message(6));
  filled_.erase(message(9));
  EXPECT_THAT(texts(check()), ElementsAre("player/1: lost_messages 3: no such row",
                                          "player/1: lost_messages 5 to 6: no such row",
                                          "player/1: lost_messages 9: no such row"));
}

TEST_F(CheckTest, StraysAreTold) {
  filled_.put(message(2), encode(MessageRow{1, 1, {}, "x"}));
  filled_.put(message(10), encode(MessageRow{1, 500, {}, "x"}));
  filled_.put(message(11), encode(MessageRow{1, 501, {}, "x"}));
  EXPECT_THAT(texts(check()),
              ElementsAre("player/1: stray_messages 2: the mailbox begins at 3",
                          "player/1: stray_messages 10 to 11: the mailbox ends at 9"));
}

TEST_F(CheckTest, RowsThatAreNotOfTheirFormAreTold) {
  filled_.put(message(4), "x");
  filled_.put(kind_prefix('m', 7) + "short", "x");
  filled_.put(kind_prefix('f', 7) + "short", "x");
  filled_.put(stream_key(8, {1, 1, 1}, bus::Lane::call), "x");
  filled_.put(results_key(8, {1, 1, 1}, bus::Lane::call, 5), "x");
  filled_.put(shard_key(9), "x");
  const auto found = texts(check());
  EXPECT_THAT(found, Contains("player/1: lost_messages 4: not the row of a message"));
  EXPECT_THAT(found, Contains(HasSubstr("bad_key: m\\x07short")));
  EXPECT_THAT(found, Contains(HasSubstr("bad_key: f\\x07short")));
  EXPECT_THAT(found, Contains("the store: bad_row: a sender's stream to store/8"));
  EXPECT_THAT(found, Contains("the store: bad_row: the row of store/9"));
  EXPECT_EQ(found.size(), 6U);
}

TEST_F(CheckTest, SumsMustFit) {
  filled_.put(message(5), encode(MessageRow{1'005, 7, {}, test::body_of(kCheckedBox, 5)}));
  const auto found = texts(check());
  ASSERT_EQ(found.size(), 2U) << "its own, and that of the next";
  EXPECT_THAT(found[0], HasSubstr("player/1: wrong_total 5: 7 bytes and not"));
}

TEST_F(CheckTest, AMailboxWithoutItsRow) {
  filled_.erase(box_key(box_.shard, box_.id));
  const auto report = check();
  const std::string id = box_.id.to_string();
  EXPECT_THAT(texts(report),
              Contains("mailbox " + id +
                       ": no_box_row 3 to 9: it is missing; 7 of its messages can be read"));
}

TEST_F(CheckTest, NamesMustBelongToTheirIds) {
  filled_.put(box_key(box_.shard, box_.id),
              encode(BoxRow{.name = "player/2", .last = 2, .floor = 2}));
  const auto found = texts(check());
  EXPECT_THAT(found, Contains("mailbox " + box_.id.to_string() + ": wrong_name: player/2"));
}

TEST_F(CheckTest, KeysOfPostersMustBeOfMessagesThatWere) {
  filled_.put(post_key(box_.shard, box_.id, "a"), encode(KeyRow{2, 1}));
  filled_.put(post_key(box_.shard, box_.id, "b"), encode(KeyRow{10, 1}));
  EXPECT_THAT(texts(check()), ElementsAre("player/1: wrong_post_key 10: the mailbox ends at 9"));
}

TEST_F(CheckTest, UnknownKindsAndKnownLossesAreNotes) {
  filled_.put("x1", "of a later version");
  filled_.put("x2", "of a later version");
  filled_.put(message(4), encode(lost_row(9 * 12)));
  filled_.erase(message(5));
  filled_.put(message(5), encode(MessageRow{1'005, 9 * 13, {}, test::body_of(kCheckedBox, 5)}));
  const CheckReport report = check();
  EXPECT_EQ(report.notes, 2U);
  EXPECT_THAT(texts(report), Contains("the store: unknown_rows: 2 rows of kind 'x'"));
  EXPECT_THAT(texts(report), Contains("player/1: lost_before 4"));
}

TEST_F(CheckTest, AFlippedBitInAMessageIsOfItsMailbox) {
  filled_.fill("large/1", 0, 400);
  filled_.move_into_a_table();
  ASSERT_TRUE(filled_.flip_at(test::body_of("large/1", 200)));
  filled_.open();
  const CheckReport report = check();
  EXPECT_GE(report.damage, 1U);
  bool found = false;
  for (const Finding& finding : report.findings) {
    if (finding.problem == Problem::damaged_block) continue;
    EXPECT_EQ(finding.problem, Problem::lost_messages) << finding.to_string();
    EXPECT_EQ(finding.name, "large/1");
    found |= finding.first <= 200 && 200 <= finding.last;
  }
  EXPECT_TRUE(found);
  EXPECT_GT(report.totals.messages, 140U + 250U) << "the rest is read";
}

TEST_F(CheckTest, AFlippedBitInTheRowOfAMailboxLeavesItsMessages) {
  filled_.move_into_a_table();
  ASSERT_TRUE(filled_.flip_at("\x08player/1"));  // length and name: only the row has them so
  filled_.open();
  const CheckReport report = check();
  EXPECT_GE(report.damage, 1U);
  EXPECT_EQ(report.totals.messages, 140U);
  bool found = false;
  for (const Finding& finding : report.findings) {
    if (finding.id == box_.id) found |= finding.problem == Problem::no_box_row;
  }
  EXPECT_TRUE(found);
}

TEST_F(CheckTest, ReportsAreBounded) {
  for (std::uint8_t i = 0; i < 100; ++i) {
    for (int j = 0; j < 20; ++j) filled_.put(kind_prefix('m', i) + std::to_string(j), "x");
  }
  const CheckReport report = check();
  EXPECT_EQ(report.findings.size(), kMostFindings);
  EXPECT_EQ(report.problems, 2'000U);
  EXPECT_EQ(report.more(), 1'000U);
}

TEST_F(CheckTest, ProgressCanEndIt) {
  int calls = 0;
  const auto report =
      check_store(*filled_.snapshot(), [&](const CheckProgress&) { return ++calls < 3; });
  ASSERT_TRUE(report);
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace starbus::mail
