/// Mail over a real store on a disk that fails when told to: numbers, refusals, what a crash
/// leaves.
#include "busd/mail/mail.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <map>
#include <mutex>

#include "bus/core/limits.hpp"
#include "bus/core/name.hpp"
#include "busd/mail/dead_letters.hpp"
#include "storage/testing/fault_env.hpp"
#include "tests/bus/core/wire_records.hpp"
#include "tests/storage/support.hpp"

namespace starbus::bus::busd::mail {
namespace {

using storage::testing::Call;
using storage::testing::FaultEnv;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kBox = "player/1";
const Process kAlice{1, 1, 1};
const Lineage kLife = Epoch::of(1, 5);

/// Runs what is posted, and writes down what is said.
class Shell final : public MailShell {
 public:
  bool watched(std::uint8_t) override { return false; }
  void changed(std::uint8_t, storage::Batch::Kind, std::string_view, std::string_view) override {}

 public:
  void stored(const StreamId&, std::uint64_t last, std::span<const PostResult> results) override {
    said.push_back("stored " + std::to_string(last) + text(results));
  }
  void answer(const StreamId&, std::span<const PostResult> kept) override {
    said.push_back("answer" + text(kept));
  }
  void refused(const StreamId&, std::uint64_t last) override {
    said.push_back("refused after " + std::to_string(last));
  }
  void opened(std::uint8_t, const std::vector<FilterRow>& rows) override { filter = rows; }
  void say(const Process& reader, Lineage, ByteView record) override {
    heard[reader].emplace_back(record.begin(), record.end());
  }
  bool has_room(const Process&) override { return room; }
  void forget(const StreamId& stream) override { forgotten.push_back(stream); }
  void stopped(const storage::Error& reason) override {
    said.push_back("stopped: " + std::string(name_of(reason.code)));
  }
  void post(std::function<void()> action) override {
    const std::lock_guard lock(mutex_);
    actions_.push_back(std::move(action));
    changed_.notify_all();
  }
  std::uint64_t wall_ms() override { return now_ms; }

  void run_one() {
    std::unique_lock lock(mutex_);
    ASSERT_TRUE(
        changed_.wait_for(lock, std::chrono::seconds(30), [&] { return !actions_.empty(); }));
    const auto action = std::move(actions_.front());
    actions_.pop_front();
    lock.unlock();
    action();
  }

  std::vector<std::string> said;
  std::map<Process, std::vector<Bytes>> heard;
  bool room = true;
  std::vector<StreamId> forgotten;
  std::uint64_t now_ms = 1'000;
  std::optional<std::vector<FilterRow>> filter;

 private:
  static std::string text(std::span<const PostResult> results) {
    std::string text;
    for (const PostResult& result : results) {
      text += " " + std::to_string(result.seq) + "=";
      text += result.status == Errc::ok ? std::to_string(result.number)
                                        : std::string(name_of(result.status));
    }
    return text;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> actions_;
};

class MailTest : public testing::Test {
 protected:
  MailTest() { start(); }
  ~MailTest() override { store_->close(); }

  void start(Lineage lineage = kLife) {
    auto opened = storage::open_store(options());
    ASSERT_TRUE(opened) << opened.error().to_string();
    store_ = std::move(*opened);
    shell_ = std::make_unique<Shell>();
    mail_ = std::make_unique<Mail>(*store_, *shell_, quota_);
    const auto opening = mail_->open(shard(), lineage);
    ASSERT_TRUE(opening) << opening.error().to_string();
    settle();
    ASSERT_TRUE(shell_->filter) << "opened once the lineage is on the disk";
    filter_ = *shell_->filter;
  }
  void restart(Lineage lineage = kLife) {
    mail_.reset();
    store_->close();
    start(lineage);
  }
  storage::StoreOptions options() {
    return {.folder = folder_.path() / "mail",
            .env = &env_,
            .headroom = 1 << 20,
            .space_retry = std::chrono::milliseconds(5)};
  }
  static std::uint8_t shard() { return shard_of(channel_id(kBox)); }
  static StreamId stream() { return {channel_id(shard_name(shard())), kAlice, Lane::call}; }

