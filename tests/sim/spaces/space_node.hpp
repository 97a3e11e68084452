/// A simulated node with spaces and the players in them: the EntityHost, the SpaceHost and the
/// Travels of the product. One thread.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "nodes/hosting/db_saver.hpp"
#include "nodes/hosting/entity_host.hpp"
#include "nodes/space/node/space_host.hpp"
#include "nodes/space/travel/travels.hpp"
#include "tests/sim/spaces/game_node.hpp"
#include "tests/sim/spaces/hero.hpp"
#include "tests/sim/spaces/scene.hpp"

namespace starbus::sim {

class SpaceNode final : public GameNode {
 public:
  SpaceNode(Scene& scene, HostNode& host, std::string node)
      : GameNode(scene.world, host, std::move(node)), scene_(scene) {}
  ~SpaceNode() override;

  /// Players go elsewhere, spaces end, entities are saved; then the program ends, and another one
  /// starts after `pause`.
  void drain(Time pause);
  bool draining() const { return draining_; }

  /// Nobody comes in any more once it drains, but those who were on their way.
  void check_newcomers();

  // While it is up:
  nodes::entities::EntityHost& entities() { return mine().entities; }
  space::SpaceHost& spaces() { return mine().spaces; }
  space::Travels& travels() { return mine().travels; }
  /// Null: it is not here, or does not act here.
  Hero* find(const std::string& name) {
    return up() ? static_cast<Hero*>(mine().entities.entities().find_persistent(name)) : nullptr;
  }

 private:
  struct Program final : GameProgram {
    Program(SpaceNode& node, boost::asio::io_context& loop);
    nodes::entities::Shelf shelf;
    nodes::entities::DbSaver saver;
    players::AccountWorld around;
    nodes::entities::EntityHost entities;
    space::SpaceHost spaces;
    space::Travels travels;
  };
  std::unique_ptr<GameProgram> make(boost::asio::io_context& loop) override;
  void open(Opened opened) override;
  void lose() override;
  void ends() override;
  Program& mine() { return static_cast<Program&>(*program()); }
  nodes::entities::HostOptions entity_options(Program& made);
  space::SpaceHostOptions space_options();
  space::TravelOptions ways();

  std::set<std::string> players();

  Scene& scene_;
  bool draining_ = false;
  // Since its drain began: who was in its spaces, and how many more may come.
  std::set<std::string> inside_;
  std::size_t on_the_way_ = 0;
};

/// A DbSaver that reads what it loads as the owner of the name, as a node does.
nodes::entities::DbSaverOptions checked_out(const bus::Bus& bus);

}  // namespace starbus::sim
