// Daemons that are replaced in place, as for an upgrade: `--takeover`, and a stop and a start as a
// supervisor does it. The ends notice a short silence, and nothing else.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tests/cluster/cluster_test.hpp"

namespace starbus::cluster_test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kStreams = 6;
constexpr int kReplacements = 20;
constexpr auto kPause = 2ms;           // between two messages of a stream
constexpr auto kBetween = 250ms;       // between two replacements
constexpr auto kLongestStall = 300ms;  // at the 99th percentile

/// How long each stream was silent at most since the last reset.
class Silence {
 public:
  void heard(std::size_t stream) {
    const auto now = Clock::now();
    auto& [last, longest] = streams_.at(stream);
    if (last != Clock::time_point()) longest = std::max(longest, now - last);
    last = now;
  }
  void collect(std::vector<Clock::duration>& into) {
    for (auto& [last, longest] : streams_) into.push_back(std::exchange(longest, {}));
  }

 private:
  struct Stream {
    Clock::time_point last{};
    Clock::duration longest{};
  };
  std::array<Stream, kStreams> streams_{};
};

class TakeoverTest : public ClusterTest {
 protected:
  using Replace = std::function<void(Daemon&)>;

  /// Half of the streams stay on host a, half go to b, at a steady rate.
  Task steady_streams(std::string daemon, Replace replace) {
    // A new busroot notes its term with an fsync, which waits for whatever else the file system has
    // still to write: after a build that is a gigabyte.
    ::sync();
    Bus near(loop, cluster.node("a", "near"));
    Bus far(loop, cluster.node("b", "far"));
    Bus sender(loop, cluster.node("a", "sender"));
    for (Bus* bus : {&near, &far, &sender}) CO_OK(co_await bus->connect(use_awaitable));
    Ledger ledger(kStreams);
    Silence silence;
    bus::Handlers handlers;
    handlers.on_message = [&](Message& message) {
      Numbered numbered;
      std::memcpy(&numbered, message.body().data(), sizeof numbered);
      silence.heard(numbered.stream);
      ledger.take(message.body());
    };
    for (std::size_t stream = 0; stream < kStreams; ++stream) {
      Bus& owner = stream % 2 == 0 ? near : far;
      CO_OK(co_await owner.bind("entity/" + std::to_string(stream), handlers, use_awaitable));
    }
    bool stopped = false;
    std::uint32_t sent = 0;
    bool ended = false;
    spawn([&]() -> Task {
      boost::asio::steady_timer timer(loop);
      for (; !stopped; ++sent) {
        for (std::uint32_t stream = 0; stream < kStreams; ++stream) {
          const Numbered numbered{stream, sent};
          const bus::ByteView body(reinterpret_cast<const std::byte*>(&numbered), sizeof numbered);
          EXPECT_TRUE(sender.send("entity/" + std::to_string(stream), body));
        }
        timer.expires_after(kPause);
        co_await timer.async_wait(use_awaitable);
      }
      ended = true;
    });
    boost::asio::steady_timer timer(loop);
    std::vector<Clock::duration> stalls, undisturbed;
    for (int i = 0; i < kReplacements; ++i) {
      timer.expires_after(kBetween);
      co_await timer.async_wait(use_awaitable);
      silence.collect(i == 0 ? undisturbed : stalls);
      replace(cluster.daemon(daemon));
    }
    timer.expires_after(kBetween);
    co_await timer.async_wait(use_awaitable);
    silence.collect(stalls);
    stopped = true;
    CO_TRUE(co_await until(5s, [&] { return ended; }));
    CO_OK(co_await sender.flush(10s, use_awaitable));
    EXPECT_EQ(ledger.total(), std::uint64_t{sent} * kStreams);
    EXPECT_EQ(ledger.wrong(), 0U);
    EXPECT_EQ(sender.counters().failed, 0U);
    judge(stalls);
  }

  void judge(std::vector<Clock::duration> stalls) const {
    std::ranges::sort(stalls);
    const auto at = [&](double share) {
      const auto index = static_cast<std::size_t>(share * static_cast<double>(stalls.size() - 1));
      return std::chrono::duration_cast<std::chrono::milliseconds>(stalls.at(index));
    };
    std::cout << stalls.size() << " stalls: median " << at(0.5).count() << " ms, p99 "
              << at(0.99).count() << " ms, worst " << at(1).count() << " ms\n";
    EXPECT_LE(at(0.99), kLongestStall);
  }

  Cluster cluster;
};

class EveryDaemon : public TakeoverTest, public ::testing::WithParamInterface<std::string> {};

TEST_P(EveryDaemon, TakesOverWithAShortSilence) {
  run(
      [this] {
        return steady_streams(GetParam(), [](Daemon& daemon) {
          EXPECT_EQ(daemon.take_over(10s), std::optional(0)) << "the earlier one ends well";
        });
      },
      60s);
}

TEST_P(EveryDaemon, StopsAndStartsWithAShortSilence) {
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