  void post(std::uint64_t seq, const std::string& body, const std::string& key = "",
            const std::string& box = kBox) {
    Bytes message;
    encode_post_head({PostTarget::mailbox, box, key, {}}, message);
    const ByteView bytes = as_bytes(body);
    message.insert(message.end(), bytes.begin(), bytes.end());
    mail_->post(stream(), seq, message, false);
  }
  /// Until the disk has all that was posted.
  std::vector<std::string> settle() {
    (void)mail_->turn();
    while (!mail_->idle()) shell_->run_one();
    return std::exchange(shell_->said, {});
  }
  std::vector<std::string> bodies() {
    std::vector<std::string> found;
    for (std::uint64_t number = 1;; ++number) {
      const auto row = store_->get(message_key(shard(), channel_id(kBox), number));
      EXPECT_TRUE(row);
      if (!row || !row->has_value()) return found;
      found.emplace_back(decode_message(**row).value().body);
    }
  }

  storage::test::TempFolder folder_;
  FaultEnv env_;
  MailQuota quota_;
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<Shell> shell_;
  std::unique_ptr<Mail> mail_;
  std::vector<FilterRow> filter_;
};

/// A reader of kBox, as its process would be told.
class MailReading : public MailTest {
 protected:
  static constexpr std::uint64_t kToken = 3;
  const Process reader_{2, 1, 1};

  MailOpen ask(Epoch epoch, std::uint64_t after = 0, std::uint64_t settled = 0) {
    MailOpen open;
    open.token = kToken;
    open.name = kBox;
    open.epoch = epoch;
    open.after = after;
    open.settled = settled;
    open.window = 10'000;
    return open;
  }
  /// Turns until nothing is left to do.
  void settle_readers() {
    settle();
    while (mail_->turn()) {
    }
  }
  std::vector<std::string> open(const Process& from, MailOpen open) {
    mail_->open_reader({from, open.token}, std::move(open));
    return hear(from);
  }
  void post_all(int count, std::size_t size = 1) {
    for (int i = 0; i < count; ++i)
      post(++seq_, std::string(size, static_cast<char>('a' + i % 26)));
    settle();
  }
  /// What a process has been told since the last time, in words.
  std::vector<std::string> hear(const Process& process) {
    settle_readers();
    std::vector<std::string> words;
    for (const Bytes& bytes : std::exchange(shell_->heard[process], {})) {
      for (const WireRecord& record : cut_records(bytes)) words.push_back(word_of(record));
    }
    return words;
  }

 private:
  static std::string word_of(const WireRecord& record) {
    if (record.kind == Kind::mail_opened) {
      const auto opened = read_record<MailOpened>(record);
      if (opened.status != Errc::ok) return "no: " + std::string(name_of(opened.status));
      return "after " + std::to_string(opened.after) + " of " + std::to_string(opened.last);
    }
    if (record.kind == Kind::mail_acked) {
      return "acked " + std::to_string(read_record<MailAcked>(record).upto);
    }
    if (record.kind == Kind::mail_end) {
      return "end: " + std::string(name_of(read_record<MailEnd>(record).reason));
    }
    std::string words;
    for (const MailItem& item : read_record<MailItems>(record).items) {
      words += (words.empty() ? "" : " ") + std::to_string(item.number);
      if (item.status != Errc::ok) words += "!";
    }
    return words;
  }

