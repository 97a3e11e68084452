// Who sees whom, from the installed package.
#include <iostream>

#include "aoi/world.hpp"

namespace aoi = starbus::aoi;

int main() {
  auto world = *aoi::World::create({.bounds = {{0, 0}, {100, 100}}, .reach = 30});
  const aoi::EntityId wolf = *world.add({.position = {10, 10}});
  const aoi::EntityId sheep = *world.add({.position = {20, 10}});
  const auto sight = world.add_sensor(wolf, {.radius = 30});
  bool seen = false;
  const auto updated = world.update([&](const aoi::Event& event) {
    seen = event.kind == aoi::Kind::enter && event.target == sheep;
  });
  std::cout << (seen ? "the wolf sees the sheep" : "nobody sees anybody") << std::endl;
  return sight && updated && seen ? 0 : 1;
}
