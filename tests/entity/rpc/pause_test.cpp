// Objects that stand still while they are packed for another process.
#include <gmock/gmock.h>

#include "tests/entity/rpc/rpc_fixture.hpp"

namespace starbus::entity::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Its coroutines wait for answers that the test gives.
class Waiting : public Callable<Waiting> {
 public:
  Task<> step(Endpoint& at, int number, std::chrono::milliseconds pause) {
    boost::asio::steady_timer timer(at.loop(), pause);
    co_await timer.async_wait(boost::asio::deferred);
    order.push_back(number);
    if (then) then(number);
  }
  int pay(Caller&) {
    if (on_pay) on_pay();
    return ++paid;
  }
  std::function<void()> on_pay;
  std::vector<int> order;
  std::function<void(int)> then;
  int paid = 0;
  static constexpr auto kRpc = methods("test_waiting", method<&Waiting::pay>("pay"));
};
class Part : public Callable<Part> {
 public:
  Task<> step(Endpoint& at, std::vector<int>& order) {
    boost::asio::steady_timer timer(at.loop(), 1ms);
    co_await timer.async_wait(boost::asio::deferred);
    order.push_back(9);
  }
  int count(Caller&) { return 1; }
  static constexpr auto kRpc = methods("test_waiting_part", method<&Part::count>("count"));
};

class RpcPause : public RpcTest {
 protected:
  void spawn_step(int number, std::chrono::milliseconds pause) {
    ASSERT_TRUE(spawn(server, object, object.step(server, number, pause)));
  }
  Waiting object;
};

TEST_F(RpcPause, CoroutinesWaitAndGoOnInTheOrderOfTheirWakeUp) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await connect());
    Part part;
    CO_OK(object.attach(part));
    spawn_step(3, 30ms);
    spawn_step(1, 10ms);
    spawn_step(2, 20ms);
    EXPECT_TRUE(spawn(server, part, part.step(server, object.order)));
    object.pause_rpc();
    EXPECT_TRUE(part.rpc_paused());
    co_await sleep(100ms);
    EXPECT_THAT(object.order, IsEmpty());
    EXPECT_EQ(object.rpc_under_way(), 4U);
    EXPECT_THAT(object.rpc_running(9),
                ElementsAre("coroutine of test_waiting", "coroutine of test_waiting",
                            "coroutine of test_waiting", "coroutine of test_waiting_part"));
    EXPECT_EQ(spawn(server, object, object.step(server, 4, 1ms)).error(), Errc::would_block);
    object.resume_rpc();
    EXPECT_THAT(object.order, ElementsAre(9, 1, 2, 3));
    EXPECT_EQ(object.rpc_under_way(), 0U);
    part.close_rpc();
  });
}

TEST_F(RpcPause, OneThatPausesAgainHoldsTheRestInOrder) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await connect());
    object.then = [this](int number) {
      if (number == 1) object.pause_rpc();
    };
    for (const int number : {1, 2, 3}) spawn_step(number, number * 5ms);
    object.pause_rpc();
    co_await sleep(50ms);
    object.resume_rpc();
    EXPECT_THAT(object.order, ElementsAre(1));
    object.resume_rpc();
    EXPECT_THAT(object.order, ElementsAre(1, 2, 3));
  });
}

TEST_F(RpcPause, TheEndOfTheObjectEndsWhatIsHeld) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await connect());
    auto brief = std::make_unique<Waiting>();
    const auto alive = std::make_shared<int>(0);
    const auto frame = [](Endpoint& at, std::shared_ptr<int> held) -> Task<> {
      boost::asio::steady_timer timer(at.loop(), 1ms);
      co_await timer.async_wait(boost::asio::deferred);
      *held = 1;
    };
    EXPECT_TRUE(spawn(server, *brief, frame(server, alive)));
    brief->pause_rpc();
    co_await sleep(20ms);
    EXPECT_EQ(alive.use_count(), 2);
    brief->close_rpc();
    EXPECT_EQ(alive.use_count(), 1);
    EXPECT_EQ(*alive, 0);
    brief.reset();
    co_await sleep(5ms);
  });
}

TEST_F(RpcPause, TheEndOfTheLastOneIsTold) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await connect());
    spawn_step(1, 5ms);
    spawn_step(2, 15ms);
    int told = 0;
    object.when_rpc_idle([&] { ++told; });
    const bool first = co_await until([&] { return !object.order.empty(); });
    EXPECT_TRUE(first);
    EXPECT_EQ(told, 0);
    const bool idle = co_await until([&] { return told == 1; });
    EXPECT_TRUE(idle);
    EXPECT_EQ(object.rpc_under_way(), 0U);
    spawn_step(3, 1ms);
    const bool third = co_await until([&] { return object.order.size() == 3; });
    EXPECT_TRUE(third);
    EXPECT_EQ(told, 1) << "once";
  });
}

TEST_F(RpcPause, NothingIsHandedOverBetweenThePackingAndTheEndOfAMove) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await connect());
    Waiting mover;
    CO_OK(co_await server.bind("entity/7", mover, use_awaitable));
    bool packed = false;
    int early = 0;
    int sent = 0;
    mover.on_pay = [&] { early += packed ? 1 : 0; };
    for (int round = 0; round < 30; ++round) {
      bool ended = false;
      server.move(
          "entity/7", "a.caller",
          [&packed] {
            packed = true;
            return Bytes();
          },
          [&](const bus::Result<>& moved) {
            EXPECT_FALSE(moved);
            packed = false;
            ended = true;
          });
      while (!ended) {
        if (send<&Waiting::pay>(caller, "entity/7", {})) ++sent;
        co_await sleep(0ms);
      }
    }
    const bool all = co_await until([&] { return mover.paid == sent; });
    EXPECT_TRUE(all) << mover.paid << " of " << sent;
    EXPECT_EQ(early, 0);
  });
}

TEST_F(RpcPause, ACallWithAnOwnerIsUnderWayUntilItsAnswer) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await connect());
    Waiting other;
    CO_OK(co_await server.bind("entity/7", other, use_awaitable));
    int answered = 0;
    call<&Waiting::pay>(server, "entity/7", {.owner = &object})([&](const auto&) { ++answered; });
    EXPECT_EQ(object.rpc_under_way(), 1U);
    EXPECT_EQ(object.rpc_owned_calls(), 1U);
    bool told = false;
    object.when_rpc_idle([&] { told = true; });
    const bool come = co_await until([&] { return answered == 1; });
    EXPECT_TRUE(come && told);
    EXPECT_EQ(object.rpc_under_way(), 0U);
  });
}

}  // namespace
}  // namespace starbus::entity::rpc
