// What a node needs in order to have accounts: keys, and the way to players.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "account.hpp"
#include "daemon/config/config.hpp"
#include "nodes/login/accounts/ticket_check.hpp"
#include "nodes/runtime/node.hpp"
#include "nodes/service/partitions.hpp"
#include "players.hpp"

namespace game {

/// What the accounts and players of a host of entities reach through world(). Belongs to the loop's
/// thread; the host ends before it.
class Accounts {
 public:
  void configure(daemon::ConfigReader& reader) { ticket_keys_ = reader.strings("ticket_keys"); }

  bus::Result<> start(nodes::Node& node, entities::EntityHost& host) {
    auto keys = login::VerifyingKeys::read(ticket_keys_);
    if (!keys) return bus::Error(bus::Errc::bad_config, keys.error().to_string());
    around_.ticket = login::ticket_check(std::move(*keys));
    // A player without a client leaves after this: the console has some enter.
    around_.times.first_client = std::chrono::hours(1);
    players_.emplace(node.rpc(), kPlayers, kPlayersPartitions);
    around_.load = [this](const std::string& channel, players::AccountWorld::Loaded done) {
      const std::string name = channel.substr(channel.find('/') + 1);
      players_->call<&Players::enter>(
          name, {}, name)([done = std::move(done)](const auto& in) { done(in.has_value()); });
    };
    host.world().add(around_);
    host.declare<Account>();
    return {};
  }

 private:
  std::vector<std::string> ticket_keys_;  // files
  players::AccountWorld around_;
  std::optional<service::Partitions> players_;
};

}  // namespace game
