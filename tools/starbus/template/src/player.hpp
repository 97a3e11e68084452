// An entity: its properties, a component, a timer, a question to a shop, a move.
#pragma once

#include <algorithm>
#include <string>
#include <tuple>

#include "entity/entities.hpp"
#include "names.hpp"
#include "shop.hpp"

namespace game {

using namespace std::chrono_literals;

struct Item : entity::Struct<Item> {
  STARBUS_FIELDS(Field<std::int64_t> count{*this, 1};)
};

/// A component: its state stands in the properties of its owner, whichever class that is of.
class Backpack final : public entity::ComponentOf<Backpack> {
 public:
  struct State : entity::Struct<State> {
    STARBUS_FIELDS(Bag<Item> items{*this, 20};)  // by their kind
  };
  static constexpr auto kStateFlags = State::ghost | State::save;

  /// False: it is full.
  bool put(std::int64_t kind) {
    Item* const there = state().items.edit(kind);
    if (there != nullptr) there->count += 1;
    return there != nullptr || state().items.insert(kind).has_value();
  }
};

/// The properties of a player. `ghost`: copies in other processes see the field; `save`: it is
/// kept in the database.
struct PlayerState : entity::Properties<PlayerState> {
  STARBUS_FIELDS(Field<std::string, ghost> name{*this};
                 Field<std::int64_t, ghost | save> score{*this};
                 Field<std::int64_t, ghost | save> gold{*this, 100};
                 Field<std::int64_t, ghost> energy{*this, 10};
                 Field<std::string, ghost> at{*this};)  // the process that runs it
  StateOf<Backpack> backpack{this};
};

/// The channel of a player, wherever it is.
inline std::string player_channel(const std::string& name) {
  return "player/" + name;
}

/// The real one, of which there is one in the cluster: it has the player's channel. Made and ended
/// by the EntityHost of its node, which sends its changes to all copies, once a tick (see
/// player_copy.hpp), and saves it. Belongs to the loop's thread.
class Player final : public entity::EntityOf<Player, entity::Entity, entity::Components<Backpack>> {
 public:
  PlayerState state;

  /// Costs energy, which comes back with time.
  std::int64_t add_score(rpc::Caller&, std::int64_t points) {
    if (state.energy > 0) state.energy -= 1;
    return state.score += points;
  }
  /// Asks the shop, on whatever host that is; bought() goes on, on whatever host this is then.
  /// False: it could not ask.
  bool buy(rpc::Caller&, std::int64_t kind) {
    return ask<&Shop::price, &Player::bought>(kShopChannel, std::tuple(kind), kind).has_value();
  }
  /// Goes to the game of another host, "b.game", as it is: with its timer and its questions.
  void travel(rpc::Caller&, std::string process) { move_to(std::move(process)); }
  static constexpr auto kRpc = rpc::methods<&Player::add_score, &Player::buy, &Player::travel>();

  // Steps: timers and answers name them, so they travel along.
  void rest() { state.energy = std::min<std::int64_t>(state.energy + 1, 10); }
  void bought(rpc::Reply<std::int64_t, service::Error> price, std::int64_t kind) {
    if (price && state.gold >= *price && component<Backpack>()->put(kind)) state.gold -= *price;
  }
  static constexpr auto kSteps = entity::steps<&Player::rest, &Player::bought>();

 private:
  /// A new one, a loaded one, and one that has arrived.
  entity::EntityResult<> on_activate() override {
    const bus::Bus& bus = world().rpc().bus();  // world(): what surrounds it, without a global
    state.name = persistent_id();
    state.at = bus.host() + "." + bus.node();
    return run_every<&Player::rest>(1s);
  }
};

}  // namespace game
