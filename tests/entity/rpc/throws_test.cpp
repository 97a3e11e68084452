// What methods, coroutines and callbacks throw: who is charged with it, and what goes on.
#include <gmock/gmock.h>

#include <boost/asio/detached.hpp>
#include <stdexcept>

#include "tests/entity/rpc/rpc_fixture.hpp"
#include "tests/thrown_log.hpp"

namespace starbus::entity::rpc {
namespace {

using namespace world;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RpcThrows : public RpcTest {
 protected:
  boost::asio::awaitable<bool> begin() {
    if (!co_await connect()) co_return false;
    const auto bound = co_await server.bind("entity/7", chat, use_awaitable);
    if (!bound) co_return false;
    co_return (co_await call<&Chat::join>(server, "entity/7", {}, "x")).has_value();
  }
  template <auto M>
  const MethodCounters& counted(const Endpoint& at) const {
    return at.work().of(info_of<M>());
  }
  Chat chat;
  test::ThrownLog log;
};

TEST_F(RpcThrows, AOneWayMethodIsReportedAndCountedPerMethod) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    CO_OK(send<&Chat::broken>(server, "entity/7", {}));  // within the process
    CO_OK(send<&Chat::broken>(caller, "entity/7", {}));  // from another one
    EXPECT_TRUE(co_await until([&] { return log.lines.size() == 2; }));
    EXPECT_THAT(log.lines, ElementsAre("method: a bug", "method: a bug"));
    EXPECT_THAT(log.places, ElementsAre("chat.broken", "chat.broken"));
    EXPECT_EQ(counted<&Chat::broken>(server).threw, 2U);
    EXPECT_EQ(counted<&Chat::broken>(server).calls, 2U);
    EXPECT_EQ(counted<&Chat::join>(server).threw, 0U);
    EXPECT_THAT(server.inspect(), HasSubstr(R"("threw":2)"));
  });
}

TEST_F(RpcThrows, AMethodWithACallerIsReportedAtBoth) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    const auto failed = co_await call<&Chat::broken>(caller, "entity/7", {});
    EXPECT_EQ(failed.error(), Errc::failed);
    EXPECT_EQ(failed.error().detail, "a bug");
    EXPECT_THAT(log.places, ElementsAre("chat.broken"));
  });
}

TEST_F(RpcThrows, CoroutinesOfMethodsAndSpawnedOnesAreReported) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    Player player(server);
    CO_OK(co_await server.bind("entity/8", player, use_awaitable));
    const auto failed = co_await call<&Player::thrower>(caller, "entity/8", {});
    EXPECT_EQ(failed.error(), Errc::failed);
    CO_OK(spawn(server, player, player.fail_later()));
    EXPECT_THAT(log.lines, ElementsAre("method: late", "coroutine: late"));
    EXPECT_THAT(log.places, ElementsAre("player.thrower", "coroutine of player"));
    EXPECT_EQ(counted<&Player::thrower>(server).threw, 1U);
    EXPECT_EQ(server.work().spawned().at(&player.rpc_class()).threw, 1U);
  });
}

/// Ends its object, and throws before it is suspended again.
class Martyr : public Callable<Martyr> {
 public:
  explicit Martyr(std::unique_ptr<Martyr>& self) : self_(self) {}
  Task<> fall(Caller&) {
    self_.reset();
    throw std::runtime_error("fallen");
    co_return;
  }
  static constexpr auto kRpc = methods("martyr", method<&Martyr::fall>("fall"));

 private:
  std::unique_ptr<Martyr>& self_;
};

TEST_F(RpcThrows, ACoroutineThatHasEndedItsObjectIsReported) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    std::unique_ptr<Martyr> martyr;
    martyr = std::make_unique<Martyr>(martyr);
    CO_OK(co_await server.bind("entity/9", *martyr, use_awaitable));
    const auto failed = co_await call<&Martyr::fall>(caller, "entity/9", {});
    EXPECT_EQ(failed.error(), Errc::destroyed);
    EXPECT_THAT(log.lines, ElementsAre("method: fallen"));
    EXPECT_EQ(counted<&Martyr::fall>(server).threw, 1U);
  });
}

TEST_F(RpcThrows, ACallbackWithinTheCalleesTurnIsItsCallersFault) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    const std::uint64_t failures = server.counters().errors[static_cast<std::size_t>(Errc::failed)];
    call<&Chat::join>(server, "entity/7", {},
                      "abc")([](const auto&) { throw std::runtime_error("mine"); });
    CO_OK(send<&Chat::said>(server, "entity/7", {}, "next"));  // behind it, in the same turn
    EXPECT_TRUE(co_await until([&] { return !chat.lines.empty(); }));
    EXPECT_THAT(log.lines, ElementsAre("completion: mine"));
    EXPECT_THAT(log.places, ElementsAre("answer of chat.join"));
    EXPECT_EQ(counted<&Chat::join>(server).threw, 0U);
    EXPECT_EQ(server.counters().errors[static_cast<std::size_t>(Errc::failed)], failures);
    EXPECT_EQ(server.pending_calls(), 0U);
  });
}

TEST_F(RpcThrows, ACallbackOfAnAnswerFromElsewhereStopsNothing) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    int answered = 0;
    for (int i = 0; i < 10; ++i) {
      call<&Chat::join>(caller, "entity/7", {}, "abc")([&](const auto& reply) {
        EXPECT_TRUE(reply);
        if (++answered % 2 == 0) throw std::runtime_error("mine");
      });
    }
    EXPECT_TRUE(co_await until([&] { return answered == 10; }));
    EXPECT_EQ(log.lines.size(), 5U);
    EXPECT_EQ(chat.entered, 11);
  });
}

TEST_F(RpcThrows, CallbacksOfDeadlinesDoNotHoldUpTheOthers) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    Player player(server);
    CO_OK(co_await server.bind("entity/8", player, use_awaitable));
    int ended = 0;
    for (int i = 0; i < 3; ++i) {
      call<&Player::slow>(server, "entity/8", {.deadline = 20ms}, 60'000)([&](const auto& reply) {
        EXPECT_EQ(reply.error(), Errc::deadline);
        ++ended;
        throw std::runtime_error("mine");
      });
    }
    EXPECT_TRUE(co_await until([&] { return ended == 3; }));
    EXPECT_EQ(log.lines.size(), 3U);
  });
}

class RpcWithoutGuard : public RpcTest {};

/// A program without a node that catches exceptions of the loop itself.
TEST_F(RpcWithoutGuard, TheQueueOfLocalMessagesOutlivesAnException) {
  Chat chat;
  bool threw = false;
  bool ended = false;
  const auto work = [&]() -> TestTask {
    EXPECT_TRUE(co_await connect());
    CO_OK(co_await server.bind("entity/7", chat, use_awaitable));
    CO_OK(co_await call<&Chat::join>(server, "entity/7", {}, "x"));
    call<&Chat::join>(server, "entity/7", {},
                      "abc")([](const auto&) { throw std::runtime_error("mine"); });
    CO_OK(send<&Chat::said>(server, "entity/7", {}, "next"));
    EXPECT_TRUE(co_await until([&] { return !chat.lines.empty(); }));
    ended = true;
  };
  boost::asio::co_spawn(loop, work, boost::asio::detached);
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  while (!ended && std::chrono::steady_clock::now() < deadline) {
    try {
      loop.run_one_until(deadline);
    } catch (const std::runtime_error&) {
      threw = true;
    }
  }
  EXPECT_TRUE(threw);
  EXPECT_TRUE(ended) << "the queue was never scheduled again";
}

}  // namespace
}  // namespace starbus::entity::rpc
