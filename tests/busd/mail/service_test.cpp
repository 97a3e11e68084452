/// The process that keeps the mail of a host, without a busd: what it says stays with its origin.
#include "busd/mail/service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <mutex>

#include "bus/core/limits.hpp"
#include "bus/io/clock.hpp"
#include "storage/testing/fault_env.hpp"
#include "tests/storage/support.hpp"

namespace starbus::bus::busd::mail {
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
  void start() {
    service_ = std::make_unique<MailService>(*store_, "a", std::vector<std::uint8_t>{}, MailQuota{},
                                             hooks(*this));
    core_ = std::make_unique<ProcessCore>(ProcessConfig{"store", "node", 1, "test"}, *service_,
                                          io::boot_now());
    service_->attach(*core_);
  }

  storage::test::TempFolder folder_;
  storage::testing::FaultEnv env_;
  std::unique_ptr<storage::Store> store_ =
      storage::test::open_or_fail({.folder = folder_.path() / "mail", .env = &env_, .headroom = 1});
  std::unique_ptr<MailService> service_;
  std::unique_ptr<ProcessCore> core_;
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
  MailOpen open;
  open.token = 1;
  open.name = "player/1";
  encode(open, record);
  const ByteView payload = ByteView(record).subspan(kRecordHeader);
  const auto unheard = [&] {
    return core_->origin().unacknowledged_bytes(hostile.channel(), kMailLane);
  };
  service_->on_mail(hostile, Kind::mail_open, payload);
  const std::uint64_t one = unheard();
  ASSERT_GT(one, 0U);
  for (std::uint64_t i = 0; i < 3 * kMaxBody / one; ++i) {
    service_->on_mail(hostile, Kind::mail_open, payload);
  }
  EXPECT_LT(unheard(), 2 * kMaxBody + 2 * one);
  const Process other{3, 1, 1};
  service_->on_mail(other, Kind::mail_open, payload);
  EXPECT_EQ(core_->origin().unacknowledged_bytes(other.channel(), kMailLane), one);
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

}  // namespace
}  // namespace starbus::bus::busd::mail
