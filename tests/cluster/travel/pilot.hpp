/// A game with accounts, and pilots that clients play, who travel between `low` and `high`: what
/// the test of a client's stream, and bench/travel, run as processes of its own.
///
///   ticket_keys = ["/.../login.pub"]
///   accounts = true                    # this one has the accounts
///   count_every = "5ms"                # a pilot says its next number to its client
///   enter = "high"                     # where a pilot goes when its client has come
///   [spaces]
///   labels = ["low"]
#pragma once

#include <chrono>
#include <map>
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
#include "nodes/space/sight/mover.hpp"
#include "nodes/space/sight/watcher.hpp"
#include "tests/cluster/travel/numbers.hpp"

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

struct PilotClient {
  /// What a pilot says by itself: 1, 2, 3, ...
  void number(std::uint64_t count);
  /// The next number of a process that sends to its channel: it hands it on.
  void word(std::uint32_t sender, std::uint64_t number);
  /// A travel has ended: "low-1", or why not.
  void landed(std::string where);
  static constexpr auto kClient = entity::client_methods(
      "test_pilot_client", entity::client_method<&PilotClient::number>("number"),
      entity::client_method<&PilotClient::word>("word"),
      entity::client_method<&PilotClient::landed>("landed"));
};

/// What has come to a pilot.
struct PilotReport {
  std::uint64_t counted = 0;               // numbers that it has said
  Numbers asked;                           // by its client
  std::map<std::uint32_t, Numbers> heard;  // by sender

  template <class Archive>
  void serialize(Archive& archive) {
    archive(counted, asked, heard);
  }
};

/// Of a process.
struct PilotWays {
  std::chrono::milliseconds count_every{};
  std::string enter;
};

struct PilotState : entity::Properties<PilotState> {
  STARBUS_FIELDS(Field<int, own_client | save> gold{*this};
                 Field<std::uint64_t, save> counted{*this};
                 Field<std::string, own_client> where{*this};
                 Field<std::uint64_t, own_client> shown{*this};)  // as counted
};
class Pilot final
    : public entity::EntityOf<
          Pilot, players::Player,
          entity::Components<nodes::space::Traveller, nodes::sight::Mover, nodes::sight::Watcher>>,
      public nodes::space::TravelHooks {
 public:
  static constexpr std::string_view kTypeName = "pilot";
  PilotState state;
  entity::Root* properties() override { return &state; }

  int earn(rpc::Caller&, int amount) {
    state.gold += amount;
    return state.gold;
  }
  void fly(rpc::Caller&, std::string type) { go(std::move(type)); }
  /// The next request of its client.
  std::uint64_t ask(rpc::Caller&, std::uint64_t number);
  /// The next message of another process.
  void hear(rpc::Caller&, std::uint32_t sender, std::uint64_t number);
  PilotReport report(rpc::Caller&) { return {state.counted.get(), asked_, heard_}; }
  void count();
  static constexpr auto kRpc = rpc::methods(
      "test_pilot", rpc::method<&Pilot::earn>("earn", rpc::own_client),
      rpc::method<&Pilot::fly>("fly", rpc::own_client),
      rpc::method<&Pilot::ask>("ask", rpc::own_client), rpc::method<&Pilot::hear>("hear"),
      rpc::method<&Pilot::report>("report", rpc::own_client));
  static constexpr auto kSteps = entity::steps<&Pilot::count>();

  void on_online(bool back) override;

 private:
  void go(std::string type);
  entity::EntityResult<> on_activate() override;
  entity::EntityResult<> on_before_move(entity::Encoder& out) override;
  entity::EntityResult<> on_after_move(entity::Decoder* arrived) override;
  void on_travel_ended(const nodes::space::Result<nodes::space::Travelled>& end) override;

  Numbers asked_;
  std::map<std::uint32_t, Numbers> heard_;
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
  PilotWays pilots_;
  std::optional<nodes::db::RemoteDatabase> database_;
  std::optional<nodes::entities::DbSaver> saver_;
  players::AccountWorld around_;
  std::optional<players::AccountLoader> loader_;
};

}  // namespace starbus::cluster_test
