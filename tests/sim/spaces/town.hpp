/// The cluster of a run, and what must hold in it: at every instant, and at rest. One thread.
#pragma once

#include <memory>
#include <optional>
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
  /// Of calm runs, at rest: a seat that a failed travel had is given back long before its ticket
  /// expires. With faults the answer that grants a seat may come too late, and nobody knows of it.
  void check_seats();
  /// Why it is not at rest; empty: it is.
  std::string unrest();

 private:
  void check_places();
  void check_spaces();
  bool seats_are_wanted();
  std::string unrest_of_nodes();
  std::string unrest_of_seats();
  std::string unrest_of(PlayerClient& client);
  std::string unrest_of_sight(const PlayerClient& client, SpaceNode& at, Hero& hero,
                              space::GameSpace& in);

  std::optional<Time> seats_kept_;  // since when somebody has a seat whom nobody sends
};

}  // namespace starbus::sim
