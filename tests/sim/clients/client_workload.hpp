/// What the clients of a seeded run do, at random: calls with deadlines, messages with lives,
/// announcements under each policy, names that come and go, waits for room; and one of them forges
/// replies. One thread.
#pragma once

#include "tests/sim/clients/client_user.hpp"
#include "tests/sim/world.hpp"

namespace starbus::sim {

class ClientWorkload {
 public:
  explicit ClientWorkload(World& world);
  /// One step of every client.
  void step();

 private:
  void act(ClientNode& client);
  void burst(ClientNode& client);
  ClientUser::Asking draw_asking();
  std::string draw_receiver();
  void forge(ClientNode& forger);

  World& world_;
  double rate_;
  std::uint32_t largest_reply_;  // bytes, in a burst
};

}  // namespace starbus::sim
