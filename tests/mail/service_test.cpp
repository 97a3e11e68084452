/// The process that keeps the mail of a host, without a busd: what it says stays with its origin.
#include "mail/service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "bus/core/limits.hpp"
#include "bus/io/clock.hpp"
#include "storage/testing/fault_env.hpp"
#include "tests/storage/support.hpp"

namespace starbus::mail {
namespace {

using storage::testing::Call;

class MailServiceTest : public testing::Test {
 protected:
  static MailService::Hooks hooks(MailServiceTest& test) {
    return {.post = [&test](std::function<void()> action) { test.post(std::move(action)); },
            .wall_ms = [&test] { return test.now_; },
            .now_ms = [&test] { return test.now_; },
            .trouble = [](const std::string&) {},
            .note = [](const std::string&) {},
            .stopped = [&test](const storage::Error& reason) { test.stopped_ = reason; },
            .token = [] { return 7; }};
  }
  void post(std::function<void()> action) {
    const std::lock_guard lock(mutex_);
    actions_.push_back(std::move(action));
    changed_.notify_all();
  }
  void run_one() {
    std::unique_lock lock(mutex_);
    const auto some = [&] { return !actions_.empty(); };
    ASSERT_TRUE(changed_.wait_for(lock, std::chrono::seconds(30), some));
    const auto action = std::move(actions_.front());
    actions_.pop_front();
    lock.unlock();
    action();
  }
  void start(std::vector<std::uint8_t> shards = {}) {
    service_ =
        std::make_unique<MailService>(*store_, "a", std::move(shards), MailQuota{}, hooks(*this));
    core_ = std::make_unique<bus::ProcessCore>(bus::ProcessConfig{"store", "node", 1, "test"},
                                               *service_, bus::io::boot_now());
    service_->attach(*core_);
  }

  /// busd lets the service in, and shows it the store of another host.
  void show_store(const Process& store, const std::string& host) {
    const bus::Time now = bus::io::boot_now();
    bus::Welcome welcome;
    welcome.minor = bus::kVersionMinor;
    welcome.you = {bus::host_id("a"), bus::slot_id("store"), 1};
    welcome.host = "a";
    welcome.bind_prefixes = welcome.send_prefixes = {""};
    welcome.max_names = 1'000;
    bus::WatchRows rows;
    rows.prefix = "process/";
    rows.first = rows.last = true;
    rows.rows = {{true, "process/" + host + ".store", store, host + ".store", Epoch::of(1, 2),
                  Epoch::of(1, 2)}};
    core_->connected(1, now);
    bus::Session busd(0, now);
    bus::SourceQueues queues;
    struct Deaf : bus::RecordHandler {
      bus::Result<> on_record(bus::Kind, ByteView) override { return {}; }
    } deaf;
    const auto exchange = [&] {
      core_->send_bundles(
          [] { return Bytes{}; },
          [&](const Bytes& bundle) { ASSERT_TRUE(busd.receive(bundle, now, deaf)); });
      busd.send_bundles(
          queues, [] { return Bytes{}; },
          [&](const Bytes& bundle) { ASSERT_TRUE(core_->on_bundle(bundle, now)); });
    };
    const auto hear = [&](const auto& record) {
      Bytes bytes;
      encode(record, bytes);
      ASSERT_TRUE(queues.push(bus::Lane::control, 1, bytes, now));
      exchange();
    };
    exchange();
    hear(welcome);
    hear(rows);
    core_->link_lost();
  }

