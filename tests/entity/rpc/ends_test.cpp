// How calls and coroutines end: with an answer, at a deadline, canceled, or with an object. The
// same for an object of another process and of this one.
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/use_future.hpp>
#include <thread>

#include "tests/entity/rpc/rpc_fixture.hpp"

namespace starbus::entity::rpc {
namespace {

using namespace world;

class RpcEnds : public RpcTest, public ::testing::WithParamInterface<bool> {
 protected:
  /// Of the objects' process, or of another.
  Endpoint& from() { return GetParam() ? server : caller; }
  boost::asio::awaitable<bool> begin() {
    Player::finished = Player::gone = Player::survived = 0;
    if (!co_await connect()) co_return false;
    player = std::make_unique<Player>(server);
    const auto bound = co_await server.bind("entity/7", *player, use_awaitable);
    co_return bound.has_value();
  }
  /// Until the call is in its method.
  boost::asio::awaitable<void> until_began() {
    for (int i = 0; i < 500 && player->began == 0; ++i) co_await sleep(2ms);
    EXPECT_EQ(player->began, 1);
  }
  std::unique_ptr<Player> player;
};
INSTANTIATE_TEST_SUITE_P(Rpc, RpcEnds, ::testing::Bool(), [](const auto& name) {
  return name.param ? "SameProcess" : "OtherProcess";
});

TEST_P(RpcEnds, ACoroutineAnswersLater) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    const auto answer = co_await call<&Player::slow>(from(), "entity/7", {}, 5);
    CO_OK(answer);
    EXPECT_EQ(*answer, 5);
    EXPECT_EQ(Player::gone, 1);
    EXPECT_EQ(player->rpc_coroutines(), 0U);
    EXPECT_EQ(server.work().of(info_of<&Player::slow>()).calls, 1U);
  });
}

TEST_P(RpcEnds, ADeadlineEndsTheWaitAndNotTheMethod) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    CO_OK(co_await call<&Avatar::walk>(from(), "entity/7", {}, 1));
    const auto late = co_await call<&Player::slow>(from(), "entity/7", {.deadline = 20ms}, 1000);
    EXPECT_EQ(late.error(), Errc::deadline);
    EXPECT_EQ(Player::finished, 0);
    for (int waited = 0; waited < 1000 && Player::finished == 0; ++waited) co_await sleep(5ms);
    EXPECT_EQ(Player::finished, 1);
    EXPECT_EQ(from().pending_calls(), 0U);
  });
}

// Two deadlines in one pass: the callback of the first ends what the second belongs to.
TEST_P(RpcEnds, ACallbackOfADeadlineMayEndTheEndpoint) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    bus::Bus other(loop, cluster.node("a", "other"));
    CO_OK(co_await other.connect(use_awaitable));
    auto mine = std::make_unique<Endpoint>(other);
    std::vector<Code> ends;
    for (int i = 0; i < 2; ++i) {
      call<&Player::slow>(*mine, "entity/7", {.deadline = 20ms},
                          1000)([&](const Reply<int>& reply) {
        ends.push_back(reply.error().code);
        mine.reset();
      });
    }
    std::this_thread::sleep_for(30ms);  // both are over when the loop looks
    EXPECT_TRUE(co_await until([&] { return ends.size() == 2; }));
    EXPECT_EQ(ends, (std::vector<Code>{Errc::deadline, Errc::closed}));
  });
}

TEST_P(RpcEnds, NothingOfACoroutineRunsAfterItsObject) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    auto pending = call<&Player::slow>(from(), "entity/7", {}, 30);
    co_await until_began();
    player.reset();
    EXPECT_EQ(Player::gone, 1);  // at once
    const auto answer = co_await std::move(pending);
    EXPECT_EQ(answer.error(), Errc::destroyed);
    co_await sleep(60ms);
    EXPECT_EQ(Player::finished, 0);
  });
}

TEST_P(RpcEnds, AnObjectThatEndsWithinItsCoroutineEndsItAtTheNextSuspension) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    player->on_suicide = [this] { player.reset(); };
    const auto answer = co_await call<&Player::suicide>(from(), "entity/7", {});
    EXPECT_EQ(answer.error(), Errc::destroyed);
    EXPECT_EQ(Player::gone, 1);
    co_await sleep(20ms);
    EXPECT_EQ(Player::survived, 0);
  });
}

TEST_P(RpcEnds, CoroutinesAwaitEachOtherAndCalls) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    Chat chat;
    CO_OK(co_await server.bind("entity/8", chat, use_awaitable));
    const auto seat = co_await call<&Player::relay>(from(), "entity/7", {}, "entity/8", 2);
    CO_OK(seat);
    EXPECT_EQ(*seat, 2);
    const auto full = co_await call<&Player::relay>(from(), "entity/7", {}, "entity/8", 9);
    EXPECT_EQ(full.error(), Errc::refused);
    EXPECT_EQ(full.error().error, ChatError::full);
    // What the callee's own call failed with is not taken for this one's end.
    const auto nobody = co_await call<&Player::relay>(from(), "entity/7", {}, "entity/9", 2);
    EXPECT_EQ(nobody.error(), Errc::failed);
    EXPECT_EQ(nobody.error().detail.find("no_owner"), 0U);
  });
}

TEST_P(RpcEnds, ACoroutineThatWaitsForACallEndsWithItsObject) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    Player other(server);
    CO_OK(co_await server.bind("entity/8", other, use_awaitable));
    auto pending = call<&Player::nap>(from(), "entity/7", {}, "entity/8");
    co_await until_began();
    player.reset();
    EXPECT_EQ(Player::gone, 1);
    EXPECT_EQ((co_await std::move(pending)).error(), Errc::destroyed);
    co_await sleep(20ms);
    EXPECT_EQ(Player::finished, 0);
  });
}

