// The file system below a mail store is full: a real one (a small tmpfs that only this test sees),
// and not a disk that says so when told. Nothing that was acknowledged is lost, and all goes on by
// itself when there is room.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "storage/limits.hpp"
#include "tests/cluster/chaos/private_mounts.hpp"
#include "tests/cluster/cluster_test.hpp"

namespace starbus::cluster_test {
namespace {

/// A store begins to serve with twice the headroom free, and has some MiB of its own.
constexpr std::size_t kMailDisk = 3 * storage::kHeadroom;
constexpr std::size_t kFiles = 256;
const std::string kBox = "player/1";
constexpr auto kPatience = 60s;

class MailFullDisk : public ClusterTest {
 protected:
  void SetUp() override {
    if (const auto refused = enter_private_mounts(); !refused.empty()) GTEST_SKIP() << refused;
    cluster_ =
        std::make_unique<Cluster>(ClusterOptions{.more = {{"a", "[mail]\nshards = ['0-255']\n"}}});
    busd().kill();
    disk_ = std::make_unique<SmallDisk>(busd().state_folder(), kMailDisk, kFiles);
    busd().start();
    ASSERT_TRUE(wait_for(20s, [this] { return busd().serves(); }));
  }
  Daemon& busd() { return cluster_->busd("a"); }
  std::string state() {
    const auto status = busd().json("/status");
    return status.is_object() && status["mail"].is_object()
               ? status["mail"]["state"].get<std::string>()
               : "";
  }

  void post(Bus& bus, const std::string& body, std::chrono::milliseconds ttl = 0ms) {
    ++posted_;
    bus.post(kBox, body, {.ttl = ttl}, [this](const bus::Result<std::uint64_t>& end) {
      ++ended_;
      if (end) {
        ++stored_;
      } else {
        ++refused_[end.error().code];
      }
    });
  }
  boost::asio::awaitable<bool> all_ended() {
    co_return co_await until(kPatience, [this] { return ended_ == posted_; });
  }
  Task read(bus::Mailbox& box, std::uint64_t upto) {
    while (box.position() < upto) {
      const auto before = box.position();
      const auto mail = co_await box.next(use_awaitable);
      CO_OK(mail);
      EXPECT_FALSE(mail->damaged);
      EXPECT_EQ(mail->number, before + 1);
    }
  }

