// The entities that people play: an account, and a hero, which walks, talks, fights, and goes from
// one space to another.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "entity/chance/luck.hpp"
#include "entity/entities.hpp"
#include "nodes/hosting/mail/inbox.hpp"
#include "nodes/hosting/mail/mail_method.hpp"
#include "nodes/players/account.hpp"
#include "nodes/players/player.hpp"
#include "nodes/space/nav/actor_nav.hpp"
#include "nodes/space/sight/mover.hpp"
#include "nodes/space/sight/watcher.hpp"
#include "nodes/space/travel/travels.hpp"

namespace arena {

namespace bus = starbus::bus;
namespace crowds = starbus::nodes::crowds;
namespace entity = starbus::entity;
namespace nodes = starbus::nodes;
namespace players = starbus::nodes::players;
namespace rpc = starbus::entity::rpc;
namespace sight = starbus::nodes::sight;
namespace space = starbus::nodes::space;

class Field;
class Monster;

// The page has all of these from Field::watch_options.
inline constexpr std::int32_t kFullHealth = 100;
inline constexpr float kHeroSpeed = 6;  // m/s
inline constexpr float kReach = 3;      // m, of a strike
inline constexpr std::chrono::milliseconds kBetweenStrikes{500};
inline constexpr std::size_t kLongestText = 200;  // bytes of what one says
inline constexpr std::size_t kUnread = 50;        // whispers; the oldest goes for a newer one
inline constexpr std::size_t kParcels = 16;       // of one hero that are on their way at once
inline constexpr const char* kWorld = "world";    // the group of all clients
inline constexpr const char* kFirstPlace = "meadow";

struct AccountState : entity::Properties<AccountState, players::AccountState> {};

class ArenaAccount final : public entity::EntityOf<ArenaAccount, players::Account> {
 public:
  static constexpr std::string_view kTypeName = "arena_account";
  AccountState state;
  players::AccountState& saved() override { return state; }
};

// Gold on its way to another hero: it left the purse in the save that has this.
struct Parcel {
  std::string to;  // an account
  std::int32_t gold = 0;
  friend bool operator==(const Parcel&, const Parcel&) = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(to, gold);
  }
};

// A whisper that came while no client played the hero.
struct Unread {
  std::string who;
  std::string text;
  friend bool operator==(const Unread&, const Unread&) = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(who, text);
  }
};

// The ledger of a hero: gold = looted + received - given, in each version of its state. Monsters
// are where gold comes from, and nothing destroys any: so the gold of all heroes is what they have
// looted, but for what is on its way (the sum of given - received).
struct HeroState : entity::Properties<HeroState> {
  STARBUS_FIELDS(Field<std::string, all_clients | save> name{*this};
                 Field<std::int32_t, all_clients | save> health{*this};
                 Field<std::int32_t, all_clients | save> kills{*this};
                 Field<std::int32_t, own_client | save> gold{*this};
                 Field<std::int64_t, own_client | save> looted{*this};
                 Field<std::int64_t, own_client | save> given{*this};
                 Field<std::int64_t, own_client | save> received{*this};
                 Field<std::uint32_t, own_client | save> letters{*this};  // that it has heard
                 List<Unread, save> unread{*this}; Field<std::uint64_t, save> last_parcel{*this};
                 Map<std::uint64_t, Parcel, save> parcels{*this};
                 // Where it is, and on which host: for the page.
                 Field<std::string, own_client> space{*this};
                 Field<std::string, own_client> node{*this};
                 // Where it comes back to.
                 Field<std::string, save> place{*this}; Field<float, save> x{*this};
                 Field<float, save> y{*this}; StateOf<nodes::entities::Inbox> inbox{this};
                 StateOf<entity::Luck> luck{this}; StateOf<crowds::ActorNav> actor_nav{this};)
};

class Hero final : public entity::EntityOf<
                       Hero, players::Player,
                       entity::Components<sight::Mover, sight::Watcher, space::Traveller,
                                          nodes::entities::Inbox, entity::Luck, crowds::ActorNav>>,
                   public space::TravelHooks {
 public:
  static constexpr std::string_view kTypeName = "hero";
  HeroState state;
  entity::Root* properties() override { return &state; }

  // --- of its client ---

  /// To all in its space, to one hero wherever it is and also while it is away, to everybody.
  bus::Result<> say(rpc::Caller&, std::string text);
  /// A whisper is answered when it is stored.
  rpc::Task<bus::Result<>> whisper(rpc::Caller&, std::string to, std::string text);
  bus::Result<> shout(rpc::Caller&, std::string text);
  /// Strikes a monster by its online id. False: it is too far, or too early, or none.
  bool attack(rpc::Caller&, std::uint64_t monster);
  /// Gold for another hero, wherever it is and also while it is away. False: it has not so much, or
  /// too many parcels are on their way. It arrives once, if this hero is saved with it.
  bool give(rpc::Caller&, std::string to, std::int32_t gold);
  static constexpr auto kRpc = rpc::methods("hero", rpc::method<&Hero::say>("say", rpc::own_client),
                                            rpc::method<&Hero::whisper>("whisper", rpc::own_client),
                                            rpc::method<&Hero::shout>("shout", rpc::own_client),
                                            rpc::method<&Hero::attack>("attack", rpc::own_client),
                                            rpc::method<&Hero::give>("give", rpc::own_client));

  // --- mail ---
  void heard(const nodes::entities::MailInfo&, std::string who, std::string text);
  void paid(const nodes::entities::MailInfo&, std::string who, std::int32_t gold);
  static constexpr auto kMail =
      nodes::entities::mail_methods(nodes::entities::mail_method<&Hero::heard>("heard"),
                                    nodes::entities::mail_method<&Hero::paid>("paid"));

  // --- of the game ---

  /// To another place; at its entrance if no position is given.
  void travel(space::PlaceId place, std::optional<starbus::aoi::Position> at);
  void hurt(std::int32_t damage);
  void loot(std::int32_t gold);
  /// What is saved of where it is.
  void remember_place();
  /// ada of ada.1: a hero is named after its account.
  std::string account() const;
  Field* field() const;
  bool is_alive() const { return state.health > 0; }

  entity::EntityResult<> on_init() override;
  void on_online(bool back) override;
  void on_travel_ended(const space::Result<space::Travelled>& end) override;

  /// Again, when it is in no space.
  void come_in();
  /// Saves it, and posts what is on its way; again until the store has all of it.
  void send_parcels();
  static constexpr auto kSteps = entity::steps<&Hero::come_in, &Hero::send_parcels>();

 private:
  bool may_talk();
  void post_parcels(std::uint64_t last);
  void tell_unread();
  sight::Mover& mover() { return *component<sight::Mover>(); }

  std::chrono::steady_clock::time_point next_strike_{};
  std::chrono::steady_clock::time_point next_word_{};
};

}  // namespace arena
