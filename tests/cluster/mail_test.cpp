// Mail beside stores that are closed, in use, damaged or on a disk that fails. For kill -9 see
// crash_points/ and chaos/mail_soak_test.cpp.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "bus/core/wire/post_head.hpp"
#include "mail/mail_store_thread.hpp"
#include "storage/recovery/repair.hpp"
#include "storage/store.hpp"
#include "storage/testing/fault_env.hpp"
#include "tests/cluster/cluster_test.hpp"

namespace starbus::cluster_test {
namespace {

/// Messages do not wait for the store of their host.
class ClosedStoreTest : public ClusterTest {
 protected:
  std::filesystem::path folder() { return cluster.busd("a").state_folder() / "mail"; }

  /// Starts busd a again, and shows that messages pass through it while `why` says of its store.
  Task serves_without(std::string why, std::function<void()> free) {
    Bus owner(loop, cluster.node("a", "owner"));
    Bus poster(loop, cluster.node("b", "poster"));
    CO_OK(co_await owner.connect(use_awaitable));
    CO_OK(co_await poster.connect(use_awaitable));
    CO_OK(co_await poster.post("player/1", "before", {}, use_awaitable));
    bus::Handlers handlers;
    handlers.on_call = [](bus::Call& call) { (void)call.reply(call.body()); };
    CO_OK(co_await owner.bind("entity/1", handlers, use_awaitable));
    EXPECT_EQ(cluster.busd("a").terminate(10s), std::optional(0));
    close_store();
    cluster.busd("a").start();
    CO_OK(co_await poster.call("entity/1", "?", {.deadline = 10s}, use_awaitable));
    CO_TRUE(co_await until(10s, [&] { return says(why); }));
    const bus::PostOptions brief{.ttl = 200ms};
    const auto waits = co_await poster.post("player/1", "waits", brief, use_awaitable);
    EXPECT_EQ(waits.error().code, bus::Errc::expired) << waits.error().to_string();
    if (!free) co_return;
    free();
    CO_OK(co_await poster.post("player/1", "after", {.ttl = 0ms}, use_awaitable));
    CO_TRUE(co_await until(10s, [&] { return cluster.busd("a").serves(); }));
  }
  bool says(const std::string& why) {
    const auto health = cluster.busd("a").json("/healthz");
    return health["status"].get<std::string>().find(why) != std::string::npos;
  }
  virtual void close_store() = 0;

  Cluster cluster{{.more = {{"a", "[mail]\nshards = ['0-255']\n"}}}};
};

class StoreInUseTest : public ClosedStoreTest {
 protected:
  void close_store() override {
    auto opened = storage::open_store({.folder = folder(), .repair_logs = storage::repair_logs});
    ASSERT_TRUE(opened) << opened.error().to_string();
    store = std::move(*opened);
  }
  std::unique_ptr<storage::Store> store;
};

TEST_F(StoreInUseTest, IsOpenedWhenTheOtherProgramEnds) {
  run([this] { return serves_without("mail store opening", [this] { store.reset(); }); }, 60s);
}

class DamagedStoreTest : public ClosedStoreTest {
 protected:
  /// No repair of its own is for that.
  void close_store() override {
    std::filesystem::remove(folder() / "CURRENT");
    std::filesystem::create_directory(folder() / "CURRENT");
  }
};

TEST_F(DamagedStoreTest, DoesNotStopTheBus) {
  run([this] { return serves_without("mail store stopped", {}); }, 60s);
  EXPECT_EQ(cluster.busd("a").json("/healthz")["healthy"], false);
}

/// The store of host a, on a disk that fails when it is told to; its busd has none of its own.
class FailingStoreTest : public ClusterTest {
 protected:
  mail::MailStoreSettings settings() {
    mail::MailStoreSettings settings;
    settings.host = "a";
    settings.folder = cluster.folder() / "failing";
    for (unsigned i = 0; i < bus::kShards; ++i) {
      settings.shards.push_back(static_cast<std::uint8_t>(i));
    }
    settings.endpoint = cluster.endpoint("a");
    settings.role = "store";  // its name belongs to that role
    settings.env = &env;
    return settings;
  }
  mail::MailStoreHooks hooks() {
    return {.trouble =
                [this](const std::string& text) {
                  if (text.starts_with("the disk was")) full = true;
                },
            .note = [](const std::string&) {},
            .stopped = [this](const storage::Error&) { stopped = true; }};
  }