  std::unique_ptr<Cluster> cluster_;
  std::unique_ptr<SmallDisk> disk_;
  std::uint64_t posted_ = 0, ended_ = 0, stored_ = 0;
  std::map<Code, std::uint64_t> refused_;
};

/// Some of the headroom is left: posts are refused, for good, and reading frees space.
TEST_F(MailFullDisk, PostsAreRefusedAndReadersReadAndAcknowledge) {
  run(
      [this]() -> Task {
        Bus bus(loop, cluster_->node("b", "x"));
        CO_OK(co_await bus.connect(use_awaitable));
        const bus::Handlers handlers;
        CO_OK(co_await bus.bind(kBox, handlers, use_awaitable));
        for (int i = 0; i < 99; ++i) post(bus, std::string(1'000, 'a'));
        post(bus, std::string(2 * storage::kReserveBatch, 'a'));
        CO_TRUE(co_await all_ended());
        EXPECT_EQ(stored_, 100U);
        disk_->fill_but(storage::kHeadroom / 2);
        for (int i = 0; i < 10; ++i) post(bus, "no room");
        CO_TRUE(co_await all_ended());
        EXPECT_EQ(refused_[Errc::store_full], 10U);
        auto box = co_await bus.open_mailbox(kBox, {}, use_awaitable);
        CO_OK(box);
        co_await read(*box, 100);
        CO_OK(co_await box->acknowledge(50, use_awaitable));
        const std::string reason = "poison";
        const auto rejected = co_await box->reject(100, reason, use_awaitable);
        EXPECT_FALSE(rejected) << "there is no room for a letter";
        if (!rejected) {
          EXPECT_EQ(rejected.error(), Errc::store_full);
        }
        CO_OK(co_await box->acknowledge(100, use_awaitable));
        EXPECT_EQ(state(), "full");
        disk_->make_room();
        CO_TRUE(co_await until(kPatience, [this] { return state() == "running"; }));
        post(bus, "again");
        CO_TRUE(co_await all_ended());
        EXPECT_EQ(stored_, 101U);
        co_await read(*box, 101);
      },
      3min);
}

/// Not one byte is left: not even that a post is refused could be noted. Posts wait, readers read
/// on, and what they acknowledge is settled later.
TEST_F(MailFullDisk, WithoutAByteReadersReadOnAndTheRestWaits) {
  run(
      [this]() -> Task {
        Bus bus(loop, cluster_->node("b", "x"));
        CO_OK(co_await bus.connect(use_awaitable));
        const bus::Handlers handlers;
        CO_OK(co_await bus.bind(kBox, handlers, use_awaitable));
        for (int i = 0; i < 100; ++i) post(bus, std::string(1'000, 'a'));
        CO_TRUE(co_await all_ended());
        bus::MailboxOptions small;
        small.window = 4'000;  // what comes while the disk is full is read from it
        auto box = co_await bus.open_mailbox(kBox, small, use_awaitable);
        CO_OK(box);
        co_await read(*box, 10);
        disk_->fill();
        for (int i = 0; i < 10; ++i) post(bus, "waits");
        CO_TRUE(co_await until(kPatience, [this] { return state() == "full"; }));
        bool acknowledged = false;
        box->acknowledge(10, [&](const bus::Result<>& done) {
          EXPECT_TRUE(done) << done.error().to_string();
          acknowledged = true;
        });
        co_await read(*box, 100);
        EXPECT_EQ(ended_, 100U) << "nothing could be said of them";
        EXPECT_FALSE(acknowledged);
        disk_->make_room();
        CO_TRUE(co_await all_ended());
        EXPECT_EQ(stored_ + refused_[Errc::store_full], posted_);
        EXPECT_TRUE(co_await until(kPatience, [&] { return acknowledged; }));
        co_await read(*box, stored_);
      },
      3min);
}

/// There are bytes, and no files: a write of LevelDB meets that when it needs its next log.
TEST_F(MailFullDisk, WithoutAFileMoreWhatIsAcknowledgedIsThere) {
  run(
      [this]() -> Task {
        Bus bus(loop, cluster_->node("b", "x"));
        CO_OK(co_await bus.connect(use_awaitable));
        const bus::Handlers handlers;
        CO_OK(co_await bus.bind(kBox, handlers, use_awaitable));
        for (int i = 0; i < 10; ++i) post(bus, "before");
        CO_TRUE(co_await all_ended());
        auto box = co_await bus.open_mailbox(kBox, {}, use_awaitable);
        CO_OK(box);
        disk_->use_all_files();
        constexpr std::size_t kSize = 64 * 1024;
        for (std::size_t bytes = 0; bytes < 2 * storage::kWriteBuffer && state() != "full";
             bytes += kSize) {
          post(bus, std::string(kSize, 'b'));
          CO_TRUE(co_await until(kPatience,
                                 [this] { return posted_ - ended_ < 8 || state() == "full"; }));
        }
        CO_TRUE(co_await until(kPatience, [this] { return state() == "full"; }));
        const std::uint64_t stored = stored_;
        EXPECT_GE(stored, 10U);
        co_await read(*box, stored);  // reads go on
        disk_->make_room();
        CO_TRUE(co_await all_ended());
        EXPECT_EQ(stored_ + refused_[Errc::store_full] + refused_[Errc::mailbox_full], posted_);
        co_await read(*box, stored_);
        busd().restart();
        co_await read(*box, stored_);
        post(bus, "again");
        CO_TRUE(co_await all_ended());
        co_await read(*box, stored_);
      },
      3min);
}

}  // namespace
}  // namespace starbus::cluster_test
