/// The reading side of mailboxes: sessions that follow one another, and what is settled.
#include "bus/core/ends/mail_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bus/core/limits.hpp"
#include "tests/bus/core/wire/wire_records.hpp"

namespace starbus::bus {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Process kStore{1, 1, 5};
const Process kOther{2, 1, 5};
const Epoch kMine = Epoch::of(1, 9);

class MailReaderTest : public testing::Test {
 protected:
  void start(MailReader::Settings settings = {}) {
    settings.name = "player/1";
    if (settings.window == 0) settings.window = 1'000;
    reader_ = std::make_unique<MailReader>(
        settings,
        [this](const Process& to, ByteView record) {
          for (WireRecord& each : cut_records(record)) said_.emplace_back(to, std::move(each));
        },
        [this] { return ++token_; });
  }
  /// With a session.
  void open(std::uint64_t after = 0, std::uint64_t last = 0) {
    reader_->owned_under(kMine, now_);
    reader_->store_is(kStore, Epoch::of(1, 2), now_);
    EXPECT_TRUE(reader_->on_opened(kStore, {token_, Errc::ok, {}, after, last}, now_));
    said_.clear();
  }
  void bring(std::initializer_list<std::uint64_t> numbers, const Process& from = kStore) {
    MailItems items{token_, {}};
    for (const std::uint64_t number : numbers) {
      items.items.push_back({number, 7, Errc::ok, {}, Bytes(100)});
    }
    reader_->on_items(from, std::move(items));
  }
  std::vector<std::uint64_t> take_all() {
    std::vector<std::uint64_t> numbers;
    while (const auto item = reader_->take()) numbers.push_back(item->number);
    return numbers;
  }
  template <class Record>
  std::vector<Record> said(const Process& to = kStore) {
    std::vector<Record> found;
    for (const auto& [receiver, record] : said_) {
      if (receiver == to && record.kind == Record::kKind) {
        found.push_back(read_record<Record>(record));
      }
    }
    return found;
  }
  void pass(std::uint64_t ms) { pass(from_ms(ms)); }
  void pass(Time time) { reader_->tick(now_ += time); }

  std::unique_ptr<MailReader> reader_;
  std::vector<std::pair<Process, WireRecord>> said_;
  std::uint64_t token_ = 0;
  Time now_ = from_ms(1'000);
};

TEST_F(MailReaderTest, OpensOnceItOwnsTheNameAndSeesTheStore) {
  start({.after = 4});
  reader_->store_is(kStore, Epoch::of(1, 2), now_);
  EXPECT_THAT(said_, IsEmpty());
  reader_->owned_under(kMine, now_);
  const auto opens = said<MailOpen>();
  ASSERT_EQ(opens.size(), 1u);
  EXPECT_EQ(opens[0].name, "player/1");
  EXPECT_EQ(opens[0].epoch, kMine);
  EXPECT_EQ(opens[0].after, 4u);
  EXPECT_EQ(opens[0].settled, 4u) << "the cursor was saved: that much is handled";
  EXPECT_FALSE(reader_->opened());
}

TEST_F(MailReaderTest, GivesEachMessageOnceAndInOrder) {
  start();
  open(0, 3);
  bring({1, 2});
  bring({2, 3});
  EXPECT_THAT(take_all(), ElementsAre(1, 2, 3));
  EXPECT_EQ(reader_->position(), 3u);
}

TEST_F(MailReaderTest, WhatIsOfNoSessionOfItsIsNotTaken) {
  start();
  open(0, 3);
  EXPECT_FALSE(reader_->on_items(kStore, {token_ + 1, {{1, 0, Errc::ok, {}, {}}}}));
  EXPECT_FALSE(reader_->on_items(kOther, {token_, {{1, 0, Errc::ok, {}, {}}}}));
  EXPECT_FALSE(reader_->on_end(kOther, {token_, Errc::superseded, {}}, now_));
  EXPECT_THAT(take_all(), IsEmpty());
}

TEST_F(MailReaderTest, GoesOnWithTheNextStoreFromWhatHasCome) {
  start();
  open(0, 5);
  bring({1, 2, 3});
  EXPECT_EQ(reader_->take()->number, 1u);
  ASSERT_TRUE(reader_->acknowledge(1));
  said_.clear();
  reader_->store_is(kOther, Epoch::of(1, 3), now_);
  const auto opens = said<MailOpen>(kOther);
  ASSERT_EQ(opens.size(), 1u);
  EXPECT_EQ(opens[0].after, 3u);
  EXPECT_EQ(opens[0].settled, 0u) << "not known to be on the disk: it is said again";
  reader_->on_opened(kOther, {token_, Errc::ok, {}, 3, 5}, now_);
  const auto acks = said<MailAck>(kOther);
  ASSERT_EQ(acks.size(), 1u);
  EXPECT_EQ(acks[0].upto, 1u);
  bring({4}, kOther);
  EXPECT_THAT(take_all(), ElementsAre(2, 3, 4));
}

TEST_F(MailReaderTest, ReportsWhatItHasTakenByHalfWindows) {
  start();
  open(0, 100);
  bring({1, 2, 3, 4, 5, 6});
  for (int i = 0; i < 3; ++i) reader_->take();
  EXPECT_THAT(said<MailConsumed>(), IsEmpty());
  reader_->take();  // 656 of 1,000
  auto reports = said<MailConsumed>();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].bytes, 4 * mail_charge(100));
  (void)take_all();
  reports = said<MailConsumed>();
  ASSERT_EQ(reports.size(), 2u) << "with the last that there was";
  EXPECT_EQ(reports[1].bytes, 6 * mail_charge(100));
}

