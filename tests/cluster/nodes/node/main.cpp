// A node for tests; its role comes from the environment, since each test has roles of its own.
#include <cstdlib>

#include "tests/cluster/nodes/probe.hpp"

int main(int argc, char** argv) {
  const char* role = std::getenv("PROBE_ROLE");  // NOLINT: one thread
  return starbus::nodes::run_node({.role = role != nullptr ? role : "probe", .version = "1.0"},
                                  std::make_unique<starbus::cluster_test::Probe>(), argc, argv);
}
