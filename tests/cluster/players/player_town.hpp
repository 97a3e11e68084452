/// A process of a game with accounts and fighters, kept in a database: what a studio writes.
///
///   ticket_keys = ["/.../login.pub"]
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "entity/properties/properties.hpp"
#include "entity/rpc/rpc.hpp"
#include "nodes/db/remote/remote_database.hpp"
#include "nodes/hosting/db_saver.hpp"
#include "nodes/hosting/entity_host.hpp"
#include "nodes/players/account.hpp"
#include "nodes/players/account_loader.hpp"
#include "nodes/players/player.hpp"
#include "nodes/runtime/node.hpp"

namespace starbus::cluster_test {

namespace players = nodes::players;
namespace rpc = entity::rpc;

struct CitizenState : entity::Properties<CitizenState, players::AccountState> {
  STARBUS_FIELDS(Field<int, own_client | save> coins{*this};)
};
class Citizen final : public entity::EntityOf<Citizen, players::Account> {
 public:
  static constexpr std::string_view kTypeName = "citizen";
  CitizenState state;
  players::AccountState& saved() override { return state; }
};

struct FighterState : entity::Properties<FighterState> {
  STARBUS_FIELDS(Field<int, own_client | save> gold{*this};)
};
class Fighter final : public entity::EntityOf<Fighter, players::Player> {
 public:
  static constexpr std::string_view kTypeName = "fighter";
  FighterState state;
  entity::Root* properties() override { return &state; }
  int earn(rpc::Caller&, int amount) {
    state.gold += amount;
    return state.gold;
  }
  static constexpr auto kRpc =
      rpc::methods("test_fighter", rpc::method<&Fighter::earn>("earn", rpc::own_client));
};

class PlayerTown final : public nodes::App {
 public:
  void configure(daemon::ConfigReader& reader) override;
  bus::Result<> start(nodes::Node& node) override;

 private:
  std::vector<std::string> ticket_keys_;
  nodes::Node* node_ = nullptr;
  std::optional<nodes::db::RemoteDatabase> database_;
  std::optional<nodes::entities::DbSaver> saver_;
  players::AccountWorld around_;
  std::optional<nodes::entities::EntityHost> host_;
  std::optional<players::AccountLoader> loader_;
};

}  // namespace starbus::cluster_test
