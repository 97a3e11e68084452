// The entities of bench_space: an account, and a walker, which others see and which sees them.
#pragma once

#include <cstdint>
#include <string>

#include "entity/entities.hpp"
#include "nodes/players/account.hpp"
#include "nodes/players/player.hpp"
#include "nodes/space/sight/mover.hpp"
#include "nodes/space/sight/watcher.hpp"
#include "nodes/space/travel/travels.hpp"

namespace starbus::bench::space {

namespace players = nodes::players;
namespace sight = nodes::sight;

struct AccountState : entity::Properties<AccountState, players::AccountState> {};

class WalkerAccount final : public entity::EntityOf<WalkerAccount, players::Account> {
 public:
  static constexpr std::string_view kTypeName = "bench_account";
  AccountState state;
  players::AccountState& saved() override { return state; }
};

struct WalkerState : entity::Properties<WalkerState> {
  STARBUS_FIELDS(Field<std::string, all_clients | save> name{*this};
                 Field<std::int32_t, all_clients | save> health{*this, 100};
                 Field<std::int32_t, own_client | save> gold{*this};
                 Field<std::uint8_t, all_clients> pose{*this};)  // one byte, which `news` changes
};

class Walker final : public entity::EntityOf<
                         Walker, players::Player,
                         entity::Components<sight::Mover, sight::Watcher, nodes::space::Traveller>>,
                     public nodes::space::TravelHooks {
 public:
  static constexpr std::string_view kTypeName = "walker";
  WalkerState state;
  entity::Root* properties() override { return &state; }

  void on_online(bool back) override;
  void on_travel_ended(const nodes::space::Result<nodes::space::Travelled>& end) override;
  // Again, when it is in no space.
  void come_in();
  static constexpr auto kSteps = entity::steps<&Walker::come_in>();

  // Of its bot, which its ways follow from: 7 of b:bot7.1.
  std::uint32_t number() const;
};

}  // namespace starbus::bench::space
