// What people play: an account, and a hero, which walks, is seen, talks, and goes from space to
// space.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "entity/entities.hpp"
#include "nodes/players/account.hpp"
#include "nodes/players/player.hpp"
#include "nodes/space/node/space_host.hpp"
#include "nodes/space/sight/mover.hpp"
#include "nodes/space/sight/watcher.hpp"
#include "nodes/space/travel/travels.hpp"

namespace game {

using namespace std::chrono_literals;
namespace aoi = starbus::aoi;
namespace bus = starbus::bus;
namespace entity = starbus::entity;
namespace nodes = starbus::nodes;
namespace players = starbus::nodes::players;
namespace rpc = starbus::entity::rpc;
namespace sight = starbus::nodes::sight;
namespace space = starbus::nodes::space;

inline constexpr const char* kFirstPlace = "meadow";
inline constexpr std::size_t kLongestText = 200;  // bytes of what one says

/// Who logs in: the sessions and the characters that each account has, and nothing else.
struct AccountState : entity::Properties<AccountState, players::AccountState> {};
class Account final : public entity::EntityOf<Account, players::Account> {
 public:
  AccountState state;
  players::AccountState& saved() override { return state; }
};

/// What the client of a hero is told beside what it sees: declared here, and written in
/// web/src/game.ts.
struct HeroClient {
  void said(std::string who, std::string text);
  static constexpr auto kClient =
      entity::client_methods("hero_client", entity::client_method<&HeroClient::said>("said"));
};

/// `all_clients`: whoever sees the hero sees the field; `own_client`: its own page alone does;
/// `save`: it is kept in the database.
struct HeroState : entity::Properties<HeroState> {
  STARBUS_FIELDS(Field<std::string, all_clients | save> name{*this};
                 Field<std::uint32_t, all_clients | save> colour{*this, 0x4f8fea};  // 0xRRGGBB
                 Field<std::string, own_client> space{*this};  // such as meadow-1
                 Field<std::string, own_client> node{*this};   // that runs it, such as a.game
                 // Where it comes back to.
                 Field<std::string, save> place{*this, kFirstPlace}; Field<float, save> x{*this};
                 Field<float, save> y{*this}; Field<bool, save> has_been{*this};)
};

/// Its client moves it, within the rules of its space (Mover), and is told what it sees (Watcher).
/// It goes on over lost connections and from host to host (Traveller). Belongs to the loop's thread
/// of the node that it is on.
class Hero final
    : public entity::EntityOf<Hero, players::Player,
                              entity::Components<sight::Mover, sight::Watcher, space::Traveller>>,
      public space::TravelHooks {
 public:
  HeroState state;

  // --- what its client may ask ---

  /// To all in its space. False: it is in none, or the text is empty or too long.
  bool say(rpc::Caller&, std::string text) {
    auto* const here = world().get<space::SpaceHost>().find(space());
    if (here == nullptr || text.empty() || text.size() > kLongestText) return false;
    here->for_each_player([&](entity::Entity& each) {
      static_cast<void>(each.client().call<&HeroClient::said>(state.name.get(), text));
    });
    return true;
  }
  void paint(rpc::Caller&, std::uint32_t colour) { state.colour = colour & 0xffffff; }
  static constexpr auto kRpc = rpc::methods<&Hero::say, &Hero::paint>(rpc::own_client);

  // --- what the game does with it ---

  /// To another place; to its entrance if no position is given.
  void travel(space::PlaceId to, std::optional<aoi::Position> at) {
    remember_place();
    space::Wish wish;
    wish.place = std::move(to);
    wish.at = at;
    // How it ends is told by on_travel_ended, on whichever host the hero is then.
    world().get<space::Travels>().travel(*this, wish,
                                         [](const space::Result<space::Travelled>&) {});
  }
  void remember_place() {
    const auto* const mover = component<sight::Mover>();
    if (!mover->is_in_space()) return;
    state.x = mover->state().position.x;
    state.y = mover->state().position.y;
    state.has_been = true;
  }

 private:
  /// A client plays it from now on, also one that has come back.
  void on_online(bool) override {
    const std::string id = persistent_id();  // ada.1: heroes are named after their accounts
    state.name = id.substr(0, id.rfind('.'));
    come_in();
  }
  void come_in() {
    if (space() != entity::OnlineId::none) return;
    std::optional<aoi::Position> at;
    if (state.has_been) at = aoi::Position{state.x, state.y, 0};
    travel({state.place, ""}, at);
  }
  void on_travel_ended(const space::Result<space::Travelled>& end) override {
    if (end) {
      state.place = end->space.place.type;
      state.space = to_string(end->space);
      state.node = end->node;
      return remember_place();
    }
    if (space() != entity::OnlineId::none) return;  // it stays where it is
    state.place = kFirstPlace;                      // the place that it knew may be gone
    state.has_been = false;
    static_cast<void>(run_later<&Hero::come_in>({.first = 1s}));
  }

 public:
  // Steps: timers name them, so they travel along.
  static constexpr auto kSteps = entity::steps<&Hero::come_in>();
};

}  // namespace game
