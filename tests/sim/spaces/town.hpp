/// The cluster of a run, and what must hold in it: at every instant, and at rest. One thread.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/sim/spaces/desk_node.hpp"
#include "tests/sim/spaces/gate_node.hpp"
#include "tests/sim/spaces/player_client.hpp"
#include "tests/sim/spaces/space_node.hpp"

namespace starbus::sim {

class Town {
 public:
  Town(World& world, std::size_t players);

  Scene scene;
  std::unique_ptr<OfficeNode> office;
  std::unique_ptr<DeskNode> desk;
  std::vector<std::unique_ptr<SpaceNode>> spaces;
  std::vector<std::unique_ptr<GateNode>> gates;
  std::vector<std::unique_ptr<PlayerClient>> clients;

  /// All processes.
  std::vector<GameNode*> nodes();
  bool ready();
  /// Where this hero acts; null: nowhere, or it is on its way.
  SpaceNode* place_of(const std::string& hero);

  /// What must hold at every instant; Violation otherwise.
  void check();
  /// Why it is not at rest; empty: it is.
  std::string unrest();

 private:
  void check_places();
  void check_spaces();
  std::string unrest_of_nodes();
  std::string unrest_of_seats();
  std::string unrest_of(PlayerClient& client);
  std::string unrest_of_sight(const PlayerClient& client, SpaceNode& at, Hero& hero,
                              space::GameSpace& in);
};

}  // namespace starbus::sim
