// Spoiled stores are repaired: the check is clean then, what can be read is there, what is gone was
// told.
#include "mail/repair/repair_mail.hpp"

#include <gmock/gmock.h>

#include "mail/lost_row.hpp"
#include "mail/repair/inspect.hpp"
#include "storage/envelope.hpp"
#include "tests/mail/filled_store.hpp"

namespace starbus::mail {
namespace {

using test::body_of;
using test::FilledStore;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kMendedBox = "player/1";

class RepairMailTest : public testing::Test {
 protected:
  RepairMailTest() {
    for (int i = 0; i < 20; ++i) filled_.fill("player/" + std::to_string(i), 2, 9);
  }
  void repair(const BoxSearch* search = nullptr) {
    MailRepairOptions options;
    options.search = search;
    options.on_step = [this](const RepairStep& step) {
      std::string text = step.name.empty() ? "?" : step.name;
      text += " " + std::string(name_of(step.action));
      if (step.last != 0) {
        text += " " + std::to_string(step.first) + "-" + std::to_string(step.last);
      }
      told.push_back(text + (step.body.empty() ? "" : " " + step.body));
      return true;
    };
    const auto repaired = repair_mail(filled_.store(), options);
    ASSERT_TRUE(repaired) << repaired.error().to_string();
    const auto report = check_store(*filled_.snapshot());
    ASSERT_TRUE(report);
    for (const Finding& finding : report->findings) {
      EXPECT_TRUE(is_note(finding.problem)) << finding.to_string();
    }
  }
  /// "3 4 lost 6": what a reader of the mailbox finds.
  std::string content(const std::string& name = kMendedBox) {
    const auto snapshot = filled_.snapshot();
    const auto box = find_box(*snapshot, name);
    EXPECT_TRUE(box && *box);
    if (!box || !*box) return {};
    EXPECT_EQ((*box)->row.name, name);
    std::string text;
    const auto page = peek(*snapshot, **box, 0, 1'000);
    for (const Peeked& message : page->messages) {
      const bool sound = message.trouble.empty() && message.body == body_of(name, message.number);
      text +=
          (text.empty() ? "" : " ") + (sound ? std::to_string(message.number) : message.trouble);
    }
    return text;
  }
  std::string message(std::uint64_t number) const {
    return message_key(box_.shard, box_.id, number);
  }
  MessageRow row_of(std::uint64_t number, std::string& body) const {
    body = body_of(kMendedBox, number);
    return {1'000 + number, 0, {}, body};
  }

  FilledStore filled_;
  std::size_t turned_back_ = 0;
  std::vector<std::string> told;
  const test::Place box_ = test::place_of(kMendedBox);
};

TEST_F(RepairMailTest, ASoundStoreStaysAsItIs) {
  const auto before = storage::test::content_of(filled_.store());
  repair();
  EXPECT_THAT(told, IsEmpty());
  EXPECT_EQ(storage::test::content_of(filled_.store()), before);
}

TEST_F(RepairMailTest, HolesAreMarked) {
  filled_.erase(message(5));
  filled_.put(message(6), "x");
  repair();
  EXPECT_THAT(told, ElementsAre("player/1 lost 5-6"));
  EXPECT_EQ(content(), "3 4 lost lost 7 8 9");
  told.clear();
  repair();
  EXPECT_THAT(told, IsEmpty()) << "once is enough";
}

TEST_F(RepairMailTest, WhatIsLostAtTheBeginningIsToldToo) {
  filled_.erase(message(3));
  filled_.put(message(4), "x");
  repair();
  EXPECT_THAT(told, ElementsAre("player/1 lost 3-4"));
  EXPECT_EQ(content(), "lost lost 5 6 7 8 9");
}

TEST_F(RepairMailTest, WhatIsLostAtTheEndKeepsItsNumbers) {
  filled_.erase(message(8));
  filled_.erase(message(9));
  repair();
  EXPECT_THAT(told, ElementsAre("player/1 lost 8-9"));
  EXPECT_EQ(content(), "3 4 5 6 7 lost lost");
}

TEST_F(RepairMailTest, AMailboxThatHasLostAllItsMessages) {
  for (std::uint64_t number = 3; number <= 9; ++number) filled_.erase(message(number));
  repair();
  EXPECT_THAT(told, ElementsAre("player/1 lost 3-9"));
  EXPECT_EQ(content(), "lost lost lost lost lost lost lost");
  EXPECT_EQ((*find_box(*filled_.snapshot(), kMendedBox))->row.last, 9U);
}

TEST_F(RepairMailTest, AcknowledgedMessagesThatAreBackAreTold) {
  std::string body;
  filled_.put(message(2), encode(row_of(2, body)));
  repair();
  EXPECT_THAT(told, ElementsAre("player/1 acknowledged 2-2 player/1 #2"));
  EXPECT_EQ(content(), "3 4 5 6 7 8 9");
}

TEST_F(RepairMailTest, MessagesBehindTheEndAreTakenBack) {
  std::string body;
  filled_.put(message(10), encode(row_of(10, body)));
  filled_.put(message(12), encode(row_of(12, body)));
  repair();
  EXPECT_THAT(told, Contains("player/1 counted_in 10-12"));
  EXPECT_THAT(told, Contains("player/1 lost 11-11"));
  EXPECT_EQ(content(), "3 4 5 6 7 8 9 10 lost 12");
}

TEST_F(RepairMailTest, ANumberFarAwayIsLeftAlone) {
  std::string body;
  const std::uint64_t far = std::uint64_t{1} << 60;
  filled_.put(message(far), encode(row_of(far, body)));
  MailRepairOptions options;
  options.on_step = [&](const RepairStep& step) {
    told.push_back(std::string(name_of(step.action)));
    return true;
  };
  ASSERT_TRUE(repair_mail(filled_.store(), options));
  EXPECT_THAT(told, ElementsAre("left"));
  EXPECT_EQ(content(), "3 4 5 6 7 8 9");
}

TEST_F(RepairMailTest, NumbersThatCannotBeAreNotTakenOver) {
  const std::uint64_t most = ~std::uint64_t{0};
  filled_.put(box_key(box_.shard, box_.id),
              encode(BoxRow{PostTarget::log, kMendedBox, most, 0, 9, 0}));
  std::string body;
  filled_.put(message(most), encode(row_of(most, body)));
  MessageRow absurd = row_of(9, body);
  absurd.total = most - 1;
  filled_.put(message(9), encode(absurd));
  MailRepairOptions options;
  options.on_step = [&](const RepairStep& step) {
    told.push_back(std::string(name_of(step.action)) + " " + std::to_string(step.last));
    return true;
  };
  ASSERT_TRUE(repair_mail(filled_.store(), options));
  EXPECT_THAT(told, Contains("left " + std::to_string(most)));
  EXPECT_THAT(told, Contains("sealed 9"));
  const auto row = filled_.store().get(box_key(box_.shard, box_.id));
  ASSERT_TRUE(row && *row && decode_box(**row));
}

TEST_F(RepairMailTest, OfShardsThatAreNotHereNothingIsTouched) {
  for (const Keeping keeping : {Keeping::incoming, Keeping::elsewhere}) {
    filled_.put(place_key(box_.shard), encode(PlaceRow{keeping, 7, "b"}));
    filled_.erase(message(5));
    filled_.erase(box_key(box_.shard, box_.id));
    const auto before = storage::test::content_of(filled_.store());
    repair();
    EXPECT_THAT(told, IsEmpty());
    EXPECT_EQ(storage::test::content_of(filled_.store()), before);
  }
  filled_.put(place_key(box_.shard), encode(PlaceRow{Keeping::arrived, 7, "b"}));
  MailRepairOptions options;
  options.on_step = [](const RepairStep&) { return true; };
  ASSERT_TRUE(repair_mail(filled_.store(), options));
  EXPECT_TRUE(filled_.store().get(box_key(box_.shard, box_.id))->has_value());
}

TEST_F(RepairMailTest, SumsAreCountedAgain) {
  std::string body;
  filled_.put(message(5), encode(row_of(5, body)));
  repair();
  EXPECT_THAT(told, ElementsAre("player/1 counted"));
  EXPECT_EQ(content(), "3 4 5 6 7 8 9");
}

TEST_F(RepairMailTest, WithoutItsNameAMailboxIsSealed) {
  filled_.erase(box_key(box_.shard, box_.id));
  MailRepairOptions options;
  options.on_step = [&](const RepairStep& step) {
    told.push_back(std::string(name_of(step.action)));
    return true;
  };
  ASSERT_TRUE(repair_mail(filled_.store(), options));
  EXPECT_THAT(told, ElementsAre("sealed"));
  const auto box = find_box(*filled_.snapshot(), kMendedBox);
  ASSERT_TRUE(box && *box);
  EXPECT_EQ((*box)->row.name, "");
  EXPECT_EQ((*box)->row.floor, 2U);
  EXPECT_EQ((*box)->row.last, 9U) << "no number is given again";
  const auto report = check_store(*filled_.snapshot());
  ASSERT_EQ(report->findings.size(), 1U);
  EXPECT_EQ(report->findings[0].problem, Problem::wrong_name);

  // The name turns up, in a file that was read later.
  BoxSearch search([this](const ChannelId& id) { return id == box_.id; });
  search.read(std::string(5, 'x') + encode(BoxRow{PostTarget::mailbox, kMendedBox}) + "x");
  told.clear();
  repair(&search);
  EXPECT_THAT(told, ElementsAre("player/1 renamed"));
  EXPECT_EQ(content(), "3 4 5 6 7 8 9");
}

TEST_F(RepairMailTest, ANameIsFoundInTheFiles) {
  BoxSearch search([this](const ChannelId& id) { return id == box_.id; });
  search.read_folder(filled_.path());
  ASSERT_NE(search.find(box_.id), nullptr);
  EXPECT_TRUE(search.find(box_.id)->verified);
  filled_.put(box_key(box_.shard, box_.id), "x");
  repair(&search);
  EXPECT_THAT(told, ElementsAre("player/1 rebuilt 3-9"));
  EXPECT_EQ(content(), "3 4 5 6 7 8 9");
}

TEST_F(RepairMailTest, ANameIsFoundInADamagedRow) {
  BoxRow row{PostTarget::log, kMendedBox, 9, 2, 100, 20};
  std::string sealed(5, 'x');  // a checksum that is wrong
  sealed += encode(row);
  BoxSearch search([this](const ChannelId& id) { return id == box_.id; });
  search.read("garbage" + sealed + "garbage");
  ASSERT_NE(search.find(box_.id), nullptr);
  EXPECT_FALSE(search.find(box_.id)->verified);
  filled_.erase(box_key(box_.shard, box_.id));
  repair(&search);
  EXPECT_THAT(told, ElementsAre("player/1 rebuilt 3-9"));
  EXPECT_EQ(content(), "3 4 5 6 7 8 9");
  EXPECT_EQ((*find_box(*filled_.snapshot(), kMendedBox))->row.kind, PostTarget::log);
}

TEST_F(RepairMailTest, OneFlippedBitInARowIsTurnedBack) {
  const BoxRow row{PostTarget::log, kMendedBox, 9, 2, 100, 20};
  std::string sealed;
  storage::seal(box_key(box_.shard, box_.id), encode(row), sealed);
  for (std::size_t bit = 0; bit < sealed.size() * 8; ++bit) {
    std::string damaged = sealed;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    BoxSearch search([this](const ChannelId& id) { return id == box_.id; });
    search.read("garbage" + damaged + std::string(300, 'x'));
    const FoundBox* const found = search.find(box_.id);
    // A bit of the length may make it zero.
    if (found == nullptr) continue;
    EXPECT_TRUE(found->verified) << bit;
    EXPECT_EQ(found->row.last, 9U) << bit;
    EXPECT_EQ(found->row.kind, PostTarget::log) << bit;
    ++turned_back_;
  }
  EXPECT_GE(turned_back_, sealed.size() * 8 - 2);
}

TEST_F(RepairMailTest, OfAMailboxThatIsGoneTheNumbersStayUsed) {
  BoxSearch search([this](const ChannelId& id) { return id == box_.id; });
  search.read_folder(filled_.path());
  filled_.erase(box_key(box_.shard, box_.id));
  for (std::uint64_t number = 3; number <= 9; ++number) filled_.erase(message(number));
  repair(&search);
  EXPECT_THAT(told, ElementsAre("player/1 rebuilt 0-9", "player/1 lost 3-9", "? counted"));
  EXPECT_EQ((*find_box(*filled_.snapshot(), kMendedBox))->row.last, 9U);
}

TEST_F(RepairMailTest, AStreamThatCannotBeReadMakesAllOfItsShardVoid) {
  filled_.put(stream_key(box_.shard, {1, 1, 1}, bus::Lane::call), "x");
  repair();
  EXPECT_THAT(told, ElementsAre("? void_streams"));
  const auto row = filled_.store().get(shard_key(box_.shard));
  ASSERT_TRUE(row && *row);
  EXPECT_EQ(decode_shard(**row)->lineage, Lineage{});
}

TEST_F(RepairMailTest, KeysOfMessagesThatNeverWereAreErased) {
  filled_.put(post_key(box_.shard, box_.id, "a"), encode(KeyRow{2, 1}));
  filled_.put(post_key(box_.shard, box_.id, "b"), encode(KeyRow{10, 1}));
  filled_.put(post_key(box_.shard, box_.id, "c"), "x");
  repair();
  EXPECT_THAT(told, ElementsAre("player/1 erased_key", "player/1 erased_key"));
}

TEST_F(RepairMailTest, WhoIsToldInVainEndsIt) {
  filled_.erase(message(5));
  MailRepairOptions options;
  options.on_step = [](const RepairStep&) { return false; };
  EXPECT_EQ(repair_mail(filled_.store(), options).error(), storage::Errc::closed);
}

}  // namespace
}  // namespace starbus::mail
