// Entities and components that say nothing twice: names from the source, no constructors, no
// destructors, their properties found by the member `state`.
#include "entity/entities.hpp"

#include <gmock/gmock.h>

#include "entity/objects/entity_manager.hpp"
#include "tests/entity/rpc/rpc_fixture.hpp"

namespace starbus::entity::objects_test {
namespace {

using boost::asio::use_awaitable;
using namespace std::chrono_literals;
using ::testing::ElementsAre;

class NamedShop final : public rpc::Callable<NamedShop> {
 public:
  int price(rpc::Caller&, int kind) { return kind * 10; }
  static constexpr auto kRpc = rpc::methods<&NamedShop::price>();
};

class CoinPurse final : public ComponentOf<CoinPurse>, public rpc::Callable<CoinPurse> {
 public:
  struct State : Struct<State> {
    STARBUS_FIELDS(Field<int> coins{*this, 3};)
  };
  static constexpr auto kStateFlags = State::own_client | State::save;
  int spend(rpc::Caller&, int coins) { return state().coins -= coins; }
  void earn() { ++state().coins; }
  static constexpr auto kRpc = rpc::methods<&CoinPurse::spend>(rpc::own_client);
  static constexpr auto kSteps = steps<&CoinPurse::earn>();
};
struct FolkState : Properties<FolkState> {
  STARBUS_FIELDS(Field<int, save> gold{*this}; StateOf<CoinPurse> coin_purse{this};)
};
class TownFolk : public EntityOf<TownFolk, Entity, Components<CoinPurse>> {
 public:
  FolkState state;
  void greet(rpc::Caller&) {}
  void work(int gold) { state.gold += gold; }
  void told(rpc::Reply<int> price, int kept) { state.gold = price ? *price + kept : -1; }
  static constexpr auto kRpc = rpc::methods<&TownFolk::greet>();
  static constexpr auto kSteps = steps<&TownFolk::work, &TownFolk::told>();
  EntityResult<> on_activate() override { return run_every<&TownFolk::work>(1s, 2); }
};
/// Also an argument, and no key. Its type has a name of its own, and its properties those of its
/// base.
class Smith final : public EntityOf<Smith, TownFolk> {
 public:
  static constexpr std::string_view kTypeName = "black_smith";
  explicit Smith(int strength = 1) : strength(strength) {}
  int strength;
};
/// Its base has a kTypeName, which is not its own.
class Apprentice final : public EntityOf<Apprentice, TownFolk> {
 public:
  /// Makes another one in the middle of its own construction.
  Apprentice() {
    if (make_another) made = make_another(*this);
  }
  Entity* made = nullptr;
  static inline std::function<Entity*(Apprentice&)> make_another;
};
class Loner final : public EntityOf<Loner> {};

template <class T>
concept Deletable = requires(T* object) {
  delete object;
};
static_assert(!Deletable<TownFolk> && !Deletable<CoinPurse> && !Deletable<Entity>);
template <class T>
concept Newable = requires {
  new T();
};
static_assert(!Newable<TownFolk> && !Newable<Loner>);
static_assert(Smith::made_by_key() && TownFolk::made_by_key());

class Names : public rpc::RpcTest {
 protected:
  Names() {
    EXPECT_TRUE(declare_entity<TownFolk>(types));
    EXPECT_TRUE(declare_entity<Smith>(types));
    EXPECT_TRUE(declare_entity<Apprentice>(types));
    EXPECT_TRUE(declare_entity<Loner>(types));
  }
  ~Names() override { Apprentice::make_another = nullptr; }

