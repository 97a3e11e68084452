// A part of a game for tests and benchmarks of shutdowns; its role comes from the environment.
#include <cstdlib>

#include "tests/cluster/realm/realm.hpp"

int main(int argc, char** argv) {
  const char* role = std::getenv("PROBE_ROLE");  // NOLINT: one thread
  return starbus::nodes::run_node({.role = role != nullptr ? role : "realm", .version = "1.0"},
                                  std::make_unique<starbus::cluster_test::Realm>(), argc, argv);
}
