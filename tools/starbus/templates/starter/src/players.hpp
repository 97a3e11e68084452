// Where players live: a service with partitions, whose key is the player's name. Accounts have them
// enter here when a client has chosen one, and the console does.
#pragma once

#include <map>
#include <string>

#include "nodes/hosting/entity_host.hpp"
#include "nodes/service/service.hpp"
#include "player.hpp"

namespace game {

inline constexpr const char* kPlayers = "players";
inline constexpr std::uint32_t kPlayersPartitions = 4;  // as in config/manager.toml
inline constexpr std::size_t kMostPlayers = 1'000;      // of one partition

/// Makes the entities of one partition, or loads them from the database. Each has a channel of its
/// own, so a caller calls a player directly. Those that live here end with this: when the host
/// drains or dies, the manager puts the partition on another host, where they enter again. One that
/// has moved to another host stays there until it ends.
class Players final : public service::Service, public rpc::Callable<Players> {
 public:
  /// The host of entities outlives this.
  Players(service::Instance& instance, entities::EntityHost& host)
      : instance_(instance), host_(host) {}
  ~Players() override {
    close_rpc();
    for (const auto& [name, id] : players_) {
      if (Player* player = host_.entities().find_as<Player>(id)) player->destroy();
    }
  }

  /// Makes or loads the player if it is nowhere; answers its channel. busy: a former life of it has
  /// not ended; ask again.
  rpc::Task<service::Result<std::string>> enter(rpc::Caller&, std::string name) {
    if (auto mine = instance_.check(name); !mine) co_return mine.error();
    if (!is_name(name)) co_return service::Error(service::Errc::bad_name, "player");
    if (players_.size() >= kMostPlayers) forget_ended();
    if (players_.size() >= kMostPlayers && !players_.contains(name)) {
      co_return service::Error(service::Errc::too_many, "players");
    }
    const auto entered = co_await host_.enter<Player>(player_channel(name));
    if (!entered) co_return service::Error(service::Errc::busy, entered.error().to_string());
    if (entered->entity != nullptr) {
      players_.insert_or_assign(name, entered->entity->online_id());
    }
    co_return entered->ref.name();
  }
  static constexpr auto kRpc = rpc::methods<&Players::enter>();

 private:
  void forget_ended() {
    std::erase_if(players_, [this](const auto& each) {
      return host_.entities().find_here(each.second) == nullptr;
    });
  }

  service::Instance& instance_;
  entities::EntityHost& host_;
  std::map<std::string, entity::OnlineId> players_;  // by id: entities end by themselves, too
};

}  // namespace game
