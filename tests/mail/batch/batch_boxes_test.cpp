#include "mail/batch/batch_boxes.hpp"

#include "tests/mail/batch/batch_fixture.hpp"

namespace starbus::mail::test {
namespace {

constexpr const char* kLog = "log/chat";

class BatchBoxesTest : public BatchTest {
 protected:
  BatchBoxesTest() : BatchTest({.logs = {{.prefix = "log/", .messages = 2, .bytes = 0}}}) {}
  BatchBoxes::Place place() { return *boxes_.find(open_shard(), box()).value(); }

  BatchBoxes boxes_{*mail_};
};

TEST_F(BatchBoxesTest, ABoxOfTheOtherKindIsDenied) {
  EXPECT_TRUE(boxes_.find(open_shard(), box(), kBox, PostTarget::mailbox));
  EXPECT_EQ(boxes_.find(open_shard(), box(), kBox, PostTarget::log).error(), Errc::denied);
}

TEST_F(BatchBoxesTest, AMessageGetsTheNextNumberAndCounts) {
  BatchBoxes::Place found = place();
  EXPECT_EQ(boxes_.put_message(found, {}, as_bytes("x"), batch_), kLast + 1);
  EXPECT_EQ(batch_.shards.totals_of(open_shard()).messages, kLast + 1);
  EXPECT_EQ(batch_.all.messages, kLast + 1);
  EXPECT_EQ(mail_->shards.totals().messages, kLast) << "before the disk has it";
}

TEST_F(BatchBoxesTest, SettlingErasesAndCorrectsTheTotals) {
  BatchBoxes::Place found = place();
  boxes_.settle(found, 2, batch_);
  EXPECT_EQ(row().floor, 2U);
  EXPECT_EQ(batch_.counters.settled, 2U);
  EXPECT_EQ(batch_.shards.totals_of(open_shard()).messages, kLast - 2);
  keep(batch_);
  std::string value;
  EXPECT_FALSE(boxes_.message(found, 2, value));
  EXPECT_EQ(boxes_.message(found, 3, value)->body, body_of(kBox, 3));
}

TEST_F(BatchBoxesTest, ALogLosesWhatItsQuotaDoesNotAllow) {
  OpenShard& shard = open_shard();
  const ChannelId id = channel_id(kLog);
  const auto append = [&] {
    MailBatch batch;
    auto log =
        boxes_.claim(boxes_.find(shard, id).value(), shard, id, kLog, PostTarget::log, batch);
    boxes_.put_message(log, {}, as_bytes("x"), batch);
    keep(batch);
    return batch.counters.trimmed;
  };
  EXPECT_EQ(append(), 0U);
  EXPECT_EQ(append(), 0U);
  EXPECT_EQ(append(), 1U);
}

}  // namespace
}  // namespace starbus::mail::test
