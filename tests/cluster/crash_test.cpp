// kill -9 under load: the ends do not notice. And what a process leaves when it is killed.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <iostream>

#include "tests/cluster/cluster_test.hpp"

namespace starbus::cluster_test {
namespace {

/// The parameter: which daemons are killed, and started again at once.
class CrashTest : public ClusterTest, public ::testing::WithParamInterface<std::string> {
 protected:
  /// Four nodes of a send to b and to their own host, while the daemons are killed twice.
  Task cross_fire() {
    constexpr std::uint32_t kSenders = 4;
    constexpr std::uint32_t kEach = 30'000;
    constexpr std::uint32_t kTotal = 2 * kSenders * kEach;
    Bus far(loop, cluster.node("b", "far"));
    Bus near(loop, cluster.node("a", "near"));
    CO_OK(co_await far.connect(use_awaitable));
    CO_OK(co_await near.connect(use_awaitable));
    Ledger ledger(2 * kSenders);
    const bus::Handlers handlers = ledger.handlers();
    CO_OK(co_await far.bind("entity/far", handlers, use_awaitable));
    const bus::Handlers handlers2 = ledger.handlers();
    CO_OK(co_await near.bind("entity/near", handlers2, use_awaitable));
    std::vector<std::unique_ptr<Bus>> senders;
    std::uint64_t sent = 0;
    for (std::uint32_t i = 0; i < kSenders; ++i) {
      auto options = cluster.node("a", "sender-" + std::to_string(i));
      senders.push_back(std::make_unique<Bus>(loop, options));
      CO_OK(co_await senders.back()->connect(use_awaitable));
      // 200 bytes: several windows, so that there is always something under way.
      spawn([&, i, bus = senders.back().get()] {
        return send_numbers(*bus, "entity/far", Lane::call, i, kEach, sent, 200);
      });
      spawn([&, i, bus = senders.back().get()] {
        return send_numbers(*bus, "entity/near", Lane::call, kSenders + i, kEach, sent, 200);
      });
    }
    const auto across = [&] { return ledger.of(0) + ledger.of(1) + ledger.of(2) + ledger.of(3); };
    for (const std::uint32_t when : {kSenders * kEach / 5, kSenders * kEach / 2}) {
      CO_TRUE(co_await until(20s, [&] { return across() >= when; }));
      EXPECT_LT(across(), kSenders * kEach);
      kill_and_start();
    }
    CO_TRUE(co_await until(25s, [&] { return sent == kTotal && ledger.total() >= kTotal; }));
    for (const auto& sender : senders) {
      CO_OK(co_await sender->flush(10s, use_awaitable));
      EXPECT_EQ(sender->counters().failed, 0U);
    }
    EXPECT_EQ(ledger.total(), kTotal);
    EXPECT_EQ(ledger.wrong(), 0U);
  }

  void kill_and_start() {
    for (const std::string name : {"root", "a", "b"}) {
      if (GetParam() == name || GetParam() == "all") cluster.daemon(name).restart();
    }
  }

  Cluster cluster;
};

TEST_P(CrashTest, TrafficGoesOnExactlyOnceAndInOrder) {
  run([this] { return cross_fire(); }, 60s);
}

INSTANTIATE_TEST_SUITE_P(Daemon, CrashTest, ::testing::Values("root", "a", "b", "all"),
                         [](const auto& suite) { return suite.param; });

class ProcessTest : public ClusterTest {
 protected:
  std::unique_ptr<Child> start_space() {
    return cluster.run({program("skirmish"), "space", "--node", "x", "--busd",
                        cluster.endpoint("a"), "--creatures", "5"},
                       "skirmish");
  }
  std::string creature(int i) const { return "entity/a-x-" + std::to_string(i); }

  /// How many creatures the node "x" owns, as `bus` can see.
  void learn(const bus::WatchUpdate& update) {
    for (const auto& row : update.changes) {
      std::erase(seen, row.name);
      if (row.present && row.owner_name == "a.x") seen.push_back(row.name);
    }
  }

  std::vector<std::string> seen;
  Cluster cluster;
};

TEST_F(ProcessTest, NamesOfAKilledProcessAreFreeAtOnce) {
  run([this]() -> Task {
    auto space = start_space();
    Bus heir(loop, cluster.node("b", "heir"));
    CO_OK(co_await heir.connect(use_awaitable));
    auto watch = heir.watch("entity/a-x-", [this](const auto& update) { learn(update); });
    CO_OK(watch);
    CO_TRUE(co_await until(10s, [&] { return seen.size() == 5; }));
    const auto refused = co_await heir.bind(creature(0), bus::kNoHandlers, use_awaitable);
    CO_TRUE(!refused);
    EXPECT_EQ(refused.error().code, Errc::already_bound);
    EXPECT_NE(refused.error().detail.find("a.x"), std::string::npos) << refused.error().detail;

    space->kill();
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 5;) {
      const auto bound = co_await heir.bind(creature(i), bus::kNoHandlers, use_awaitable);
      if (bound) ++i;
      const auto spent = std::chrono::steady_clock::now() - begin;
      CO_TRUE(spent < 2s);  // the lease is 30 s
    }
    const std::chrono::duration<double, std::milli> spent =
        std::chrono::steady_clock::now() - begin;
    std::cout << "five names of a killed process taken over after " << spent.count() << " ms"
              << std::endl;
    for (int i = 0; i < 5; ++i) CO_OK(co_await heir.unbind(creature(i), use_awaitable));
    CO_TRUE(co_await until(5s, [&] { return seen.empty(); }));

    space = start_space();
    CO_TRUE(co_await until(10s, [&] { return seen.size() == 5; }));
  });
}

TEST_F(ProcessTest, ASecondBusdOnTheSameFolderIsRefusedAndHarmsNothing) {
  run([this]() -> Task {
    Bus owner(loop, cluster.node("a", "owner"));
    CO_OK(co_await owner.connect(use_awaitable));
    const auto echo = [](bus::Call& call) { (void)call.reply(call.body()); };
    const bus::Handlers handlers{.on_call = echo};
    CO_OK(co_await owner.bind("entity/1", handlers, use_awaitable));
    struct stat before {};
    ::stat(cluster.socket("a").c_str(), &before);
    const std::string admin = cluster.busd("a").admin();

    auto second = cluster.run(
        {program("busd"), "--config", cluster.busd("a").config_file().string()}, "second");
    CO_TRUE(co_await until(10s, [&] { return second->ended().has_value(); }));
    EXPECT_NE(*second->ended(), 0);
    const std::string log = cluster.log_of("second");
    const std::string pid = std::to_string(cluster.busd("a").process().pid());
    EXPECT_NE(log.find("process " + pid), std::string::npos) << log;

    struct stat after {};
    ::stat(cluster.socket("a").c_str(), &after);
    EXPECT_EQ(before.st_ino, after.st_ino);
    EXPECT_EQ(admin, cluster.busd("a").admin());
    EXPECT_TRUE(cluster.busd("a").serves());
    Bus late(loop, cluster.node("a", "late"));
    CO_OK(co_await late.connect(use_awaitable));
    const auto reply = co_await late.call("entity/1", "hello", {}, use_awaitable);
    CO_OK(reply);
    EXPECT_EQ(bus::as_text(*reply), "hello");
    EXPECT_EQ(owner.counters().connects, 1U);
  });
}

}  // namespace
}  // namespace starbus::cluster_test
