// The entities of the plaza: an account, and the player that its client plays.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "entity/entities.hpp"
#include "examples/plaza/crier.hpp"
#include "nodes/players/account.hpp"
#include "nodes/players/player.hpp"

namespace plaza {

namespace bus = starbus::bus;
namespace entity = starbus::entity;
namespace players = starbus::nodes::players;
namespace rpc = starbus::entity::rpc;

/// Calls a second, and bytes of each, that a client may ask for.
inline constexpr std::uint32_t kFastest = 1'000;
inline constexpr std::uint32_t kLargest = 64 * 1024;

struct AccountState : entity::Properties<AccountState, players::AccountState> {
  STARBUS_FIELDS(Field<int, own_client | save> coins{*this};)
};

/// Who plays. It has nothing to do but what every account does.
class PlazaAccount final : public entity::EntityOf<PlazaAccount, players::Account> {
 public:
  static constexpr std::string_view kTypeName = "plaza_account";
  AccountState state;
  players::AccountState& saved() override { return state; }
};

struct PlayerState : entity::Properties<PlayerState> {
  STARBUS_FIELDS(Field<int, own_client | save> visits{*this};)
};

/// What is played.
class PlazaPlayer final : public entity::EntityOf<PlazaPlayer, players::Player> {
 public:
  static constexpr std::string_view kTypeName = "plaza_player";
  PlayerState state;
  entity::Root* properties() override { return &state; }

  void on_online(bool back) override;
  void on_disconnected(players::Reason) override { stop(); }

  /// The same bytes.
  std::string echo(rpc::Caller&, std::string bytes) { return bytes; }
  /// {life, how many times this was begun in it}: shows whether a request was begun once.
  std::vector<std::uint64_t> turn(rpc::Caller&) { return {life_, ++turns_}; }
  /// Numbered calls to the client, so many a second, with so many bytes; 0: none any more. They go
  /// on when the client has lost its connection, and when another one takes the player over.
  bus::Result<> stream(rpc::Caller&, std::uint32_t per_second, std::uint32_t size);
  /// Says it to everybody.
  bus::Result<> tell(rpc::Caller&, std::string text);

  static constexpr auto kRpc =
      rpc::methods("plaza_player", rpc::method<&PlazaPlayer::echo>("echo", rpc::own_client),
                   rpc::method<&PlazaPlayer::turn>("turn", rpc::own_client),
                   rpc::method<&PlazaPlayer::stream>("stream", rpc::own_client),
                   rpc::method<&PlazaPlayer::tell>("tell", rpc::own_client));

 private:
  /// ada of ada.1: a character is named after its account.
  std::string account() const;
  void tick(const entity::TimerFiring& firing);
  void stop();

  const std::uint64_t life_ = draw_life();
  std::uint64_t turns_ = 0;
  std::uint64_t ticks_ = 0;
  // The stream, if there is one.
  entity::TimerId timer_{};
  std::uint32_t per_second_ = 0;
  std::string load_;
  entity::Time first_due_{};
  std::uint64_t first_time_ = 0;  // the same by the wall; 0: none was due yet
};

}  // namespace plaza
