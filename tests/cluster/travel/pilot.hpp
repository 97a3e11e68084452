/// A game with accounts, and pilots that clients play, who travel between `low` and `high`: what
/// the test of a client's stream runs as processes of its own.
///
///   ticket_keys = ["/.../login.pub"]
///   accounts = true                    # this one has the accounts
///   [spaces]
///   labels = ["low"]
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "entity/entities.hpp"
#include "nodes/db/remote/remote_database.hpp"
#include "nodes/hosting/db_saver.hpp"
#include "nodes/players/account.hpp"
#include "nodes/players/account_loader.hpp"
#include "nodes/players/player.hpp"
#include "nodes/space/node/space_app.hpp"

namespace starbus::cluster_test {

namespace players = nodes::players;
namespace rpc = entity::rpc;

struct CrewState : entity::Properties<CrewState, players::AccountState> {
  STARBUS_FIELDS(Field<int, own_client | save> coins{*this};)
};
class Crew final : public entity::EntityOf<Crew, players::Account> {
 public:
  static constexpr std::string_view kTypeName = "crew";
  CrewState state;
  players::AccountState& saved() override { return state; }
};

/// What a pilot says to its client: 1, 2, 3, ...
struct PilotClient {
  void number(std::uint64_t count);
  static constexpr auto kClient = entity::client_methods(
      "test_pilot_client", entity::client_method<&PilotClient::number>("number"));
};

struct PilotState : entity::Properties<PilotState> {
  STARBUS_FIELDS(Field<int, own_client | save> gold{*this};
                 Field<std::uint64_t, save> counted{*this};
                 Field<std::string, own_client> where{*this};)
};
class Pilot final
    : public entity::EntityOf<Pilot, players::Player, entity::Components<nodes::space::Traveller>>,
      public nodes::space::TravelHooks {
 public:
  static constexpr std::string_view kTypeName = "pilot";
  PilotState state;
  entity::Root* properties() override { return &state; }

  int earn(rpc::Caller&, int amount) {
    state.gold += amount;
    return state.gold;
  }
  void fly(rpc::Caller&, std::string type) {
    nodes::space::Wish wish;
    wish.place.type = std::move(type);
    world().get<nodes::space::Travels>().travel(
        *this, wish, [](const nodes::space::Result<nodes::space::Travelled>&) {});
  }
  void count();
  static constexpr auto kRpc =
      rpc::methods("test_pilot", rpc::method<&Pilot::earn>("earn", rpc::own_client),
                   rpc::method<&Pilot::fly>("fly", rpc::own_client));
  static constexpr auto kSteps = entity::steps<&Pilot::count>();

 private:
  entity::EntityResult<> on_activate() override;
  void on_travel_ended(const nodes::space::Result<nodes::space::Travelled>& end) override;
};

class Sky final : public nodes::space::GameSpace {
 public:
  using GameSpace::GameSpace;
};

class PilotApp final : public nodes::space::SpaceApp {
 public:
  PilotApp();
  void configure(daemon::ConfigReader& reader) override;
  bus::Result<> start(nodes::Node& node) override;

 protected:
  nodes::entities::HostOptions entity_options(nodes::Node& node) override;

 private:
  std::vector<std::string> ticket_keys_;
  bool accounts_ = false;
  std::optional<nodes::db::RemoteDatabase> database_;
  std::optional<nodes::entities::DbSaver> saver_;
  players::AccountWorld around_;
  std::optional<players::AccountLoader> loader_;
};

}  // namespace starbus::cluster_test
