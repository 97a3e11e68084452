// What game code is made of, from the installed package.
#include <iostream>

#include "entity/properties/properties.hpp"
#include "entity/timers/timer_wheel.hpp"

namespace entity = starbus::entity;

struct Player : entity::Properties<Player> {
  entity::Field<int, entity::own_client | entity::save> gold{this, "gold", 100};
};

int main() {
  Player player;
  entity::TimerWheel wheel;
  entity::TimerOwner owner;
  const auto set = wheel.after(owner, std::chrono::seconds(1), [&player] { player.gold += 5; });
  wheel.advance(std::chrono::seconds(2));
  std::cout << player.gold << std::endl;
  return set && player.gold == 105 ? 0 : 1;
}
