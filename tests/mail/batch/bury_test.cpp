#include "mail/batch/bury.hpp"

#include "mail/dead_letters.hpp"
#include "tests/mail/batch/batch_fixture.hpp"

namespace starbus::mail::test {
namespace {

class BuryTest : public BatchTest {
 protected:
  Result<> bury_first() {
    BatchBoxes::Place place = *boxes_.find(open_shard(), box()).value();
    return bury(boxes_, place, 1, "why", batch_);
  }

  BatchBoxes boxes_{*mail_};
};

TEST_F(BuryTest, TheLetterHoldsTheMessageAndTheReason) {
  ASSERT_TRUE(bury_first());
  EXPECT_EQ(batch_.counters.dead_letters, 1U);
  keep(batch_);
  const ChannelId log = channel_id(dead_letters_log(shard()));
  const auto stored = store_.store().get(message_key(shard(), log, 1));
  const auto row = decode_message(**stored);
  const auto letter = decode_dead_letter(as_bytes(row->body));
  ASSERT_TRUE(letter);
  EXPECT_EQ(letter->reason, "why");
  EXPECT_EQ(as_text(letter->body), body_of(kBox, 1));
}

TEST_F(BuryTest, AFullBatchTakesNoLetter) {
  batch_.rows.put("x", std::string(kBatchBytes, 'x'));
  EXPECT_EQ(bury_first().error(), Errc::would_block);
  EXPECT_EQ(batch_.counters.dead_letters, 0U);
}

}  // namespace
}  // namespace starbus::mail::test
