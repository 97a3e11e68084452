// starbus-gate: where clients come in. See nodes/gate/node/gate_app.hpp and docs/operate/gate.md.
#include "bus/core/wire/version.hpp"
#include "nodes/gate/node/gate_app.hpp"
#include "nodes/programs/gate/cluster_ports.hpp"

int main(int argc, char** argv) {
  namespace nodes = starbus::nodes;
  return nodes::run_node({.role = "gate",
                          .version = starbus::bus::kVersion,
                          .description = "Lets clients of a game in, and keeps their sessions.",
                          .program = "starbus-gate",
                          .config_file = "/etc/starbus/gate.toml"},
                         std::make_unique<nodes::gate::GateApp>(nodes::programs::cluster_ports),
                         argc, argv);
}
