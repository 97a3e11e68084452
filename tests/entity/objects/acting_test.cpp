/// What entities and components do through their world, and that it ends with them.
#include <gmock/gmock.h>

#include "tests/entity/objects/acting_world.hpp"

namespace starbus::entity::acting_test {
namespace {

using ::testing::ElementsAre;

TEST_F(ActingTest, AnEntityAndItsComponentCallThroughTheirWorld) {
  run([this]() -> bus::Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    const auto bought = co_await rpc::call<&Buyer::buy>(server, "buyer/1", {}, "sword");
    CO_OK(bought);
    EXPECT_EQ(*bought, 5 - rules.discount);
    const Ref<Shop> at("service/acting");
    const auto compared = co_await rpc::call<&Purse::compare>(server, "buyer/1", {}, at);
    CO_OK(compared);
    EXPECT_EQ(*compared, 5);
    EXPECT_THAT(shop.asked, ElementsAre("sword", "purse"));
    int price = 0;
    buyer->call<&Shop::price>(
        "service/acting", "axe")([&](const rpc::Reply<int>& answer) { price = answer.value(); });
    const bool answered = co_await until([&] { return price == 3; });
    EXPECT_TRUE(answered);
  });
}

TEST_F(ActingTest, ACallbackIsDroppedWithTheEntityThatCalled) {
  run([this]() -> bus::Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    buyer->ask_for_ever();
    EXPECT_EQ(caller.pending_calls(), 1U);
    const bool open = co_await until([&] { return shop.open == 1; });
    EXPECT_TRUE(open);
    buyer->destroy();
    settle_all();
    EXPECT_EQ(caller.pending_calls(), 0U);
    co_await sleep(20ms);
    EXPECT_EQ(Buyer::answered, 0) << "it referred to an entity that is gone";
  });
}

/// A coroutine of another object waits for a call that an entity has begun.
rpc::Task<> wait_for(Buyer& buyer, std::vector<std::string>& ends) {
  auto asked = buyer.call<&Shop::never>("service/acting");
  const auto answer = co_await std::move(asked);
  ends.push_back(answer ? "answered" : std::string(name_of(answer.error().code)));
}

TEST_F(ActingTest, ACoroutineOfAnotherObjectHearsThatTheCallerEnded) {
  run([this]() -> bus::Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    std::vector<std::string> ends;
    rpc::Task<> waits = wait_for(*buyer, ends);
    EXPECT_TRUE(rpc::spawn(server, shop, std::move(waits)));
    const bool open = co_await until([&] { return shop.open == 1; });
    EXPECT_TRUE(open);
    buyer->destroy();
    const bool ended = co_await until([&] { return !ends.empty(); });
    EXPECT_TRUE(ended);
    EXPECT_THAT(ends, ElementsAre("canceled"));
  });
}

TEST_F(ActingTest, TimersAndCoroutinesEndWithTheEntity) {
  run([this]() -> bus::Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    int once = 0;
    int often = 0;
    int never = 0;
    EXPECT_TRUE(buyer->after(10ms, [&] { ++once; }));
    EXPECT_TRUE(buyer->component<Purse>()->every(10ms, [&] { ++often; }));
    const auto canceled = buyer->after(10ms, [&] { ++never; });
    EXPECT_TRUE(canceled && buyer->cancel(*canceled));
    wheel.advance(wheel.now() + 25ms);
    EXPECT_EQ(once, 1);
    EXPECT_GE(often, 1) << "what was missed is one firing";
    int bought = 0;
    EXPECT_TRUE(buyer->spawn(buyer->shop_around(bought)));
    const bool done = co_await until([&] { return bought == 7; });
    EXPECT_TRUE(done);

    EXPECT_TRUE(buyer->spawn(buyer->shop_around(bought)));
    EXPECT_TRUE(buyer->after(10ms, [&] { ++once; }));
    buyer->destroy();
    settle_all();
    EXPECT_EQ(wheel.size(), 0U);
    wheel.advance(wheel.now() + 50ms);
    co_await sleep(20ms);
    EXPECT_EQ(once, 1);
    EXPECT_EQ(bought, 7);
    EXPECT_THAT(Buyer::last_words, ElementsAre("closed", "destroyed"))
        << "a hook of the end begins nothing that would outlive the entity";
  });
}