  std::uint64_t seq_ = 0;
};

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

TEST_F(MailTest, AFullMailboxRefusesAndOthersGoOn) {
  quota_.box_messages = 2;
  restart();
  post(1, "a");
  post(2, "b");
  post(3, "c");
  EXPECT_THAT(settle(), ElementsAre("stored 3 1=1 2=2 3=mailbox_full"));
  restart();
  mail_->repeat(stream());
  EXPECT_THAT(settle(), ElementsAre("answer 1=1 2=2 3=mailbox_full")) << "a refusal lasts too";
}

TEST_F(MailTest, AMailboxIsFullByBytesToo) {
  quota_.box_bytes = 10;
  restart();
  post(1, "123456789");
  post(2, "12");
  post(3, "1");
  EXPECT_THAT(settle(), ElementsAre("stored 3 1=1 2=mailbox_full 3=2"));
}

TEST_F(MailTest, AFullDiskRefusesForGood) {
  post(1, "a");
  settle();
  env_.set_available(options().headroom - 1);
  post(2, "b");
  EXPECT_THAT(settle(), ElementsAre("stored 2 2=store_full"));
  env_.set_available(std::nullopt);
  ASSERT_TRUE(storage::test::reaches(*store_, storage::State::running));
  restart();
  EXPECT_EQ(filter_[0].last, 2u) << "a late copy must not be stored after all";
  post(3, "c");
  EXPECT_THAT(settle(), ElementsAre("stored 3 3=2"));
  EXPECT_THAT(bodies(), ElementsAre("a", "c"));
}

TEST_F(MailTest, AFullDiskRefusesManyInBatchesThatTheReserveTakes) {
  env_.set_available(options().headroom - 1);
  constexpr std::uint64_t kMany = 3'000;
  for (std::uint64_t seq = 1; seq <= kMany; ++seq) {
    Bytes message;
    encode_post_head({PostTarget::mailbox, kBox, "", {}}, message);
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
  EXPECT_GE(kept, kDurableWindow);
  EXPECT_LT(kept, kDurableWindow + 1'000);
}

TEST_F(MailTest, WhatWaitsIsBounded) {
  const std::string large(kMaxPostBody, 'x');
  post(1, large);
  (void)mail_->turn();  // under way
  for (std::uint64_t seq = 2; seq <= 6; ++seq) post(seq, large);
  EXPECT_THAT(std::exchange(shell_->said, {}), ElementsAre("refused after 1"));
  EXPECT_THAT(settle(), testing::Contains("stored 1 1=1"));
}

TEST_F(MailTest, WhatWouldNotFitARecordLaterIsRefused) {
  post(1, std::string(kMaxPostBody + 1, 'x'));
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

// --- readers -------------------------------------------------------------------------------------

TEST_F(MailReading, GetsWhatIsThereAndThenWhatComes) {
  post_all(3);
  EXPECT_THAT(open(reader_, ask(Epoch::of(1, 1))), ElementsAre("after 0 of 3", "1 2 3"));
  post_all(2);
  EXPECT_THAT(hear(reader_), ElementsAre("4 5"));
}

TEST_F(MailReading, GetsWhatWasPostedBehindItInTheBatchThatBeganIt) {
  post_all(1);
  mail_->open_reader({reader_, kToken}, ask(Epoch::of(1, 1)));
  post(2, "b");
  EXPECT_THAT(hear(reader_), ElementsAre("after 0 of 2", "1 2"));
}

TEST_F(MailReading, GoesOnBehindItsCursorWhichCountsAsAcknowledged) {
  post_all(5);
  EXPECT_THAT(open(reader_, ask(Epoch::of(1, 1), 3, 3)), ElementsAre("after 3 of 5", "4 5"));
  EXPECT_EQ(mail_->totals(), (Totals{1, 2, 2}));
  restart();
  EXPECT_EQ(mail_->totals(), (Totals{1, 2, 2})) << "the totals are on the disk";
  EXPECT_THAT(open(reader_, ask(Epoch::of(1, 2))), ElementsAre("after 3 of 5", "4 5"));
}

TEST_F(MailReading, ACursorBeyondWhatThereIsIsRefused) {
  post_all(2);
  EXPECT_THAT(open(reader_, ask(Epoch::of(1, 1), 3)), ElementsAre("no: cursor_ahead"));
  EXPECT_THAT(open(reader_, ask(Epoch::of(1, 1), 2, 3)), ElementsAre("no: cursor_ahead"));
}

TEST_F(MailReading, IsSentWhatItsWindowHoldsAndMoreOnceThatIsTaken) {
  post_all(10, 1'000);
  MailOpen small = ask(Epoch::of(1, 1));
  small.window = 2'500;
  EXPECT_THAT(open(reader_, small), ElementsAre("after 0 of 10", "1 2"));
  mail_->consumed({reader_, kToken}, 600);
  EXPECT_THAT(hear(reader_), IsEmpty()) << "the third does not fit yet";
  mail_->consumed({reader_, kToken}, mail_charge(1'000));
  EXPECT_THAT(hear(reader_), ElementsAre("3"));
  mail_->consumed({reader_, kToken}, ~std::uint64_t{0});
  EXPECT_THAT(hear(reader_), ElementsAre("4 5"));
}

TEST_F(MailReading, AMessageLargerThanTheWindowGoesAlone) {
  post_all(3, 1'000);
  MailOpen small = ask(Epoch::of(1, 1));
  small.window = 100;
  EXPECT_THAT(open(reader_, small), ElementsAre("after 0 of 3", "1"));
  mail_->consumed({reader_, kToken}, mail_charge(1'000));
  EXPECT_THAT(hear(reader_), ElementsAre("2"));
}

TEST_F(MailReading, WaitsWhileItsProcessHasNoRoom) {
  post_all(2);
  shell_->room = false;
  EXPECT_THAT(open(reader_, ask(Epoch::of(1, 1))), ElementsAre("after 0 of 2"));
  shell_->room = true;
  mail_->room();
  EXPECT_THAT(hear(reader_), ElementsAre("1 2"));
}

TEST_F(MailReading, WhatIsAcknowledgedIsErased) {
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
  MailOpen again = ask(Epoch::of(1, 1));
  again.token = kToken + 1;
  EXPECT_THAT(open(reader_, again), ElementsAre("after 99 of 100", "end: superseded", "100"));
}

TEST_F(MailReading, NothingIsSettledThatWasNotSent) {
  post_all(2);
  MailOpen small = ask(Epoch::of(1, 1));
  small.window = 1;
  EXPECT_THAT(open(reader_, small), ElementsAre("after 0 of 2", "1"));
  mail_->acknowledge({reader_, kToken}, {kToken, 2, {}});
  EXPECT_THAT(hear(reader_), ElementsAre("end: bad_bytes"));
  EXPECT_EQ(mail_->totals().messages, 2u);
}

TEST_F(MailReading, AnEarlierOwnerReadsAndErasesNothing) {
  const Process late{3, 1, 1};
  post_all(2);
  (void)open(reader_, ask(Epoch::of(1, 5)));
  EXPECT_THAT(open(late, ask(Epoch::of(1, 6))), ElementsAre("after 0 of 2", "1 2"));
  EXPECT_THAT(hear(reader_), ElementsAre("end: superseded"));
  mail_->acknowledge({reader_, kToken}, {kToken, 2, {}});
  EXPECT_THAT(open(reader_, ask(Epoch::of(1, 5), 2, 2)), ElementsAre("no: superseded"));
  restart();
  EXPECT_THAT(open(reader_, ask(Epoch::of(1, 5), 2, 2)), ElementsAre("no: superseded"))
      << "the epoch is on the disk";
  EXPECT_EQ(mail_->totals().messages, 2u);
}

TEST_F(MailReading, WhatCannotBeReadIsToldAndTheRestGoesOn) {
  post_all(4);
  storage::Batch batch;
  batch.put(message_key(shard(), channel_id(kBox), 2), "x");
  batch.erase(message_key(shard(), channel_id(kBox), 4));
  ASSERT_TRUE(storage::test::commit(*store_, std::move(batch)));
  EXPECT_THAT(open(reader_, ask(Epoch::of(1, 1))), ElementsAre("after 0 of 4", "1 2! 3 4!"));
}

TEST_F(MailReading, ARejectedMessageIsKeptAmongTheDeadLetters) {
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

TEST_F(MailReading, ReadersAcknowledgeWhileTheDiskIsFull) {
  post_all(3);
  (void)open(reader_, ask(Epoch::of(1, 1)));
  env_.set_available(options().headroom - 1);
  post(100, "refused");
  mail_->acknowledge({reader_, kToken}, {kToken, 3, {}});
  EXPECT_THAT(hear(reader_), ElementsAre("acked 3"));
  EXPECT_EQ(mail_->totals().messages, 0u);
}

TEST_F(MailReading, EndsWithItsProcessAndWithTheShard) {
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

TEST_F(MailReading, AMailboxIsNoLog) {
  post_all(1);
  MailOpen log = ask({});
  log.target = PostTarget::log;
  EXPECT_THAT(open(reader_, log), ElementsAre("no: denied"));
}

class MailLog : public MailReading {
 protected:
  void append(int count, std::size_t size = 1) {
    for (int i = 0; i < count; ++i) {
      Bytes message;
      encode_post_head({PostTarget::log, kBox, {}, {}}, message);
      message.resize(message.size() + size);
      mail_->post(stream(), ++seq_, message, false);
    }
    settle();
  }
  MailOpen follow(std::uint64_t after, bool from_end = false) {
    MailOpen open = ask({}, after);
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

TEST_F(MailLog, HasManyReadersWithTheirOwnCursors) {
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

TEST_F(MailLog, KeepsSoManyMessages) {
  keep({.prefix = "player/", .messages = 3});
  append(2);
  append(2);
  append(1);
  EXPECT_EQ(mail_->totals().messages, 3u);
  EXPECT_THAT(open(reader_, follow(0)), ElementsAre("after 2 of 5", "3 4 5"));
  EXPECT_EQ(mail_->counters().trimmed, 2u);
}

TEST_F(MailLog, KeepsSoManyBytes) {
  keep({.prefix = "", .bytes = 1'000});
  for (int i = 0; i < 30; ++i) append(1, 100);
  EXPECT_LE(mail_->totals().bytes, 1'200u);
  EXPECT_GE(mail_->totals().bytes, 900u);
  restart();
  EXPECT_THAT(open(reader_, follow(0)).back(), testing::EndsWith(" 30"));
}

TEST_F(MailLog, AReaderBelowWhatIsKeptGoesOnWithTheOldest) {
  keep({.prefix = "", .messages = 2});
  for (int i = 0; i < 6; ++i) append(1);
  EXPECT_THAT(open(reader_, follow(1)), ElementsAre("after 4 of 6", "5 6"));
}

TEST_F(MailReading, APurgeErasesAndItsReaderGoesOnBehindIt) {
  post_all(50);
  MailOpen small = ask(Epoch::of(1, 1));
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

// --- what has outlived its time ------------------------------------------------------------------

class MailAge : public MailReading {
 protected:
  /// Lets time pass, and the store look at all its rows.
  void pass(std::uint64_t ms) {
    shell_->now_ms += ms;
    for (int step = 0; step < 8; ++step) {
      shell_->now_ms += Mail::kSweepPause;
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
  MailOpen letters;
  letters.token = kToken + 1;
  letters.target = PostTarget::log;
  letters.name = dead_letters_log(shard());
  letters.window = 100'000;
  EXPECT_THAT(open(reader_, letters),
              ElementsAre("after 0 of 20", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20"));
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

TEST_F(MailTest, AStoreIsFullByItsQuota) {
  quota_.total_bytes = 10;
  restart();
  post(1, "12345");
  post(2, "123456");
  post(3, "1234");
  EXPECT_THAT(settle(), ElementsAre("stored 3 1=1 2=store_full 3=2"));
}

}  // namespace
}  // namespace starbus::bus::busd::mail
