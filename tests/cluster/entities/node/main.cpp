// A node with entities for tests.
#include "tests/cluster/entities/town.hpp"

int main(int argc, char** argv) {
  return starbus::nodes::run_node({.role = "town", .version = "1.0", .program = "test-town"},
                                  std::make_unique<starbus::cluster_test::Town>(), argc, argv);
}
