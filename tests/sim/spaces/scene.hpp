/// What the processes of a run share: the world of the simulator, the oracle, a database that
/// outlives them all, and what seeds decide for all of them. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "nodes/players/account_world.hpp"
#include "nodes/space/types/space_type.hpp"
#include "tests/nodes/hosting/shelf.hpp"
#include "tests/sim/spaces/spaces_oracle.hpp"
#include "tests/sim/world.hpp"

namespace starbus::sim {

struct Scene {
  explicit Scene(World& its_world) : world(its_world) {}

  World& world;
  SpacesOracle oracle;
  Trace fingerprint;  // when clients were told something; sizes depend on lineages, which are drawn
  nodes::entities::Shelf::Documents documents;
  std::uint64_t last_id = 0;  // of entities, in all processes
  nodes::space::SpaceTypes types;
  nodes::players::PlayerTimes times;
  /// The process in which a player is loaded that is nowhere.
  std::function<std::string()> home = {};

  entity::EntityManager::DrawId draw_id() {
    return [this]() -> entity::IdentityResult<entity::OnlineId> {
      return entity::OnlineId{++last_id};
    };
  }
};

}  // namespace starbus::sim