  Cluster cluster;
  storage::testing::FaultEnv env;
  std::atomic<bool> full{false};
  std::atomic<bool> stopped{false};
};

TEST_F(FailingStoreTest, AnFsyncThatADiskWithoutRoomRefusesIsMendedByRoom) {
  mail::MailStoreThread node(settings(), hooks());
  run(
      [this]() -> Task {
        Bus bus(loop, cluster.node("b", "x"));
        CO_OK(co_await bus.connect(use_awaitable));
        CO_OK(co_await bus.post("player/1", "1", {}, use_awaitable));
        env.fail(storage::testing::Call::sync, 1, ENOSPC, true, ".log");
        std::optional<bus::Result<std::uint64_t>> second;
        bus.post("player/1", "2", {}, [&](bus::Result<std::uint64_t> end) { second = end; });
        CO_TRUE(co_await until(10s, [&] { return full.load(); }));
        EXPECT_FALSE(second);
        env.heal();
        CO_TRUE(co_await until(20s, [&] { return second.has_value(); }));
        CO_OK(*second);
        EXPECT_EQ(**second, 2u);
        const auto third = co_await bus.post("player/1", "3", {}, use_awaitable);
        CO_OK(third);
        EXPECT_EQ(*third, 3u);
      },
      60s);
  EXPECT_FALSE(stopped);
}

TEST_F(FailingStoreTest, AReadOfALogEndsThoughItsStoreCanReadNothing) {
  auto node = std::make_unique<mail::MailStoreThread>(settings(), hooks());
  run(
      [this, &node]() -> Task {
        Bus bus(loop, cluster.node("b", "x"));
        CO_OK(co_await bus.connect(use_awaitable));
        const std::string body(8'000, 'x');
        for (int i = 0; i < 20; ++i) CO_OK(co_await bus.append("log/1", body, {}, use_awaitable));
        node.reset();
        node = std::make_unique<mail::MailStoreThread>(settings(),
                                                       hooks());  // they are in a table now
        CO_OK(co_await bus.append("log/1", body, {.ttl = 0ms}, use_awaitable));
        env.fail_reads(EIO);
        const auto page = co_await bus.read("log/1", 1, 50, 500ms, use_awaitable);
        EXPECT_EQ(page.error().code, bus::Errc::deadline) << page.error().to_string();
        env.fail_reads(0);
        const auto again = co_await bus.read("log/1", 1, 50, use_awaitable);
        CO_OK(again);
        EXPECT_EQ(again->items.size(), 21u);
      },
      60s);
  EXPECT_FALSE(stopped);
}

/// The node name of busd's own store, with and without a store that runs.
TEST_F(FailingStoreTest, TheNameOfTheStoreIsNotForTheFirstToCome) {
  run([this]() -> Task {
    Bus squatter(loop, cluster.node("a", "store"));
    const auto connected = co_await squatter.connect(use_awaitable);
    CO_TRUE(!connected);
    EXPECT_EQ(connected.error().code, Errc::denied);
    EXPECT_NE(connected.error().detail.find("role \"store\" reserves"), std::string::npos)
        << connected.error().to_string();
  });
}

/// A list that is wrong on one host must not split the mail when the other one is restarted.
class OverlappingListsTest : public ClusterTest {
 protected:
  Cluster cluster{{.more = {{"a", "[mail]\nshards = ['0-255']\n"}}}};
};

TEST_F(OverlappingListsTest, AHostThatHasNothingOfAShardLeavesItToTheOtherForGood) {
  run(
      [this]() -> Task {
        Bus poster(loop, cluster.node("b", "poster"));
        CO_OK(co_await poster.connect(use_awaitable));
        CO_OK(co_await poster.post("player/1", "before", {}, use_awaitable));
        auto& a = cluster.busd("a");
        auto& b = cluster.busd("b");
        EXPECT_EQ(b.terminate(10s), std::optional(0));
        std::ofstream(b.config_file(), std::ios::app) << "\n[mail]\nshards = ['0-255']\n";
        b.start();
        CO_TRUE(co_await until(
            20s, [&] { return b.log().find("host a has the shards 0-255") != std::string::npos; }));
        EXPECT_EQ(a.terminate(10s), std::optional(0));
        // Longer than b would wait between two attempts.
        const auto waits = co_await poster.post("player/1", "waits", {.ttl = 3s}, use_awaitable);
        EXPECT_EQ(waits.error().code, bus::Errc::expired) << waits.error().to_string();
        a.start();
        const auto after = co_await poster.post("player/1", "after", {.ttl = 0ms}, use_awaitable);
        CO_OK(after);
        EXPECT_EQ(*after, 2U);
      },
      90s);
}

}  // namespace
}  // namespace starbus::cluster_test
