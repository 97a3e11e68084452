// A copy of a player in another process, kept up to date by a Mirror.
#pragma once

#include "nodes/replica/mirror.hpp"
#include "player.hpp"

namespace game {

/// Only a Mirror changes it: writing to its state is refused. Belongs to the loop's thread, and
/// ends before the endpoint and the wheel.
class PlayerCopy final : public replica::Replica {
 public:
  PlayerCopy(rpc::Endpoint& endpoint, entity::TimerWheel& timers, const std::string& name)
      : mirror_(endpoint, timers, player_channel(name), *this) {
    state_.become_replica(entity::Audience::ghost);
  }

  const PlayerState& state() const { return state_; }
  replica::MirrorStatus status() const { return mirror_.status(); }
  const replica::MirrorCounters& counters() const { return mirror_.counters(); }

  bool restore(bus::ByteView snapshot) override {
    return state_.apply_snapshot(snapshot).has_value();
  }
  bool apply(bus::ByteView delta) override { return state_.apply_delta(delta).has_value(); }

 private:
  PlayerState state_;
  replica::Mirror mirror_;
};

}  // namespace game
