// Daemons crash under traffic, and the ends do not notice: nothing lost, doubled or reordered.
#include <gtest/gtest.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"

namespace starbus::bus {
namespace {

using boost::asio::use_awaitable;
using namespace std::chrono_literals;

/// The parameter: which daemon crashes.
class RestartTest : public LoopTest, public ::testing::WithParamInterface<std::string> {
 protected:
  RestartTest() : cluster(loop, {.hosts = {"a", "b"}}) {}

  void crash(const std::string& daemon) {
    if (daemon == "root") {
      cluster.crash_root();
      cluster.start_root();
    } else {
      cluster.crash_busd(daemon);
      cluster.start_busd(daemon);
    }
  }

  testing::Cluster cluster;
};

TEST_P(RestartTest, TrafficGoesOnExactlyOnceAndInOrder) {
  run(
      [this]() -> Task {
        Bus receiver(loop, cluster.node("b", "receiver"));
        Bus sender(loop, cluster.node("a", "sender"));
        CO_OK(co_await receiver.connect(use_awaitable));
        CO_OK(co_await sender.connect(use_awaitable));
        std::vector<int> seen;
        const Handlers handlers{
            .on_message = [&](Message& m) { seen.push_back(std::stoi(std::string(m.text()))); }};
        CO_OK(co_await receiver.bind("entity/7", handlers, use_awaitable));
        boost::asio::steady_timer timer(loop);
        constexpr int kMessages = 20'000;
        for (int i = 0; i < kMessages; ++i) {
          if (i % 4'000 == 2'000) crash(GetParam());
          while (!sender.send("entity/7", std::to_string(i))) {
            CO_OK(co_await sender.room("entity/7", Lane::call, use_awaitable));
          }
          if (i % 100 == 0) {
            timer.expires_after(1ms);
            co_await timer.async_wait(use_awaitable);
          }
        }
        CO_OK(co_await sender.flush(10s, use_awaitable));
        std::vector<int> expected(kMessages);
        std::iota(expected.begin(), expected.end(), 0);
        EXPECT_EQ(seen, expected);
        EXPECT_EQ(sender.counters().failed, 0U);
      },
      std::chrono::seconds(60));
}

INSTANTIATE_TEST_SUITE_P(Daemon, RestartTest, ::testing::Values("root", "a", "b"),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace starbus::bus
