// starbus-sim-entities: seeds of moves of entities in the deterministic simulator.
#include "tests/sim/campaign.hpp"
#include "tests/sim/entities/entity_run.hpp"

int main(int argc, char** argv) {
  using namespace starbus::sim;
  return seeds_main<EntityRunOptions>(
      argc, argv,
      "Entities that move between three simulated processes while daemons crash and links fail.",
      "starbus-sim-entities", run_entities);
}
