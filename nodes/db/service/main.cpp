#include "nodes/db/service/db_node.hpp"

int main(int argc, char** argv) {
  namespace nodes = starbus::nodes;
  return nodes::run_node({.role = "db",
                          .version = STARBUS_VERSION,
                          .description = "Keeps documents for the nodes of a starbus cluster.",
                          .program = "starbus-db"},
                         std::make_unique<nodes::db::DbNode>(), argc, argv);
}
