/// The player of the runs, who is busy in each way that travels: steps, questions, a machine,
/// messages, requests of its client, and a client that is told. And what is around it: its account,
/// and the spaces where it plays.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "nodes/db/document.hpp"
#include "nodes/players/account.hpp"
#include "nodes/players/player.hpp"
#include "nodes/space/node/space.hpp"
#include "nodes/space/sight/mover.hpp"
#include "nodes/space/sight/watcher.hpp"
#include "nodes/space/travel/travels.hpp"
#include "tests/sim/entities/miner.hpp"
#include "tests/sim/spaces/spaces_oracle.hpp"

namespace starbus::sim {

namespace players = nodes::players;
namespace space = nodes::space;
namespace sight = nodes::sight;

struct HeroState : entity::Properties<HeroState> {
  STARBUS_FIELDS(Field<std::int64_t, all_clients | save> gold{*this};
                 Field<std::int64_t, own_client | save> purse{*this};
                 Field<std::int64_t, own_client> life{*this};  // SpacesOracle::Life
                 Field<std::int64_t, all_clients | per_space> paces{*this};)
};

/// What a hero has in its document; nothing of it is ever taken away.
struct HeroSaved {
  std::int64_t gold = 0, purse = 0;
};
/// None: it was never saved.
std::optional<HeroSaved> saved_in(const nodes::db::Json& document);

/// What a travel must not change if it comes to nothing.
struct HeroPicture {
  entity::OnlineId space = entity::OnlineId::none;
  std::optional<aoi::Position> at;
  std::int64_t gold = 0, purse = 0, paces = 0;
  std::string_view life;
  int rounds = 0;
  bool operator==(const HeroPicture&) const = default;
};

/// What the hero calls at its client.
struct HeroClient {
  void tell(std::uint64_t number);
  static constexpr auto kClient =
      entity::client_methods("sim_hero_client", entity::client_method<&HeroClient::tell>("tell"));
};

class Hero;
struct Pacing;
using Walk = entity::Machine<Hero, Pacing>;
/// One round after the other, for ever.
struct Pacing {
  static constexpr std::string_view kName = "pacing";
  static constexpr entity::Time kDeadline = std::chrono::milliseconds(700);
  int rounds = 0;
  void pack(entity::Encoder& out) const { out.number(rounds); }
  void unpack(entity::Decoder& in) { rounds = in.number<int>(); }
  void on(const entity::DeadlinePassed&, Walk& walk);
};

class Hero final
    : public entity::EntityOf<Hero, players::Player,
                              entity::Components<space::Traveller, sight::Mover, sight::Watcher>>,
      public space::TravelHooks {
 public:
  static constexpr std::string_view kTypeName = "hero";
  Hero();
  entity::Root* properties() override { return &state; }

  // --- what is done ---
  void earn(SpacesOracle::Job job);
  void told(rpc::Reply<int>, SpacesOracle::Job job) { earn(job); }
  /// Goes to a space if it is in none; called again and again.
  void settle();
  /// It begins a travel: if that comes to nothing it is where it is now.
  void sets_out() { left_from_ = space(); }
  /// Tells its client the next number.
  void talk();
  /// Of its client.
  std::int64_t buy(rpc::Caller&, SpacesOracle::Job job);
  void hear(rpc::Caller&, std::string sender, std::uint64_t number);
  static constexpr auto kSteps =
      entity::steps(entity::step<&Hero::earn>("earn"), entity::step<&Hero::told>("told"),
                    entity::step<&Hero::settle>("settle"));
  static constexpr auto kRpc =
      rpc::methods("sim_hero", rpc::method<&Hero::buy>("buy", rpc::own_client),
                   rpc::method<&Hero::hear>("hear"));

  SpacesOracle& oracle() const { return world().get<SpacesOracle>(); }
  SpacesOracle::Life life_number() const { return life_; }
  HeroPicture picture();
  int rounds();

  HeroState state;

 private:
  ~Hero() override = default;
  entity::EntityResult<> on_activate() override;
  void on_deactivate(entity::EndReason reason) override;
  entity::EntityResult<> on_enter_space(entity::OnlineId, entity::EnterReason) override;
  entity::EntityResult<> on_before_move(entity::Encoder& out) override;
  entity::EntityResult<> on_after_move(entity::Decoder* in) override;
  void on_online(bool back) override;
  void on_travel_ended(const space::Result<space::Travelled>& end) override;
  space::GameSpace* here() const;
  void acts(const char* what) const;
  void begin_life(int rounds);

  SpacesOracle::Life life_ = 0;
  bool active_ = false;
  std::uint64_t told_ = 0;
  Walk walk_;
  entity::OnlineId left_from_ = entity::OnlineId::none;
  std::optional<HeroPicture> packed_;  // for a move that has not ended
};

class Person final : public entity::EntityOf<Person, players::Account> {
 public:
  static constexpr std::string_view kTypeName = "person";
  players::AccountState& saved() override { return state; }
  entity::Root* properties() override { return &state; }
  players::AccountState state;
};

class Field final : public space::GameSpace {
 public:
  using GameSpace::GameSpace;
};

}  // namespace starbus::sim
