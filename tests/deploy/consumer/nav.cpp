// A way around a wall, from the installed package.
#include <iostream>
#include <string>

#include "nav/grid/grid_ground.hpp"

namespace nav = starbus::nav;

int main() {
  auto ground = *nav::grid::GridGround::create(*nav::grid::terrain_of("...\n.#.\n...\n"), {});
  nav::PathRequest request;
  request.agent = *ground->add_agent({});
  request.from = ground->place({0, 1});
  request.to = ground->place({2, 1});
  nav::Path path;
  const auto found = ground->make_search()->find(request, path);
  std::cout << (found ? "a way of " + std::to_string(path.points.size()) + " points" : "no way")
            << std::endl;
  return found && path.complete && path.points.size() > 2 ? 0 : 1;
}
