// A shop, and those who buy there through their own world.
#pragma once

#include "entity/objects/entity_manager.hpp"
#include "entity/properties/properties.hpp"
#include "tests/entity/rpc/rpc_fixture.hpp"

namespace starbus::entity::acting_test {

using boost::asio::use_awaitable;
using namespace std::chrono_literals;

/// What a program adds to its world.
struct Rules {
  int discount = 0;
};

class Buyer;

/// A service.
class Shop : public rpc::Callable<Shop> {
 public:
  int price(rpc::Caller&, std::string item) {
    asked.push_back(item);
    return static_cast<int>(item.size());
  }
  void note(rpc::Caller&, std::string line) { asked.push_back(std::move(line)); }
  rpc::Task<int> never(rpc::Caller& from) {
    ++open;
    boost::asio::steady_timer timer(from.endpoint->loop(), 1min);
    co_await timer.async_wait(boost::asio::deferred);
    co_return 1;
  }
  std::vector<std::string> asked;
  int open = 0;
  static constexpr auto kRpc =
      rpc::methods("acting_shop", rpc::method<&Shop::price>("price"),
                   rpc::method<&Shop::note>("note"), rpc::method<&Shop::never>("never"));
};

/// A component with methods of its own.
class Purse final : public ComponentOf<Purse, Buyer>, public rpc::Callable<Purse> {
 public:
  static constexpr std::string_view kComponentName = "purse";
  explicit Purse(const ComponentKey& key) : ComponentOf(key) {}
  rpc::Task<int> compare(rpc::Caller&, Ref<Shop> shop) {
    const auto price = co_await shop.call<&Shop::price>(*this, "purse");
    co_return price ? *price : -1;
  }
  int coins(rpc::Caller&) { return 7; }
  static constexpr auto kRpc = rpc::methods("acting_purse", rpc::method<&Purse::compare>("compare"),
                                            rpc::method<&Purse::coins>("coins"));

 private:
  ~Purse() override = default;
};

struct BuyerState : Properties<BuyerState> {
  Field<Ref<Shop>, Flags::save> shop{this, "shop"};
  Field<Ref<Buyer>, Flags::ghost> friend_of{this, "friend_of"};
};

class Buyer final : public EntityOf<Buyer, Entity, Components<Purse>> {
 public:
  static constexpr std::string_view kTypeName = "acting_buyer";
  explicit Buyer(const ConstructKey& key) : EntityOf(key) {}

  rpc::Task<int> buy(rpc::Caller&, std::string item) {
    const auto price = co_await call<&Shop::price>(state.shop.get(), item);
    co_return price ? *price - world().get<Rules>().discount : -1;
  }
  void pass_on(rpc::Caller&, std::string line) { lines.push_back(std::move(line)); }
  rpc::Task<> shop_around(int& bought) {
    const auto hat = co_await call<&Shop::price>("service/acting", "hat");
    if (hat) bought += *hat;
    const auto shoe = co_await call<&Shop::price>("service/acting", "shoe");
    if (shoe) bought += *shoe;
  }
  /// Never told: a call that is under way when the entity ends.
  void ask_for_ever() {
    call<&Shop::never>("service/acting", {.deadline = 10s})([this](const rpc::Reply<int>&) {
      ++answered;
      lines.emplace_back("answered");
    });
  }
  entity::Root* properties() override { return &state; }
  BuyerState state;
  std::vector<std::string> lines;
  static inline int answered = 0;
  static inline std::vector<std::string> last_words;
  static constexpr auto kRpc = rpc::methods("acting_buyer", rpc::method<&Buyer::buy>("buy"),
                                            rpc::method<&Buyer::pass_on>("pass_on"));

 private:
  ~Buyer() override = default;
  void on_final(EndReason) override {
    const auto note = [](const auto& result) {
      last_words.emplace_back(result ? "ok" : name_of(result.error().code));
    };
    note(after(1ms, [] { last_words.emplace_back("fired"); }));
    note(spawn(shop_around(answered)));
  }
};

/// On a bus of two hosts: the shop on one, the buyers on the other.
class ActingTest : public rpc::RpcTest {
 protected:
  ActingTest() {
    EXPECT_TRUE(declare_entity<Buyer>(types));
    Buyer::answered = 0;
    Buyer::last_words.clear();
    world.add(rules);
  }
  boost::asio::awaitable<bool> begin() {
    if (!co_await connect()) co_return false;
    buyer = entities.create<Buyer>().value();
    buyer->state.shop = Ref<Shop>("service/acting");
    const auto shop_bound = co_await server.bind("service/acting", shop, use_awaitable);
    const auto bound = co_await caller.bind("buyer/1", *buyer, use_awaitable);
    co_return shop_bound.has_value() && bound.has_value();
  }
  void settle_all() {
    while (entities.settle()) {
    }
  }

  Shop shop;
  Rules rules{2};
  TimerWheel wheel;
  World world{caller, wheel};
  EntityFactory types;
  std::uint64_t drawn = 1;
  EntityManager entities{types, PersistentIdSource("n", 1),
                         [this] { return IdentityResult<OnlineId>(OnlineId{drawn++}); },
                         EntityOptions{.timers = &wheel, .world = &world}};
  Buyer* buyer = nullptr;
};

}  // namespace starbus::entity::acting_test
