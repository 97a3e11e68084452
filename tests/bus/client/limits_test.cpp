// Bounds of the client library.
#include <gtest/gtest.h>

#include <boost/asio/use_awaitable.hpp>

#include "bus/core/limits.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"
#include "tests/sanitized.hpp"

namespace starbus::bus {
namespace {

using boost::asio::use_awaitable;
using namespace std::chrono_literals;

class LimitsTest : public LoopTest {
 protected:
  LimitsTest() : cluster(loop, {.hosts = {"a"}}) {}
  testing::Cluster cluster;
};

TEST_F(LimitsTest, ASharedNameHasAtMost4096Instances) {
  if (kThreadSanitizer) GTEST_SKIP() << "one thread: there is nothing to see";
  run([this]() -> Task {
    Bus bus(loop, cluster.node("a", "node"));
    CO_OK(co_await bus.connect(use_awaitable));
    std::size_t bound = 0;
    for (std::size_t i = 0; i < kMaxInstances; ++i) {
      bus.bind("service/chat", {}, [&](Result<Bound> result) { bound += result.has_value(); });
    }
    const auto beyond = co_await bus.bind("service/chat", kNoHandlers, use_awaitable);
    EXPECT_EQ(beyond.error(), Errc::too_many_names);
    CO_OK(co_await bus.bind("entity/after", kNoHandlers,
                            use_awaitable));  // all before it are answered
    EXPECT_EQ(bound, kMaxInstances);
  });
}

TEST_F(LimitsTest, PendingCallsAreBounded) {
  run([this]() -> Task {
    Bus bus(loop, cluster.node("a", "node"));
    CO_OK(co_await bus.connect(use_awaitable));
    std::vector<Responder> held;
    for (int i = 0; i < 8; ++i) {
      const Handlers handlers{.on_call = [&](Call& call) { held.push_back(call.responder()); }};
      CO_OK(co_await bus.bind("entity/" + std::to_string(i), handlers, use_awaitable));
    }
    std::size_t answered = 0;
    for (std::size_t i = 0; i < kMaxPendingCalls; ++i) {
      bus.call("entity/" + std::to_string(i % 8), "", {.deadline = 60s},
               [&](Result<Bytes> reply) { answered += reply.has_value(); });
    }
    const auto beyond = co_await bus.call("entity/0", "", {}, use_awaitable);
    EXPECT_EQ(beyond.error(), Errc::would_block);
    CO_OK(co_await bus.flush(10s, use_awaitable));
    EXPECT_EQ(held.size(), kMaxPendingCalls);
    for (Responder& responder : held) {
      while (!responder.reply("done")) {
        CO_OK(co_await bus.room("process/a.node", Lane::call, use_awaitable));
      }
    }
    CO_OK(co_await bus.flush(10s, use_awaitable));
    EXPECT_EQ(answered, kMaxPendingCalls);
  });
}

}  // namespace
}  // namespace starbus::bus
