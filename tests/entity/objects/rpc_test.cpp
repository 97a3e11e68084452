// Calls to entities and their components, while these live and when they end.
#include "tests/entity/objects/world.hpp"
#include "tests/entity/rpc/rpc_fixture.hpp"

namespace starbus::entity::objects_test {

rpc::Task<int> Player::slow(rpc::Caller& from) {
  ++began;
  boost::asio::steady_timer timer(from.endpoint->loop(), std::chrono::minutes(1));
  co_await timer.async_wait(boost::asio::deferred);
  co_return 1;
}

namespace {

using boost::asio::use_awaitable;
using namespace std::chrono_literals;

/// As docs/guide/rpc.md has it: owner_lost of a name that was given up a moment ago.
bool has_ended(const rpc::Error& error) {
  return rpc::is_absent(error) || error == bus::Errc::owner_lost;
}

class EntityCalls : public rpc::RpcTest, public ::testing::WithParamInterface<bool> {
 protected:
  EntityCalls() {
    script = &events;
    EXPECT_TRUE(declare_entity<Player>(types));
    EXPECT_TRUE(declare_entity<Thing>(types));
  }
  rpc::Endpoint& from() { return GetParam() ? server : caller; }
  boost::asio::awaitable<bool> begin() {
    if (!co_await connect()) co_return false;
    player = entities.create<Player>("alice").value();
    const auto bound = co_await server.bind("entity/7", *player, use_awaitable);
    co_return bound.has_value();
  }

  Script events;
  EntityFactory types;
  std::uint64_t drawn = 1;
  EntityManager entities{types, PersistentIdSource("n", 1),
                         [this] { return IdentityResult<OnlineId>(OnlineId{drawn++}); }};
  Player* player = nullptr;
};
INSTANTIATE_TEST_SUITE_P(Objects, EntityCalls, ::testing::Bool(), [](const auto& name) {
  return name.param ? "SameProcess" : "OtherProcess";
});

TEST_P(EntityCalls, ReachTheEntityAndItsComponentsUntilItEnds) {
  run([this]() -> bus::Task {
    EXPECT_TRUE(co_await begin());
    const auto level = co_await rpc::call<&Player::level>(from(), "entity/7", {});
    CO_OK(level);
    EXPECT_EQ(*level, 3);
    const auto count = co_await rpc::call<&BagMethods::count>(from(), "entity/7", {});
    CO_OK(count);
    EXPECT_EQ(*count, 7);
    player->destroy();
    const auto late = co_await rpc::call<&Player::level>(from(), "entity/7", {});
    EXPECT_TRUE(!late && has_ended(late.error()));
    EXPECT_FALSE(entities.settle());
    const auto later = co_await rpc::call<&BagMethods::count>(from(), "entity/7", {});
    EXPECT_TRUE(!later && has_ended(later.error()));
    EXPECT_EQ(events.alive, 0);
  });
}

TEST_P(EntityCalls, ItMayEndWithinItsOwnMethod) {
  run([this]() -> bus::Task {
    EXPECT_TRUE(co_await begin());
    auto slow = rpc::call<&Player::slow>(from(), "entity/7", {});
    for (int i = 0; i < 500 && player->began == 0; ++i) co_await sleep(2ms);
    EXPECT_EQ(player->rpc_coroutines(), 1u);
    const auto left = co_await rpc::call<&Player::leave>(from(), "entity/7", {});
    CO_OK(left);
    const auto ended = co_await std::move(slow);
    EXPECT_EQ(ended.error(), rpc::Errc::destroyed);
    EXPECT_EQ(player->rpc_coroutines(), 0u);
    EXPECT_EQ(player->life(), EntityState::ending);
    EXPECT_FALSE(entities.settle());
  });
}

TEST_P(EntityCalls, AComponentThatFailedIsNotFound) {
  run([this]() -> bus::Task {
    CO_OK(co_await server_bus.connect(use_awaitable));
    CO_OK(co_await caller_bus.connect(use_awaitable));
    Thing* thing = entities.create<Thing>("thing").value();
    CO_OK(co_await server.bind("entity/8", *thing, use_awaitable));
    const auto never = co_await rpc::call<&BagMethods::count>(from(), "entity/8", {});
    EXPECT_EQ(never.error(), rpc::Errc::no_such_component);
    events.fail("thing.bag init");
    EXPECT_TRUE(!thing->add_component<Bag>());
    const auto gone = co_await rpc::call<&BagMethods::count>(from(), "entity/8", {});
    EXPECT_EQ(gone.error(), rpc::Errc::rpc_not_found);
    events.at.clear();
    EXPECT_TRUE(thing->add_component<Bag>());
    const auto back = co_await rpc::call<&BagMethods::count>(from(), "entity/8", {});
    CO_OK(back);
  });
}

}  // namespace
}  // namespace starbus::entity::objects_test
