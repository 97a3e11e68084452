#pragma once
#include "entity/entities.hpp"
#include "tests/nodes/hosting/player/shop.hpp"
namespace game {
using namespace std::chrono_literals;
namespace entity = starbus::entity;
struct Item : entity::Struct<Item> {
  STARBUS_FIELDS(Field<int> kind{*this}; Field<int, own_client | save> count{*this, 1};)
};
class Backpack final : public entity::ComponentOf<Backpack>, public rpc::Callable<Backpack> {
 public:
  struct State : entity::Struct<State> {
    STARBUS_FIELDS(Bag<Item> items{*this, 60};)
  };
  static constexpr auto kStateFlags = State::own_client | State::save;
  bool add(rpc::Caller&, int kind) { return state().items.insert(kind).has_value(); }
  static constexpr auto kRpc = rpc::methods<&Backpack::add>();
};
struct PlayerState : entity::Properties<PlayerState> {
  STARBUS_FIELDS(Field<std::string, all_clients | save> nick{*this, "nobody"};
                 Field<int, all_clients | save> level{*this, 1};
                 Field<std::int64_t, own_client | save> gold{*this, 100};
                 Field<std::int64_t, own_client | save> exp{*this};
                 Field<int, all_clients> hp{*this, 100}; Field<int, all_clients> mp{*this, 50};
                 Field<int, all_clients> weapon{*this}; Field<std::int64_t, save> last_login{*this};
                 List<int, own_client | save> quests{*this}; StateOf<Backpack> backpack{this};)
};
class Player final : public entity::EntityOf<Player, entity::Entity, entity::Components<Backpack>> {
 public:
  PlayerState state;
  void say(rpc::Caller&, std::string text) { state.nick = text; }
  int hit(rpc::Caller&, int damage) { return state.hp -= damage; }
  void equip(rpc::Caller&, int weapon) { state.weapon = weapon; }
  bool buy(rpc::Caller&, int kind) {
    return ask<&Shop::price, &Player::bought>("service/shop", std::tuple(kind), kind).has_value();
  }
  void travel(rpc::Caller&, std::string process) { move_to(std::move(process)); }
  static constexpr auto kRpc =
      rpc::methods<&Player::hit>() |
      rpc::methods<&Player::say, &Player::equip, &Player::buy, &Player::travel>(rpc::own_client);
  void regenerate() { state.hp = std::min(state.hp + 1, 100); }
  void bought(rpc::Reply<int> price, int kind) {
    if (price && state.gold >= *price && state.backpack->items.insert(kind)) state.gold -= *price;
  }
  static constexpr auto kSteps = entity::steps<&Player::regenerate, &Player::bought>();
  entity::EntityResult<> on_activate() override { return run_every<&Player::regenerate>(20ms); }
};
}  // namespace game
