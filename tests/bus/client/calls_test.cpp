// Calls that end late, many at once, or with the handler's own errors; replies without room.
#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <thread>

#include "bus/client/bus.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"

namespace starbus::bus {
namespace {

using boost::asio::use_awaitable;
using namespace std::chrono_literals;

class CallsTest : public LoopTest {
 protected:
  /// Runs what is ready of a loop that otherwise stands still.
  static void poll(boost::asio::io_context& other) {
    other.restart();
    other.poll();
  }
  testing::Cluster cluster{loop, {.hosts = {"a", "b"}}};
};

/// The callee stands still. What the caller's loop does in one turn is bounded, whatever expires.
TEST_F(CallsTest, DeadlinesThatEndAtOnceLeaveTheLoopFree) {
  constexpr int kCalls = 40'000;
  constexpr int kMostBetween = 1'000;  // calls that end between two turns of other work
  boost::asio::io_context stopped;
  Bus callee(stopped, cluster.node("b", "callee"));
  run(
      [&]() -> Task {
        Bus caller(loop, cluster.node("a", "caller"));
        CO_OK(co_await caller.connect(use_awaitable));
        bool bound = false;
        Handlers silent;
        silent.on_call = [](Call&) {};
        callee.connect([&](const Result<>&) {
          callee.bind("entity/hung", silent, [&](const Result<Bound>&) { bound = true; });
        });
        EXPECT_TRUE(co_await until([&] {
          poll(stopped);
          return bound;
        }));
        int ended = 0;
        int late = 0;
        const auto begun = std::chrono::steady_clock::now();
        for (int i = 0; i < kCalls; ++i) {
          CallOptions options;
          options.deadline = 500ms;
          caller.call("entity/hung", "", options, [&](const Result<Bytes>& reply) {
            ++ended;
            if (!reply && reply.error() == Errc::deadline) ++late;
          });
        }
        std::this_thread::sleep_until(begun + 500ms);
        std::this_thread::sleep_for(500ms);  // now all of them are due
        int before = 0;
        int most = 0;
        std::function<void()> other_work = [&] {
          most = std::max(most, ended - before);
          before = ended;
          if (ended < kCalls) boost::asio::post(loop, other_work);
        };
        other_work();
        EXPECT_TRUE(co_await until([&] { return ended == kCalls; }));
        EXPECT_EQ(late, kCalls);
        EXPECT_LE(most, kMostBetween);
        EXPECT_LE(caller.counters().unacknowledged_bytes, std::uint64_t{kCalls} * 8);
        EXPECT_EQ(caller.counters().calls_timed_out, static_cast<std::uint64_t>(kCalls));
      },
      60s);
}

/// A handler that passes on the error of its own call says nothing about the call that it serves.
TEST_F(CallsTest, AHandlersErrorIsNotTheBusWord) {
  run([this]() -> Task {
    Bus bus(loop, cluster.node("a", "node"));
    CO_OK(co_await bus.connect(use_awaitable));
    for (const Errc code : {Errc::no_owner, Errc::deadline, Errc::would_block, Errc::no_handler,
                            Errc::owner_lost, Errc::denied, Errc::closed}) {
      Handlers handlers;
      handlers.on_call = [code](Call& call) { (void)call.fail({code, "of another call"}); };
      const std::string name = "entity/" + std::string(name_of(code));
      CO_OK(co_await bus.bind(name, handlers, use_awaitable));
      const auto reply = co_await bus.call(name, "", CallOptions(), use_awaitable);
      EXPECT_FALSE(reply);
      if (!reply) {
        EXPECT_EQ(reply.error().code, Errc::handler_failed) << name_of(code);
        EXPECT_FALSE(reply.error() == code) << name_of(code);
        EXPECT_EQ(reported_code(reply.error()), Code(code));
        EXPECT_EQ(reply.error().detail, "of another call");
      }
    }
  });
}

TEST_F(CallsTest, AReplyLeavesWhenTheWindowOfItsProcessIsFull) {
  run([this]() -> Task {
    Bus caller(loop, cluster.node("a", "caller"));
    Bus callee(loop, cluster.node("a", "callee"));
    CO_OK(co_await caller.connect(use_awaitable));
    CO_OK(co_await callee.connect(use_awaitable));
    std::vector<Call> held;
    Handlers handlers;
    handlers.on_call = [&](Call& call) { held.push_back(call.detach()); };
    CO_OK(co_await callee.bind("entity/7", handlers, use_awaitable));
    std::vector<std::string> answers;
    for (int i = 0; i < 3; ++i) {
      caller.call("entity/7", "", CallOptions(), [&](const Result<Bytes>& reply) {
        answers.push_back(reply ? std::string(as_text(*reply)) : reply.error().to_string());
      });
    }
    EXPECT_TRUE(co_await until([&] { return held.size() == 3; }));
    cluster.crash_root();  // nothing is acknowledged while nobody knows the names
    int sent = 0;
    for (const std::size_t size :
         {std::size_t{512} * 1024, std::size_t{4'096}, std::size_t{64}, std::size_t{0}}) {
      while (callee.send("entity/" + std::to_string(1'000 + sent), Bytes(size))) ++sent;
    }
    CO_OK(held.at(0).reply("answered"));
    CO_OK(held.at(1).fail({Errc::handler_failed, "refused"}));
    held.clear();  // the third is dropped without an answer
    EXPECT_TRUE(co_await until([&] { return answers.size() == 3; }));
    const std::vector<std::string> expected = {"answered", "handler_failed: refused",
                                               "handler_failed: dropped without an answer"};
    EXPECT_EQ(answers, expected);
  });
}

/// 12.8 MB of answers to a caller whose window is 1 MiB.
TEST_F(CallsTest, RepliesWaitForACallerThatStandsStill) {
  constexpr std::size_t kCalls = 200;
  boost::asio::io_context slow;
  Bus caller(slow, cluster.node("a", "caller"));
  run([&]() -> Task {
    Bus callee(loop, cluster.node("b", "callee"));
    CO_OK(co_await callee.connect(use_awaitable));
    std::vector<Responder> held;
    Handlers handlers;
    handlers.on_call = [&](Call& call) { held.push_back(call.responder()); };
    CO_OK(co_await callee.bind("entity/7", handlers, use_awaitable));
    std::vector<std::size_t> answers;
    caller.connect([&](const Result<>&) {
      for (std::size_t i = 0; i < kCalls; ++i) {
        CallOptions options;
        options.deadline = 60s;
        caller.call("entity/7", "", options, [&](const Result<Bytes>& reply) {
          answers.push_back(reply ? reply->size() : 0);
        });
      }
    });
    EXPECT_TRUE(co_await until([&] {
      poll(slow);
      return held.size() == kCalls;
    }));
    std::vector<std::size_t> expected;
    for (std::size_t i = 0; i < kCalls; ++i) {
      expected.push_back(64'000 + i);
      CO_OK(held[i].reply(Bytes(expected.back())));
    }
    const auto early = co_await callee.flush(300ms, use_awaitable);
    EXPECT_EQ(early.error(), Errc::deadline) << "answers that wait are not delivered";
    EXPECT_TRUE(co_await until([&] {
      poll(slow);
      return answers.size() == kCalls;
    }));
    EXPECT_EQ(answers, expected) << "in the order in which they were given";
    for (int i = 0; i < 20; ++i) poll(slow);
  });
}

/// Not a deadline: the caller learns at once that its answer is gone, and the callee that it was.
TEST_F(CallsTest, RepliesBeyondWhatIsKeptEndAsFailures) {
  constexpr std::size_t kCalls = 30;
  const Bytes body(1'000'000);
  boost::asio::io_context slow;
  Bus caller(slow, cluster.node("a", "caller"));
  run([&]() -> Task {
    Bus callee(loop, cluster.node("b", "callee"));
    CO_OK(co_await callee.connect(use_awaitable));
    std::vector<std::string> warnings;
    callee.on_warning([&](const std::string& text) { warnings.push_back(text); });
    std::vector<Responder> held;
    Handlers handlers;
    handlers.on_call = [&](Call& call) { held.push_back(call.responder()); };
    CO_OK(co_await callee.bind("entity/7", handlers, use_awaitable));
    std::size_t whole = 0;
    std::size_t failed = 0;
    caller.connect([&](const Result<>&) {
      for (std::size_t i = 0; i < kCalls; ++i) {
        CallOptions options;
        options.deadline = 60s;
        caller.call("entity/7", "", options, [&](const Result<Bytes>& reply) {
          if (reply) ++whole;
          if (!reply && reply.error() == Errc::handler_failed) ++failed;
        });
      }
    });
    EXPECT_TRUE(co_await until([&] {
      poll(slow);
      return held.size() == kCalls;
    }));
    for (Responder& responder : held) CO_OK(responder.reply(body));
    const BusCounters counters = callee.counters();
    EXPECT_GT(counters.replies_kept, 0U);
    EXPECT_GT(counters.replies_failed, 0U);
    EXPECT_EQ(counters.replies_dropped, 0U);
    EXPECT_EQ(warnings.size(), 1U);
    EXPECT_TRUE(co_await until([&] {
      poll(slow);
      return whole + failed == kCalls;
    }));
    EXPECT_EQ(failed, counters.replies_failed);
    EXPECT_TRUE(co_await until([&] {
      poll(slow);
      return callee.counters().unacknowledged_bytes == 0;
    }));
    EXPECT_EQ(callee.counters().replies_kept, 0U);
  });
}

/// A handler's code of another domain is its program's word, and compares as such.
TEST_F(CallsTest, AProgramsOwnErrorArrivesAsItself) {
  run([this]() -> Task {
    Bus bus(loop, cluster.node("a", "node"));
    CO_OK(co_await bus.connect(use_awaitable));
    const Code sold_out(1'999, 7);
    Handlers handlers;
    handlers.on_call = [&](Call& call) { (void)call.fail(Error(sold_out, "no more")); };
    CO_OK(co_await bus.bind("entity/shop", handlers, use_awaitable));
    const auto reply = co_await bus.call("entity/shop", "", CallOptions(), use_awaitable);
    EXPECT_EQ(reply.error().code, Errc::handler_failed);
    EXPECT_EQ(reported_code(reply.error()), sold_out);
    EXPECT_TRUE(reply.error() == sold_out);
    EXPECT_TRUE(reported_code(Error(Errc::no_owner)).is_ok());
  });
}

}  // namespace
}  // namespace starbus::bus