TEST_F(ActingTest, MessagesOfAnEntityAreItsChannelsOnceItHasOne) {
  run([this]() -> bus::Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    EXPECT_TRUE(buyer->send<&Buyer::pass_on>("buyer/1", "from its channel"));
    EXPECT_EQ(caller.counters().fences, 0U) << "by the bus, which keeps its order through moves";
    Buyer* const stranger = entities.create<Buyer>().value();
    EXPECT_TRUE(stranger->send<&Buyer::pass_on>("buyer/1", "from no channel"));
    EXPECT_EQ(caller.counters().fences, 1U) << "the process' own: within the process";
    const bool both = co_await until([&] { return buyer->lines.size() == 2; });
    EXPECT_TRUE(both);
    const auto one = buyer->send<&Shop::note>("service/acting", "one");
    EXPECT_TRUE(one) << one.error().to_string();
    const auto two =
        buyer->component<Purse>()->send<&Shop::note>(Ref<Shop>("service/acting"), "two");
    EXPECT_TRUE(two) << two.error().to_string();
    const auto late =
        buyer->send<&Shop::note>("service/acting", {.lane = bus::Lane::call}, "three");
    EXPECT_TRUE(late);
    const bool told = co_await until([&] { return shop.asked.size() == 3; });
    EXPECT_TRUE(told);
    EXPECT_THAT(shop.asked, ElementsAre("one", "two", "three"));
  });
}

TEST(WorldTest, ATestGivesGameCodeAWorldOfItsOwn) {
  EntityFactory types;
  ASSERT_TRUE(declare_entity<Buyer>(types));
  Rules rules{3};
  TimerWheel wheel;
  World world;
  world.set_timers(wheel);
  world.add(rules);
  EntityManager entities{types, PersistentIdSource("n", 1),
                         [] { return IdentityResult<OnlineId>(OnlineId{1}); },
                         EntityOptions{.world = &world}};
  Buyer& buyer = *entities.create<Buyer>().value();
  EXPECT_EQ(buyer.world().get<Rules>().discount, 3);
  EXPECT_EQ(buyer.component<Purse>()->world().find<Shop>(), nullptr);
  EXPECT_THROW(buyer.world().get<Shop>(), std::logic_error);
  EXPECT_THROW((void)buyer.send<&Shop::note>("service/acting", "x"), std::logic_error)
      << "there is no endpoint";
  Rules others{4};
  world.add(others);
  EXPECT_EQ(buyer.world().get<Rules>().discount, 4);
  int fired = 0;
  EXPECT_TRUE(buyer.after(5ms, [&] { ++fired; }));
  wheel.advance(wheel.now() + 6ms);
  EXPECT_EQ(fired, 1);
}

TEST(WorldTest, WithoutOneTheTimersOfTheManagerAreThere) {
  EntityFactory types;
  ASSERT_TRUE(declare_entity<Buyer>(types));
  TimerWheel wheel;
  std::uint64_t drawn = 0;
  const auto draw = [&] { return IdentityResult<OnlineId>(OnlineId{++drawn}); };
  EntityManager with{types, PersistentIdSource("n", 1), draw, EntityOptions{.timers = &wheel}};
  EXPECT_TRUE(with.create<Buyer>().value()->after(5ms, [] {}));
  EntityManager without{types, PersistentIdSource("n", 1), draw};
  const auto refused = without.create<Buyer>().value()->after(5ms, [] {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), TimerErrc::closed);
}

}  // namespace
}  // namespace starbus::entity::acting_test
