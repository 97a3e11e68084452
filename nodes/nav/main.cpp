// starbus-crowds: walks the crowds of spaces of other processes. See crowds_app.hpp and
// docs/guide/crowds.md.
#include "bus/core/wire/version.hpp"
#include "nodes/nav/crowds_app.hpp"

int main(int argc, char** argv) {
  namespace nodes = starbus::nodes;
  return nodes::run_node({.role = "service",
                          .version = starbus::bus::kVersion,
                          .description = "Walks the crowds of spaces of other processes.",
                          .program = "starbus-crowds"},
                         std::make_unique<nodes::crowds::CrowdsApp>(), argc, argv);
}
