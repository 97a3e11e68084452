// An account: who logs in, and which players that person has.
#pragma once

#include <string>

#include "names.hpp"
#include "nodes/players/account.hpp"
#include "nodes/players/core/error.hpp"

namespace game {

/// Beside what every account has: its sessions, and its list of characters, which the page shows.
struct AccountState : entity::Properties<AccountState, players::AccountState> {
  STARBUS_FIELDS(Field<std::int64_t, own_client | save> visits{*this};)
};

/// Made by the first login of its name. A client plays it until it has chosen one of its
/// characters, and calls create, remove, choose and leave of players::Account. Belongs to the
/// loop's thread of the process that has loaded it.
class Account final : public entity::EntityOf<Account, players::Account> {
 public:
  AccountState state;

  players::AccountState& saved() override { return state; }
  /// Of a new character. Here may stand what else a game forbids: names that are taken, or rude.
  bus::Result<> may_create(const std::string& name) override {
    if (!is_name(name))
      return bus::Error(players::PlayerErrc::bad_name, "1 to 40 of a-z 0-9 . _ -");
    return {};
  }
  void on_opened() override { state.visits += 1; }
};

}  // namespace game
