// Daemons that are replaced in place, as for an upgrade: `--takeover`, and a stop and a start as a
// supervisor does it. The ends notice a short silence (`scripts/bench restarts` measures it), and
// nothing else.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cluster/cluster_test.hpp"

namespace starbus::cluster_test {
namespace {

constexpr std::size_t kStreams = 6;
constexpr int kReplacements = 20;
constexpr auto kPause = 2ms;      // between two messages of a stream
constexpr auto kBetween = 100ms;  // between two replacements

class TakeoverTest : public ClusterTest {
 protected:
  using Replace = std::function<void(Daemon&)>;

  /// Half of the streams stay on host a, half go to b, at a steady rate.
  Task steady_streams(std::string daemon, Replace replace) {
    Bus near(loop, cluster.node("a", "near"));
    Bus far(loop, cluster.node("b", "far"));
    Bus sender(loop, cluster.node("a", "sender"));
    for (Bus* bus : {&near, &far, &sender}) CO_OK(co_await bus->connect(use_awaitable));
    Ledger ledger(kStreams);
    bus::Handlers handlers;
    handlers.on_message = [&](Message& message) { ledger.take(message.body()); };
    for (std::size_t stream = 0; stream < kStreams; ++stream) {
      Bus& owner = stream % 2 == 0 ? near : far;
      CO_OK(co_await owner.bind("entity/" + std::to_string(stream), handlers, use_awaitable));
    }
    bool stopped = false;
    std::uint32_t sent = 0;
    bool ended = false;
    spawn([&]() -> Task {
      boost::asio::steady_timer timer(loop);
      while (!stopped) {
        for (std::uint32_t stream = 0; stream < kStreams; ++stream) {
          const Numbered numbered{stream, sent};
          const bus::ByteView body(reinterpret_cast<const std::byte*>(&numbered), sizeof numbered);
          EXPECT_TRUE(sender.send("entity/" + std::to_string(stream), body));
        }
        ++sent;
        timer.expires_after(kPause);
        co_await timer.async_wait(use_awaitable);
      }
      ended = true;
    });
    boost::asio::steady_timer timer(loop);
    for (int i = 0; i < kReplacements; ++i) {
      timer.expires_after(kBetween);
      co_await timer.async_wait(use_awaitable);
      // Before that a SIGTERM is the end of a process that has no handler for it yet.
      CO_TRUE(co_await until(10s, [&] { return cluster.daemon(daemon).serves(); }));
      replace(cluster.daemon(daemon));
    }
    timer.expires_after(kBetween);
    co_await timer.async_wait(use_awaitable);
    stopped = true;
    CO_TRUE(co_await until(5s, [&] { return ended; }));
    CO_OK(co_await sender.flush(10s, use_awaitable));
    EXPECT_EQ(ledger.total(), std::uint64_t{sent} * kStreams);
    EXPECT_EQ(ledger.wrong(), 0U);
    EXPECT_EQ(sender.counters().failed, 0U);
  }

  Cluster cluster;
};

class EveryDaemon : public TakeoverTest, public ::testing::WithParamInterface<std::string> {};

TEST_P(EveryDaemon, NothingIsLostWhenItIsTakenOver) {
  run(
      [this] {
        return steady_streams(GetParam(), [](Daemon& daemon) {
          EXPECT_EQ(daemon.take_over(10s), std::optional(0)) << "the earlier one ends well";
        });
      },
      60s);
}

TEST_P(EveryDaemon, NothingIsLostWhenItIsStoppedAndStarted) {
  run(
      [this] {
        return steady_streams(GetParam(), [](Daemon& daemon) {
          EXPECT_EQ(daemon.terminate(10s), std::optional(0));
          daemon.start();
        });
      },
      60s);
}

INSTANTIATE_TEST_SUITE_P(Daemon, EveryDaemon, ::testing::Values("root", "a", "b"),
                         [](const auto& suite) { return suite.param; });

TEST_F(TakeoverTest, AWrongFileLeavesTheRunningOneAlone) {
  run([this]() -> Task {
    Daemon& busd = cluster.busd("a");
    const pid_t pid = busd.process().pid();
    const auto wrong = cluster.folder() / "wrong.toml";
    std::ofstream(wrong) << "[busd]\nhots = \"a\"\n";
    const auto refused =
        cluster.run({program("busd"), "--config", wrong.string(), "--takeover"}, "wrong.log");
    EXPECT_EQ(refused->wait(10s), std::optional(2));
    EXPECT_EQ(busd.json("/healthz")["pid"], pid);
    EXPECT_TRUE(busd.serves());
    co_return;
  });
}

}  // namespace
}  // namespace starbus::cluster_test
