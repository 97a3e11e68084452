/// Logs: many readers with cursors of their own, and retention.
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

class MailLog : public MailReading {
 protected:
  bool has_row() {
    const auto row = store_->get(box_key(shard(), channel_id(kBox)));
    EXPECT_TRUE(row);
    return row && row->has_value();
  }
  /// As versions before left it, when somebody had asked for a log.
  void leave_row_of_a_log_that_was_asked_for() {
    mail_.reset();
    storage::Batch batch;
    batch.put(box_key(shard(), channel_id(kBox)),
              encode(BoxRow{PostTarget::log, kBox, 0, 0, 0, 0}));
    ASSERT_TRUE(storage::test::commit(*store_, std::move(batch)));
    restart();
  }
  void append(int count, std::size_t size = 1) {
    for (int i = 0; i < count; ++i) begin_append(size);
    settle();
  }
  void begin_append(std::size_t size = 1) {
    Bytes message;
    bus::encode_post_head({PostTarget::log, kBox, {}, {}}, message);
    message.resize(message.size() + size);
    mail_->post(stream(), ++seq_, message, false);
  }
  bus::MailOpen follow(std::uint64_t after, bool from_end = false) {
    bus::MailOpen open = ask({}, after);
    open.target = PostTarget::log;
    open.from_end = from_end;
    return open;
  }
  void keep(LogQuota quota) {
    quota_.logs = {std::move(quota)};
    restart();
  }

 private:
  std::uint64_t seq_ = 0;
};

TEST_F(MailLog, ManyReaders_HaveOwnCursors) {
  const Process other{3, 1, 1};
  append(3);
  EXPECT_THAT(open(reader_, follow(0)), ElementsAre("after 0 of 3", "1 2 3"));
  EXPECT_THAT(open(other, follow(0, true)), ElementsAre("after 3 of 3"));
  append(1);
  EXPECT_THAT(hear(reader_), ElementsAre("4"));
  EXPECT_THAT(hear(other), ElementsAre("4"));
  mail_->acknowledge({reader_, kToken}, {kToken, 4, {}});
  EXPECT_THAT(hear(reader_), IsEmpty()) << "the readers of a log settle nothing";
  EXPECT_EQ(mail_->totals().messages, 4u);
}

TEST_F(MailLog, Retention_ByCount) {
  keep({.prefix = "player/", .messages = 3});
  append(2);
  append(2);
  append(1);
  EXPECT_EQ(mail_->totals().messages, 3u);
  EXPECT_THAT(open(reader_, follow(0)), ElementsAre("after 2 of 5", "3 4 5"));
  EXPECT_EQ(mail_->counters().trimmed, 2u);
}

