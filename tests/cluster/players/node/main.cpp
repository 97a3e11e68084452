// A game process with accounts and players, for tests of gates and logins; never installed.
#include <cstdlib>

#include "tests/cluster/players/player_town.hpp"

int main(int argc, char** argv) {
  const char* const role = std::getenv("PROBE_ROLE");
  return starbus::nodes::run_node({.role = role == nullptr ? "town" : role, .program = "town"},
                                  std::make_unique<starbus::cluster_test::PlayerTown>(), argc,
                                  argv);
}
