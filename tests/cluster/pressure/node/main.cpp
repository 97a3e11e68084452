// A node under pressure for tests: which of the two, $PROBE_ROLE says.
#include <cstdlib>
#include <string>

#include "tests/cluster/pressure/node/crowd.hpp"
#include "tests/cluster/pressure/node/wild.hpp"

int main(int argc, char** argv) {
  using namespace starbus;
  const char* const given = std::getenv("PROBE_ROLE");  // NOLINT: one thread
  const std::string role = given == nullptr ? "crowd" : given;
  std::unique_ptr<nodes::App> app;
  if (role == "wild") {
    app = std::make_unique<cluster_test::Wild>();
  } else {
    app = std::make_unique<cluster_test::Crowd>();
  }
  return nodes::run_node({.role = role, .version = "1.0", .program = "test-pressure"},
                         std::move(app), argc, argv);
}
