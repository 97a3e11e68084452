// A node with meadows for tests.
#include "tests/cluster/spaces/meadow.hpp"

int main(int argc, char** argv) {
  using namespace starbus;
  auto app = std::make_unique<nodes::space::SpaceApp>();
  app->declare<cluster_test::Meadow>("meadow");
  app->entity<cluster_test::Wanderer>();
  return nodes::run_node({.role = "space", .version = "1.0", .program = "test-meadow"},
                         std::move(app), argc, argv);
}
