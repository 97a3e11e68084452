// A copy of a player in another process, kept up to date by a Mirror.
#pragma once

#include "nodes/hosting/properties_copy.hpp"
#include "nodes/replica/mirror.hpp"
#include "player.hpp"

namespace game {

/// Only the mirror changes it: writing to its state is refused. Belongs to the loop's thread, and
/// ends before the endpoint and the wheel.
class PlayerCopy {
 public:
  PlayerCopy(rpc::Endpoint& endpoint, entity::TimerWheel& timers, const std::string& name)
      : mirror_(endpoint, timers, player_channel(name), copy_) {}

  const PlayerState& state() const { return state_; }
  replica::MirrorStatus status() const { return mirror_.status(); }
  const replica::MirrorCounters& counters() const { return mirror_.counters(); }

 private:
  PlayerState state_;
  entities::PropertiesCopy copy_{state_};
  replica::Mirror mirror_;
};

}  // namespace game
