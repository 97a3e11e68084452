/// Player: the entity that a client plays, from which a game derives its own.
///
///   class Hero final : public entity::EntityOf<Hero, players::Player> {
///    public:
///     HeroState state;                                  // with `save` and `own_client` fields
///     void on_online(bool back) override { ... }        // join groups, enter a space
///   };
///   host.declare<Hero>({.save_every = 30s});            // enters as "player/ID"
///
/// Its states are Waiting (for its first client), Playing, Disconnected (its client has gone, and
/// may come back), Leaving (it is saved, then ends), each but Playing with a deadline. They travel
/// when it moves. Belongs to the loop's thread of an EntityHost that saves and loads; needs an
/// AccountWorld in world(). How often it is saved is a matter of TypeOptions.
#pragma once

#include <memory>

#include "entity/entities.hpp"
#include "entity/machines/machine.hpp"
#include "nodes/players/account_world.hpp"

namespace starbus::nodes::players {

class Player;
using sessions::Reason;

namespace detail {

struct Waiting;
struct Playing;
struct Disconnected;
struct Leaving;

}  // namespace detail

/// The states of a player.
using PlayerLife = entity::Machine<Player, detail::Waiting, detail::Playing, detail::Disconnected,
                                   detail::Leaving>;

namespace detail {

// What happens to a player.
struct ClientCame {};
struct ClientGone {
  Reason reason = Reason::away;
};
struct LogOut {};
struct PlayerSaved {};

struct Waiting {
  static constexpr std::string_view kName = "waiting";
  void on_enter(PlayerLife& life);
  void on(const ClientCame&, PlayerLife& life);
  void on(const LogOut&, PlayerLife& life);
  void on(const entity::DeadlinePassed&, PlayerLife& life);
};
struct Playing {
  static constexpr std::string_view kName = "playing";
  void on(const ClientCame&, PlayerLife& life);
  void on(const ClientGone& gone, PlayerLife& life);
  void on(const LogOut&, PlayerLife& life);
};
struct Disconnected {
  static constexpr std::string_view kName = "disconnected";
  void on_enter(PlayerLife& life);
  void on(const ClientCame&, PlayerLife& life);
  void on(const LogOut&, PlayerLife& life);
  void on(const entity::DeadlinePassed&, PlayerLife& life);
};
struct Leaving {
  static constexpr std::string_view kName = "leaving";
  void on_enter(PlayerLife& life);
  void on(const ClientCame&, PlayerLife& life);
  void on(const PlayerSaved&, PlayerLife& life);
  void on(const entity::DeadlinePassed&, PlayerLife& life);
};

}  // namespace detail

class Player : public entity::EntityOf<Player> {
 public:
  static constexpr std::string_view kTypeName = "starbus_player";

  // --- what the game hears ---

  /// A client plays it. `back`: it was disconnected, or another client, or another login, has taken
  /// the place of the one before; else it comes into the world. Groups of the client are to be
  /// joined in all cases.
  virtual void on_online(bool back) { static_cast<void>(back); }
  /// Its client has gone, and may come back within PlayerTimes::link_dead.
  virtual void on_disconnected(Reason) {}
  /// It leaves the world: what is changed here is saved.
  virtual void on_logout() {}

  // --- what it is asked ---

  /// Of its client: it goes back to its account, and the player leaves.
  void log_out(rpc::Caller& from);
  /// Of servers: the same, also without a client.
  void kick(rpc::Caller& from);
  static constexpr auto kRpc =
      rpc::methods("starbus_player", rpc::method<&Player::log_out>("log_out", rpc::own_client),
                   rpc::method<&Player::kick>("kick"));

  /// Lets its client go, is saved, and ends.
  void leave_world();
  /// Its states, for people and tests.
  const PlayerLife& life_cycle() const { return life_; }
  entity::MachineGroup* machines() override { return &machines_; }
  void on_client() override;
  void on_client_gone(Reason reason) override;

 protected:
  Player();
  ~Player() override = default;

 private:
  friend struct detail::Waiting;
  friend struct detail::Disconnected;
  friend struct detail::Leaving;

  const PlayerTimes& times() const { return world().get<AccountWorld>().times; }
  void save_and_tell();

  entity::MachineGroup machines_;
  PlayerLife life_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace starbus::nodes::players
