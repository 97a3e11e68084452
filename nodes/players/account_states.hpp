/// The states of an account, each with its deadline. See account.hpp.
#pragma once

#include "entity/machines/machine.hpp"
#include "nodes/players/core/row.hpp"

namespace starbus::nodes::players {

class Account;

namespace detail {

struct Offline;   // no session: it is saved and goes after a while
struct Loading;   // a session has come; its subject is being found or loaded
struct Lobby;     // the client looks at its characters
struct Choosing;  // the client goes to another entity
struct Online;    // a player has the session
struct Ending;    // the session is being ended

}  // namespace detail

/// See account.hpp.
using AccountLife = entity::Machine<Account, detail::Offline, detail::Loading, detail::Lobby,
                                    detail::Choosing, detail::Online, detail::Ending>;

namespace detail {

// What happens to an account.
struct SessionOpened {};  // a session has it
struct SessionPlays {     // its subject has the session
  bool lobby = false;     // that is the account itself
};
struct SessionEnds {};    // the game, or a deadline, has ended it
struct SessionClosed {};  // it has ended

struct Offline {
  static constexpr std::string_view kName = "offline";
  void on_enter(AccountLife& life);
  void on(const SessionOpened&, AccountLife& life);
  void on(const entity::DeadlinePassed&, AccountLife& life);
};
struct Loading {
  static constexpr std::string_view kName = "loading";
  void on_enter(AccountLife& life);
  void on(const SessionPlays& plays, AccountLife& life);
  void on(const SessionEnds&, AccountLife& life);
  void on(const SessionClosed&, AccountLife& life);
  void on(const entity::DeadlinePassed&, AccountLife& life);
};
struct Lobby {
  static constexpr std::string_view kName = "lobby";
  void on_enter(AccountLife& life);
  void on(const SessionOpened&, AccountLife& life);
  void on(const SessionEnds&, AccountLife& life);
  void on(const SessionClosed&, AccountLife& life);
  void on(const entity::DeadlinePassed&, AccountLife& life);
};
struct Choosing {
  static constexpr std::string_view kName = "choosing";
  void on_enter(AccountLife& life);
  void on(const SessionOpened&, AccountLife& life);
  void on(const SessionPlays& plays, AccountLife& life);
  void on(const SessionEnds&, AccountLife& life);
  void on(const SessionClosed&, AccountLife& life);
  void on(const entity::DeadlinePassed&, AccountLife& life);
};
struct Online {
  static constexpr std::string_view kName = "online";
  void on(const SessionOpened&, AccountLife& life);
  void on(const SessionPlays& plays, AccountLife& life);
  void on(const SessionEnds&, AccountLife& life);
  void on(const SessionClosed&, AccountLife& life);
};
struct Ending {
  static constexpr std::string_view kName = "ending";
  void on_enter(AccountLife& life);
  void on(const SessionOpened&, AccountLife& life);
  void on(const SessionClosed&, AccountLife& life);
  void on(const entity::DeadlinePassed&, AccountLife& life);
};

}  // namespace detail
}  // namespace starbus::nodes::players
