// A node with pastures for tests.
#include "tests/cluster/crowds/pasture.hpp"

int main(int argc, char** argv) {
  using namespace starbus;
  auto app = std::make_unique<nodes::space::SpaceApp>();
  app->declare<cluster_test::Pasture>("pasture");
  app->declare<cluster_test::Pasture>("moor");
  app->entity<cluster_test::Sheep>();
  return nodes::run_node({.role = "space", .version = "1.0", .program = "test-pasture"},
                         std::move(app), argc, argv);
}
