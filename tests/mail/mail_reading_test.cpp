/// What readers of mailboxes are sent, and what they may erase.
#include "mail/dead_letters.hpp"
#include "storage/limits.hpp"
#include "tests/mail/mail_fixture.hpp"

namespace starbus::mail {
namespace {

using test::kBox;
using test::MailReading;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;
using testing::Lt;

TEST_F(MailReading, Opening_SendsStoredThenNewMessages) {
  post_all(3);
  EXPECT_THAT(open(reader_, ask(Epoch::of(1, 1))), ElementsAre("after 0 of 3", "1 2 3"));
  post_all(2);
  EXPECT_THAT(hear(reader_), ElementsAre("4 5"));
}

TEST_F(MailReading, Opening_SendsLaterPostsOfItsBatch) {
  post_all(1);
  mail_->open_reader({reader_, kToken}, ask(Epoch::of(1, 1)));
  post(2, "b");
  EXPECT_THAT(hear(reader_), ElementsAre("after 0 of 1", "1 2"));
}

TEST_F(MailReading, Opening_AnswersAtOnceButSendsAfterEpochIsDurable) {
  post_all(2);
  mail_->open_reader({reader_, kToken}, ask(Epoch::of(1, 1)));
  (void)mail_->turn();
  ASSERT_FALSE(mail_->idle()) << "its epoch is on its way";
  EXPECT_THAT(heard(reader_), ElementsAre("after 0 of 2"));
  (void)mail_->turn();
  EXPECT_THAT(heard(reader_), IsEmpty());
  EXPECT_THAT(hear(reader_), ElementsAre("1 2"));
}

TEST_F(MailReading, OpeningAtEnd_BeginsBeforeUndurableMessages) {
  post(1, "a");
  bus::MailOpen from_end = ask({});
  from_end.target = PostTarget::log;
  from_end.name = "log/x";
  from_end.from_end = true;
  while (shard_of(channel_id(from_end.name)) != shard()) from_end.name += "x";
  Bytes message;
  bus::encode_post_head({PostTarget::log, from_end.name, {}, {}}, message);
  mail_->post(stream(), 2, message, false);
  EXPECT_THAT(open(reader_, from_end), ElementsAre("after 0 of 0", "1"))
      << "had it been told 1, and a crash taken 1 away, it would miss the next 1";
}

TEST_F(MailReading, Opening_BatchBuiltAgain_AnswersOnce) {
  post_all(3);
  env_.set_available(options().headroom - 1);
  post(100, "refused");
  EXPECT_THAT(open(reader_, ask(Epoch::of(1, 1))), ElementsAre("after 0 of 3", "1 2 3"));
}

TEST_F(MailReading, SecondOpening_BatchBuiltAgain_StaysLatest) {
  post_all(1);
  env_.set_available(options().headroom - 1);
  post(100, "refused");
  bus::MailOpen again = ask(Epoch::of(1, 1));
  again.token = kToken + 1;
  mail_->open_reader({reader_, kToken}, ask(Epoch::of(1, 1)));
  mail_->open_reader({reader_, again.token}, again);
  EXPECT_THAT(hear(reader_), ElementsAre("after 0 of 1", "after 0 of 1", "end: superseded", "1"));
  EXPECT_NE(mail_->readers().find({reader_, again.token}), nullptr);
}

TEST_F(MailReading, Opening_EpochNotWritten_EndsBusy) {
  post_all(3);
  env_.set_available(0);
  EXPECT_THAT(open(reader_, ask(Epoch::of(1, 1))), ElementsAre("after 0 of 3", "end: busy"));
  EXPECT_EQ(mail_->readers().count(), 0u);
}

TEST_F(MailReading, Opening_WithCursor_AcknowledgesUpToIt) {
  post_all(5);
  EXPECT_THAT(open(reader_, ask(Epoch::of(1, 1), 3, 3)), ElementsAre("after 3 of 5", "4 5"));
  EXPECT_EQ(mail_->totals(), (Totals{1, 2, 2}));
  restart();
  EXPECT_EQ(mail_->totals(), (Totals{1, 2, 2})) << "the totals are on the disk";
  EXPECT_THAT(open(reader_, ask(Epoch::of(1, 2))), ElementsAre("after 3 of 5", "4 5"));
}

TEST_F(MailReading, Opening_CursorAhead_IsRefused) {
  post_all(2);
  EXPECT_THAT(open(reader_, ask(Epoch::of(1, 1), 3)), ElementsAre("no: cursor_ahead"));
  EXPECT_THAT(open(reader_, ask(Epoch::of(1, 1), 2, 3)), ElementsAre("no: cursor_ahead"));
  mail_->open_reader({reader_, kToken}, ask(Epoch::of(1, 1), 3));
  settle_readers();
  const auto heard = std::exchange(shell_->heard[reader_], {});
  ASSERT_EQ(heard.size(), 1U);
  const auto opened = read_record<bus::MailOpened>(bus::cut_records(heard[0]).front());
  EXPECT_EQ(opened.detail, "this reader is at 3, the latest is 2");
}

TEST_F(MailReading, Window_LimitsUntilConsumed) {
  post_all(10, 1'000);
  bus::MailOpen small = ask(Epoch::of(1, 1));
  small.window = 2'500;
  EXPECT_THAT(open(reader_, small), ElementsAre("after 0 of 10", "1 2"));
  mail_->consumed({reader_, kToken}, 600);
  EXPECT_THAT(hear(reader_), IsEmpty()) << "the third does not fit yet";
  mail_->consumed({reader_, kToken}, bus::mail_charge(1'000));
  EXPECT_THAT(hear(reader_), ElementsAre("3"));
  mail_->consumed({reader_, kToken}, ~std::uint64_t{0});
  EXPECT_THAT(hear(reader_), ElementsAre("4 5"));
}

TEST_F(MailReading, Window_LargerMessage_GoesAlone) {
  post_all(3, 1'000);
  bus::MailOpen small = ask(Epoch::of(1, 1));
  small.window = 100;
  EXPECT_THAT(open(reader_, small), ElementsAre("after 0 of 3", "1"));
  mail_->consumed({reader_, kToken}, bus::mail_charge(1'000));
  EXPECT_THAT(hear(reader_), ElementsAre("2"));
}

TEST_F(MailReading, Reader_ProcessWithoutRoom_Waits) {
  post_all(2);
  shell_->room = false;
  EXPECT_THAT(open(reader_, ask(Epoch::of(1, 1))), ElementsAre("after 0 of 2"));
  shell_->room = true;
  mail_->room();
  EXPECT_THAT(hear(reader_), ElementsAre("1 2"));
}

TEST_F(MailReading, Acknowledgement_ErasesMessages) {
  post_all(100);
  (void)open(reader_, ask(Epoch::of(1, 1)));
  mail_->acknowledge({reader_, kToken}, {kToken, 2, {}});
  EXPECT_THAT(hear(reader_), ElementsAre("acked 2"));
  mail_->acknowledge({reader_, kToken}, {kToken, 99, {}});
  EXPECT_THAT(hear(reader_), ElementsAre("acked 99"));
  EXPECT_EQ(mail_->totals(), (Totals{1, 1, 1}));
  const auto row = store_->get(message_key(shard(), channel_id(kBox), 99));
  ASSERT_TRUE(row);
  EXPECT_FALSE(row->has_value());
  mail_->acknowledge({reader_, kToken}, {kToken, 7, {}});
  EXPECT_THAT(hear(reader_), ElementsAre("acked 7")) << "late, and true";
  bus::MailOpen again = ask(Epoch::of(1, 1));
  again.token = kToken + 1;
  EXPECT_THAT(open(reader_, again), ElementsAre("after 99 of 100", "end: superseded", "100"));
}

TEST_F(MailReading, Acknowledgement_OfUnsentMessages_EndsSession) {
  post_all(2);
  bus::MailOpen small = ask(Epoch::of(1, 1));
  small.window = 1;
  EXPECT_THAT(open(reader_, small), ElementsAre("after 0 of 2", "1"));
  mail_->acknowledge({reader_, kToken}, {kToken, 2, {}});
  EXPECT_THAT(hear(reader_), ElementsAre("end: bad_bytes"));
  EXPECT_EQ(mail_->totals().messages, 2u);
}

TEST_F(MailReading, EarlierOwner_ReadsAndErasesNothing) {
  const Process late{3, 1, 1};
  post_all(2);
  (void)open(reader_, ask(Epoch::of(1, 5)));
  EXPECT_THAT(open(late, ask(Epoch::of(1, 6))),
              ElementsAre("after 0 of 2", "attempt 2 at 1", "1 2"));
  EXPECT_THAT(hear(reader_), ElementsAre("end: superseded"));
  mail_->acknowledge({reader_, kToken}, {kToken, 2, {}});
  EXPECT_THAT(open(reader_, ask(Epoch::of(1, 5), 2, 2)), ElementsAre("no: superseded"));
  restart();
  EXPECT_THAT(open(reader_, ask(Epoch::of(1, 5), 2, 2)), ElementsAre("no: superseded"))
      << "the epoch is on the disk";
  EXPECT_EQ(mail_->totals().messages, 2u);
}

TEST_F(MailReading, UnreadableMessage_IsReportedAndSkipped) {
  post_all(4);
  storage::Batch batch;
  batch.put(message_key(shard(), channel_id(kBox), 2), "x");
  batch.erase(message_key(shard(), channel_id(kBox), 4));
  ASSERT_TRUE(storage::test::commit(*store_, std::move(batch)));
  EXPECT_THAT(open(reader_, ask(Epoch::of(1, 1))), ElementsAre("after 0 of 4", "1 2! 3 4!"));
}

TEST_F(MailReading, DamagedBlock_BesideNextMessage_IsReported) {
  constexpr std::size_t kBlock = 5'000;  // a message of that size has a block of its own
  std::string before;                    // lies between the row of the shard and kBox
  for (int i = 0; before.empty(); ++i) {
    const std::string name = "player/before-" + std::to_string(i);
    if (shard_of(channel_id(name)) != shard()) continue;
    if (message_key(shard(), channel_id(name), 1) < message_key(shard(), channel_id(kBox), 1)) {
      before = name;
    }
  }
  post_all(3);
  restart();  // into a table
  post_all(2, kBlock);
  post(6, std::string(kBlock, 'x'), "", before);
  settle();
  restart();  // into another one: at 1 a reader of it meets the block of 4
  mail_.reset();
  store_->close();
  ASSERT_TRUE(flip_in_a_table(std::string(kBlock, 'a')));
  start();
  EXPECT_THAT(open(reader_, ask(Epoch::of(1, 1))),
              ElementsAre("after 0 of 5", "1!", "2!", "3!", "4!", "5"))
      << "what a damaged block may have a newer version of is not given out";
}

TEST_F(MailReading, Token_ForTwoMailboxes_IsOneSession) {
  const auto of_this_shard = [](const std::string& prefix) {
    for (int i = 0;; ++i) {
      std::string name = prefix + std::to_string(i);
      if (shard_of(channel_id(name)) == shard()) return name;
    }
  };
  bus::MailOpen log = ask({});
  log.target = PostTarget::log;
  log.name = of_this_shard("log/one-");
  bus::MailOpen other = log;
  other.name = of_this_shard("log/two-");
  EXPECT_THAT(open(reader_, log), ElementsAre("after 0 of 0"));
  EXPECT_THAT(open(reader_, other), ElementsAre("after 0 of 0"));
  EXPECT_EQ(mail_->readers().count(), 1u);
  mail_->end_reader({reader_, kToken});
  Bytes message;
  bus::encode_post_head({PostTarget::log, log.name, {}, {}}, message);
  mail_->post(stream(), 1, message, false);
  EXPECT_THAT(settle(), ElementsAre("stored 1 1=1")) << "and nobody is told";
  EXPECT_THAT(heard(reader_), IsEmpty());
}

TEST_F(MailReading, Readers_OfOneProcess_AreBounded) {
  std::size_t ends = 0;
  Readers readers(*store_, {[&](const Process&, Lineage, ByteView) { ++ends; },
                            [](const Process&) { return true; }});
  Readers::Session session;
  session.target = PostTarget::log;
  const Process other{3, 1, 1};
  readers.add({other, 1}, session);
  for (std::uint64_t token = 1; token <= kReadersOfProcess; ++token) {
    EXPECT_FALSE(readers.full(reader_));
    readers.add({reader_, token}, session);
  }
  EXPECT_TRUE(readers.full(reader_));
  EXPECT_FALSE(readers.full(other));
  readers.process_gone(reader_, false);
  EXPECT_EQ(readers.count(), 1u);
  EXPECT_FALSE(readers.full(reader_));
  readers.end({other, 1}, Errc::busy, "");
  EXPECT_EQ(ends, 1u);
}

TEST_F(MailReading, Readers_OfAllProcesses_AreBounded) {
  Readers readers(
      *store_, {[](const Process&, Lineage, ByteView) {}, [](const Process&) { return true; }}, 3);
  Readers::Session session;
  session.target = PostTarget::log;
  for (std::uint32_t slot = 1; slot <= 3; ++slot) {
    EXPECT_FALSE(readers.full(reader_));
    readers.add({{3, slot, 1}, 1}, session);
  }
  EXPECT_TRUE(readers.full(reader_)) << "which has none";
}

TEST_F(MailReading, Pages_AreBoundedInBytesAndMessages) {
  post_all(kReaderPageRecords + 1);
  bus::MailOpen wide = ask(Epoch::of(1, 1));
  wide.window = 1_MiB;
  EXPECT_THAT(open(reader_, wide), ElementsAre("after 0 of 513", EndsWith(" 511 512"), "513"));
  post_all(4, kReaderPageBytes / 2 - 1'000);
  settle_readers();
  std::vector<std::size_t> sizes;
  for (const Bytes& record : shell_->heard[reader_]) sizes.push_back(record.size());
  EXPECT_THAT(sizes, ElementsAre(Lt(kReaderPageBytes), Lt(kReaderPageBytes)));
}

TEST_F(MailReading, Turn_SendsABoundedNumberOfBytes) {
  bus::MailOpen follow = ask({});
  follow.target = PostTarget::log;
  follow.name = "log/x";
  while (shard_of(channel_id(follow.name)) != shard()) follow.name += "x";
  follow.window = bus::kMaxMailWindow;
  const std::string body(kReaderPageBytes, 'x');
  for (std::uint64_t seq = 1; seq <= 15; ++seq) post(seq, body, "", follow.name, PostTarget::log);
  settle();
  const Process other{3, 1, 1};  // one reader alone has a smaller window
  for (const Process& reader : {reader_, other}) mail_->open_reader({reader, kToken}, follow);
  const auto sent = [&] {
    std::size_t bytes = 0;
    for (const Process& reader : {reader_, other}) {
      for (const Bytes& record : shell_->heard[reader]) bytes += record.size();
    }
    return bytes;
  };
  settle();  // one turn
  EXPECT_GE(sent(), kReaderTurnBytes);
  EXPECT_LT(sent(), kReaderTurnBytes + 2 * kReaderPageBytes);
  settle_readers();
  EXPECT_GT(sent(), 2 * 15 * kReaderPageBytes);
}

TEST_F(MailReading, OpeningFlood_DelaysNoPostsOrOtherReaders) {
  const Process flood{9, 1, 1};
  bus::MailOpen log = ask({});
  log.target = PostTarget::log;
  log.name = "log/x";
  while (shard_of(channel_id(log.name)) != shard()) log.name += "x";
  const auto ask_for_log = [&] {
    ++log.token;
    mail_->open_reader({flood, log.token}, log);
  };
  // More than a batch takes, and more than it may have waiting.
  for (std::size_t i = 0; i < kReaderRequestsOfProcess + 1; ++i) ask_for_log();
  EXPECT_THAT(heard(flood), ElementsAre("no: busy")) << "the library asks again";
  post(1, "a");
  mail_->open_reader({reader_, kToken}, ask(Epoch::of(1, 1)));
  (void)mail_->turn();
  while (shell_->said.empty()) shell_->run_one();
  EXPECT_THAT(shell_->said, ElementsAre("stored 1 1=1"));
  EXPECT_EQ(mail_->counters().batches, 2u) << "that which opened the shard, and the next";
  EXPECT_THAT(hear(reader_), ElementsAre("after 0 of 0", "1"));
  EXPECT_EQ(heard(flood).size(), kReaderRequestsOfProcess) << "all of it has its turn";
}

TEST_F(MailReading, Acknowledgement_OnFullDisk_Succeeds) {
  post_all(3);
  (void)open(reader_, ask(Epoch::of(1, 1)));
  env_.set_available(options().headroom - 1);
  post(100, "refused");
  mail_->acknowledge({reader_, kToken}, {kToken, 3, {}});
  EXPECT_THAT(hear(reader_), ElementsAre("acked 3"));
  EXPECT_EQ(mail_->totals().messages, 0u);
}

TEST_F(MailReading, Opening_ReaderEndsFirst_MakesNoSession) {
  const auto ask_while_the_disk_works = [this] {
    post(1, "a");
    (void)mail_->turn();
    ASSERT_FALSE(mail_->idle());
    mail_->open_reader({reader_, kToken}, ask(Epoch::of(1, 1)));
  };
  ask_while_the_disk_works();
  mail_->end_reader({reader_, kToken});
  settle();
  EXPECT_EQ(mail_->readers().count(), 0u);
  ask_while_the_disk_works();
  mail_->process_gone(reader_, false);
  settle();
  EXPECT_EQ(mail_->readers().count(), 0u);
}

TEST_F(MailReading, Session_EndsWithProcessAndShard) {
  post_all(1);
  (void)open(reader_, ask(Epoch::of(1, 1)));
  Process next = reader_;
  ++next.incarnation;
  (void)open(next, ask(Epoch::of(1, 2)));
  EXPECT_THAT(hear(reader_), ElementsAre("end: superseded"));
  mail_->process_gone(next, true);
  EXPECT_EQ(mail_->readers().count(), 1u) << "earlier incarnations end, this one lives";
  mail_->close(shard());
  EXPECT_THAT(hear(next), ElementsAre("end: busy"));
  EXPECT_EQ(mail_->readers().count(), 0u);
  EXPECT_THAT(open(next, ask(Epoch::of(1, 2))), ElementsAre("no: busy"));
}

TEST_F(MailReading, Mailbox_OpenedAsLog_IsDenied) {
  post_all(1);
  bus::MailOpen log = ask({});
  log.target = PostTarget::log;
  EXPECT_THAT(open(reader_, log), ElementsAre("no: denied"));
}

TEST_F(MailReading, Session_OfOtherKind_Ends) {
  post_all(1);
  Readers readers(*store_, {[this](const Process& to, Lineage, ByteView record) {
                              shell_->heard[to].emplace_back(record.begin(), record.end());
                            },
                            [](const Process&) { return true; }});
  Readers::Session session;
  session.shard = shard();
  session.box = channel_id(kBox);
  session.target = PostTarget::log;
  session.last = 1;
  session.window = 1'000;
  readers.add({reader_, kToken}, session);
  (void)readers.pump();
  EXPECT_THAT(heard(reader_), ElementsAre("end: denied"));
  EXPECT_EQ(readers.count(), 0u);
}

TEST_F(MailReading, Purge_ErasesAndReaderGoesOnAfterIt) {
  post_all(50);
  bus::MailOpen small = ask(Epoch::of(1, 1));
  small.window = 1;
  EXPECT_THAT(open(reader_, small), ElementsAre("after 0 of 50", "1"));
  std::vector<std::string> ends;
  const auto note = [&](Result<std::uint64_t> count) {
    ends.push_back(count ? std::to_string(*count) : std::string(name_of(count.error().code)));
  };
  mail_->purge(kBox, 48, note);
  mail_->purge(kBox, 48, note);
  mail_->purge("player/nobody", 1, note);
  settle();
  EXPECT_EQ(ends[0], "48");
  EXPECT_EQ(ends[1], "0");
  EXPECT_EQ(ends[2], "no_owner");
  EXPECT_EQ(mail_->counters().purged, 48u);
  mail_->consumed({reader_, kToken}, ~std::uint64_t{0});
  EXPECT_THAT(hear(reader_), ElementsAre("49"));
  EXPECT_EQ(mail_->totals().messages, 2u);
}

}  // namespace
}  // namespace starbus::mail
