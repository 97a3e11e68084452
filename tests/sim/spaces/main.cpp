// starbus-sim-spaces: seeds of players who travel between nodes in the deterministic simulator.
#include "tests/sim/campaign.hpp"
#include "tests/sim/spaces/spaces_run.hpp"

int main(int argc, char** argv) {
  using namespace starbus::sim;
  return seeds_main<SpacesRunOptions>(
      argc, argv,
      "Players with clients who travel between spaces of three simulated nodes, while connections, "
      "daemons and processes fail, spaces end and nodes drain. By seed modulo 4: calm, faults of "
      "the bus, deaths, lost leases.",
      "starbus-sim-spaces", run_spaces);
}
