// A part of the game that the tests of the manager shut down; its role comes from the environment.
#include <cstdlib>

#include "tests/cluster/manager/member.hpp"

int main(int argc, char** argv) {
  const char* role = std::getenv("PROBE_ROLE");  // NOLINT: one thread
  return starbus::nodes::run_node({.role = role != nullptr ? role : "member", .version = "1.0"},
                                  std::make_unique<starbus::cluster_test::Member>(), argc, argv);
}
