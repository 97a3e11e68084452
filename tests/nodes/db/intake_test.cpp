/// What one process may ask for at a time, and what becomes of the rest.
#include "nodes/db/service/intake.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "nodes/db/limits.hpp"
#include "nodes/db/remote/wire.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"

namespace starbus::nodes::db {
namespace {

using boost::asio::use_awaitable;
using bus::Task;
using namespace std::chrono_literals;

class IntakeTest : public bus::LoopTest {
 protected:
  Task wait_for_requests(const Intake& intake, std::size_t count) {
    boost::asio::steady_timer timer(loop);
    for (int i = 0; i < 3'000 && intake.figures().requests != count; ++i) {
      timer.expires_after(10ms);
      co_await timer.async_wait(use_awaitable);
    }
    EXPECT_EQ(intake.figures().requests, count);
  }
};

TEST_F(IntakeTest, OneProcessHasItsShareAndOthersHaveTheirs) {
  starbus::testing::Cluster cluster(loop, {});
  run(
      [&]() -> Task {
        bus::Bus server(loop, cluster.node("a", "server"));
        bus::Bus greedy(loop, cluster.node("a", "greedy"));
        bus::Bus modest(loop, cluster.node("a", "modest"));
        for (bus::Bus* const each : {&server, &greedy, &modest}) {
          CO_OK(co_await each->connect(use_awaitable));
        }
        std::vector<std::uint64_t> numbers;
        Intake intake(loop,
                      [&](const bus::Bytes&, std::uint64_t number) { numbers.push_back(number); });
        bus::Handlers handlers;
        handlers.on_call = [&](bus::Call& call) { intake.take(call); };
        CO_OK(co_await server.bind("db/main", handlers, use_awaitable));

        std::size_t answered = 0;
        const auto count = [&](const bus::Result<bus::Bytes>& answer) {
          answered += answer && *answer == encode_answer(Nothing{}) ? 1 : 0;
        };
        const bus::CallOptions patient{.deadline = 60s};
        for (std::size_t asked = 0; asked < kCallerRequests;) {
          for (const std::size_t end = asked + 1'024; asked < end; ++asked) {
            greedy.call("db/main", "x", patient, count);
          }
          co_await wait_for_requests(intake, asked);
        }
        const auto refused = co_await greedy.call("db/main", "x", patient, use_awaitable);
        EXPECT_TRUE(refused && decode_verdict(*refused)->error == Errc::busy);
        EXPECT_EQ(intake.figures().refused, 1u);
        modest.call("db/main", "x", patient, count);
        co_await wait_for_requests(intake, kCallerRequests + 1);
        EXPECT_EQ(intake.figures().callers, 2u);

        bool idle = false;
        intake.when_idle([&] { idle = true; });
        EXPECT_FALSE(idle);
        const auto answer = intake.answer();
        for (const std::uint64_t number : numbers) answer(number, encode_answer(Nothing{}));
        co_await wait_for_requests(intake, 0);
        boost::asio::steady_timer timer(loop);
        for (int i = 0; i < 3'000 && answered != numbers.size(); ++i) {
          timer.expires_after(10ms);
          co_await timer.async_wait(use_awaitable);
        }
        EXPECT_EQ(answered, kCallerRequests + 1);
        EXPECT_TRUE(idle);
        EXPECT_EQ(intake.figures().bytes, 0u);
        EXPECT_EQ(intake.figures().dropped, 0u);
      },
      90s);
}

}  // namespace
}  // namespace starbus::nodes::db
