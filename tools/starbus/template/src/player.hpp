// An entity: a player, with properties that are declared once and reach whoever mirrors it.
#pragma once

#include <string>

#include "entity/properties/properties.hpp"
#include "names.hpp"
#include "nodes/replica/publisher.hpp"

namespace game {

/// What is known of a player. `ghost`: copies in other processes see the field.
struct PlayerState : entity::Properties<PlayerState> {
  entity::Field<std::string, entity::ghost> name{this, "name"};
  entity::Field<std::int64_t, entity::ghost> score{this, "score"};
  entity::Field<std::string, entity::ghost> at{this, "at"};  // the process that runs it
};

/// The channel of a player, wherever it is.
inline std::string player_channel(const std::string& name) {
  return "player/" + name;
}

/// The real one, of which there is one in the cluster: who owns the player's channel. Copies are
/// made by Mirror (see player_copy.hpp). Belongs to the loop's thread.
class Player final : public rpc::Host<Player> {
 public:
  /// `epoch` grows with each life of the player, so that copies know a later one.
  Player(rpc::Endpoint& endpoint, bus::Epoch epoch, std::string name, std::string at)
      : publisher_(endpoint, epoch, [this] { return snapshot(); }) {
    state_.name = std::move(name);
    state_.at = std::move(at);
    state_.watch(entity::Audience::ghost);
    state_.flush([](auto, auto) {}).value();  // copies begin with a snapshot of this
    attach(publisher_).value();
  }
  ~Player() { close_rpc(); }

  std::int64_t add_score(rpc::Caller&, std::int64_t points) {
    state_.score += points;
    publish();
    return state_.score;
  }
  static constexpr auto kRpc = rpc::methods("player", rpc::method<&Player::add_score>("add_score"));

 private:
  /// Behind each change: what is new goes to all copies.
  void publish() {
    state_.flush([this](auto, bus::ByteView delta) { publisher_.publish(delta); }).value();
  }
  bus::Bytes snapshot() {
    bus::Bytes bytes;
    state_.encode_snapshot(entity::View::ghost, bytes).value();
    return bytes;
  }

  PlayerState state_;
  replica::Publisher publisher_;
};

}  // namespace game
