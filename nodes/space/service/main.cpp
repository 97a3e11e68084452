// starbus-spaces: decides which spaces there are, and lets players in. See spaces_app.hpp and
// docs/guide/spaces.md.
#include "bus/core/wire/version.hpp"
#include "nodes/space/service/spaces_app.hpp"

int main(int argc, char** argv) {
  namespace nodes = starbus::nodes;
  return nodes::run_node({.role = "service",
                          .version = starbus::bus::kVersion,
                          .description = "Decides which spaces a game has, and who may enter.",
                          .program = "starbus-spaces",
                          .config_file = "/etc/starbus/spaces.toml"},
                         std::make_unique<nodes::space::SpacesApp>(), argc, argv);
}
