/// What the applications of a seeded run do, at random: numbered messages in all lanes, calls,
/// announcements, names that come and go, entities that move. One thread.
#pragma once

#include <map>
#include <vector>

#include "tests/sim/profile.hpp"
#include "tests/sim/world.hpp"

namespace starbus::sim {

class Workload {
 public:
  Workload(World& world, const Profile& profile);
  /// One step of every application.
  void step();
  /// Some process tries to own an entity that runs nowhere; busroot decides whether it may.
  void replace_the_lost(double chance);

 private:
  void act(ProcessNode& process);
  void act_as_entity(ProcessNode& process, NameIndex name);
  void send(ProcessNode& process, NameIndex from);
  void move_away(ProcessNode& process, NameIndex name);
  void come_and_go(ProcessNode& process);
  void post(ProcessNode& process);
  void move_shards();
  std::vector<NameIndex> pick_receivers(NameIndex from);
  NameIndex pick_receiver(NameIndex from);
  std::size_t pick_size();

  World& world_;
  Profile profile_;
  std::vector<NameIndex> fixed_, movers_, free_;
  std::map<NameIndex, int> budget_;  // messages that a sender may still send
  double send_rate_, move_rate_;
  bool large_ = false;  // some bodies exceed a chunk
};

}  // namespace starbus::sim
