// A receiver that stands still stops its own senders, and nobody else.
#include <gtest/gtest.h>
#include <signal.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "bus/core/limits.hpp"
#include "tests/cluster/cluster_test.hpp"

namespace starbus::cluster_test {
namespace {

class FlowTest : public ClusterTest {
 protected:
  /// Bytes that busd b holds for any one link and lane, at most.
  std::uint64_t most_queued() {
    std::uint64_t most = 0;
    const auto links = cluster.busd("b").json("/links");
    for (const auto& link : links["links"]) {
      for (const auto& bytes : link["queued_bytes"])
        most = std::max(most, bytes.get<std::uint64_t>());
    }
    return most;
  }

  /// `count` messages of `size` bytes, as room allows.
  Task send_many(Bus& bus, std::string to, std::size_t size, int count) {
    const bus::Bytes body(size);
    for (int i = 0; i < count;) {
      const auto taken = bus.send(to, body, {});
      if (taken) {
        ++i;
        continue;
      }
      CO_TRUE(taken.error() == Errc::would_block);
      CO_OK(co_await bus.room(to, Lane::call, use_awaitable));
    }
    ++finished;
  }

  Cluster cluster;
  int finished = 0;
};

TEST_F(FlowTest, AStoppedReceiverDoesNotDisturbItsNeighbour) {
  run(
      [this]() -> Task {
        constexpr int kSenders = 10;  // ten windows of 1 MiB: more than busd's queue of 8 MiB
        constexpr int kEach = 2'000;
        constexpr std::size_t kSize = 1'000;
        auto slow = cluster.run(
            {program("skirmish"), "score", "--node", "slow", "--busd", cluster.endpoint("b")},
            "skirmish");
        Bus steady(loop, cluster.node("b", "steady"));
        Bus caller(loop, cluster.node("a", "caller"));
        CO_OK(co_await steady.connect(use_awaitable));
        CO_OK(co_await caller.connect(use_awaitable));
        const auto echo = [](bus::Call& call) { (void)call.reply(call.body()); };
        const bus::Handlers handlers{.on_call = echo};
        CO_OK(co_await steady.bind("entity/steady", handlers, use_awaitable));
        std::string target;
        auto watch = caller.watch("service/score#", [&](const bus::WatchUpdate& update) {
          for (const auto& row : update.changes) target = row.name;
        });
        CO_OK(watch);
        CO_TRUE(co_await until(10s, [&] { return !target.empty(); }));
        CO_OK(co_await caller.call(target, "hits?", {}, use_awaitable));

        std::vector<std::unique_ptr<Bus>> senders;
        for (int i = 0; i < kSenders; ++i) {
          auto options = cluster.node("a", "sender-" + std::to_string(i));
          senders.push_back(std::make_unique<Bus>(loop, options));
          Bus& sender = *senders.back();
          CO_OK(co_await sender.connect(use_awaitable));
          // Without an answer to its first question a sender would not send at all.
          CO_OK(sender.send(target, "first"));
          CO_OK(co_await sender.flush(5s, use_awaitable));
        }
        slow->signal(SIGSTOP);
        for (const auto& sender : senders) {
          spawn([&, bus = sender.get()] { return send_many(*bus, target, kSize, kEach); });
        }
        // Long enough to matter, and below the ten seconds after which the session would end.
        std::uint64_t most = 0;
        std::chrono::duration<double, std::milli> worst{0};
        const auto begin = std::chrono::steady_clock::now();
        int calls = 0;
        constexpr int kEnough = 500;
        while (calls <= kEnough || std::chrono::steady_clock::now() - begin < 4s) {
          const auto start = std::chrono::steady_clock::now();
          CO_OK(co_await caller.call("entity/steady", "hello", {}, use_awaitable));
          worst = std::max<std::chrono::duration<double, std::milli>>(
              worst, std::chrono::steady_clock::now() - start);
          if (++calls % 50 == 0) most = std::max(most, most_queued());
        }
        EXPECT_EQ(finished, 0);
        EXPECT_GT(most, bus::kChannelWindow);
        EXPECT_LE(most, bus::kDaemonQueue);
        std::cout << calls << " calls beside a stopped receiver, the slowest " << worst.count()
                  << " ms; busd held " << most << " bytes at most" << std::endl;

        slow->signal(SIGCONT);
        CO_TRUE(co_await until(15s, [&] { return finished == kSenders; }));
        for (const auto& sender : senders) {
          CO_OK(co_await sender->flush(10s, use_awaitable));
          EXPECT_EQ(sender->counters().failed, 0U);
        }
        const auto hits = co_await caller.call(target, "hits?", {}, use_awaitable);
        CO_OK(hits);
        EXPECT_EQ(bus::as_text(*hits), std::to_string(kSenders * (1 + kEach)));
      },
      60s);
}

}  // namespace
}  // namespace starbus::cluster_test
