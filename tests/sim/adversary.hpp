/// Breaks things at random: crashes, cuts, silence, stalls, stopped processes, lost records,
/// deaths.
///
/// Where nobody may die, it waits for the cluster to come together again before it goes on, so that
/// no lease runs out by accident. Uses the world's randomness; one thread.
#pragma once

#include "tests/sim/profile.hpp"
#include "tests/sim/world.hpp"

namespace starbus::sim {

class Adversary {
 public:
  Adversary(World& world, const Profile& profile);
  /// One step of mischief.
  void step();
  /// The dead come back, also while the cluster heals.
  void stop() { active_ = false; }

 private:
  void fault();
  void crash_host(HostNode& host);
  void crash_root();
  void fill_the_disk();
  void break_a_disk();
  void disturb_a_link();
  void pause_somebody();
  void isolate_a_host();
  void kill(Node& process);
  void restart_later(Node& node, std::uint64_t most_ms);
  Time learns();
  bool may_go_on();
  void begin_losses();

  World& world_;
  Profile profile_;
  bool active_ = true;
  double death_rate_ = 0;
  Time half_open_until_{};
  Time calm_{};  // everybody was connected at this time
};

}  // namespace starbus::sim
