/// Simulated processes beside the spaces: one with the service of spaces, and one with the accounts
/// of players and a market that answers whoever asks. One thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "nodes/hosting/db_saver.hpp"
#include "nodes/players/account_calls.hpp"
#include "nodes/players/account_loader.hpp"
#include "nodes/service/service_host.hpp"
#include "nodes/space/service/space_service.hpp"
#include "tests/sim/spaces/game_node.hpp"
#include "tests/sim/spaces/hero.hpp"
#include "tests/sim/spaces/scene.hpp"

namespace starbus::sim {

class OfficeNode final : public GameNode {
 public:
  OfficeNode(Scene& scene, HostNode& host, std::string node)
      : GameNode(scene.world, host, std::move(node)), scene_(scene) {}
  ~OfficeNode() override;

  /// Null: no service runs here now.
  const space::Registry* registry();

 private:
  struct Program final : GameProgram {
    Program(OfficeNode& node, boost::asio::io_context& loop);
    space::SpaceDesk desk;
    nodes::service::ServiceHost host;
  };
  std::unique_ptr<GameProgram> make(boost::asio::io_context& loop) override;
  void open(Opened opened) override;
  void lose() override;
  Program& mine() { return static_cast<Program&>(*program()); }

  Scene& scene_;
};

class DeskNode final : public GameNode {
 public:
  DeskNode(Scene& scene, HostNode& host, std::string node)
      : GameNode(scene.world, host, std::move(node)), scene_(scene) {}
  ~DeskNode() override;

  /// As a login does: draws the number of a proof of identity of an account, which is loaded if
  /// need be. `drawn` is called once, or never if this ends; 0: not now.
  void prove(const std::string& account, std::function<void(std::uint64_t)> drawn);

 private:
  struct Program final : GameProgram {
    Program(DeskNode& node, boost::asio::io_context& loop);
    nodes::entities::Shelf shelf;
    nodes::entities::DbSaver saver;
    players::AccountWorld around;
    nodes::entities::EntityHost entities;
    players::AccountLoader loader;
    players::AccountCalls calls;
    Market market;
  };
  std::unique_ptr<GameProgram> make(boost::asio::io_context& loop) override;
  void open(Opened opened) override;
  void lose() override;
  Program& mine() { return static_cast<Program&>(*program()); }
  nodes::entities::HostOptions entity_options(Program& made);

  Scene& scene_;
};

/// What a login signs, in these runs: the number of the proof, the session and the gate; without a
/// session the part of a token that lets a player in again.
bus::Bytes write_ticket(std::uint64_t login, const entity::sessions::SessionId& session,
                        const std::string& gate);
std::optional<players::TicketSeen> read_ticket(bus::ByteView bytes);

}  // namespace starbus::sim