TEST_F(MailLog, Retention_ByBytes) {
  keep({.prefix = "", .bytes = 1'000});
  for (int i = 0; i < 30; ++i) append(1, 100);
  EXPECT_LE(mail_->totals().bytes, 1'200u);
  EXPECT_GE(mail_->totals().bytes, 900u);
  restart();
  EXPECT_THAT(open(reader_, follow(0)).back(), testing::EndsWith(" 30"));
}

TEST_F(MailLog, Retention_ByBytes_BesideUnreadableMessage) {
  keep({.prefix = "", .bytes = 1'000});
  for (int i = 0; i < 11; ++i) append(1, 100);
  ASSERT_EQ(mail_->totals().messages, 11u);
  storage::Batch batch;  // where the search for what is too much begins
  for (const std::uint64_t number : {6U, 7U}) {
    batch.put(message_key(shard(), channel_id(kBox), number), "x");
  }
  ASSERT_TRUE(storage::test::commit(*store_, std::move(batch)));
  append(1, 100);
  EXPECT_EQ(mail_->totals().bytes, 1'000u);
  EXPECT_THAT(open(reader_, follow(0)), ElementsAre("after 2 of 12", "3 4 5 6! 7! 8 9 10 11 12"));
}

TEST_F(MailLog, ReaderBelowFloor_GoesOnWithOldest) {
  keep({.prefix = "", .messages = 2});
  for (int i = 0; i < 6; ++i) append(1);
  EXPECT_THAT(open(reader_, follow(1)), ElementsAre("after 4 of 6", "5 6"));
}

TEST_F(MailLog, Reader_MissesNothingOfRefusedBatch) {
  keep({.prefix = "", .messages = 2});
  append(2);
  env_.set_available(options().headroom - 1);
  begin_append();  // refused in the end, and nothing is erased for it
  mail_->open_reader({reader_, kToken}, follow(0));
  EXPECT_THAT(hear(reader_), ElementsAre("after 0 of 2", "1 2"));
}

TEST_F(MailLog, MissingLog_ReaderGetsFirstMessage) {
  EXPECT_THAT(open(reader_, follow(0)), ElementsAre("after 0 of 0"));
  const Process other{3, 1, 1};
  EXPECT_THAT(open(other, follow(0, true)), ElementsAre("after 0 of 0"));
  EXPECT_FALSE(has_row());
  EXPECT_EQ(mail_->totals(), Totals{});
  restart();
  EXPECT_THAT(open(reader_, follow(0)), ElementsAre("after 0 of 0"));
  append(2);
  EXPECT_THAT(hear(reader_), ElementsAre("1 2"));
  EXPECT_EQ(mail_->totals(), (Totals{1, 2, 2}));
}

TEST_F(MailLog, MissingLog_OpenedInBatchOfFirstMessage_Wakes) {
  begin_append();
  mail_->open_reader({reader_, kToken}, follow(0));
  begin_append();
  EXPECT_THAT(hear(reader_), ElementsAre("after 0 of 0", "1 2"));
}

TEST_F(MailLog, MissingLog_OpenedWhileFirstMessageCommits_Wakes) {
  begin_append();
  (void)mail_->turn();
  ASSERT_FALSE(mail_->idle());
  EXPECT_THAT(open(reader_, follow(0)), ElementsAre("after 0 of 1", "1"));
}

TEST_F(MailLog, MissingLog_DoesNotTakeName) {
  const Process other{3, 1, 1};
  EXPECT_THAT(open(reader_, follow(0)), ElementsAre("after 0 of 0"));
  EXPECT_THAT(open(other, follow(0)), ElementsAre("after 0 of 0"));
  post(1, "a");
  EXPECT_THAT(settle(), ElementsAre("stored 1 1=1"));
  EXPECT_THAT(hear(reader_), ElementsAre("end: denied"));
  EXPECT_THAT(hear(other), ElementsAre("end: denied"));
  EXPECT_EQ(mail_->readers().count(), 0u);
  EXPECT_THAT(open(reader_, follow(0)), ElementsAre("no: denied"));
}

TEST_F(MailLog, LogReader_OwnerOpensMailbox_IsDenied) {
  const Process owner{3, 1, 1};
  EXPECT_THAT(open(reader_, follow(0)), ElementsAre("after 0 of 0"));
  EXPECT_THAT(open(owner, ask(Epoch::of(1, 1))), ElementsAre("after 0 of 0"));
  EXPECT_THAT(hear(reader_), ElementsAre("end: denied"));
  EXPECT_TRUE(has_row()) << "with the epoch, which has to survive a crash";
  begin_append();
  EXPECT_THAT(settle(), ElementsAre("stored 1 1=denied"));
  post(2, "a");
  EXPECT_THAT(hear(owner), ElementsAre("1"));
}

TEST_F(MailLog, Owner_EpochNotWritten_DoesNotTakeName) {
  const Process owner{3, 1, 1};
  EXPECT_THAT(open(reader_, follow(0)), ElementsAre("after 0 of 0"));
  env_.set_available(0);
  EXPECT_THAT(open(owner, ask(Epoch::of(1, 1))), ElementsAre("after 0 of 0", "end: busy"));
  EXPECT_THAT(hear(reader_), IsEmpty());
  env_.set_available(std::uint64_t{1} << 30);
  // It is a while until the store looks for space again.
  while (mail_->totals().messages == 0) {
    begin_append();
    settle();
  }
  EXPECT_THAT(hear(reader_), ElementsAre("1"));
}

TEST_F(MailLog, RefusedMailbox_DeniesNoReader) {
  env_.set_available(options().headroom - 1);
  post(1, "a");
  mail_->open_reader({reader_, kToken}, follow(0));
  EXPECT_THAT(hear(reader_), ElementsAre("after 0 of 0"));
  EXPECT_FALSE(has_row());
}

TEST_F(MailLog, RefusedMessage_DecidesNoKind) {
  quota_.box_bytes = 10;
  restart();
  post(1, std::string(11, 'a'));
  EXPECT_THAT(settle(), ElementsAre("stored 1 1=mailbox_full:4"));
  EXPECT_FALSE(has_row());
}

TEST_F(MailLog, UndecidedLogRow_LeavesNameFree) {
  leave_row_of_a_log_that_was_asked_for();
  EXPECT_THAT(open(reader_, follow(0)), ElementsAre("after 0 of 0"));
  post(1, "a");
  EXPECT_THAT(settle(), ElementsAre("stored 1 1=1"));
  EXPECT_THAT(hear(reader_), ElementsAre("end: denied"));
  begin_append();
  EXPECT_THAT(settle(), ElementsAre("stored 1 1=denied"));
}

}  // namespace
}  // namespace starbus::mail
