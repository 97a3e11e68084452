// A host of services for tests.
#include "tests/cluster/services/ledger.hpp"

int main(int argc, char** argv) {
  return starbus::nodes::run_node({.role = "service", .version = "1.0", .program = "test-host"},
                                  std::make_unique<starbus::cluster_test::TestHost>(), argc, argv);
}
