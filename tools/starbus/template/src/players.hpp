// Where players live: a service with partitions, whose key is the player's name.
#pragma once

#include <boost/asio/deferred.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "nodes/service/service.hpp"
#include "player.hpp"

namespace game {

inline constexpr const char* kPlayers = "players";
inline constexpr std::uint32_t kPlayersPartitions = 4;  // as in config/manager.toml
inline constexpr std::size_t kMostPlayers = 1'000;      // of one partition

/// Makes the entities of one partition. Each has a channel of its own, so whoever calls a player
/// calls it directly. They end with this: when the host drains or dies, the manager puts the
/// partition on another host, where they enter anew.
class Players final : public service::Service, public rpc::Host<Players> {
 public:
  /// `at`: the process, for people.
  Players(service::Instance& instance, rpc::Endpoint& endpoint, std::string at)
      : instance_(instance), endpoint_(endpoint), at_(std::move(at)) {}
  ~Players() override { close_rpc(); }

  /// Makes the player if it is not there; answers its channel. busy: it is on its way, or a former
  /// life of it has not ended everywhere; ask again.
  rpc::Task<service::Result<std::string>> enter(rpc::Caller&, std::string name) {
    if (auto mine = instance_.check(name); !mine) co_return mine.error();
    if (!is_name(name)) co_return service::Error(service::Errc::bad_name, "player");
    const std::string channel = player_channel(name);
    if (players_.contains(name)) co_return channel;
    if (players_.size() + entering_.size() >= kMostPlayers) {
      co_return service::Error(service::Errc::too_many, "players");
    }
    if (!entering_.insert(name).second) co_return service::Error(service::Errc::busy, name);
    auto player = std::make_unique<Player>(endpoint_, instance_.epoch(), name, at_);
    const auto bound = co_await endpoint_.bind(channel, *player, boost::asio::deferred);
    entering_.erase(name);
    if (!bound) co_return service::Error(service::Errc::busy, bound.error().to_string());
    players_.emplace(name, std::move(player));
    co_return channel;
  }
  static constexpr auto kRpc = rpc::methods("players", rpc::method<&Players::enter>("enter"));

 private:
  service::Instance& instance_;
  rpc::Endpoint& endpoint_;
  const std::string at_;
  std::map<std::string, std::unique_ptr<Player>> players_;
  std::set<std::string> entering_;
};

}  // namespace game
