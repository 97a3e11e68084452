// Where players live: a service with partitions, whose key is the player's name.
#pragma once

#include <boost/asio/deferred.hpp>
#include <map>
#include <set>
#include <string>

#include "nodes/service/service.hpp"
#include "player.hpp"

namespace game {

inline constexpr const char* kPlayers = "players";
inline constexpr std::uint32_t kPlayersPartitions = 4;  // as in config/manager.toml
inline constexpr std::size_t kMostPlayers = 1'000;      // of one partition

/// Makes the entities of one partition. Each has a channel of its own, so a caller calls a player
/// directly. They end with this: when the host drains or dies, the manager puts the partition on
/// another host, where they enter again.
class Players final : public service::Service, public rpc::Callable<Players> {
 public:
  /// `at`: the process, for people. The host of entities outlives this.
  Players(service::Instance& instance, entities::EntityHost& host, std::string at)
      : instance_(instance), host_(host), at_(std::move(at)) {}
  ~Players() override {
    close_rpc();
    for (const auto& [name, id] : players_) {
      if (Player* player = find(id)) player->destroy();
    }
  }

  /// Makes the player if it is not there; answers its channel. busy: it is on its way, or a former
  /// life of it has not ended everywhere; ask again.
  rpc::Task<service::Result<std::string>> enter(rpc::Caller&, std::string name) {
    if (auto mine = instance_.check(name); !mine) co_return mine.error();
    if (!is_name(name)) co_return service::Error(service::Errc::bad_name, "player");
    const std::string channel = player_channel(name);
    if (const auto known = players_.find(name); known != players_.end()) {
      if (find(known->second) != nullptr) co_return channel;
      players_.erase(known);  // it has ended, or its name was lost
    }
    if (players_.size() + entering_.size() >= kMostPlayers) {
      co_return service::Error(service::Errc::too_many, "players");
    }
    if (!entering_.insert(name).second) co_return service::Error(service::Errc::busy, name);
    entity::CreateOptions how;
    how.persistent_id = name;
    const auto made = host_.entities().create_with<Player>(how);
    if (!made) {
      entering_.erase(name);
      co_return service::Error(service::Errc::busy, made.error().to_string());
    }
    const entity::OnlineId id = (*made)->online_id();
    (*made)->state.name = name;
    (*made)->state.at = at_;
    const auto bound = co_await host_.publish(**made, channel, boost::asio::deferred);
    entering_.erase(name);
    if (!bound) {
      // Somebody else has the name, so this is not the player.
      if (Player* player = find(id)) player->destroy(entity::EndReason::fenced);
      co_return service::Error(service::Errc::busy, bound.error().to_string());
    }
    players_.emplace(name, id);
    co_return channel;
  }
  static constexpr auto kRpc = rpc::methods("players", rpc::method<&Players::enter>("enter"));

 private:
  /// Entities end by themselves, too: they are held by their ids.
  Player* find(entity::OnlineId id) { return host_.entities().find_as<Player>(id); }

  service::Instance& instance_;
  entities::EntityHost& host_;
  const std::string at_;
  std::map<std::string, entity::OnlineId> players_;
  std::set<std::string> entering_;
};

}  // namespace game