  EntityFactory types;
  std::uint64_t drawn = 1;
  TimerWheel wheel;
  World world{caller, wheel};
  EntityManager entities{types, PersistentIdSource("n", 1),
                         [this] { return IdentityResult<OnlineId>(OnlineId{drawn++}); },
                         EntityOptions{.timers = &wheel, .world = &world}};
  NamedShop shop;
};

TEST_F(Names, AreThoseOfTheSource) {
  EXPECT_EQ(rpc::info_of<&TownFolk::greet>().full_name(), "town_folk.greet");
  EXPECT_EQ(rpc::info_of<&CoinPurse::spend>().full_name(), "coin_purse.spend");
  EXPECT_EQ(rpc::info_of<&CoinPurse::spend>().allow, rpc::own_client);
  EXPECT_EQ(step_name<&TownFolk::work>(), "work");
  EXPECT_EQ(step_name<&CoinPurse::earn>(), "coin_purse.earn");
  std::vector<std::string_view> names;
  for (const TypeInfo* type : types.types()) names.push_back(type->name());
  EXPECT_THAT(names, ElementsAre("apprentice", "black_smith", "loner", "town_folk"));
  // On the wire and in what is saved: the same in each compiler.
  static_assert(rpc::row_of<&TownFolk::greet>().id == rpc::hash32("town_folk.greet"));
  static_assert(rpc::row_of<&TownFolk::greet>().id == 0x2601f4cf);
}

TEST_F(Names, PropertiesAreTheMemberState) {
  TownFolk* folk = entities.create<TownFolk>().value();
  EXPECT_EQ(folk->properties(), &folk->state);
  EXPECT_EQ(entities.create<Smith>(9).value()->strength, 9);
  Entity* smith = entities.create_by_name("black_smith").value();
  EXPECT_EQ(smith->properties(), &static_cast<Smith*>(smith)->state);
  EXPECT_EQ(entities.create<Loner>().value()->properties(), nullptr);
  EXPECT_EQ(folk->component<CoinPurse>()->info().name, "coin_purse");
  EXPECT_EQ(folk->state.coin_purse->coins, 3);
}

TEST_F(Names, OneThatIsMadeWithinAConstructorHasAKeyOfItsOwn) {
  Apprentice::make_another = [this](Apprentice&) -> Entity* {
    return entities.create<TownFolk>().value();
  };
  Apprentice* outer = entities.create<Apprentice>().value();
  ASSERT_NE(outer->made, nullptr);
  EXPECT_NE(outer->made->online_id(), outer->online_id());
  EXPECT_THROW(objects_detail::PendingKey<ConstructKey>::take(), std::logic_error);
}

TEST_F(Names, ARepeatedStepIsSetOnceThroughAMove) {
  TownFolk* folk = entities.create<TownFolk>().value();
  EXPECT_TRUE(folk->run_every<&TownFolk::work>(1s, 2)) << "it is there: nothing is set";
  EXPECT_EQ(folk->waiting<&TownFolk::work>(), 1U);
  wheel.advance(wheel.now() + 3s);
  EXPECT_EQ(folk->state.gold, 6);
  const Bytes moved = entities.freeze(*folk).value();
  folk->destroy(EndReason::moved);
  entities.settle();
  Entity* arrived = entities.create_moved(moved).value();
  EXPECT_EQ(static_cast<TownFolk*>(arrived)->waiting<&TownFolk::work>(), 1U);
}

TEST_F(Names, AQuestionNeedsNoEndpoint) {
  run([this]() -> bus::Task {
    const bool connected = co_await connect();
    EXPECT_TRUE(connected);
    TownFolk* folk = entities.create<TownFolk>().value();
    const auto shop_bound = co_await server.bind("service/shop", shop, use_awaitable);
    const auto bound = co_await caller.bind("town_folk/1", *folk, use_awaitable);
    EXPECT_TRUE(shop_bound && bound);
    const auto asked =
        folk->ask<&NamedShop::price, &TownFolk::told>("service/shop", std::tuple(5), 7);
    EXPECT_TRUE(asked);
    const bool told = co_await until([&] { return folk->state.gold == 75; });
    EXPECT_TRUE(told);
    const Ref<NamedShop> to("service/shop");
    const auto again =
        folk->ask<&NamedShop::price, &TownFolk::told>(to, {.deadline = 1s}, std::tuple(6), 7);
    EXPECT_TRUE(again);
    const bool told_again = co_await until([&] { return folk->state.gold == 76; });
    EXPECT_TRUE(told_again);
  });
}

}  // namespace
}  // namespace starbus::entity::objects_test
