// starbus-manager: the node that sees the whole cluster. See manager.hpp and docs/guide/manager.md.
#include "bus/core/wire/version.hpp"
#include "nodes/manager/manager.hpp"

int main(int argc, char** argv) {
  return starbus::nodes::run_node({.role = "manager",
                                   .version = starbus::bus::kVersion,
                                   .description = "Sees the whole cluster, and shuts it down.",
                                   .program = "starbus-manager",
                                   .config_file = "/etc/starbus/manager.toml"},
                                  std::make_unique<starbus::nodes::manager::Manager>(), argc, argv);
}
