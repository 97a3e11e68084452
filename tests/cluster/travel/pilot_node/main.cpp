// A game with accounts and spaces for tests; never installed.
#include "tests/cluster/travel/pilot.hpp"

int main(int argc, char** argv) {
  return starbus::nodes::run_node({.role = "space", .version = "1.0", .program = "test-pilot"},
                                  std::make_unique<starbus::cluster_test::PilotApp>(), argc, argv);
}
