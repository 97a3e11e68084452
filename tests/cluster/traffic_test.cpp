// A million messages across the star, and an unknown name.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/cluster/cluster_test.hpp"

namespace starbus::cluster_test {
namespace {

using Clock = std::chrono::steady_clock;

class TrafficTest : public ClusterTest {
 protected:
  Cluster cluster;
};

TEST_F(TrafficTest, AMillionMessagesArriveOnceAndInOrder) {
  run(
      [this]() -> Task {
        constexpr std::uint32_t kSenders = 8;
        constexpr std::uint32_t kReceivers = 3;
        constexpr std::uint32_t kTotal = 1'000'000;
        const std::vector<Lane> lanes = {Lane::call, Lane::sync, Lane::bulk};
        const auto streams = kSenders * static_cast<std::uint32_t>(lanes.size());
        Ledger ledger(streams);
        std::vector<std::unique_ptr<Bus>> nodes;
        for (std::uint32_t i = 0; i < kReceivers; ++i) {
          auto options = cluster.node("b", "receiver-" + std::to_string(i));
          nodes.push_back(std::make_unique<Bus>(loop, options));
          CO_OK(co_await nodes.back()->connect(use_awaitable));
          std::string name = "entity/" + std::to_string(i);
          const bus::Handlers handlers = ledger.handlers();
          CO_OK(co_await nodes.back()->bind(name, handlers, use_awaitable));
        }
        std::uint64_t sent = 0;
        const auto begin = Clock::now();
        for (std::uint32_t i = 0; i < kSenders; ++i) {
          auto options = cluster.node("a", "sender-" + std::to_string(i));
          nodes.push_back(std::make_unique<Bus>(loop, options));
          CO_OK(co_await nodes.back()->connect(use_awaitable));
        }
        for (std::uint32_t stream = 0; stream < streams; ++stream) {
          const std::uint32_t count = kTotal / streams + (stream < kTotal % streams ? 1 : 0);
          Bus& sender = *nodes[kReceivers + stream % kSenders];
          const Lane lane = lanes[stream / kSenders];
          spawn([&, stream, count, lane, bus = &sender] {
            return send_numbers(*bus, "entity/" + std::to_string(stream % kReceivers), lane, stream,
                                count, sent);
          });
        }
        CO_TRUE(co_await until(30s, [&] { return ledger.total() >= kTotal; }));
        const auto spent = std::chrono::duration<double>(Clock::now() - begin).count();
        for (std::uint32_t i = 0; i < kSenders; ++i) {
          Bus& sender = *nodes[kReceivers + i];
          CO_OK(co_await sender.flush(10s, use_awaitable));
          EXPECT_EQ(sender.counters().failed, 0U);
        }
        EXPECT_EQ(ledger.total(), kTotal);
        EXPECT_EQ(sent, kTotal);
        EXPECT_EQ(ledger.wrong(), 0U);
        std::cout << "a million messages in " << spent << " s" << std::endl;
      },
      60s);
}

TEST_F(TrafficTest, NoOwnerIsKnownAfterOneRoundTrip) {
  run([this]() -> Task {
    Bus sender(loop, cluster.node("a", "sender"));
    CO_OK(co_await sender.connect(use_awaitable));
    std::chrono::duration<double, std::milli> best = 1h;
    // The shortest of a few: the machine may be busy, the cluster is not.
    for (int i = 0; i < 5; ++i) {
      const std::string nobody = "entity/nobody-" + std::to_string(i);
      const auto begin = Clock::now();
      const auto end = co_await sender.call(nobody, "?", {}, use_awaitable);
      best = std::min<std::chrono::duration<double, std::milli>>(best, Clock::now() - begin);
      CO_TRUE(!end);
      EXPECT_EQ(end.error().code, Errc::no_owner);
    }
    std::cout << "no_owner after " << best.count() << " ms" << std::endl;
    EXPECT_LT(best, 50ms);
  });
}

}  // namespace
}  // namespace starbus::cluster_test
