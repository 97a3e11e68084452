// A node with spaces and rovers for tests; never installed.
#include "tests/cluster/travel/rover.hpp"

int main(int argc, char** argv) {
  return starbus::nodes::run_node({.role = "space", .version = "1.0", .program = "test-rover"},
                                  std::make_unique<starbus::cluster_test::RoverApp>(), argc, argv);
}