TEST_F(MailReaderTest, WhatAnEarlierSessionBroughtIsNotCountedInThis) {
  start();
  open(0, 4);
  bring({1, 2});
  reader_->store_is(kOther, Epoch::of(1, 3), now_);
  reader_->on_opened(kOther, {token_, Errc::ok, {}, 2, 4}, now_);
  said_.clear();
  bring({3}, kOther);
  EXPECT_THAT(take_all(), ElementsAre(1, 2, 3));
  const auto reports = said<MailConsumed>(kOther);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].bytes, mail_charge(100));
}

TEST_F(MailReaderTest, AcknowledgementsAreCumulative) {
  start();
  open(0, 9);
  bring({1, 2, 3});
  (void)take_all();
  EXPECT_EQ(reader_->acknowledge(4).error(), Errc::cursor_ahead);
  ASSERT_TRUE(reader_->acknowledge(1));
  ASSERT_TRUE(reader_->acknowledge(3));
  ASSERT_TRUE(reader_->acknowledge(2)) << "settled already";
  reader_->on_acked(kStore, {token_, 1});
  EXPECT_EQ(reader_->acked(), 1u);
  reader_->on_acked(kStore, {token_, 3});
  EXPECT_EQ(reader_->acked(), 3u);
}

TEST_F(MailReaderTest, RejectionsAreNotMerged) {
  start();
  open(0, 9);
  bring({1, 2, 3, 4});
  (void)take_all();
  ASSERT_TRUE(reader_->acknowledge(1));
  ASSERT_TRUE(reader_->acknowledge(2, "poison"));
  ASSERT_TRUE(reader_->acknowledge(4));
  reader_->store_is(kOther, Epoch::of(1, 3), now_);
  reader_->on_opened(kOther, {token_, Errc::ok, {}, 4, 9}, now_);
  const auto acks = said<MailAck>(kOther);
  ASSERT_EQ(acks.size(), 3u);
  EXPECT_EQ(acks[1].upto, 2u);
  EXPECT_EQ(acks[1].reject, "poison");
  EXPECT_EQ(acks[2].upto, 4u);
}

TEST_F(MailReaderTest, ARejectionThatIsRefusedSettlesNothingAndIsNotSaidAgain) {
  start();
  open(0, 9);
  bring({1, 2, 3});
  (void)take_all();
  ASSERT_TRUE(reader_->acknowledge(2, "poison"));
  EXPECT_EQ(reader_->settling(), 2U);
  EXPECT_FALSE(reader_->on_refused(kStore, {token_ + 1, 2, Errc::store_full, {}}));
  EXPECT_TRUE(reader_->on_refused(kStore, {token_, 2, Errc::store_full, {}}));
  EXPECT_EQ(reader_->settling(), 0U);
  EXPECT_EQ(reader_->acked(), 0U);
  EXPECT_TRUE(reader_->serving());
  reader_->store_is(kOther, Epoch::of(1, 3), now_);
  reader_->on_opened(kOther, {token_, Errc::ok, {}, 3, 9}, now_);
  EXPECT_THAT(said<MailAck>(kOther), IsEmpty());
  ASSERT_TRUE(reader_->acknowledge(2)) << "and may be settled as any other";
  EXPECT_EQ(said<MailAck>(kOther).size(), 1U);
}

TEST_F(MailReaderTest, KnowsHowOftenTheFirstOfASessionWasGivenOut) {
  start();
  open(0, 9);
  EXPECT_FALSE(reader_->on_attempts(kStore, {token_ + 1, 1, 9}));
  EXPECT_TRUE(reader_->on_attempts(kStore, {token_, 1, 3}));
  bring({1, 2});
  EXPECT_EQ(reader_->take()->attempts, 3U);
  EXPECT_EQ(reader_->take()->attempts, 1U);
}