TEST_P(RpcEnds, ACallEndsWithItsOwner) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    auto owner = std::make_unique<Chat>();
    auto pending = call<&Player::slow>(from(), "entity/7", {.owner = owner.get()}, 40);
    co_await until_began();
    bool ended = false;
    std::move(pending)([&](Reply<int> reply) {
      ended = true;
      EXPECT_EQ(reply.error(), Errc::canceled);
    });
    owner.reset();
    EXPECT_FALSE(ended) << "within the destructor of the owner";
    co_await sleep(5ms);
    EXPECT_TRUE(ended);
    co_await sleep(60ms);
    EXPECT_EQ(Player::finished, 1) << "the callee goes on";
  });
}

TEST_P(RpcEnds, ACallCanBeCanceledBySlotAndByHand) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    boost::asio::cancellation_signal cancel;
    Code first, second;
    call<&Player::slow>(from(), "entity/7", {}, 40)(boost::asio::bind_cancellation_slot(
        cancel.slot(), [&](Reply<int> reply) { first = reply.error().code; }));
    co_await until_began();
    cancel.emit(boost::asio::cancellation_type::terminal);
    auto pending = call<&Player::slow>(from(), "entity/7", {}, 1);
    pending.cancel();
    EXPECT_TRUE(pending.ready());
    std::move(pending)([&](Reply<int> reply) { second = reply.error().code; });
    EXPECT_EQ(second, Errc::ok) << "not within the operation's start";
    co_await sleep(5ms);
    EXPECT_EQ(first, Errc::canceled);
    EXPECT_EQ(second, Errc::canceled);
  });
}

TEST_P(RpcEnds, DroppedCallsAreCanceled) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    { auto dropped = call<&Player::slow>(from(), "entity/7", {}, 10); }
    EXPECT_EQ(from().pending_calls(), 0U);
    co_await sleep(40ms);
    EXPECT_EQ(Player::finished, 1);
  });
}

TEST_P(RpcEnds, SuspendedMethodsOfOneObjectAreBounded) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    std::vector<Pending<int, NoError>> pending;
    for (std::size_t i = 0; i < kMaxRunningPerHost; ++i) {
      pending.push_back(call<&Player::slow>(from(), "entity/7", {}, 60'000));
    }
    const auto refused = co_await call<&Player::slow>(from(), "entity/7", {}, 1);
    EXPECT_EQ(refused.error(), Errc::would_block);
    EXPECT_EQ(player->rpc_coroutines(), kMaxRunningPerHost);
    player.reset();
    for (auto& one : pending) EXPECT_EQ((co_await std::move(one)).error(), Errc::destroyed);
  });
}

TEST_P(RpcEnds, AnObjectMaySayHowManyOfItsMethodsWaitAtOnce) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    const auto fill = [this](std::size_t most) -> TestTask {
      std::vector<Pending<int, NoError>> pending;
      for (std::size_t i = 0; i < most; ++i) {
        pending.push_back(call<&Player::slow>(from(), "entity/7", {}, 60'000));
      }
      const auto refused = co_await call<&Player::slow>(from(), "entity/7", {}, 1);
      EXPECT_EQ(refused.error(), Errc::would_block);
      EXPECT_EQ(player->rpc_coroutines(), most);
    };
    EXPECT_EQ(player->most_coroutines(), kMaxRunningPerHost);
    player->limit_coroutines(3);
    co_await fill(3);
    player.reset();
  });
}

TEST_P(RpcEnds, AnObjectThatHasEndedIsNoSuchEntity) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    CO_OK(co_await call<&Avatar::walk>(from(), "entity/7", {}, 1));
    auto pending = call<&Avatar::walk>(from(), "entity/7", {}, 2);
    player.reset();
    // Of what is under way by the bus when a name is given up, nobody knows whether it was handled.
    const auto nobody = [](const Error& error) {
      return is_absent(error) || error == bus::Errc::owner_lost;
    };
    const auto first = co_await std::move(pending);
    EXPECT_TRUE(nobody(first.error())) << first.error().to_string();
    const auto second = co_await call<&Avatar::walk>(from(), "entity/7", {}, 3);
    EXPECT_TRUE(nobody(second.error())) << second.error().to_string();
    // The name is free again.
    player = std::make_unique<Player>(server);
    CO_OK(co_await server.bind("entity/7", *player, use_awaitable));
    CO_OK(co_await call<&Avatar::walk>(from(), "entity/7", {}, 4));
  });
}

TEST_P(RpcEnds, TheEndOfTheCallersEndpointEndsItsCalls) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    auto extra = std::make_unique<Endpoint>(GetParam() ? server_bus : caller_bus);
    auto pending = call<&Player::slow>(*extra, "entity/7", {}, 20);
    co_await until_began();
    extra.reset();
    EXPECT_EQ((co_await std::move(pending)).error(), Errc::closed);
  });
}

TEST_P(RpcEnds, ASpawnedCoroutineEndsWithItsObject) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    int steps = 0;
    const auto walk = [](boost::asio::io_context& at, int& count) -> rpc::Task<> {
      for (;;) {
        boost::asio::steady_timer timer(at, std::chrono::milliseconds(1));
        co_await timer.async_wait(boost::asio::deferred);
        ++count;
      }
    };
    CO_OK(spawn(server, *player, walk(loop, steps)));
    co_await sleep(20ms);
    EXPECT_GT(steps, 2);
    player.reset();
    const int last = steps;
    co_await sleep(10ms);
    EXPECT_EQ(steps, last);
  });
}

}  // namespace
}  // namespace starbus::entity::rpc
