// A store of mail that repairs itself: how often, and what is too much for it. No busd is there: a
// store opens without one.
#include "mail/mail_store_thread.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <future>
#include <mutex>
#include <optional>
#include <thread>

#include "mail/row_keys.hpp"
#include "tests/mail/filled_store.hpp"

namespace starbus::mail {
namespace {

using namespace std::literals;
namespace fs = std::filesystem;
using test::FilledStore;
using testing::HasSubstr;

class MailStoreThreadTest : public testing::Test {
 protected:
  ~MailStoreThreadTest() override { thread_.reset(); }

  void start() {
    filled_.close();
    stopped_.reset();
    thread_ = std::make_unique<MailStoreThread>(
        MailStoreSettings{.host = "a",
                          .folder = filled_.path(),
                          .shards = {},
                          .quota = {},
                          .scrub = {.rate = 0},
                          .endpoint = "ipc://" + (filled_.folder() / "nobody.sock").string(),
                          .role = ""},
        MailStoreHooks{.trouble = [this](const std::string& text) { warn(text); },
                       .note = [](const std::string&) {},
                       .stopped = [this](const storage::Error& reason) { tell(reason); }});
  }
  void tell(const storage::Error& reason) {
    const std::lock_guard lock(mutex_);
    stopped_ = reason;
    changed_.notify_all();
  }
  void warn(const std::string& text) {
    const std::lock_guard lock(mutex_);
    warnings_.push_back(text);
    changed_.notify_all();
  }
  void wait_for_a_warning() {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, 60s, [this] { return !warnings_.empty(); }));
  }
  /// That it gives up, and why.
  storage::Error reason() {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, 60s, [this] { return stopped_.has_value(); }));
    return stopped_.value_or(storage::Error{});
  }
  /// Open, and repaired so many times.
  void wait_until_open(std::uint64_t repairs) {
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (!(thread_->damage().repairs == repairs && thread_->is_open())) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << thread_->state();
      std::this_thread::sleep_for(1ms);
    }
  }
  /// While nobody has it open; it is opened again behind this.
  void spoil_while_closed() {
    ASSERT_TRUE(
        thread_->detach([this] { std::ofstream(filled_.path() / "CURRENT") << "nonsense"; }));
  }
  /// Each with one message, and with keys apart, so that none is merged with another.
  std::vector<fs::path> fill_tables(std::uint64_t count) {
    const test::Place place = test::place_of("player/1");
    for (std::uint64_t number = 1; number <= count; ++number) {
      filled_.put(message_key(place.shard, place.id, number),
                  encode(MessageRow{number, number, {}, "x"}));
      filled_.move_into_a_table();
    }
    filled_.close();
    std::vector<fs::path> tables;
    for (const auto& entry : fs::directory_iterator(filled_.path())) {
      if (entry.path().extension() == ".ldb") tables.push_back(entry.path());
    }
    EXPECT_GE(tables.size(), kGoneTables + 2) << "the rest are merged";
    return tables;
  }
  /// Takes the first so many away.
  void hide(const std::vector<fs::path>& tables, std::size_t count) {
    fs::create_directory(aside());
    for (std::size_t i = 0; i < count; ++i) {
      fs::rename(tables[i], aside() / tables[i].filename());
    }
  }
  void bring_back() {
    for (const auto& entry : fs::directory_iterator(aside())) {
      fs::rename(entry.path(), filled_.path() / entry.path().filename());
    }
  }
  fs::path aside() const { return filled_.folder() / "aside"; }

  FilledStore filled_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<storage::Error> stopped_;
  std::vector<std::string> warnings_;
  std::unique_ptr<MailStoreThread> thread_;
};

TEST_F(MailStoreThreadTest, FailingDisk_StopsTheStore) {
  filled_.fill("player/1", 0, 3);
  start();
  wait_until_open(0);
  for (std::uint64_t repairs = 1; repairs <= kStoreRepairs; ++repairs) {
    spoil_while_closed();
    wait_until_open(repairs);
  }
  spoil_while_closed();
  EXPECT_EQ(reason(), storage::Errc::corrupt);
  EXPECT_EQ(thread_->state(), "stopped");
  EXPECT_EQ(thread_->damage().repairs, kStoreRepairs);
  // Somebody has looked at the disk, and starts busd again.
  thread_.reset();
  start();
  wait_until_open(1);
  EXPECT_EQ(thread_->damage().lost, 0U);
}

TEST_F(MailStoreThreadTest, WhoAsksWhenTheStoreIsLentIsAnswered) {
  start();
  std::atomic<int> asked = 0;
  std::atomic<int> answered = 0;
  for (int round = 0; round < 10; ++round) {
    wait_until_open(0);
    std::promise<void> closed;
    ASSERT_TRUE(thread_->detach([&closed] { closed.set_value(); }));
    for (int i = 0; i < 20; ++i) {
      if (thread_->take({1}, [&](const Result<>&) { ++answered; })) ++asked;
      if (thread_->purge("player/1", 1, [&](const Result<std::uint64_t>&) { ++answered; })) ++asked;
    }
    closed.get_future().wait();
  }
  thread_.reset();
  EXPECT_GT(asked, 0);
  EXPECT_EQ(answered, asked);
}

TEST_F(MailStoreThreadTest, AStoreThatAnotherHasOpenIsTriedAgain) {
  filled_.close();
  auto other = storage::test::open_or_fail(filled_.options());
  start();
  wait_for_a_warning();
  const auto warned = std::chrono::steady_clock::now();
  other.reset();
  wait_until_open(0);
  EXPECT_GE(std::chrono::steady_clock::now() - warned, kStoreOpenAgain / 2);
  EXPECT_EQ(warnings_.size(), 1U) << "it is told once: " << testing::PrintToString(warnings_);
}

TEST_F(MailStoreThreadTest, AFewTablesThatAreGoneAreTold) {
  hide(fill_tables(8), kGoneTables);
  start();
  wait_until_open(1);
  EXPECT_EQ(thread_->damage().lost, kGoneTables);
}

TEST_F(MailStoreThreadTest, WhereMoreAreGoneNothingIsTouched) {
  const auto tables = fill_tables(8);
  hide(tables, kGoneTables + 1);
  start();
  const storage::Error why = reason();
  EXPECT_EQ(why, storage::Errc::corrupt);
  EXPECT_THAT(why.to_string(), HasSubstr("4 of " + std::to_string(tables.size()) + " tables"));
  EXPECT_EQ(thread_->damage().repairs, 0U);
  thread_.reset();
  bring_back();
  start();
  wait_until_open(0);
  EXPECT_EQ(thread_->damage().lost, 0U);
}

}  // namespace
}  // namespace starbus::mail
