/// Account: the entity of a person who plays, from which a game derives its own. It owns the
/// sessions of its clients (core/account_core.hpp), and the list of characters.
///
///   class MyAccount final : public entity::EntityOf<MyAccount, players::Account> {
///    public:
///     MyAccountState state;                                       // derives from AccountState
///     players::AccountState& saved() override { return state; }
///     Result<> may_create(const std::string& name) override { ... }
///   };
///   host.declare<MyAccount>();                                    // enters as "account/NAME"
///
/// Its states are Offline, Loading, Lobby (the client plays the account itself, and sees its
/// characters), Choosing, Online, Ending, each but Online with a deadline. Belongs to the loop's
/// thread of an EntityHost that saves and loads; needs an AccountWorld in world(). It does not
/// move: where it dies it is loaded again, and goes on with what was stored.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "entity/client/account_name.hpp"
#include "entity/entities.hpp"
#include "nodes/players/account_states.hpp"
#include "nodes/players/account_world.hpp"
#include "nodes/players/core/account_core.hpp"

namespace starbus::nodes::players {

/// One of the list of an account; its entity has more.
struct Character : entity::Struct<Character> {
  STARBUS_FIELDS(Field<std::string> id{*this};  // its channel is that of channel_of(id)
                 Field<std::string> name{*this};)
};

/// What is saved of every account; a game adds fields in a class that derives from it.
struct AccountState : entity::Properties<AccountState> {
  STARBUS_FIELDS(Field<std::string, save> sessions{*this};  // an AccountRow
                 Field<std::int64_t, save> made{*this};     // characters
                 Bag<Character, own_client | save> characters{*this, kCharacters};)  // by number
};

class Account : public entity::EntityOf<Account> {
 public:
  static constexpr std::string_view kTypeName = "starbus_account";

  // --- what the game says ---

  /// Its properties.
  virtual AccountState& saved() = 0;
  /// Whether a character may have this name, which is UTF-8 of 1 to kCharacterName bytes.
  virtual Result<> may_create(const std::string& name) {
    return static_cast<void>(name), Result<>();
  }
  /// The channel of a character's entity.
  virtual std::string channel_of(const std::string& id) const { return "player/" + id; }
  /// A session has the account; a client that was there before is told that it was replaced.
  virtual void on_opened() {}
  /// It has ended; the player may stay for a while.
  virtual void on_closed(Reason) {}

  // --- of its client, while it is in the lobby ---

  /// A new character: its id. Completes when it is stored. Errors: bad_name, too_many_characters;
  /// those of may_create and of the store.
  rpc::Task<Result<std::string>> create(rpc::Caller& from, std::string name);
  /// Takes a character off the list; what is stored of its entity stays, for the game to erase.
  /// Errors: no_character, character_plays; those of the store.
  rpc::Task<Result<>> remove(rpc::Caller& from, std::string id);
  /// Plays this character. Errors: no_character, busy, no_session.
  Result<> choose(rpc::Caller& from, std::string id);
  /// Ends the session. Errors: busy, no_session.
  Result<> leave(rpc::Caller& from);

  // --- of gates and servers ---

  /// The bytes of an AskAccount; the answer is those of an AccountAnswer, when it is stored.
  rpc::Task<std::string> ask(rpc::Caller& from, std::string word);
  /// Ends its session, for servers: a ban. Errors: as leave.
  Result<> kick(rpc::Caller& from);
  static constexpr auto kRpc = rpc::methods(
      "starbus_account", rpc::method<&Account::ask>("ask", rpc::gate),
      rpc::method<&Account::kick>("kick"), rpc::method<&Account::create>("create", rpc::own_client),
      rpc::method<&Account::remove>("remove", rpc::own_client),
      rpc::method<&Account::choose>("choose", rpc::own_client),
      rpc::method<&Account::leave>("leave", rpc::own_client));

  /// "account/NAME".
  std::string channel() const { return entity::sessions::account_channel(persistent_id()); }
  /// Its states, for people and tests.
  const AccountLife& life_cycle() const { return life_; }
  /// From its activation on.
  const AccountCore& core() const { return *core_; }
  entity::MachineGroup* machines() override { return &machines_; }
  void on_player_word(const sessions::ToAccount& word) override;

 protected:
  Account();
  ~Account() override = default;
  entity::EntityResult<> on_activate() override;
  entity::EntityResult<> on_before_move(entity::Encoder&) override;

 private:
  friend struct detail::Offline;
  friend struct detail::Loading;
  friend struct detail::Lobby;
  friend struct detail::Choosing;
  friend struct detail::Ending;

  AccountWorld& around() const { return world().get<AccountWorld>(); }
  const PlayerTimes& times() const { return around().times; }
  /// False: not now.
  bool go();
  /// Ends the session, or asks again a second later.
  void end_or_wait(Reason reason);
  Result<> end(Reason reason);
  std::optional<std::int64_t> number_of(const std::string& id) const;

  void carry_out(AccountEffects effects);
  void tell(const AccountEffects::ForGate& word);
  void tell(const AccountEffects::ForSubject& word);
  void load(const AccountEffects::Load& load);
  void store(const AccountEffects::Store& store);
  void wake();
  LinkTime now() const;

  entity::MachineGroup machines_;
  AccountLife life_;
  std::optional<AccountCore> core_;  // from on_activate on
  std::uint64_t asks_ = 0;
  std::map<std::uint64_t, bus::Done<sessions::AccountAnswer>> waiting_;
  entity::TimerId wakes_{};
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace starbus::nodes::players
