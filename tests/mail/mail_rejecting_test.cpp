/// Messages that readers reject, or that kill their readers: dead letters and attempts.
#include "mail/dead_letters.hpp"
#include "storage/limits.hpp"
#include "tests/mail/mail_fixture.hpp"

namespace starbus::mail {
namespace {

using test::kBox;
using test::MailReading;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(MailReading, Rejection_KeepsDeadLetter) {
  post_all(3);
  (void)open(reader_, ask(Epoch::of(1, 1)));
  mail_->acknowledge({reader_, kToken}, {kToken, 2, "poison"});
  mail_->acknowledge({reader_, kToken}, {kToken, 2, "poison"});  // said again in another session
  EXPECT_THAT(hear(reader_), ElementsAre("acked 2", "acked 2"));
  const ChannelId log = channel_id(dead_letters_log(shard()));
  const auto row = store_->get(message_key(shard(), log, 1));
  ASSERT_TRUE(row && row->has_value());
  const auto letter = decode_dead_letter(as_bytes(decode_message(**row).value().body));
  ASSERT_TRUE(letter);
  EXPECT_EQ(letter->mailbox, kBox);
  EXPECT_EQ(letter->number, 2u);
  EXPECT_EQ(letter->reason, "poison");
  EXPECT_EQ(as_text(letter->body), "b");
  EXPECT_EQ(mail_->totals().boxes, 2u);
  EXPECT_EQ(mail_->totals().messages, 2u) << "the third, and the letter";
}

TEST_F(MailReading, DeadLetterNames_AreReserved) {
  post(1, "x", "", dead_letters_log(shard()));
  EXPECT_THAT(settle(), ElementsAre("stored 1 1=denied"));
  bus::MailOpen place = ask(Epoch::of(1, 1));
  place.name = dead_letters_log(shard());
  EXPECT_THAT(open(reader_, place), ElementsAre("no: denied"));
  post(2, "a");
  settle();
  (void)open(reader_, ask(Epoch::of(1, 1)));
  mail_->acknowledge({reader_, kToken}, {kToken, 1, "poison"});
  EXPECT_THAT(hear(reader_), ElementsAre("acked 1"));
  EXPECT_EQ(mail_->counters().dead_letters, 1u);
}

/// Each reader dies of 2, which its cursor says.
TEST_F(MailReading, Attempts_CountReadersThatDied) {
  post_all(3);
  Process life = reader_;
  EXPECT_THAT(open(life, ask(Epoch::of(1, 1))), ElementsAre("after 0 of 3", "1 2 3"));
  for (std::uint64_t attempt = 2; attempt <= 4; ++attempt) {
    mail_->process_gone(life, false);
    ++life.incarnation;
    EXPECT_THAT(open(life, ask(Epoch::of(1, attempt), 1, 1)),
                ElementsAre("after 1 of 3", "attempt " + std::to_string(attempt) + " at 2", "2 3"));
  }
  mail_->acknowledge({life, kToken}, {kToken, 2, "kills its reader"});
  EXPECT_THAT(hear(life), ElementsAre("acked 2"));
  EXPECT_EQ(mail_->counters().dead_letters, 1U);
}

TEST_F(MailReading, Attempts_ClosedMailbox_DoesNotCount) {
  post_all(2);
  (void)open(reader_, ask(Epoch::of(1, 1)));
  mail_->end_reader({reader_, kToken});
  const Process next{2, 1, 2};
  EXPECT_THAT(open(next, ask(Epoch::of(1, 2))), ElementsAre("after 0 of 2", "1 2"));
  // Nor has one that begins a session anew, behind what it has or not.
  EXPECT_THAT(open(next, ask(Epoch::of(1, 2))), ElementsAre("after 0 of 2", "1 2"));
  // One that another has replaced did not say what it did.
  (void)open({3, 1, 1}, ask(Epoch::of(1, 3)));
  EXPECT_THAT(open({3, 1, 2}, ask(Epoch::of(1, 4))),
              ElementsAre("after 0 of 2", "attempt 3 at 1", "1 2"));
}

TEST_F(MailReading, Attempts_AllAcknowledged_DoesNotCount) {
  post_all(2);
  (void)open(reader_, ask(Epoch::of(1, 1)));
  mail_->acknowledge({reader_, kToken}, {kToken, 2, {}});
  (void)hear(reader_);
  mail_->process_gone(reader_, false);
  post_all(1);
  EXPECT_THAT(open({2, 1, 2}, ask(Epoch::of(1, 2))), ElementsAre("after 2 of 3", "3"));
}

/// The log of the dead letters cannot be written: neither may its reader lose the message, nor
/// stand before it for ever.
TEST_F(MailReading, Rejection_WithoutRoom_IsRefusedAndReaderGoesOn) {
  const ChannelId log = channel_id(dead_letters_log(shard()));
  ASSERT_TRUE(
      storage::test::commit(*store_, storage::test::put(box_key(shard(), log), "no such row")));
  post_all(3);
  EXPECT_THAT(open(reader_, ask(Epoch::of(1, 1))), ElementsAre("after 0 of 3", "1 2 3"));
  mail_->acknowledge({reader_, kToken}, {kToken, 2, "poison"});
  EXPECT_THAT(hear(reader_), ElementsAre("refused 2: corrupt"));
  EXPECT_EQ(mail_->totals().messages, 3U) << "nothing of it is settled";
  post_all(1);
  EXPECT_THAT(hear(reader_), ElementsAre("4")) << "its session goes on";
  mail_->acknowledge({reader_, kToken}, {kToken, 2, {}});
  EXPECT_THAT(hear(reader_), ElementsAre("acked 2"));
}

TEST_F(MailReading, Rejection_LargeOnFullDisk_IsRefusedAndReaderGoesOn) {
  post_all(1);
  post_all(1, 2 * storage::kReserveBatch);
  bus::MailOpen large = ask(Epoch::of(1, 1));
  large.window = bus::kMaxMailWindow;
  (void)open(reader_, large);
  env_.set_available(options().headroom - 1);
  mail_->acknowledge({reader_, kToken}, {kToken, 1, "poison"});
  EXPECT_THAT(hear(reader_), ElementsAre("acked 1")) << "a small letter is within the reserve";
  mail_->acknowledge({reader_, kToken}, {kToken, 2, "poison"});
  EXPECT_THAT(hear(reader_), ElementsAre("refused 2: store_full"));
  EXPECT_EQ(mail_->counters().dead_letters, 1U);
  mail_->acknowledge({reader_, kToken}, {kToken, 2, {}});
  EXPECT_THAT(hear(reader_), ElementsAre("acked 2"));
}

TEST_F(MailReading, Rejection_LargeMessages_OnePerBatch) {
  constexpr std::size_t kSize = 9 * 1024 * 1024;
  post_all(3, kSize);
  bus::MailOpen large = ask(Epoch::of(1, 1));
  large.window = bus::kMaxMailWindow;
  (void)open(reader_, large);
  for (std::uint64_t number = 1; number <= 3; ++number) {
    mail_->consumed({reader_, kToken}, number * bus::mail_charge(kSize));
    settle_readers();
  }
  (void)heard(reader_);
  for (std::uint64_t number = 1; number <= 3; ++number) {
    mail_->acknowledge({reader_, kToken}, {kToken, number, "poison"});
  }
  EXPECT_THAT(hear(reader_), ElementsAre("acked 1", "acked 2", "acked 3"));
  EXPECT_EQ(mail_->counters().dead_letters, 3u);
  EXPECT_EQ(mail_->totals().messages, 3u) << "the letters";
}

TEST_F(MailReading, Rejection_LargeMessage_UnderLoad_Succeeds) {
  constexpr std::size_t kSize = kBatchBytes + 1;  // no room behind anything else
  post_all(1, kSize);
  bus::MailOpen large = ask(Epoch::of(1, 1));
  large.window = bus::kMaxMailWindow;
  (void)open(reader_, large);
  std::uint64_t seq = 1;
  const auto post_some = [&] {
    for (int i = 0; i < 10; ++i) post(++seq, "x");
  };
  post_some();
  (void)mail_->turn();
  mail_->acknowledge({reader_, kToken}, {kToken, 1, "poison"});
  constexpr std::uint64_t kBatches = 5;
  const std::uint64_t before = mail_->ended();
  while (mail_->ended() < before + kBatches) {
    post_some();
    shell_->run_one();  // what waits makes the next one
  }
  EXPECT_THAT(heard(reader_), Contains("acked 1"));
  EXPECT_GT(mail_->counters().stored, 10 * (kBatches - 2)) << "nor does it hold up what is posted";
}

}  // namespace
}  // namespace starbus::mail
