// An entity: its properties, a component, a timer, a question to a shop, a move, and its client.
#pragma once

#include <algorithm>
#include <string>
#include <tuple>

#include "entity/entities.hpp"
#include "entity/objects/announce.hpp"
#include "names.hpp"
#include "nodes/players/player.hpp"
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
  static constexpr auto kStateFlags = State::own_client | State::ghost | State::save;

  /// False: it is full.
  bool put(std::int64_t kind) {
    Item* const there = state().items.edit(kind);
    if (there != nullptr) there->count += 1;
    return there != nullptr || state().items.insert(kind).has_value();
  }
};

/// The properties of a player. `own_client`: the page of who plays it sees the field; `ghost`:
/// copies in other processes do; `save`: it is kept in the database.
struct PlayerState : entity::Properties<PlayerState> {
  STARBUS_FIELDS(Field<std::string, own_client | ghost> name{*this};
                 Field<std::int64_t, own_client | ghost | save> score{*this};
                 Field<std::int64_t, own_client | ghost | save> gold{*this, 100};
                 Field<std::int64_t, own_client | ghost> energy{*this, 10};
                 Field<std::string, own_client | ghost> at{*this};)  // the process that runs it
  StateOf<Backpack> backpack{this};
};

/// What a client is told, beside its properties: declared here, and written in web/src/game.ts.
struct PlayerClient {
  void said(std::string who, std::string line);
  static constexpr auto kClient =
      entity::client_methods("player_client", entity::client_method<&PlayerClient::said>("said"));
};

inline constexpr const char* kTown = "town";      // the group of all clients that play
inline constexpr std::size_t kLongestWord = 200;  // bytes, of what is said there

/// The channel of a player, wherever it is.
inline std::string player_channel(const std::string& name) {
  return "player/" + name;
}

/// The real one, of which there is one in the cluster: it has the player's channel. Made and ended
/// by the EntityHost of its node, which sends its changes to all copies, once a tick (see
/// player_copy.hpp), and to its client, and saves it. players::Player logs it out when its client
/// has been away for too long. Belongs to the loop's thread.
class Player final
    : public entity::EntityOf<Player, players::Player, entity::Components<Backpack>> {
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
  /// To all who play. False: the line is empty or too long, or a gate takes nothing more.
  bool say(rpc::Caller&, std::string line) {
    if (line.empty() || line.size() > kLongestWord) return false;
    return entity::announce<&PlayerClient::said>(world().rpc(), kTown, persistent_id(), line)
        .has_value();
  }
  /// Servers may call all methods; its own client may call these.
  static constexpr auto kRpc =
      rpc::methods<&Player::add_score, &Player::buy, &Player::travel, &Player::say>(
          rpc::own_client);

  /// A client plays it from now on, also one that has come back.
  void on_online(bool) override { static_cast<void>(client().join(kTown)); }

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
