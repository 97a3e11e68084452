// An entity: with properties that are declared once and reach every mirror of it.
#pragma once

#include <string>

#include "entity/properties/properties.hpp"
#include "names.hpp"
#include "nodes/hosting/entity_host.hpp"

namespace game {

/// The properties of a player. `ghost`: copies in other processes see the field.
struct PlayerState : entity::Properties<PlayerState> {
  entity::Field<std::string, entity::ghost> name{this, "name"};
  entity::Field<std::int64_t, entity::ghost> score{this, "score"};
  entity::Field<std::string, entity::ghost> at{this, "at"};  // the process that runs it
};

/// The channel of a player, wherever it is.
inline std::string player_channel(const std::string& name) {
  return "player/" + name;
}

/// The real one, of which there is one in the cluster: it has the player's channel. Made and ended
/// by the EntityHost of its node, which sends its changes to all copies, once a tick (see
/// player_copy.hpp). Belongs to the loop's thread.
class Player final : public entity::EntityOf<Player> {
 public:
  static constexpr std::string_view kTypeName = "player";
  explicit Player(const entity::ConstructKey& key) : EntityOf(key) {}

  std::int64_t add_score(rpc::Caller&, std::int64_t points) { return state.score += points; }
  static constexpr auto kRpc = rpc::methods("player", rpc::method<&Player::add_score>("add_score"));

  entity::Root* properties() override { return &state; }
  PlayerState state;

 private:
  ~Player() override = default;  // by the EntityHost alone
  entity::EntityResult<> on_activate() override {
    const bus::Bus& bus = world().rpc().bus();  // world(): what surrounds it, without a global
    state.name = persistent_id();
    state.at = bus.host() + "." + bus.node();
    return {};
  }
};

}  // namespace game