  storage::test::TempFolder folder_;
  storage::testing::FaultEnv env_;
  std::unique_ptr<storage::Store> store_ =
      storage::test::open_or_fail({.folder = folder_.path() / "mail", .env = &env_, .headroom = 1});
  std::unique_ptr<MailService> service_;
  std::unique_ptr<bus::ProcessCore> core_;
  storage::Error stopped_;
  std::uint64_t now_ = 1'000;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> actions_;
};

TEST_F(MailServiceTest, WhoAsksAndAcknowledgesNothingIsNotAnsweredWithoutEnd) {
  start();
  const Process hostile{2, 1, 1};
  Bytes record;
  bus::MailOpen open;
  open.token = 1;
  open.name = "player/1";
  encode(open, record);
  const ByteView payload = ByteView(record).subspan(bus::kRecordHeader);
  const auto unheard = [&] {
    return core_->origin().unacknowledged_bytes(hostile.channel(), bus::kMailLane);
  };
  service_->on_mail(hostile, bus::Kind::mail_open, payload);
  const std::uint64_t one = unheard();
  ASSERT_GT(one, 0U);
  for (std::uint64_t i = 0; i < 3 * bus::kMaxBody / one; ++i) {
    service_->on_mail(hostile, bus::Kind::mail_open, payload);
  }
  EXPECT_LT(unheard(), 2 * bus::kMaxBody + 2 * one);
  const Process other{3, 1, 1};
  service_->on_mail(other, bus::Kind::mail_open, payload);
  EXPECT_EQ(core_->origin().unacknowledged_bytes(other.channel(), bus::kMailLane), one);
}

TEST_F(MailServiceTest, AStoreThatStopsUnderAMoveIsToldAtOnce) {
  const std::uint8_t shard = 17;
  ASSERT_TRUE(storage::test::commit(
      *store_, storage::test::put(place_key(shard), encode(PlaceRow{Keeping::incoming, 5, "b"}))));
  start();
  service_->on_welcome(true);
  env_.fail(Call::sync, 1, EIO);
  service_->turn();  // clears away the part of the shard that is here
  run_one();
  EXPECT_EQ(stopped_, storage::Errc::io_error);
}

/// Health goes by this: mail for a shard that is listed and not held waits at its senders.
TEST_F(MailServiceTest, AShardThatIsListedAndNotGrantedIsLacking) {
  const std::uint8_t shard = shard_of(channel_id("player/1"));
  start({shard});
  EXPECT_TRUE(service_->lacks(shard));
  EXPECT_FALSE(service_->lacks(static_cast<std::uint8_t>(shard + 1)));
  service_->on_welcome(true);
  service_->turn();
  EXPECT_TRUE(service_->lacks(shard));
  service_->on_durable_bound(1, Epoch::of(1, 1), Epoch::of(1, 1));
  service_->turn();
  while (!service_->mail().idle()) run_one();
  ASSERT_TRUE(service_->serves(shard));
  EXPECT_FALSE(service_->lacks(shard));
}

/// What a batch has changed is told to a target once that is durable; of this one nobody knows.
TEST_F(MailServiceTest, AShardIsNotGivenWithABatchOfWhichTheDiskDoesNotSay) {
  const std::string box = "player/1";
  const std::uint8_t shard = shard_of(channel_id(box));
  store_ = storage::test::open_or_fail({.folder = folder_.path() / "other",
                                        .env = &env_,
                                        .headroom = 1,
                                        .space_retry = std::chrono::milliseconds(5)});
  start({shard});
  show_store({2, 1, 1}, "b");
  ASSERT_TRUE(service_->offer({shard}, "b"));
  service_->turn();
  service_->on_durable_bound(core_->process_binding() + 1, Epoch::of(1, 1), Epoch::of(1, 1));
  const StreamId stream{shard_channel(shard).id(), {3, 1, 1}, bus::Lane::call};
  const auto post = [&](std::uint64_t seq) {
    Bytes message;
    bus::encode_post_head({PostTarget::mailbox, box, {}, {}}, message);
    service_->on_item(stream, seq, message, false);
  };
  const auto settle = [&] {
    service_->turn();
    while (!service_->mail().idle()) run_one();
  };
  settle();
  ASSERT_TRUE(service_->serves(shard));
  const auto hear = [&](const auto& word) {
    Bytes record;
    encode(word, record);
    service_->on_mail({2, 1, 1}, std::decay_t<decltype(word)>::kKind,
                      ByteView(record).subspan(bus::kRecordHeader));
  };
  post(1);
  settle();
  hear(bus::ShardTake{9, shard, false, "b", {}, {}});
  service_->turn();
  ASSERT_EQ(service_->exporting(), 1U);
  post(2);
  settle();  // told: the row of the mailbox has changed
  env_.fail(Call::sync, 1, ENOSPC, true, ".log");
  post(3);
  service_->turn();
  ASSERT_FALSE(service_->mail().idle());
  for (std::uint32_t page = 1; service_->serves(shard); ++page) {
    ASSERT_LT(page, 20U);
    hear(bus::ShardMore{9, shard, page});
  }
  while (!service_->mail().idle()) run_one();
  EXPECT_EQ(service_->exporting(), 0U) << "the row of the mailbox may speak of a third message";
  env_.heal();
  const auto kept = [&] { return store_->report().state == storage::State::running; };
  for (int i = 0; i < 10'000 && !kept(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(store_->get(message_key(shard, channel_id(box), 3))->has_value()) << "it was kept";
  service_->turn();
  EXPECT_TRUE(service_->keeps(shard));
}

}  // namespace
}  // namespace starbus::mail
