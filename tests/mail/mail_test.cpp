/// What is posted: numbers, refusals, what a crash leaves.
#include "tests/mail/mail_fixture.hpp"

namespace starbus::mail {
namespace {

using storage::testing::Call;
using test::kAlice;
using test::kBox;
using test::kLife;
using test::MailTest;
using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(MailTest, NumbersWhatIsPosted) {
  post(1, "a");
  post(2, "b");
  EXPECT_THAT(settle(), ElementsAre("stored 2 1=1 2=2"));
  post(3, "c");
  EXPECT_THAT(settle(), ElementsAre("stored 3 3=3"));
  EXPECT_THAT(bodies(), ElementsAre("a", "b", "c"));
}

TEST_F(MailTest, WhatComesWhileTheDiskWorksMakesTheNextBatch) {
  post(1, "a");
  (void)mail_->turn();
  post(2, "b");
  post(3, "c");
  (void)mail_->turn();
  EXPECT_THAT(settle(), ElementsAre("stored 1 1=1", "stored 3 2=2 3=3"));
  EXPECT_EQ(mail_->counters().batches, 3u) << "the first notes the lineage";
}

TEST_F(MailTest, GoesOnAfterARestart) {
  post(4, "a");
  settle();
  restart();
  ASSERT_EQ(filter_.size(), 1u);
  EXPECT_EQ(filter_[0].origin, kAlice);
  EXPECT_EQ(filter_[0].last, 4u);
  mail_->repeat(stream());
  EXPECT_THAT(settle(), ElementsAre("answer 4=1"));
  post(5, "b");
  EXPECT_THAT(settle(), ElementsAre("stored 5 5=2"));
  EXPECT_EQ(*mail_->lineage(shard()), kLife);
}

TEST_F(MailTest, AShardIsServedOnlyOnceItsLineageIsOnTheDisk) {
  const auto other = static_cast<std::uint8_t>(shard() + 1);
  shell_->filter.reset();
  ASSERT_TRUE(mail_->open(other, kLife));
  storage::test::HeldWriter writer(*store_, storage::test::put("key", "value"));
  (void)mail_->turn();
  EXPECT_FALSE(shell_->filter) << "who heard of it now would lose what it sends, with it";
  EXPECT_FALSE(*mail_->lineage(other));
  writer.release();
  settle();
  EXPECT_TRUE(shell_->filter);
  EXPECT_EQ(*mail_->lineage(other), kLife);
}

TEST_F(MailTest, AnotherLineageVoidsTheStreamsAndKeepsTheMail) {
  post(4, "a");
  settle();
  restart(Epoch::of(2, 1));
  EXPECT_THAT(filter_, IsEmpty());
  post(1, "b");
  EXPECT_THAT(settle(), ElementsAre("stored 1 1=2"));
  restart(Epoch::of(2, 1));
  ASSERT_EQ(filter_.size(), 1u);
  EXPECT_EQ(filter_[0].last, 1u);
  EXPECT_THAT(bodies(), ElementsAre("a", "b"));
}

TEST_F(MailTest, AnIdempotencyKeyIsStoredOnce) {
  post(1, "a", "k");
  post(2, "a", "k");
  EXPECT_THAT(settle(), ElementsAre("stored 2 1=1 2=1"));
  restart();
  post(3, "a", "k");
  post(4, "b", "other");
  EXPECT_THAT(settle(), ElementsAre("stored 4 3=1 4=2"));
  EXPECT_THAT(bodies(), ElementsAre("a", "b"));
}

// Whoever guesses the key that a post will have cannot make the store believe that it has it.
TEST_F(MailTest, NobodyUsesUpTheIdempotencyKeyOfAnother) {
  post_of({2, 66, 1}, 1, "junk", "trade-77");
  EXPECT_THAT(settle(), ElementsAre("stored 1 1=1"));
  post(1, "gold", "trade-77");
  EXPECT_THAT(settle(), ElementsAre("stored 1 1=2")) << "stored, as another message";
  EXPECT_THAT(bodies(), ElementsAre("junk", "gold"));
  // The same node comes back after a crash, and is not sure.
  post_of({kAlice.host, kAlice.slot, kAlice.incarnation + 1}, 1, "gold", "trade-77");
  EXPECT_THAT(settle(), ElementsAre("stored 1 1=2"));
  // Its work is taken up by another node, on another host.
  post_of({3, 67, 1}, 1, "gold", "trade-77");
  EXPECT_THAT(settle(), ElementsAre("stored 1 1=2"));
  EXPECT_THAT(bodies(), ElementsAre("junk", "gold"));
}

TEST_F(MailTest, AKeyThatAnEarlierVersionStoredCountsForEverySender) {
  post(1, "a");
  settle();
  ASSERT_TRUE(storage::test::commit(
      *store_, storage::test::put(post_key(shard(), channel_id(kBox), "trade-77"),
                                  encode(KeyRow{1, shell_->now_ms}))));
  post(2, "a", "trade-77");
  EXPECT_THAT(settle(), ElementsAre("stored 2 2=1"));
  shell_->now_ms += in_ms(kKeyLife) + 1;
  post(3, "a", "trade-77");
  EXPECT_THAT(settle(), ElementsAre("stored 3 3=2"));
}

TEST_F(MailTest, AKeyOfAMailboxIsNoneOfALog) {
  post(1, "a", "k");
  post(2, "a", "k", kBox, PostTarget::log);
  EXPECT_THAT(settle(), ElementsAre("stored 2 1=1 2=denied"));
}

TEST_F(MailTest, AFullMailboxRefusesAndOthersGoOn) {
  quota_.box_messages = 2;
  restart();
  post(1, "a");
  post(2, "b");
  post(3, "c");
  EXPECT_THAT(settle(), ElementsAre("stored 3 1=1 2=2 3=mailbox_full:3"));
  restart();
  mail_->repeat(stream());
  EXPECT_THAT(settle(), ElementsAre("answer 1=1 2=2 3=mailbox_full:3")) << "a refusal lasts too";
}

TEST_F(MailTest, AMailboxIsFullByBytesToo) {
  quota_.box_bytes = 10;
  restart();
  post(1, "123456789");
  post(2, "12");
  post(3, "1");
  EXPECT_THAT(settle(), ElementsAre("stored 3 1=1 2=mailbox_full:4 3=2"));
}

TEST_F(MailTest, AFullDiskRefusesForGood) {
  post(1, "a");
  settle();
  env_.set_available(options().headroom - 1);
  post(2, "b");
  EXPECT_THAT(settle(), ElementsAre("stored 2 2=store_full:1"));
  env_.set_available(std::nullopt);
  ASSERT_TRUE(storage::test::reaches(*store_, storage::State::running));
  restart();
  EXPECT_EQ(filter_[0].last, 2u) << "a late copy must not be stored after all";
  post(3, "c");
  EXPECT_THAT(settle(), ElementsAre("stored 3 3=2"));
  EXPECT_THAT(bodies(), ElementsAre("a", "c"));
}

TEST_F(MailTest, WhatIsStoredUnderItsKeyIsToldOnAFullDiskToo) {
  post(1, "a", "k");
  settle();
  env_.set_available(options().headroom - 1);
  post(2, "a", "k");
  post(3, "b", "other");
  EXPECT_THAT(settle(), ElementsAre("stored 3 2=1 3=store_full:1"));
}

TEST_F(MailTest, RowsOfAnEarlierLineageAreErasedBatchByBatch) {
  // The batch behind the first is under way when that has ended, and is not the last one either.
  constexpr std::size_t kStreams = 3 * kVoidRows;
  storage::Batch batch;
  for (std::size_t i = 0; i < kStreams; ++i) {
    const Process origin{3, static_cast<std::uint32_t>(i), 1};
    batch.put(stream_key(shard(), origin, bus::Lane::call), encode(StreamRow{1, 1}));
  }
  ASSERT_TRUE(storage::test::commit(*store_, std::move(batch)));
  mail_ = std::make_unique<Mail>(*store_, *shell_, quota_);
  ASSERT_TRUE(mail_->open(shard(), Epoch::of(2, 1)));
  (void)mail_->turn();
  shell_->run_one();
  EXPECT_FALSE(*mail_->lineage(shard())) << "a crash here brings none of them back";
  settle();
  EXPECT_EQ(*mail_->lineage(shard()), Epoch::of(2, 1));
  restart(Epoch::of(2, 1));
  EXPECT_THAT(filter_, IsEmpty());
}

TEST_F(MailTest, AnEndOfTheStoreThatAnotherHasMetIsToldOnce) {
  mail_->store_stopped(storage::Error(storage::Errc::stopped));
  mail_->store_stopped(storage::Error(storage::Errc::stopped));
  post(1, "a");
  EXPECT_THAT(settle(), ElementsAre("stopped: stopped"));
}

TEST_F(MailTest, AFullDiskRefusesManyInBatchesThatTheReserveTakes) {
  env_.set_available(options().headroom - 1);
  constexpr std::uint64_t kMany = 3'000;
  for (std::uint64_t seq = 1; seq <= kMany; ++seq) {
    Bytes message;
    bus::encode_post_head({PostTarget::mailbox, kBox, "", {}}, message);
    StreamId from = stream();
    from.origin.slot = static_cast<std::uint32_t>(seq);  // each of another sender: the most rows
    mail_->post(from, seq, message, false);
  }
  const auto said = settle();
  EXPECT_EQ(said.size(), kMany);
  EXPECT_THAT(said, testing::Each(testing::HasSubstr("=store_full")));
  EXPECT_THAT(bodies(), IsEmpty());
}

TEST_F(MailTest, AFullDiskThatTakesNothingGivesTheMessagesBack) {
  post(1, "a");
  settle();
  env_.set_available(0);
  post(2, "b");
  (void)mail_->turn();
  post(3, "c");
  EXPECT_THAT(settle(), ElementsAre("refused after 0"));
  EXPECT_THAT(bodies(), ElementsAre("a"));
}

TEST_F(MailTest, AFailedSyncStopsTheStore) {
  post(1, "a");
  settle();
  env_.fail(Call::sync, 1, EIO);
  post(2, "b");
  EXPECT_THAT(settle(), ElementsAre("stopped: io_error"));
  post(3, "c");
  EXPECT_THAT(settle(), IsEmpty());
}

TEST_F(MailTest, AMailboxThatCannotBeReadIsRefusedAndOthersGoOn) {
  storage::Batch batch;
  batch.put(box_key(shard(), channel_id(kBox)), "not a row");
  ASSERT_TRUE(storage::test::commit(*store_, std::move(batch)));
  post(1, "a");
  EXPECT_THAT(settle(), ElementsAre("stored 1 1=corrupt"));
}

TEST_F(MailTest, WhatIsNoPostIsRefused) {
  mail_->post(stream(), 1, as_bytes("nonsense"), false);
  post(2, "a", "", "player/2");  // of another shard
  post(3, "b");
  EXPECT_THAT(settle(), ElementsAre("stored 3 1=bad_bytes 2=bad_name 3=1"));
}

TEST_F(MailTest, KeepsTheResultsOfAWindowAndNoMore) {
  std::uint64_t seq = 0;
  for (int batch = 0; batch < 12; ++batch) {
    for (int i = 0; i < 1'000; ++i) post(++seq, "m");
    settle();
  }
  restart();
  mail_->repeat(stream());
  const std::vector<std::string> said = settle();
  ASSERT_EQ(said.size(), 1u);
  const auto kept = static_cast<std::uint64_t>(std::ranges::count(said[0], '='));
  EXPECT_GE(kept, bus::kDurableWindow);
  EXPECT_LT(kept, bus::kDurableWindow + 1'000);
}

TEST_F(MailTest, WhatWaitsIsBounded) {
  const std::string large(bus::kMaxPostBody, 'x');
  post(1, large);
  (void)mail_->turn();  // under way
  for (std::uint64_t seq = 2; seq <= 6; ++seq) post(seq, large);
  EXPECT_THAT(std::exchange(shell_->said, {}), ElementsAre("refused after 1"));
  EXPECT_THAT(settle(), testing::Contains("stored 1 1=1"));
}

TEST_F(MailTest, WhatWouldNotFitARecordLaterIsRefused) {
  post(1, std::string(bus::kMaxPostBody + 1, 'x'));
  EXPECT_THAT(settle(), testing::Contains("stored 1 1=too_large"));
}

TEST_F(MailTest, AShardThatWasGivenUpTakesNothing) {
  post(1, "a");
  mail_->close(shard());
  EXPECT_THAT(settle(), IsEmpty());
  post(2, "b");
  EXPECT_THAT(settle(), IsEmpty());
  EXPECT_THAT(bodies(), IsEmpty());
}

TEST_F(MailTest, AStoreIsFullByItsQuota) {
  quota_.total_bytes = 10;
  restart();
  post(1, "12345");
  post(2, "123456");
  post(3, "1234");
  EXPECT_THAT(settle(), ElementsAre("stored 3 1=1 2=store_full:2 3=2"));
}

TEST_F(MailTest, AStoreHasAsManyMessagesAndBoxesAsItsQuotaAllows) {
  quota_.total_messages = 3;
  quota_.total_boxes = 1;
  restart();
  std::string other;  // of the same shard
  for (int i = 0; other.empty() || shard_of(channel_id(other)) != shard(); ++i) {
    other = "someone/" + std::to_string(i);
  }
  post(1, "a");
  post(2, "b", "", other);
  post(3, "c");
  post(4, "d");
  post(5, "e");
  EXPECT_THAT(settle(), ElementsAre("stored 5 1=1 2=store_full:6 3=2 4=3 5=store_full:5"));
  restart();
  post(6, "f");
  EXPECT_THAT(settle(), ElementsAre("stored 6 6=store_full:5")) << "what is on the disk counts";
}

}  // namespace
}  // namespace starbus::mail