TEST_F(MailReaderTest, RejectionsUnderWayAreBounded) {
  start({.window = 100'000});
  open(0, 200);
  for (std::uint64_t number = 1; number <= kMaxRejects + 1; ++number) bring({number});
  (void)take_all();
  for (std::uint64_t number = 1; number <= kMaxRejects; ++number) {
    ASSERT_TRUE(reader_->acknowledge(number, "poison"));
  }
  EXPECT_EQ(reader_->acknowledge(kMaxRejects + 1, "poison").error(), Errc::would_block);
}

TEST_F(MailReaderTest, ABusyStoreIsAskedAgain) {
  start();
  reader_->owned_under(kMine, now_);
  reader_->store_is(kStore, Epoch::of(1, 2), now_);
  reader_->on_opened(kStore, {token_, Errc::busy, {}, 0, 0}, now_);
  said_.clear();
  pass(kReaderRetryFirst - 1ms);
  EXPECT_THAT(said_, IsEmpty());
  pass(1);
  EXPECT_EQ(said<MailOpen>().size(), 1u);
  for (int i = 0; i < 10; ++i) {
    reader_->on_opened(kStore, {token_, Errc::busy, {}, 0, 0}, now_);
    said_.clear();
    pass(kReaderRetryLongest);
    EXPECT_EQ(said<MailOpen>().size(), 1u) << "never later than that";
  }
}

TEST_F(MailReaderTest, AnAnswerThatIsLostIsAskedForAgain) {
  start();
  reader_->owned_under(kMine, now_);
  reader_->store_is(kStore, Epoch::of(1, 2), now_);
  const std::uint64_t first = token_;
  pass(kReaderAnswer - 1ms);
  EXPECT_EQ(token_, first);
  pass(1);
  EXPECT_EQ(token_, first + 1);
  pass(2 * kReaderAnswer - 1ms);
  EXPECT_EQ(token_, first + 1) << "it waits twice as long now";
  EXPECT_FALSE(reader_->on_opened(kStore, {first, Errc::ok, {}, 0, 0}, now_));
}

TEST_F(MailReaderTest, AnEndThatOvertakesALostBeginningCounts) {
  start();
  reader_->owned_under(kMine, now_);
  reader_->store_is(kStore, Epoch::of(1, 2), now_);
  EXPECT_TRUE(reader_->on_end(kStore, {token_, Errc::busy, {}}, now_));
  pass(kReaderRetryFirst);
  EXPECT_EQ(said<MailOpen>().size(), 2u);
}

TEST_F(MailReaderTest, ALostRecordBeginsASessionAnew) {
  start();
  open(0, 3);
  bring({1});
  reader_->lost(kOther.channel(), now_);
  EXPECT_TRUE(reader_->serving());
  reader_->lost(kStore.channel(), now_);
  EXPECT_FALSE(reader_->serving());
  pass(kReaderRetryFirst);
  ASSERT_EQ(said<MailOpen>().size(), 1u);
  EXPECT_EQ(said<MailOpen>()[0].after, 1u);
}

TEST_F(MailReaderTest, EndsForWhatWillNotMend) {
  for (const Errc reason : {Errc::superseded, Errc::cursor_ahead, Errc::corrupt, Errc::denied}) {
    start();
    reader_->owned_under(kMine, now_);
    reader_->store_is(kStore, Epoch::of(1, 2), now_);
    reader_->on_opened(kStore, {token_, reason, "why", 0, 0}, now_);
    EXPECT_EQ(reader_->failure(), reason);
    said_.clear();
    pass(60'000);
    reader_->store_is(kOther, Epoch::of(1, 3), now_);
    EXPECT_THAT(said_, IsEmpty());
  }
}

TEST_F(MailReaderTest, WhileItsNameMovesThereIsNoSession) {
  start();
  open(0, 3);
  reader_->owned_under({}, now_);
  EXPECT_EQ(said<MailEnd>().size(), 1u);
  pass(60'000);
  EXPECT_THAT(said<MailOpen>(), IsEmpty());
  reader_->owned_under(Epoch::of(1, 10), now_);
  ASSERT_EQ(said<MailOpen>().size(), 1u);
  EXPECT_EQ(said<MailOpen>()[0].epoch, Epoch::of(1, 10));
}

TEST_F(MailReaderTest, ALogIsReadFromItsEndOnceAndThenFromItsPosition) {
  start({.target = PostTarget::log, .from_end = true});
  reader_->store_is(kStore, Epoch::of(1, 2), now_);
  ASSERT_EQ(said<MailOpen>().size(), 1u);
  EXPECT_TRUE(said<MailOpen>()[0].from_end);
  reader_->on_opened(kStore, {token_, Errc::ok, {}, 7, 7}, now_);
  EXPECT_EQ(reader_->position(), 7u);
  reader_->store_is(kOther, Epoch::of(1, 3), now_);
  const auto again = said<MailOpen>(kOther);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_FALSE(again[0].from_end) << "what came meanwhile is not left out";
  EXPECT_EQ(again[0].after, 7u);
  EXPECT_EQ(reader_->acknowledge(7).error(), Errc::denied);
}

}  // namespace
}  // namespace starbus::bus
