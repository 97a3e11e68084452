/// What has outlived its time.
#include "mail/dead_letters.hpp"
#include "mail/lost_row.hpp"
#include "tests/mail/mail_fixture.hpp"

namespace starbus::mail {
namespace {

using test::kBox;
using test::kLife;
using test::MailReading;
using testing::ElementsAre;
using testing::IsEmpty;

// --- what has outlived its time ------------------------------------------------------------------

class MailAge : public MailReading {
 protected:
  /// Lets time pass, and the store look at all its rows.
  void pass(std::uint64_t ms) {
    shell_->now_ms += ms;
    for (int step = 0; step < 8; ++step) {
      shell_->now_ms += in_ms(kSweepPause);
      settle();
    }
  }
  static constexpr std::uint64_t kDay = 86'400'000;
};

TEST_F(MailAge, OldMessagesGoToTheDeadLetters) {
  quota_.age_ms = 10'000;
  restart();
  post_all(20);
  pass(6'000);
  post_all(1);
  EXPECT_EQ(mail_->totals().messages, 21u);
  pass(6'000);
  EXPECT_EQ(mail_->counters().aged, 20u) << "in several batches";
  EXPECT_EQ(mail_->counters().dead_letters, 20u);
  EXPECT_THAT(open(reader_, ask(Epoch::of(1, 1))), ElementsAre("after 20 of 21", "21"));
  bus::MailOpen letters;
  letters.token = kToken + 1;
  letters.target = PostTarget::log;
  letters.name = dead_letters_log(shard());
  letters.window = 100'000;
  EXPECT_THAT(open(reader_, letters),
              ElementsAre("after 0 of 20", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20"));
}

TEST_F(MailAge, LargeMessagesGrowOldOneAfterTheOther) {
  quota_.age_ms = 10'000;
  restart();
  post_all(3, 9 * 1024 * 1024);
  pass(11'000);
  pass(0);
  EXPECT_EQ(mail_->counters().aged, 3u);
  EXPECT_EQ(mail_->counters().dead_letters, 3u);
}

TEST_F(MailAge, ManyLogsGrowOldAtOnce) {
  quota_.logs = {{.prefix = "log/", .age_ms = 10'000}};
  restart();
  std::uint64_t seq = 0;
  for (int i = 0, logs = 0; logs < 2 * static_cast<int>(kSweepPage); ++i) {
    const std::string name = "log/" + std::to_string(i);
    if (shard_of(channel_id(name)) != shard()) continue;
    ++logs;
    Bytes message;
    bus::encode_post_head({PostTarget::log, name, {}, {}}, message);
    for (std::size_t n = 0; n <= kErasedSingly; ++n) {
      mail_->post(stream(), ++seq, message, false);
    }
  }
  settle();
  const std::uint64_t logged = seq;
  // Others in the same batches that erase a range, too.
  constexpr int kSteps = 12;
  constexpr std::uint64_t kPurged = kErasedSingly + 1;
  while (seq < logged + kSteps * kPurged) post(++seq, "x");
  settle();
  shell_->now_ms += 11'000;
  for (std::uint64_t step = 1; step <= kSteps; ++step) {
    shell_->now_ms += in_ms(kSweepPause);
    mail_->purge(kBox, step * kPurged, [](const Result<std::uint64_t>&) {});
    settle();
  }
  EXPECT_EQ(mail_->counters().purged, kSteps * kPurged);
  EXPECT_EQ(mail_->counters().aged, logged);
}

TEST_F(MailAge, AMarkOfWhatIsLostDoesNotAgeItsNeighbours) {
  quota_.age_ms = 10'000;
  restart();
  post_all(1);
  shell_->now_ms += 8'000;
  post_all(7);
  mail_.reset();
  storage::Batch batch;
  for (const std::uint64_t number : {4U, 5U}) {
    batch.put(message_key(shard(), channel_id(kBox), number), encode(lost_row(number)));
  }
  ASSERT_TRUE(storage::test::commit(*store_, std::move(batch)));
  const std::uint64_t now = shell_->now_ms;
  restart();
  shell_->now_ms = now;
  pass(3'000);
  EXPECT_EQ(mail_->counters().aged, 1u) << "the first, and none that is younger than the limit";
  pass(8'000);
  EXPECT_EQ(mail_->totals().messages, 6u) << "letters of all that could be read";
}

TEST_F(MailAge, AClockThatIsSetBackDoesNotEndTheSweeping) {
  quota_.age_ms = 10'000;
  restart();
  shell_->now_ms += 1'000 * kDay;
  settle();
  shell_->now_ms -= 1'000 * kDay;
  post_all(1);
  pass(11'000);
  EXPECT_EQ(mail_->counters().aged, 1u);
}

TEST_F(MailAge, WithoutALimitNothingGetsTooOld) {
  post_all(3);
  pass(1'000 * kDay);
  EXPECT_EQ(mail_->totals().messages, 3u);
}

TEST_F(MailAge, IdempotencyKeysAreKnownForADay) {
  post(1, "a", "k");
  settle();
  pass(kDay - 10'000);
  post(2, "a", "k");
  EXPECT_THAT(settle(), ElementsAre("stored 2 2=1"));
  pass(20'000);
  post(3, "a", "k");
  EXPECT_THAT(settle(), ElementsAre("stored 3 3=2"));
}

/// Posters are told a time: it may not depend on when the store comes by to erase.
TEST_F(MailAge, AnIdempotencyKeyCountsForItsTimeWhetherItsRowIsStillThereOrNot) {
  post(1, "a", "k");
  settle();
  const std::uint64_t stored_ms = shell_->now_ms;
  const auto post_at = [&](std::uint64_t seq, std::uint64_t after) {
    shell_->now_ms = stored_ms + after;
    post(seq, "a", "k");
    return settle();
  };
  // No turn in between: nobody has come by.
  EXPECT_THAT(post_at(2, kDay), ElementsAre("stored 2 2=1"));
  EXPECT_THAT(post_at(3, kDay + 1), ElementsAre("stored 3 3=2"));
  EXPECT_THAT(post_at(4, kDay + 2), ElementsAre("stored 4 4=2")) << "it counts from the new one on";
  EXPECT_EQ(mail_->counters().repeated_keys, 2U);
}

/// What the walk has found waits behind the post that has the key again.
TEST_F(MailAge, AKeyThatHasComeAgainIsNotErasedForItsFirstTime) {
  post(1, "a", "k");
  settle();
  shell_->now_ms += kDay + 1'000;
  settle();  // looks at rows of mailboxes; next are those of keys
  shell_->now_ms += in_ms(kSweepPause);
  post(2, "a", "k");
  post(3, std::string(kBatchBytes, 'b'));  // so what was found has its turn a batch later
  EXPECT_THAT(settle(), ElementsAre("stored 2 2=2", "stored 3 3=3"));
  post(4, "a", "k");
  EXPECT_THAT(settle(), ElementsAre("stored 4 4=2"));
}

TEST_F(MailAge, SilentStreamsAreKnownForADay) {
  post(1, "a");
  settle();
  pass(kDay + 10'000);
  EXPECT_EQ(shell_->forgotten.size(), 1u);
  restart();
  EXPECT_THAT(filter_, IsEmpty());
  mail_->repeat(stream());
  EXPECT_THAT(settle(), ElementsAre("answer"));
  EXPECT_THAT(bodies(), ElementsAre("a"));
}

TEST_F(MailAge, ADayWithoutTheStoreDoesNotCount) {
  post(1, "a");
  settle();
  mail_.reset();
  shell_->now_ms += 2 * kDay;
  const std::uint64_t now = shell_->now_ms;
  restart();
  shell_->now_ms = now;
  ASSERT_TRUE(mail_->open(shard(), kLife));  // at that time
  pass(1'000);
  EXPECT_THAT(shell_->forgotten, IsEmpty()) << "its sender may have waited all the time";
}

}  // namespace
}  // namespace starbus::mail
